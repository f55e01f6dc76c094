//! Pruning and reductions: null-move pruning, reverse futility pruning, razoring, futility and late move pruning, and
//! late move reductions. The rules decide which nodes and moves are skipped or searched less deeply.
//!
//! Each rule predicts the result of a full search from something cheap: the static evaluation, the history of
//! a move or a static exchange. The rules here only decide. [`alpha_beta`] acts on the decisions and runs the searches
//! that some rules need.
//!
//! All rules are off in full-width searches. Their numbers are in [`SearchParams`].
//!
//! [`alpha_beta`]: super::alpha_beta

use super::histories::NO_PIECE;
use super::node::Node;
use super::worker::{Mode, Worker};
use crate::board::{EXCHANGE_VALUES, Move, see_at_least};
use crate::eval::{Evaluator, SearchParams};
use crate::value::Value;

/// The next move to be searched at a node.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub mv: Move,
    /// Its place in the order in which the moves are searched, from 1.
    pub move_count: usize,
    pub gives_check: bool,
    /// The score from the histories: how often such a move was good before.
    pub history: i32,
    /// The base of its late move reduction, in hundredths of a ply.
    pub base_reduction: i32,
    /// Plies by which it is extended, or reduced if negative.
    pub extension: i32,
}

/// Whether a late move is searched at all.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Verdict {
    Search,
    Skip,
    /// Skip this move and all later quiet moves that do not give check.
    SkipQuiets,
}

/// Razoring: the evaluation is so far below alpha that only captures can help. A quiescence search then
/// decides.
pub(super) fn is_razored(node: &Node<'_>, params: &SearchParams) -> bool {
    let margin = params.razoring + params.razoring_by_depth * node.depth * node.depth;
    node.depth <= 3 && node.adjusted + Value::centipawns(margin) < node.alpha
}

/// Reverse futility pruning (RFP), also called static null-move pruning: the evaluation is so far above beta that the
/// opponent is unlikely to bring it down in the few plies that are left. Returns the mean of the evaluation and beta.
///
/// A search for the best move does not prune a node with a quiet move from the table: that move will probably reach
/// beta, and its search improves the histories.
pub(super) fn reverse_futility(
    node: &Node<'_>,
    params: &SearchParams,
    mode: Mode,
) -> Option<Value> {
    let has_quiet_table_move = !node.table_move.is_none() && !node.table_move.is_noisy();
    if mode.best_move && has_quiet_table_move {
        return None;
    }
    let less = if node.improving { params.reverse_futility_improving } else { 0 };
    let worse = node.opponents_loss > Some(Value::DRAW);
    let less = less + if worse { params.reverse_futility_worsening } else { 0 };
    let margin = Value::centipawns(params.reverse_futility * node.depth - less);
    let applies = node.depth <= 8
        && node.adjusted - margin >= node.beta
        && !node.adjusted.is_decisive()
        && !node.beta.is_decisive()
        && !node.was_pv;
    applies.then(|| Value::centipawns((node.adjusted.raw() + node.beta.raw()) / 2))
}

/// Plies by which a node's depth is corrected if the opponent's last move was reduced too much or too little. The
/// reduction was too large if the move did not lower the opponent's evaluation, and too small if it lowered it a lot.
pub(super) fn hindsight<E: Evaluator>(
    worker: &Worker<'_, E>,
    ply: usize,
    depth: i32,
    loss: Option<Value>,
) -> i32 {
    let (params, Some(loss)) = (worker.params, loss) else { return 0 };
    let reduction = worker.stack[ply - 1].reduction;
    if params.hindsight == 0 {
        0
    } else if reduction >= 3 && loss <= Value::DRAW {
        1
    } else if reduction >= 2 && depth >= 2 && loss.raw() > params.hindsight {
        -1
    } else {
        0
    }
}

/// Whether a null move is worth trying. It is not worth trying right after another null move, or if the mover has only
/// king and pawns. In that case zugzwang is common, and passing would be an advantage.
pub(super) fn allows_null_move<E: Evaluator>(worker: &Worker<'_, E>, node: &Node<'_>) -> bool {
    let Node { ply, depth, beta, adjusted, .. } = *node;
    let params = worker.params;
    let after_null_move = ply > 0 && worker.stack[ply - 1].piece == NO_PIECE;
    let static_evaluation = worker.stack[ply].static_evaluation.unwrap_or(adjusted);
    let bonus = Value::centipawns(params.null_move_by_depth * depth - params.null_move);
    depth >= 3
        && (node.cut_node || !worker.mode.best_move)
        && adjusted >= beta
        && static_evaluation + bonus >= beta
        && !after_null_move
        && ply >= worker.stack.verify_until
        && node.position.has_pieces(node.position.turn())
        && !beta.is_decisive()
}

/// Plies by which the search after a null move is reduced: more at a greater depth, and more where the
/// evaluation is well above beta.
pub(super) fn null_move_reduction(node: &Node<'_>, params: &SearchParams) -> i32 {
    let hundredths = params.null_move_reduction + params.null_move_reduction_by_depth * node.depth;
    let by_lead = (node.adjusted - node.beta).raw() / params.null_move_reduction_by_lead;
    hundredths / 100 + by_lead.min(3)
}

/// The raised beta that a capture must reach at a reduced depth for probcut. `None` where the node is too shallow, or
/// where the value from the table is below this beta.
pub(super) fn probcut_beta(node: &Node<'_>, params: &SearchParams) -> Option<Value> {
    let less = if node.improving { params.probcut_improving } else { 0 };
    let raised = node.beta + Value::centipawns(params.probcut - less);
    let is_hopeless = node.entry.is_some_and(|e| e.depth >= node.depth - 3 && e.value < raised);
    (node.depth >= 5 && !node.beta.is_decisive() && !is_hopeless).then_some(raised)
}

/// Whether a move other than the first is searched.
///
/// * Late move pruning (LMP) skips quiet moves once enough moves have been tried.
/// * Futility pruning skips quiet moves and captures that are unlikely to lift the evaluation to alpha.
/// * History pruning skips quiet moves that did badly in most other nodes.
/// * SEE pruning skips moves that lose more in a static exchange than the remaining depth can win back.
pub(super) fn verdict<E: Evaluator>(
    worker: &Worker<'_, E>,
    node: &Node<'_>,
    candidate: &Candidate,
    alpha: Value,
) -> Verdict {
    let Node { position, depth, in_check, .. } = *node;
    let Candidate { mv, move_count, gives_check, history, base_reduction, .. } = *candidate;
    let params = worker.params;
    if mv.is_noisy() {
        if params.capture_futility_by_depth > 0 && !gives_check && !in_check && depth <= 8 {
            let victim = mv.captured().map_or(0, |role| EXCHANGE_VALUES[role as usize]);
            let gain = params.capture_futility
                + params.capture_futility_by_depth * (depth - base_reduction / 100).max(0)
                + victim
                + history / params.capture_history;
            if mv.promoted().is_none() && node.adjusted + Value::centipawns(gain) <= alpha {
                return Verdict::Skip;
            }
        }
        let loss = if gives_check { params.checking_capture_loss } else { params.capture_loss };
        let threshold = -loss * depth - history / params.capture_history;
        // A bad history must not prune a capture that wins material.
        let threshold = if worker.mode.best_move { threshold.min(0) } else { threshold };
        return search_if(depth > 8 || see_at_least(position, mv, threshold));
    }
    // The depth after the late move reduction.
    let reduced = (depth - base_reduction / 100 + history / params.history_ply).max(0);
    if !gives_check {
        let hundredths = params.late_moves + params.late_moves_by_depth * depth * depth;
        let enough = hundredths / 100 / if node.improving { 1 } else { 2 };
        let lift = params.futility + params.futility_by_depth * reduced;
        let margin = Value::centipawns(lift + history / params.futility_history);
        let is_futile = !in_check && reduced <= 8 && node.adjusted + margin <= alpha;
        if move_count as i32 > enough || is_futile {
            return Verdict::SkipQuiets;
        }
        if depth <= 5 && history < -params.bad_history * depth {
            return Verdict::Skip;
        }
    }
    let threshold = -params.quiet_loss * reduced * reduced;
    search_if(reduced > 8 || see_at_least(position, mv, threshold))
}

fn search_if(condition: bool) -> Verdict {
    if condition { Verdict::Search } else { Verdict::Skip }
}

/// Late move reductions (LMR): plies by which a late move is searched less deeply.
///
/// The most promising moves come first, so a late move is rarely the best. It is searched at a reduced depth first, and
/// again at full depth only if it turns out better than expected. The reduction is smaller for moves with good
/// histories, for checks, and at nodes of a principal variation. It is larger at nodes that are expected to fail high.
pub(super) fn late_move_reduction<const PV: bool, E: Evaluator>(
    worker: &Worker<'_, E>,
    node: &Node<'_>,
    candidate: &Candidate,
) -> i32 {
    let Candidate { mv, gives_check, history, base_reduction, .. } = *candidate;
    let params = worker.params;
    let parts = |hundredths: i32| match params.fractions {
        0 => hundredths / 100 * 100,
        _ => hundredths,
    };
    let mut reduction = parts(base_reduction);
    if mv.is_noisy() {
        reduction = parts(reduction / 2) - parts(100 * history / params.capture_reduction_history);
    } else {
        reduction -= parts(100 * history / params.reduction_history);
        if worker.stack[node.ply].killers.contains(&mv) {
            reduction -= params.reduction_killer;
        }
        if node.table_move.is_noisy() {
            reduction += params.reduction_table_capture;
        }
    }
    if node.was_pv
        && let Some(entry) = node.entry
    {
        let is_above = i32::from(entry.value > node.alpha);
        let is_deep = i32::from(entry.depth >= node.depth) * (1 + i32::from(node.cut_node));
        reduction -= params.reduction_entry * (is_above + is_deep);
    }
    for (applies, hundredths) in [
        (!node.improving, params.reduction_not_improving),
        (node.cut_node, params.reduction_cut_node),
        (node.was_pv, -params.reduction_was_pv),
        (PV, -params.reduction_pv),
        (gives_check, -params.reduction_check),
    ] {
        reduction += if applies { hundredths } else { 0 };
    }
    reduction += reduction_by_cutoffs::<PV, E>(worker, node);
    reduction / 100
}

/// The part of late move reductions that depends on the number of beta cut-offs at the next ply, in hundredths of a ply.
/// If many moves there were refuted, another one will probably be refuted too. If no move of this node is expected to
/// reach beta, fewer cut-offs are enough in a search for the best move.
fn reduction_by_cutoffs<const PV: bool, E: Evaluator>(
    worker: &Worker<'_, E>,
    node: &Node<'_>,
) -> i32 {
    let most = worker.params.reduction_cuts;
    let cutoffs = worker.stack[node.ply + 1].cutoffs;
    if !worker.mode.best_move {
        return if cutoffs > 3 { most } else { 0 };
    }
    let fails_low = !PV && !node.cut_node;
    match cutoffs {
        0 | 1 => 0,
        2 => 25 + if fails_low { most } else { 0 },
        _ => 25 + most + if fails_low { most } else { 0 },
    }
}
