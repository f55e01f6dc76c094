//! What is learnt from a node once its moves are searched: histories, killers, corrections of the
//! static evaluation, and an entry of the table.

use super::Bound;
use super::memory::Piece;
use super::node::Node;
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
        earlier: &[Option<Piece>],
        quiets: &[Move],
        captures: &[Move],
    ) {
        let Node { position, ply, depth, beta, .. } = *node;
        let us = position.turn();
        if best >= beta {
            let bonus = bonus(self.evaluator.margins(), depth);
            if best_move.is_noisy() {
                self.memory.learn_capture(us, best_move, bonus);
            } else {
                let killers = &mut self.frames[ply].killers;
                if killers[0] != best_move {
                    *killers = [best_move, killers[0]];
                }
                self.memory.learn_quiet(us, best_move, earlier, bonus);
                for &m in quiets {
                    self.memory.learn_quiet(us, m, earlier, -bonus);
                }
            }
            for &m in captures {
                self.memory.learn_capture(us, m, -bonus);
            }
        }
        let bound = if best >= beta {
            Bound::Lower
        } else if best > node.alpha {
            Bound::Exact
        } else {
            Bound::Upper
        };
        if !self.frames[ply].excluded.is_none() || (ply == 0 && self.root_restricted) {
            return;
        }
        if self.selective
            && let Some(judged) = self.frames[ply].static_evaluation
            && (best_move.is_none() || !best_move.is_noisy())
            && !best.is_decisive()
        {
            let tells = match bound {
                Bound::Exact => true,
                Bound::Lower => best > judged,
                Bound::Upper => best < judged,
            };
            if tells {
                self.memory.learn_error(position, depth, best - judged);
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
}

/// What a good move is worth to the histories.
pub(super) fn bonus(margins: &Margins, depth: i32) -> i32 {
    (margins.bonus * depth - margins.bonus_less).min(margins.bonus_most)
}
