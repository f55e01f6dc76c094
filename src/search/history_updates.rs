//! The end of a node: its result updates the histories, the killers, the correction history and the transposition
//! table.

use arrayvec::ArrayVec;

use super::Bound;
use super::histories::{Context, NO_PIECE, colour_of};
use super::node::{Node, Subtree};
use super::stack::Frame;
use super::table::{Entry, Record};
use super::worker::Worker;
use crate::board::{Move, Role};
use crate::eval::{Evaluator, SearchParams};
use crate::value::Value;

/// Moves that were tried without success.
type TriedMoves = ArrayVec<Move, 64>;

/// The state of a node while its moves are searched.
pub(super) struct Progress {
    /// The context of the moves, for the histories.
    pub context: Context,
    pub alpha: Value,
    pub best: Value,
    pub best_move: Move,
    quiets: TriedMoves,
    captures: TriedMoves,
}

impl Progress {
    pub fn new(alpha: Value, context: Context) -> Progress {
        Progress {
            context,
            alpha,
            best: -Value::INFINITE,
            best_move: Move::NONE,
            quiets: TriedMoves::new(),
            captures: TriedMoves::new(),
        }
    }

    /// Records a move that is not the best. Only the first 64 are kept.
    #[inline]
    pub fn note_tried(&mut self, m: Move) {
        let tried = if m.is_noisy() { &mut self.captures } else { &mut self.quiets };
        let _ = tried.try_push(m);
    }
}

/// Learns from a node that has been searched.
pub(super) fn finish<E: Evaluator>(
    worker: &mut Worker<'_, E>,
    node: &Node<'_>,
    progress: &Progress,
) {
    let Node { position, ply, depth, beta, .. } = *node;
    let Progress { best, best_move, .. } = *progress;
    if best >= beta || (worker.mode.best_move && !best_move.is_none()) {
        learn_best_move(worker, node, progress);
    }
    if best >= beta && worker.mode.best_move {
        learn_failed_first_move(worker, ply, depth);
    }
    let bound = if best >= beta {
        Bound::Lower
    } else if best > node.alpha {
        Bound::Exact
    } else {
        Bound::Upper
    };
    // If moves were left out, the result does not hold for the whole position.
    if !worker.stack[ply].excluded.is_none() || (ply == 0 && worker.root.restricted) {
        return;
    }
    if best <= node.alpha {
        learn_refutation(worker, ply, depth);
    }
    if worker.mode.selective
        && let Some(static_evaluation) = worker.stack[ply].static_evaluation
        && (best_move.is_none() || !best_move.is_noisy())
        && !best.is_decisive()
    {
        // A bound shows an error only if the evaluation is on the wrong side of it.
        let is_informative = match bound {
            Bound::Exact => true,
            Bound::Lower => best > static_evaluation,
            Bound::Upper => best < static_evaluation,
        };
        if is_informative {
            let error = best - static_evaluation;
            worker.histories.learn_correction(position, &progress.context.earlier, depth, error);
        }
    }
    let record = Record {
        mv: best_move.packed(),
        value: best,
        evaluation: node.raw,
        depth,
        bound,
        was_pv: node.was_pv,
    };
    worker.table.store(position.key(), ply, record);
}

/// Rewards the best move and penalises the other moves that were tried.
fn learn_best_move<E: Evaluator>(worker: &mut Worker<'_, E>, node: &Node<'_>, progress: &Progress) {
    let Progress { best_move, quiets, captures, context, .. } = progress;
    let us = node.position.turn();
    let reward = bonus(worker.params, node.depth);
    let penalty = penalty(worker.params, node.depth);
    if best_move.is_noisy() {
        worker.histories.learn_capture(us, *best_move, reward);
    } else {
        let killers = &mut worker.stack[node.ply].killers;
        if killers[0] != *best_move {
            *killers = [*best_move, killers[0]];
        }
        worker.histories.learn_quiet(us, *best_move, context, reward);
        for &m in quiets {
            worker.histories.learn_quiet(us, m, context, -penalty);
        }
    }
    for &m in captures {
        worker.histories.learn_capture(us, m, -penalty);
    }
}

/// Rewards the table move, if it is quiet, when the table entry causes a cut-off.
pub(super) fn learn_table_cutoff<E: Evaluator>(
    worker: &mut Worker<'_, E>,
    subtree: &Subtree<'_>,
    entry: Entry,
) {
    let &Subtree { position, ply, depth, .. } = subtree;
    let params = worker.params;
    if params.table_bonus == 0 {
        return;
    }
    if let Some(m) = position.complete(entry.mv).filter(|m| !m.is_noisy()) {
        let context = worker.context(position, ply);
        let reward = bonus(params, depth) * params.table_bonus / 100;
        worker.histories.learn_quiet(position.turn(), m, &context, reward);
    }
}

/// Rewards the quiet move that led here, since no reply to it reaches alpha.
fn learn_refutation<E: Evaluator>(worker: &mut Worker<'_, E>, ply: usize, depth: i32) {
    let params = worker.params;
    if params.refutation > 0 {
        learn_last_move(worker, ply, bonus(params, depth) * params.refutation / 100);
    }
}

/// Penalises the quiet move that led here if it was the first move of its node and a reply refutes it.
fn learn_failed_first_move<E: Evaluator>(worker: &mut Worker<'_, E>, ply: usize, depth: i32) {
    if ply > 0 && worker.stack[ply].excluded.is_none() && worker.stack[ply - 1].move_count == 1 {
        learn_last_move(worker, ply, -penalty(worker.params, depth) / 2);
    }
}

/// Rewards or penalises the quiet move that led here, according to how much it changed the static evaluation.
///
/// In a search for the best move, this affects only the history by squares and, if the position is new, the pawn
/// history. A change of the evaluation says little about continuations. Most moves lose a little, since the mover gives
/// up the advantage of having the move, so the average move must not be penalised.
pub(super) fn learn_evaluation_difference<E: Evaluator>(
    worker: &mut Worker<'_, E>,
    ply: usize,
    is_new: bool,
) {
    /// The usual loss of a move, in centipawns.
    const USUAL: i32 = 15;
    let surprise = worker.params.surprise;
    let Some(loss) = worker.stack.opponents_loss(ply).filter(|_| surprise > 0 && ply > 0) else {
        return;
    };
    if !worker.mode.best_move {
        let most = worker.params.bonus_most / 2;
        learn_last_move(worker, ply, (-loss.raw() * surprise).clamp(-most, most));
        return;
    }
    let Frame { tried, piece, context, .. } = worker.stack[ply - 1];
    if piece != NO_PIECE && !tried.is_noisy() {
        let bonus = ((-loss.raw()).clamp(-53, 41) + USUAL) * surprise;
        worker.histories.learn_squares(colour_of(piece), tried, &context, bonus);
        if is_new && tried.role() != Role::Pawn {
            worker.histories.learn_pawns(colour_of(piece), tried, &context, bonus / 2);
        }
    }
}

/// Adds a bonus to the histories of the move that led to `ply`, if it was quiet.
fn learn_last_move<E: Evaluator>(worker: &mut Worker<'_, E>, ply: usize, bonus: i32) {
    if ply == 0 {
        return;
    }
    let Frame { tried, piece, context, .. } = worker.stack[ply - 1];
    if piece != NO_PIECE && !tried.is_noisy() {
        worker.histories.learn_quiet(colour_of(piece), tried, &context, bonus);
    }
}

/// The penalty for a move that was tried and was not the best.
fn penalty(params: &SearchParams, depth: i32) -> i32 {
    if params.penalty_most == 0 {
        return bonus(params, depth);
    }
    (params.penalty * depth - params.penalty_less).min(params.penalty_most)
}

/// The bonus for a good move: it grows with the depth up to a maximum.
pub(super) fn bonus(params: &SearchParams, depth: i32) -> i32 {
    (params.bonus * depth - params.bonus_less).min(params.bonus_most)
}
