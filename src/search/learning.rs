//! What is learnt from a node once its moves are searched: histories, killers, corrections of the
//! static evaluation, and an entry of the table.

use super::Bound;
use super::histories::{PieceTarget, colour_of};
use super::node::Node;
use super::stack::Frame;
use super::worker::Worker;
use crate::board::Move;
use crate::eval::{Evaluator, Margins};
use crate::value::Value;

impl<E: Evaluator> Worker<'_, E> {
    /// What is learnt from a node: histories, killers, corrections, the table.
    pub(super) fn finish(
        &mut self,
        node: &Node<'_>,
        best: Value,
        best_move: Move,
        earlier: &[Option<PieceTarget>],
        quiets: &[Move],
        captures: &[Move],
    ) {
        let Node { position, ply, depth, beta, .. } = *node;
        let us = position.turn();
        if best >= beta {
            let bonus = bonus(self.evaluator.margins(), depth);
            if best_move.is_noisy() {
                self.histories.learn_capture(us, best_move, bonus);
            } else {
                let killers = &mut self.stack[ply].killers;
                if killers[0] != best_move {
                    *killers = [best_move, killers[0]];
                }
                self.histories.learn_quiet(us, best_move, earlier, bonus);
                for &m in quiets {
                    self.histories.learn_quiet(us, m, earlier, -bonus);
                }
            }
            for &m in captures {
                self.histories.learn_capture(us, m, -bonus);
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > node.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if !self.stack[ply].excluded.is_none() || (ply == 0 && self.root.restricted) {
            return;
        }
        if best <= node.alpha {
            self.learn_refutation(ply, depth);
        }
        if self.mode.selective
            && let Some(static_evaluation) = self.stack[ply].static_evaluation
            && (best_move.is_none() || !best_move.is_noisy())
            && !best.is_decisive()
        {
            let tells = match bound {
                Bound::Exact => true,
                Bound::Lower => best > static_evaluation,
                Bound::Upper => best < static_evaluation,
            };
            if tells {
                self.histories.learn_correction(position, earlier, depth, best - static_evaluation);
            }
        }
        self.table.store(
            position.key(),
            ply,
            best_move.packed(),
            best,
            node.raw,
            depth,
            Some(bound),
            node.was_pv,
        );
    }

    /// The quiet move that led here was a good one: nothing reaches alpha.
    fn learn_refutation(&mut self, ply: usize, depth: i32) {
        let margins = self.evaluator.margins();
        if margins.refutation > 0 {
            let bonus = bonus(margins, depth) * margins.refutation / 100;
            self.learn_earlier(ply, bonus);
        }
    }

    /// A quiet move that lifts the evaluation more than was expected is a good one.
    pub(super) fn learn_evaluation_difference(&mut self, ply: usize) {
        let margins = self.evaluator.margins();
        if margins.surprise == 0 || ply == 0 {
            return;
        }
        let [before, now] = [ply - 1, ply].map(|ply| self.stack[ply].static_evaluation);
        if let (Some(before), Some(now)) = (before, now) {
            let lift = -(before + now).raw();
            let most = margins.bonus_most / 2;
            self.learn_earlier(ply, (lift * margins.surprise).clamp(-most, most));
        }
    }

    /// The quiet move before `ply`, where there is one, is worth so much more to the histories.
    fn learn_earlier(&mut self, ply: usize, bonus: i32) {
        if ply == 0 {
            return;
        }
        let Frame { tried, piece, .. } = self.stack[ply - 1];
        if let Some(piece) = piece
            && !tried.is_noisy()
        {
            let earlier = self.stack.earlier_pieces(ply - 1);
            self.histories.learn_quiet(colour_of(piece), tried, &earlier, bonus);
        }
    }
}

/// What a good move is worth to the histories.
pub(super) fn bonus(margins: &Margins, depth: i32) -> i32 {
    (margins.bonus * depth - margins.bonus_less).min(margins.bonus_most)
}
