//! The node function: principal variation search with everything that makes it fast.
//!
//! Both searches stand on it. With `selective` off, all reductions, extensions and forward pruning
//! are off and what remains is alpha-beta over the full width: the depths up to
//! [`FULL_WIDTH_DEPTH`] of an evaluation are searched so.
//!
//! The numbered steps are the usual ones of the field; the constants are our own, in centipawns
//! and plies.

use arrayvec::ArrayVec;

use super::Bound;
use super::memory::Piece;
use super::picker::Picker;
use super::table::Entry;
use super::worker::Worker;
use crate::board::{Move, Position, exchange_at_least};
use crate::eval::Evaluator;
use crate::value::{Depth, MAX_PLY, Value};

/// Up to this depth an evaluation means what a look so many plies ahead would see.
pub(super) const FULL_WIDTH_DEPTH: Depth = 4;

/// Quiet moves tried before the one that cut, for the histories.
type Tried = ArrayVec<Move, 64>;

/// A node on its way through the steps.
struct Node<'p> {
    position: &'p Position,
    ply: usize,
    depth: i32,
    alpha: Value,
    beta: Value,
    /// A node expected to fail high.
    cut: bool,
    in_check: bool,
    was_pv: bool,
    /// The static evaluation as the evaluator gave it.
    raw: Option<Value>,
    /// The best guess at the node's value before searching it.
    estimate: Value,
    /// Better than two plies ago: prune later moves less.
    improving: bool,
    table_move: Move,
    entry: Option<Entry>,
}

const fn centipawns(n: i32) -> Value {
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
        if ply > 0 && self.is_draw(position) {
            self.frames[ply].line.clear();
            return Value::DRAW;
        }
        if depth <= 0 {
            return self.quiesce::<PV>(position, ply, alpha, beta);
        }
        self.enter(ply);
        if PV {
            self.frames[ply].line.clear();
        }
        if self.aborted {
            return Value::DRAW;
        }
        let in_check = position.in_check();

        // 2. The end of the stack, and mates that cannot be improved upon.
        if ply > 0 {
            if ply >= MAX_PLY - 1 {
                return if in_check { Value::DRAW } else { self.evaluate(position, ply) };
            }
            if self.selective {
                alpha = alpha.max(Value::mated_in(ply));
                beta = beta.min(Value::mate_in(ply + 1));
                if alpha >= beta {
                    return alpha;
                }
            }
        }

        // 3. The table.
        let excluded = self.frames[ply].excluded;
        let testing = !excluded.is_none();
        let entry = if testing { None } else { self.table.probe(position.key(), ply) };
        let was_pv = PV || entry.is_some_and(|e| e.was_pv);
        if let Some(entry) = entry
            && !PV
            && position.halfmoves() < 90
            && (if self.selective { entry.depth >= depth } else { entry.depth == depth })
        {
            let cuts = match entry.bound {
                Some(Bound::Exact) => true,
                Some(Bound::Lower) => entry.value >= beta,
                Some(Bound::Upper) => entry.value <= alpha,
                None => false,
            };
            if cuts {
                return entry.value;
            }
        }
        let table_move = entry.and_then(|e| position.complete(e.mv)).unwrap_or(Move::NONE);

        // 4. The static evaluation.
        let raw = if in_check {
            None
        } else if testing {
            self.frames[ply].static_evaluation
        } else {
            Some(entry.and_then(|e| e.evaluation).unwrap_or_else(|| self.evaluate(position, ply)))
        };
        let mut estimate = raw.unwrap_or(Value::DRAW);
        if self.selective && !testing {
            estimate = self.memory.corrected(position, estimate);
            self.frames[ply].static_evaluation = raw.map(|_| estimate);
        }
        let improving = !in_check && self.has_improved(ply);
        if let Some(entry) = entry
            && !in_check
            && !entry.value.is_decisive()
        {
            let tells = match entry.bound {
                Some(Bound::Exact) => true,
                Some(Bound::Lower) => entry.value > estimate,
                Some(Bound::Upper) => entry.value < estimate,
                None => false,
            };
            if tells {
                estimate = entry.value;
            }
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
            estimate,
            improving,
            table_move,
            entry,
        };
        self.frames[ply + 2].cuts = 0;
        self.frames[ply + 1].killers = [Move::NONE; 2];

        if self.selective {
            // 5. Give up early where little can change.
            if !PV
                && !in_check
                && !testing
                && let Some(value) = self.prune_node(&node)
            {
                return value;
            }
            // 6. Without a move to begin with, a shallower search is the better investment.
            if depth >= 4 && (PV || cut) && table_move.is_none() && !testing {
                depth -= 1;
                node.depth = depth;
            }
        }
        self.search_moves::<PV>(&node)
    }

    /// Has the mover's evaluation risen since his last turn?
    fn has_improved(&self, ply: usize) -> bool {
        let now = self.frames[ply].static_evaluation;
        let before =
            |back: usize| ply.checked_sub(back).and_then(|p| self.frames[p].static_evaluation);
        match (now, before(2).or_else(|| before(4))) {
            (Some(now), Some(before)) => now > before,
            _ => true,
        }
    }

    /// Step 5: razoring, reverse futility, null move, probcut.
    fn prune_node(&mut self, node: &Node<'_>) -> Option<Value> {
        let Node { position, ply, depth, alpha, beta, estimate, improving, .. } = *node;
        // Razoring: so far below alpha that only captures could help.
        if depth <= 3 && estimate + centipawns(220 + 180 * depth * depth) < alpha {
            let value = self.quiesce::<false>(position, ply, alpha, alpha + centipawns(1));
            if value <= alpha {
                return Some(value);
            }
        }
        // Reverse futility: so far above beta that nothing will bring it down.
        let margin = centipawns(80 * depth - if improving { 60 } else { 0 });
        if depth <= 8
            && estimate - margin >= beta
            && !estimate.is_decisive()
            && !beta.is_decisive()
            && !node.was_pv
        {
            return Some(centipawns((estimate.raw() + beta.raw()) / 2));
        }
        // Null move: even passing keeps the value above beta.
        let passed_before = ply > 0 && self.frames[ply - 1].piece.is_none();
        let judged = self.frames[ply].static_evaluation.unwrap_or(estimate);
        if depth >= 3
            && estimate >= beta
            && judged + centipawns(20 * depth - 60) >= beta
            && !passed_before
            && ply >= self.verify_until
            && position.has_pieces(position.turn())
            && !beta.is_decisive()
            && let Some(value) = self.try_pass(node)
        {
            return Some(value);
        }
        // Probcut: a capture that is good enough even with a margin at a reduced depth.
        let raised = beta + centipawns(if improving { 140 } else { 180 });
        let hopeless = node.entry.is_some_and(|e| e.depth >= depth - 3 && e.value < raised);
        if depth >= 5 && !beta.is_decisive() && !hopeless {
            return self.try_captures(node, raised);
        }
        None
    }

    fn try_pass(&mut self, node: &Node<'_>) -> Option<Value> {
        let Node { position, ply, depth, beta, estimate, .. } = *node;
        let child = self.descend_by_pass(position, ply)?;
        let reduction = 4 + depth / 4 + ((estimate - beta).raw() / 180).min(3);
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
        if self.aborted {
            return Some(Value::DRAW);
        }
        if value < beta {
            return None;
        }
        let value = if value.is_decisive() { beta } else { value };
        if depth < 14 || self.verify_until > 0 {
            return Some(value);
        }
        // Deep down a pass may hide zugzwang: look again without passing.
        self.verify_until = ply + (3 * (depth - reduction).max(1) / 4) as usize;
        let alpha = beta - centipawns(1);
        let verified = self.search::<false>(position, ply, depth - reduction, alpha, beta, false);
        self.verify_until = 0;
        (verified >= beta).then_some(value)
    }

    fn try_captures(&mut self, node: &Node<'_>, raised: Value) -> Option<Value> {
        let Node { position, ply, depth, .. } = *node;
        let judged = self.frames[ply].static_evaluation.unwrap_or(node.estimate);
        let mut picker = Picker::noisy(node.table_move, (raised - judged).raw().max(0));
        let window = (-raised, centipawns(1) - raised);
        while let Some(m) = picker.next(position, self.memory, &[]) {
            let child = self.descend(position, m, ply);
            let mut value = -self.quiesce::<false>(&child, ply + 1, window.0, window.1);
            if value >= raised {
                let shallow = depth - 4;
                value =
                    -self.search::<false>(&child, ply + 1, shallow, window.0, window.1, !node.cut);
            }
            self.ascend();
            if self.aborted {
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

    /// Steps 7 to 11: the moves.
    fn search_moves<const PV: bool>(&mut self, node: &Node<'_>) -> Value {
        let Node { position, ply, depth, beta, in_check, .. } = *node;
        let mut alpha = node.alpha;
        let us = position.turn();
        let excluded = self.frames[ply].excluded;
        let earlier = self.earlier_pieces(ply);
        let table_noisy = !node.table_move.is_none() && node.table_move.is_noisy();

        let mut best = -Value::INFINITE;
        let mut best_move = Move::NONE;
        let mut count = 0usize;
        let mut quiets = Tried::new();
        let mut captures = Tried::new();
        let checks = position.checks();
        let mut picker = Picker::all(node.table_move, self.frames[ply].killers);
        while let Some(m) = picker.next(position, self.memory, &earlier) {
            if m == excluded || (ply == 0 && !self.root_moves.contains(&m)) {
                continue;
            }
            count += 1;
            let nodes_before = self.nodes;
            let quiet = !m.is_noisy();
            let history = if quiet {
                self.memory.quiet_score(us, m, &earlier)
            } else {
                self.memory.capture_score(us, m)
            };
            let base_reduction = self.reductions.plies(depth, count);
            let gives_check = checks.gives(m);

            // 7. Leave out what will hardly matter.
            if self.selective
                && ply > 0
                && best > -Value::TABLE_BOUND
                && position.has_pieces(us)
                && self.leave_out(
                    node,
                    m,
                    gives_check,
                    alpha,
                    count,
                    base_reduction,
                    history,
                    &mut picker,
                )
            {
                continue;
            }

            // 8. A move much better than all others is looked at deeper.
            let mut extension = 0;
            if self.selective && ply > 0 && m == node.table_move && excluded.is_none() {
                match self.singularity::<PV>(node, m) {
                    Singularity::Extension(plies) => extension = plies,
                    Singularity::Cut(value) => return value,
                }
                if self.aborted {
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
                if self.selective && depth >= 2 && count > 1 + usize::from(PV) {
                    let reduction =
                        self.reduction::<PV>(node, m, &child, base_reduction, history, table_noisy);
                    reduced_depth = (new_depth - reduction).clamp(1, new_depth.max(1));
                    value =
                        -self.search::<false>(&child, ply + 1, reduced_depth, closed, -alpha, true);
                    if value > alpha && reduced_depth < new_depth {
                        // Much better than thought: look deeper; only just: less deep.
                        let deeper = value > best + centipawns(40 + 2 * new_depth);
                        let shallower = value < best + centipawns(8);
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
                            let bonus = if value > alpha { bonus(depth) } else { -bonus(depth) };
                            self.memory.learn_quiet(us, m, &earlier, bonus / 2);
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
                self.spend(m, self.nodes - nodes_before);
            }
            if self.aborted {
                return Value::DRAW;
            }

            // 10. Is it the best so far?
            if value > best {
                best = value;
                if value > alpha {
                    best_move = m;
                    if PV {
                        self.update_line(ply, m);
                        if ply == 0 {
                            self.note_root_best(value);
                        }
                    }
                    if value >= beta {
                        self.frames[ply].cuts += 1;
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

    /// Step 7. True when the move is not worth searching.
    #[expect(clippy::too_many_arguments, reason = "the state of one loop, used nowhere else")]
    fn leave_out(
        &self,
        node: &Node<'_>,
        m: Move,
        gives_check: bool,
        alpha: Value,
        count: usize,
        base_reduction: i32,
        history: i32,
        picker: &mut Picker,
    ) -> bool {
        let Node { position, depth, in_check, .. } = *node;
        if m.is_noisy() {
            let threshold = -90 * depth - history / 64;
            return count > 1 && depth <= 8 && !exchange_at_least(position, m, threshold);
        }
        // Enough quiet moves have been tried.
        let enough = (4 + depth * depth) / if node.improving { 1 } else { 2 };
        if count as i32 > enough {
            picker.skip_quiet();
            return count > 1;
        }
        let reduced = (depth - base_reduction + history / 8192).max(0);
        // The evaluation is so low that a quiet move will not lift it.
        if !in_check
            && !gives_check
            && count > 1
            && reduced <= 8
            && node.estimate + centipawns(90 + 85 * reduced + history / 128) <= alpha
        {
            return true;
        }
        if count > 1 && !gives_check && depth <= 5 && history < -3500 * depth {
            return true;
        }
        count > 1 && reduced <= 8 && !exchange_at_least(position, m, -24 * reduced * reduced)
    }

    /// Step 8: what becomes of the rest when the table's move is left out?
    fn singularity<const PV: bool>(&mut self, node: &Node<'_>, m: Move) -> Singularity {
        let Node { position, ply, depth, beta, .. } = *node;
        let Some(entry) = node.entry else { return Singularity::Extension(0) };
        let known = matches!(entry.bound, Some(Bound::Lower | Bound::Exact))
            && entry.depth >= depth - 3
            && !entry.value.is_decisive();
        if depth < 7 || !known || ply as i32 >= 2 * self.root_depth {
            return Singularity::Extension(0);
        }
        let threshold = entry.value - centipawns(depth * (1 + i32::from(node.was_pv && !PV)));
        let below = threshold - centipawns(1);
        self.frames[ply].excluded = m;
        let value =
            self.search::<false>(position, ply, (depth - 1) / 2, below, threshold, node.cut);
        self.frames[ply].excluded = Move::NONE;
        if value < threshold {
            let clearly = !PV && value < threshold - centipawns(20);
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

    /// By how much a late move is searched less deeply.
    fn reduction<const PV: bool>(
        &self,
        node: &Node<'_>,
        m: Move,
        child: &Position,
        base: i32,
        history: i32,
        table_noisy: bool,
    ) -> i32 {
        let mut reduction = base;
        if m.is_noisy() {
            reduction = reduction * 2 / 3 - history / 8192;
        } else {
            reduction -= history / 9000;
            reduction -= i32::from(self.frames[node.ply].killers.contains(&m));
            reduction += i32::from(table_noisy);
        }
        reduction += i32::from(!node.improving);
        reduction += 2 * i32::from(node.cut);
        reduction -= i32::from(node.was_pv) + i32::from(PV);
        reduction -= i32::from(child.in_check());
        reduction += i32::from(self.frames[node.ply + 1].cuts > 3);
        reduction
    }

    /// What is learnt from a node: histories, killers, corrections, the table.
    fn finish(
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
            let bonus = bonus(depth);
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

/// The verdict of step 8.
enum Singularity {
    Extension(i32),
    Cut(Value),
}

/// What a good move is worth to the histories.
fn bonus(depth: i32) -> i32 {
    (180 * depth - 60).min(1800)
}
