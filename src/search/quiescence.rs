//! Quiescence search: searches captures until the position is quiet.
//!
//! A static evaluation means little in the middle of an exchange. At the horizon the search therefore goes on
//! with captures and promotions to a queen. The mover need not capture but may *stand pat*: the static evaluation
//! is a lower bound, since in most positions some quiet move scores at least as well. In check, standing pat is not
//! allowed, and all moves are searched.
//!
//! Captures that lose material in a static exchange are left out. With [`Mode::selective`], so are captures
//! that cannot raise the value to alpha (delta pruning). Without it the value depends on the position alone.
//!
//! [`Mode::selective`]: super::worker::Mode::selective

use super::Bound;
use super::histories::Context;
use super::node::Window;
use super::picker::Picker;
use super::stack::is_drawn_by_itself;
use super::table::Record;
use super::worker::Worker;
use crate::board::{EXCHANGE_VALUES, Move, PackedMove, Position, see_at_least};
use crate::eval::Evaluator;
use crate::value::{MAX_PLY, Value};

/// Returns the value of a position once it is quiet, exact inside the window and a bound outside it.
pub(super) fn quiesce<const PV: bool, E: Evaluator>(
    worker: &mut Worker<'_, E>,
    position: &Position,
    ply: usize,
    window: Window,
) -> Value {
    let Window { mut alpha, beta } = window;
    worker.counters.enter(ply);
    if PV {
        worker.stack[ply].line.clear();
    }
    if worker.counters.aborted {
        return Value::DRAW;
    }
    if is_drawn_by_itself(position) {
        return Value::DRAW;
    }
    let in_check = position.in_check();
    if ply >= MAX_PLY - 1 {
        return if in_check { Value::DRAW } else { worker.evaluate(position, ply) };
    }

    // 1. The transposition table, except close to the fifty-move limit.
    let entry = worker.table.probe(position.key(), ply);
    let was_pv = PV || entry.is_some_and(|e| e.was_pv);
    if let Some(entry) = entry
        && !PV
        && position.halfmoves() < 90
        && (worker.mode.selective || entry.depth == 0)
        && entry.allows_cutoff(alpha, beta)
    {
        return entry.value;
    }

    // 2. Stand pat.
    let raw = if in_check {
        None
    } else {
        Some(entry.and_then(|e| e.evaluation).unwrap_or_else(|| worker.evaluate(position, ply)))
    };
    let mut best = Value::mated_in(ply);
    let mut futility = -Value::INFINITE;
    if let Some(raw) = raw {
        best = if worker.mode.selective { worker.corrected(position, ply, raw) } else { raw };
        if let Some(entry) = entry
            && worker.mode.selective
        {
            best = entry.refine(best);
        }
        futility = best + Value::centipawns(worker.params.quiescence);
        alpha = alpha.max(best);
        if alpha >= beta {
            best = worker.softened(best, beta, 1);
            if entry.is_none() {
                let record = Record {
                    mv: PackedMove::default(),
                    value: best,
                    evaluation: Some(raw),
                    depth: 0,
                    bound: Bound::Lower,
                    was_pv,
                };
                worker.table.store(position.key(), ply, record);
            }
            return best;
        }
    }

    // 3. The moves.
    let table_move = entry.and_then(|e| position.complete(e.mv)).unwrap_or(Move::NONE);
    let mut picker = if in_check {
        Picker::all(worker.params, table_move, [Move::NONE; 2])
    } else {
        Picker::noisy(worker.params, table_move, 0)
    };
    let context = if in_check && worker.params.threats > 0 {
        worker.context(position, ply)
    } else {
        Context::NONE
    };
    let mut best_move = Move::NONE;
    let mut move_count = 0;
    while let Some(m) = picker.next(position, worker.histories, &context) {
        move_count += 1;
        worker.prefetch(position, m);
        // The picker does not check whether the move from the table loses material.
        if !in_check && m == table_move && !see_at_least(position, m, 0) {
            continue;
        }
        if worker.mode.selective && !best.is_decisive() {
            if in_check {
                // One evasion is enough to show that there is a way out. A search for the best move then tries only
                // captures that do not lose material.
                if move_count > 1 && !m.is_noisy() {
                    picker.skip_quiet();
                    continue;
                }
                if move_count > 1 && worker.mode.best_move && !see_at_least(position, m, 0) {
                    continue;
                }
            } else if worker.params.quiescence_moves > 0
                && move_count > worker.params.quiescence_moves as usize
                && m.to() != worker.stack[ply - 1].tried.to()
                && m.promoted().is_none()
            {
                continue;
            } else if m.promoted().is_none() {
                let gain = m.captured().map_or(0, |role| EXCHANGE_VALUES[role as usize]);
                let limit = futility + Value::centipawns(gain);
                if limit <= alpha {
                    best = best.max(limit);
                    continue;
                }
            }
        }
        let child = worker.descend(position, m, ply);
        let below = Window { alpha, beta }.opposite();
        let value = -quiesce::<PV, E>(worker, &child, ply + 1, below);
        worker.ascend();
        if worker.counters.aborted {
            return Value::DRAW;
        }
        if value > best {
            best = value;
            if value > alpha {
                best_move = m;
                if PV {
                    worker.stack.update_line(ply, m);
                }
                if value >= beta {
                    if worker.mode.best_move {
                        best = worker.softened(value, beta, 1);
                    }
                    break;
                }
                alpha = value;
            }
        }
    }

    // 4. Store the result. In checkmate no move was found, and the value is still the mate score.
    let bound = if best >= beta {
        Bound::Lower
    } else if PV && best > window.alpha {
        Bound::Exact
    } else {
        Bound::Upper
    };
    let record =
        Record { mv: best_move.packed(), value: best, evaluation: raw, depth: 0, bound, was_pv };
    worker.table.store(position.key(), ply, record);
    best
}
