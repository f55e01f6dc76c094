//! What need not be searched, or not so deeply.
//!
//! Each rule bets that a shallow look, the static evaluation or the history of a move tells enough.
//! All of them are off where a depth must mean what it says.

use super::Bound;
use super::node::{Node, centipawns};
use super::picker::Picker;
use super::worker::Worker;
use crate::board::{Move, Position, exchange_at_least};
use crate::eval::{Evaluator, Margins};
use crate::math::exact::ln;
use crate::value::Value;

/// The verdict of step 7.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Worth {
    Searching,
    Nothing,
    /// Neither this move nor any quiet one after it, unless it gives check.
    NothingNorLater,
}

/// The verdict of step 8.
pub(super) enum Singularity {
    Extension(i32),
    Cut(Value),
}

impl<E: Evaluator> Worker<'_, E> {
    /// Step 5: razoring, reverse futility pruning (RFP), null move pruning (NMP), probcut.
    pub(super) fn prune_node(&mut self, node: &Node<'_>) -> Option<Value> {
        let Node { position, ply, depth, alpha, beta, adjusted, improving, .. } = *node;
        let margins = self.evaluator.margins();
        // Razoring: so far below alpha that only captures could help.
        let razoring = margins.razoring + margins.razoring_by_depth * depth * depth;
        if depth <= 3 && adjusted + centipawns(razoring) < alpha {
            let value = self.quiesce::<false>(position, ply, alpha, alpha + centipawns(1));
            if value <= alpha {
                return Some(value);
            }
        }
        // Reverse futility pruning: so far above beta that nothing will bring it down.
        let less = if improving { margins.reverse_futility_improving } else { 0 };
        let margin = centipawns(margins.reverse_futility * depth - less);
        if depth <= 8
            && adjusted - margin >= beta
            && !adjusted.is_decisive()
            && !beta.is_decisive()
            && !node.was_pv
        {
            return Some(centipawns((adjusted.raw() + beta.raw()) / 2));
        }
        // Null move pruning: even passing keeps the value above beta.
        let after_null_move = ply > 0 && self.stack[ply - 1].piece.is_none();
        let static_evaluation = self.stack[ply].static_evaluation.unwrap_or(adjusted);
        if depth >= 3
            && adjusted >= beta
            && static_evaluation
                + centipawns(margins.null_move_by_depth * depth - margins.null_move)
                >= beta
            && !after_null_move
            && ply >= self.stack.verify_until
            && position.has_pieces(position.turn())
            && !beta.is_decisive()
            && let Some(value) = self.null_move(node)
        {
            return Some(value);
        }
        // Probcut: a capture that is good enough even with a margin at a reduced depth.
        let less = if improving { margins.probcut_improving } else { 0 };
        let raised = beta + centipawns(margins.probcut - less);
        let hopeless = node.entry.is_some_and(|e| e.depth >= depth - 3 && e.value < raised);
        if depth >= 5 && !beta.is_decisive() && !hopeless {
            return self.probcut(node, raised);
        }
        None
    }

    fn null_move(&mut self, node: &Node<'_>) -> Option<Value> {
        let Node { position, ply, depth, beta, adjusted, .. } = *node;
        let child = self.descend_by_null_move(position, ply)?;
        let margins = self.evaluator.margins();
        let hundredths = margins.null_move_reduction + margins.null_move_reduction_by_depth * depth;
        let by_lead = (adjusted - beta).raw() / margins.null_move_reduction_by_lead;
        let reduction = hundredths / 100 + by_lead.min(3);
        let window = (-beta, centipawns(1) - beta);
        let value = -self.search::<false>(
            &child,
            ply + 1,
            depth - reduction,
            window.0,
            window.1,
            !node.cut,
        );
        self.ascend();
        if self.accounts.aborted {
            return Some(Value::DRAW);
        }
        if value < beta {
            return None;
        }
        let value = if value.is_decisive() { beta } else { value };
        if depth < 14 || self.stack.verify_until > 0 {
            return Some(value);
        }
        // Deep down a null move may hide zugzwang: look again without it.
        self.stack.verify_until = ply + (3 * (depth - reduction).max(1) / 4) as usize;
        let alpha = beta - centipawns(1);
        let verified = self.search::<false>(position, ply, depth - reduction, alpha, beta, false);
        self.stack.verify_until = 0;
        (verified >= beta).then_some(value)
    }

    fn probcut(&mut self, node: &Node<'_>, raised: Value) -> Option<Value> {
        let Node { position, ply, depth, .. } = *node;
        let static_evaluation = self.stack[ply].static_evaluation.unwrap_or(node.adjusted);
        let mut picker = Picker::noisy(node.table_move, (raised - static_evaluation).raw().max(0));
        let window = (-raised, centipawns(1) - raised);
        while let Some(m) = picker.next(position, self.histories, &[]) {
            let child = self.descend(position, m, ply);
            let mut value = -self.quiesce::<false>(&child, ply + 1, window.0, window.1);
            if value >= raised {
                let shallow = depth - 4;
                value =
                    -self.search::<false>(&child, ply + 1, shallow, window.0, window.1, !node.cut);
            }
            self.ascend();
            if self.accounts.aborted {
                return Some(Value::DRAW);
            }
            if value >= raised {
                self.table.store(
                    position.key(),
                    ply,
                    m.packed(),
                    value,
                    node.raw,
                    depth - 3,
                    Some(Bound::Lower),
                    node.was_pv,
                );
                return Some(if value.is_decisive() {
                    value
                } else {
                    value - (raised - node.beta)
                });
            }
        }
        None
    }

    /// Step 7: is a move, not the first, worth searching?
    #[expect(clippy::too_many_arguments, reason = "the state of one loop, used nowhere else")]
    pub(super) fn worth(
        &self,
        node: &Node<'_>,
        m: Move,
        gives_check: bool,
        alpha: Value,
        count: usize,
        base_reduction: i32,
        history: i32,
    ) -> Worth {
        let Node { position, depth, in_check, .. } = *node;
        let margins = self.evaluator.margins();
        let unless = |enough: bool| if enough { Worth::Searching } else { Worth::Nothing };
        if m.is_noisy() {
            let loss =
                if gives_check { margins.checking_capture_loss } else { margins.capture_loss };
            let threshold = -loss * depth - history / margins.capture_history;
            return unless(depth > 8 || exchange_at_least(position, m, threshold));
        }
        let reduced = (depth - base_reduction + history / margins.history_ply).max(0);
        if !gives_check {
            // Late move pruning (LMP): enough quiet moves have been tried. Futility pruning: they will not lift
            // so low an evaluation.
            let hundredths = margins.late_moves + margins.late_moves_by_depth * depth * depth;
            let enough = hundredths / 100 / if node.improving { 1 } else { 2 };
            let lift = margins.futility + margins.futility_by_depth * reduced;
            let margin = centipawns(lift + history / margins.futility_history);
            let hopeless = !in_check && reduced <= 8 && node.adjusted + margin <= alpha;
            if count as i32 > enough || hopeless {
                return Worth::NothingNorLater;
            }
            if depth <= 5 && history < -margins.bad_history * depth {
                return Worth::Nothing;
            }
        }
        unless(
            reduced > 8 || exchange_at_least(position, m, -margins.quiet_loss * reduced * reduced),
        )
    }

    /// Step 8: what becomes of the rest when the table's move is left out?
    pub(super) fn singularity<const PV: bool>(&mut self, node: &Node<'_>, m: Move) -> Singularity {
        let Node { position, ply, depth, beta, .. } = *node;
        let Some(entry) = node.entry else { return Singularity::Extension(0) };
        let known = matches!(entry.bound, Some(Bound::Lower | Bound::Exact))
            && entry.depth >= depth - 3
            && !entry.value.is_decisive();
        if !self.mode.singular || depth < 7 || !known || ply as i32 >= 2 * self.root.depth {
            return Singularity::Extension(0);
        }
        let margins = self.evaluator.margins();
        let margin = margins.singular * depth * (1 + i32::from(node.was_pv && !PV)) / 100;
        let threshold = entry.value - centipawns(margin);
        let below = threshold - centipawns(1);
        self.stack[ply].excluded = m;
        let value =
            self.search::<false>(position, ply, (depth - 1) / 2, below, threshold, node.cut);
        self.stack[ply].excluded = Move::NONE;
        if value < threshold {
            let clearly = !PV && value < threshold - centipawns(margins.doubly_singular);
            return Singularity::Extension(1 + i32::from(clearly));
        }
        if threshold >= beta && !PV {
            return Singularity::Cut(threshold);
        }
        // Several moves are good: this one need not be looked at so deeply.
        Singularity::Extension(if entry.value >= beta {
            -2
        } else if node.cut {
            -1
        } else {
            0
        })
    }

    /// How much of what is above beta is to be believed.
    pub(super) fn softened(&self, value: Value, beta: Value, depth: i32) -> Value {
        let share = self.evaluator.margins().softening;
        if share == 0 || !self.mode.selective || value.is_decisive() {
            return value;
        }
        value - centipawns((value - beta).raw() * share / 100 / (depth + 1))
    }

    /// By how much a late move is searched less deeply: late move reductions (LMR).
    pub(super) fn reduction<const PV: bool>(
        &self,
        node: &Node<'_>,
        m: Move,
        child: &Position,
        base: i32,
        history: i32,
        table_noisy: bool,
    ) -> i32 {
        let margins = self.evaluator.margins();
        let mut reduction = base;
        if m.is_noisy() {
            reduction = reduction / 2 - history / margins.capture_reduction_history;
        } else {
            reduction -= history / margins.reduction_history;
            reduction -= i32::from(self.stack[node.ply].killers.contains(&m));
            reduction += i32::from(table_noisy);
        }
        reduction += i32::from(!node.improving);
        reduction += 2 * i32::from(node.cut);
        reduction -= i32::from(node.was_pv) + i32::from(PV);
        reduction -= 2 * i32::from(child.in_check());
        reduction += i32::from(self.stack[node.ply + 1].cuts > 3);
        reduction
    }
}

/// Plies by depth and number of the move, for quiet moves.
#[derive(Clone, Debug)]
pub(super) struct Reductions([[i8; 64]; 64]);

impl Reductions {
    pub fn new(margins: &Margins) -> Reductions {
        let [constant, divisor] = [margins.reduction, margins.reduction_divisor]
            .map(|hundredths| f64::from(hundredths) / 100.0);
        let mut table = [[0; 64]; 64];
        for (depth, row) in table.iter_mut().enumerate().skip(1) {
            for (number, plies) in row.iter_mut().enumerate().skip(1) {
                let product = ln(depth as f64) * ln(number as f64);
                *plies = (constant + product / divisor) as i8;
            }
        }
        Reductions(table)
    }

    #[inline]
    pub fn plies(&self, depth: i32, number: usize) -> i32 {
        i32::from(self.0[depth.clamp(0, 63) as usize][number.min(63)])
    }
}
