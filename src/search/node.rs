//! The node function: principal variation search with everything that makes it fast.
//!
//! Both searches stand on it. With `selective` off, all reductions, extensions and forward pruning
//! are off and what remains is alpha-beta over the full width: the depths up to
//! [`FULL_WIDTH_DEPTH`] of an evaluation are searched so.
//!
//! Steps 5, 7 and 8, which decide what need not be searched, are in [`super::pruning`].
//!
//! The numbered steps are the usual ones of the field; the constants are our own, in plies here
//! and, where they rest on an evaluation, in its [`Margins`](crate::eval::Margins).

use arrayvec::ArrayVec;

use super::learning::bonus;
use super::picker::Picker;
use super::pruning::{Singularity, Worth};
use super::table::Entry;
use super::worker::Worker;
use crate::board::{Checks, Move, Position};
use crate::eval::Evaluator;
use crate::value::{Depth, MAX_PLY, Value};

/// Up to this depth an evaluation means what a look so many plies ahead would see.
pub(super) const FULL_WIDTH_DEPTH: Depth = 2;

/// Quiet moves tried before the one that cut, for the histories.
type Tried = ArrayVec<Move, 64>;

/// A node on its way through the steps.
pub(super) struct Node<'p> {
    pub position: &'p Position,
    pub ply: usize,
    pub depth: i32,
    pub alpha: Value,
    pub beta: Value,
    /// A node expected to fail high.
    pub cut: bool,
    pub in_check: bool,
    pub was_pv: bool,
    /// The static evaluation as the evaluator gave it.
    pub raw: Option<Value>,
    /// The best guess at the node's value before searching it.
    pub adjusted: Value,
    /// Better than two plies ago: prune later moves less.
    pub improving: bool,
    pub table_move: Move,
    pub entry: Option<Entry>,
}

pub(super) const fn centipawns(n: i32) -> Value {
    Value::centipawns(n)
}

impl<E: Evaluator> Worker<'_, E> {
    /// The value of a position `depth` plies deep, within a window. Outside of the window it is a
    /// bound.
    pub fn search<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        mut depth: i32,
        mut alpha: Value,
        mut beta: Value,
        cut: bool,
    ) -> Value {
        debug_assert!(alpha < beta);
        debug_assert!(PV || beta - alpha == centipawns(1));
        // 1. Draws, and the horizon.
        if ply > 0 && self.stack.is_draw(position) {
            self.stack[ply].line.clear();
            return Value::DRAW;
        }
        if depth <= 0 {
            return self.quiesce::<PV>(position, ply, alpha, beta);
        }
        self.accounts.enter(ply);
        if PV {
            self.stack[ply].line.clear();
        }
        if self.accounts.aborted {
            return Value::DRAW;
        }
        let in_check = position.in_check();

        // 2. The end of the stack, and mates that cannot be improved upon.
        if ply > 0 {
            if ply >= MAX_PLY - 1 {
                return if in_check { Value::DRAW } else { self.evaluate(position, ply) };
            }
            if self.mode.selective {
                alpha = alpha.max(Value::mated_in(ply));
                beta = beta.min(Value::mate_in(ply + 1));
                if alpha >= beta {
                    return alpha;
                }
            }
        }

        // 3. The table.
        let excluded = self.stack[ply].excluded;
        let singular_search = !excluded.is_none();
        let entry = if singular_search { None } else { self.table.probe(position.key(), ply) };
        let was_pv = PV || entry.is_some_and(|e| e.was_pv);
        if let Some(entry) = entry
            && !PV
            && position.halfmoves() < 90
            && (if self.mode.selective { entry.depth >= depth } else { entry.depth == depth })
            && entry.settles(alpha, beta)
        {
            return entry.value;
        }
        if self.oracle.is_some()
            && !singular_search
            && let Some(value) = self.ask_oracle(position, ply, depth)
        {
            return value;
        }
        let table_move = entry.and_then(|e| position.complete(e.mv)).unwrap_or(Move::NONE);

        // 4. The static evaluation.
        let raw = if in_check {
            None
        } else if singular_search {
            self.stack[ply].static_evaluation
        } else {
            Some(entry.and_then(|e| e.evaluation).unwrap_or_else(|| self.evaluate(position, ply)))
        };
        let mut adjusted = raw.unwrap_or(Value::DRAW);
        if self.mode.selective && !singular_search {
            adjusted = self.corrected(position, ply, adjusted);
            self.stack[ply].static_evaluation = raw.map(|_| adjusted);
            self.learn_evaluation_difference(ply);
        }
        let improving = !in_check && self.stack.has_improved(ply);
        if let Some(entry) = entry
            && !in_check
        {
            adjusted = entry.refine(adjusted);
        }

        let mut node = Node {
            position,
            ply,
            depth,
            alpha,
            beta,
            cut,
            in_check,
            was_pv,
            raw,
            adjusted,
            improving,
            table_move,
            entry,
        };
        self.stack[ply + 2].cuts = 0;
        self.stack[ply + 1].killers = [Move::NONE; 2];

        if self.mode.selective {
            // 5. Give up early where little can change.
            if !PV
                && !in_check
                && !singular_search
                && ply >= self.mode.unpruned_until
                && let Some(value) = self.prune_node(&node)
            {
                return value;
            }
            // 6. Without a move to begin with, a shallower search is the better investment: internal iterative
            // reduction (IIR).
            if depth >= 4 && (PV || cut) && table_move.is_none() && !singular_search {
                depth -= 1;
                node.depth = depth;
            }
        }
        self.search_moves::<PV>(&node)
    }

    /// Steps 7 to 11: the moves.
    fn search_moves<const PV: bool>(&mut self, node: &Node<'_>) -> Value {
        let Node { position, ply, depth, beta, in_check, .. } = *node;
        let mut alpha = node.alpha;
        let us = position.turn();
        let excluded = self.stack[ply].excluded;
        let earlier = self.stack.earlier_pieces(ply);
        let table_noisy = !node.table_move.is_none() && node.table_move.is_noisy();

        let mut best = -Value::INFINITE;
        let mut best_move = Move::NONE;
        let mut count = 0usize;
        let mut quiets = Tried::new();
        let mut captures = Tried::new();
        let checks = Checks::of(position);
        let mut picker = Picker::all(node.table_move, self.stack[ply].killers)
            .with_margins(self.evaluator.margins(), checks);
        while let Some(m) = picker.next(position, self.histories, &earlier) {
            if m == excluded || (ply == 0 && !self.root.moves.contains(&m)) {
                continue;
            }
            count += 1;
            let nodes_before = self.accounts.nodes;
            let quiet = !m.is_noisy();
            let history = if quiet {
                self.histories.quiet_score(us, m, &earlier)
            } else {
                self.histories.capture_score(us, m)
            };
            let base_reduction = self.reductions.plies(depth, count);
            let gives_check = checks.gives(m);

            // 7. Leave out what will hardly matter.
            if self.mode.selective
                && ply > 0
                && ply >= self.mode.unpruned_until
                && best > -Value::TABLE_BOUND
                && count > 1
                && position.has_pieces(us)
            {
                match self.worth(node, m, gives_check, alpha, count, base_reduction, history) {
                    Worth::Searching => {}
                    Worth::Nothing => continue,
                    Worth::NothingNorLater => {
                        picker.keep_quiet(|m| checks.gives(m));
                        continue;
                    }
                }
            }

            // 8. A move much better than all others is looked at deeper.
            let mut extension = 0;
            if self.mode.selective && ply > 0 && m == node.table_move && excluded.is_none() {
                match self.singularity::<PV>(node, m) {
                    Singularity::Extension(plies) => extension = plies,
                    Singularity::Cut(value) => return value,
                }
                if self.accounts.aborted {
                    return Value::DRAW;
                }
            }

            // 9. Search it: late moves shallower and with a closed window first.
            let child = self.descend(position, m, ply);
            let new_depth = depth - 1 + extension;
            let mut value;
            if PV && count == 1 {
                value = -self.search::<true>(&child, ply + 1, new_depth, -beta, -alpha, false);
            } else {
                let closed = -alpha - centipawns(1);
                let mut reduced_depth = new_depth;
                if self.mode.selective && depth >= 2 && count > 1 + usize::from(PV) {
                    let reduction =
                        self.reduction::<PV>(node, m, &child, base_reduction, history, table_noisy);
                    reduced_depth = (new_depth - reduction).clamp(1, new_depth.max(1));
                    value =
                        -self.search::<false>(&child, ply + 1, reduced_depth, closed, -alpha, true);
                    if value > alpha && reduced_depth < new_depth {
                        // Much better than thought: look deeper; only just: less deep.
                        let margins = self.evaluator.margins();
                        let deeper = value > best + centipawns(margins.deeper + 2 * new_depth);
                        let shallower = value < best + centipawns(margins.shallower);
                        let again = new_depth + i32::from(deeper) - i32::from(shallower);
                        if again > reduced_depth {
                            value = -self.search::<false>(
                                &child,
                                ply + 1,
                                again,
                                closed,
                                -alpha,
                                !node.cut,
                            );
                        }
                        if quiet {
                            let bonus = bonus(margins, depth);
                            let bonus = if value > alpha { bonus } else { -bonus };
                            self.histories.learn_quiet(us, m, &earlier, bonus / 2);
                        }
                    }
                } else {
                    value = -self.search::<false>(
                        &child,
                        ply + 1,
                        reduced_depth,
                        closed,
                        -alpha,
                        !node.cut,
                    );
                }
                if PV && value > alpha {
                    value = -self.search::<true>(&child, ply + 1, new_depth, -beta, -alpha, false);
                }
            }
            self.ascend();
            if ply == 0 {
                self.root.spend(m, self.accounts.nodes - nodes_before);
            }
            if self.accounts.aborted {
                return Value::DRAW;
            }

            // 10. Is it the best so far?
            if value > best {
                best = value;
                if value > alpha {
                    best_move = m;
                    if PV {
                        self.stack.update_line(ply, m);
                        if ply == 0 {
                            self.note_root_best(value);
                        }
                    }
                    if value >= beta {
                        self.stack[ply].cuts += 1;
                        best = self.softened(value, beta, depth);
                        break;
                    }
                    alpha = value;
                }
            }
            if m != best_move {
                let tried = if quiet { &mut quiets } else { &mut captures };
                let _ = tried.try_push(m);
            }
        }

        // 11. No move: mate or stalemate.
        if count == 0 {
            return if !excluded.is_none() {
                alpha
            } else if in_check {
                Value::mated_in(ply)
            } else {
                Value::DRAW
            };
        }
        self.finish(node, best, best_move, &earlier, &quiets, &captures);
        best
    }
}
