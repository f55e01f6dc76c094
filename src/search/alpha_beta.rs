//! The recursive search: principal variation search with pruning, reductions and extensions.
//!
//! *Alpha-beta* keeps a window between the scores that the two sides can already force. A branch whose value falls
//! outside the window cannot change the result and is cut off. *Principal variation search* (PVS) assumes that the
//! first move of a node is the best. The other moves are searched with a zero window, which is fast and only shows
//! whether they are better. A move that turns out to be better is searched again with the open window.
//!
//! [`Searcher::best_move`] and [`Searcher::evaluate`] both use this recursive search. With [`Mode::selective`] off, all
//! reductions, extensions and forward pruning are off, and plain full-width alpha-beta remains.
//!
//! The steps are numbered in the order that is usual in chess engines. [`pruning`] makes the decisions of steps 5 and 7
//! and some of those of steps 4 and 9. [`history_updates`] is step 12. Depth limits are literals in the code. Numbers
//! that depend on the scale of the evaluation are in [`SearchParams`](crate::eval::SearchParams).
//!
//! [`Searcher::best_move`]: super::Searcher::best_move
//! [`Searcher::evaluate`]: super::Searcher::evaluate
//! [`Mode::selective`]: super::worker::Mode::selective
//! [`history_updates`]: super::history_updates

use super::Bound;
use super::histories::Context;
use super::history_updates::{
    Progress, bonus, finish, learn_evaluation_difference, learn_table_cutoff,
};
use super::node::{Node, Subtree, Window};
use super::picker::Picker;
use super::pruning::{self, Candidate, Verdict};
use super::quiescence::quiesce;
use super::table::Record;
use super::worker::Worker;
use crate::board::{Checks, Move};
use crate::eval::Evaluator;
use crate::value::{MAX_PLY, Value};

/// Returns the value of a position. It is exact inside the window and a bound outside it.
///
/// The result is meaningless once the search has been aborted.
pub(super) fn search<const PV: bool, E: Evaluator>(
    worker: &mut Worker<'_, E>,
    subtree: Subtree<'_>,
) -> Value {
    let Subtree { position, ply, mut depth, window, cut_node } = subtree;
    let Window { mut alpha, mut beta } = window;
    debug_assert!(alpha < beta);
    debug_assert!(PV || window.is_zero());

    // 1. Draws, and the horizon. A mover who can repeat a position can force a draw, unless the move left out by a
    // singular search is the one that repeats it.
    if ply > 0 && worker.stack.is_draw(position) {
        worker.stack[ply].line.clear();
        return Value::DRAW;
    }
    if worker.mode.best_move
        && ply > 0
        && beta <= Value::DRAW
        && worker.stack[ply].excluded.is_none()
        && worker.stack.can_repeat(position)
    {
        worker.stack[ply].line.clear();
        return Value::DRAW;
    }
    if depth <= 0 {
        return quiesce::<PV, E>(worker, position, ply, window);
    }
    worker.counters.enter(ply);
    if PV {
        worker.stack[ply].line.clear();
    }
    if worker.counters.aborted {
        return Value::DRAW;
    }
    let in_check = position.in_check();

    // 2. The end of the stack, and mate distance pruning: a shorter mate is already known.
    if ply > 0 {
        if ply >= MAX_PLY - 1 {
            return if in_check { Value::DRAW } else { worker.evaluate(position, ply) };
        }
        if worker.mode.selective {
            alpha = alpha.max(Value::mated_in(ply));
            beta = beta.min(Value::mate_in(ply + 1));
            if alpha >= beta {
                return alpha;
            }
        }
    }

    // 3. The transposition table, and the oracle. An entry that is deep enough can cause a cut-off, except
    // close to the fifty-move limit, since the table ignores the fifty-move counter.
    let excluded = worker.stack[ply].excluded;
    let singular_search = !excluded.is_none();
    let entry = if singular_search { None } else { worker.table.probe(position.key(), ply) };
    let was_pv = match singular_search {
        true => worker.stack[ply].was_pv,
        false => PV || entry.is_some_and(|e| e.was_pv),
    };
    worker.stack[ply].was_pv = was_pv;
    if let Some(entry) = entry
        && !PV
        && position.halfmoves() < 90
        && (if worker.mode.selective { entry.depth >= depth } else { entry.depth == depth })
        && entry.allows_cutoff(alpha, beta)
    {
        if worker.mode.selective && entry.value >= beta {
            learn_table_cutoff(worker, &subtree, entry);
        }
        return entry.value;
    }
    if worker.oracle.is_some()
        && !singular_search
        && let Some(value) = worker.ask_oracle(position, ply, depth)
    {
        return value;
    }
    let table_move = entry.and_then(|e| position.complete(e.mv)).unwrap_or(Move::NONE);
    if !table_move.is_none() {
        worker.prefetch(position, table_move);
    }

    // 4. The static evaluation.
    let raw = if in_check {
        None
    } else if singular_search {
        worker.stack[ply].static_evaluation
    } else {
        Some(entry.and_then(|e| e.evaluation).unwrap_or_else(|| worker.evaluate(position, ply)))
    };
    let mut adjusted = raw.unwrap_or(Value::DRAW);
    if worker.mode.selective && !singular_search {
        adjusted = worker.corrected(position, ply, adjusted);
        worker.stack[ply].static_evaluation = raw.map(|_| adjusted);
        learn_evaluation_difference(worker, ply, entry.is_none());
    }
    let improving = !in_check && worker.stack.has_improved(ply);
    let loss = worker.stack.opponents_loss(ply);
    if worker.mode.selective && !singular_search {
        depth += pruning::hindsight(worker, ply, depth, loss);
    }
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
        cut_node,
        in_check,
        was_pv,
        raw,
        adjusted,
        improving,
        opponents_loss: loss,
        table_move,
        entry,
    };
    worker.stack[ply + 2].cutoffs = 0;
    worker.stack[ply + 1].killers = [Move::NONE; 2];

    if worker.mode.selective {
        // 5. Prune the whole node.
        if !PV
            && !in_check
            && !singular_search
            && ply >= worker.mode.unpruned_until
            && let Some(value) = prune_node(worker, &node)
        {
            return value;
        }
        // 6. Internal iterative reduction (IIR): without a table move, the move ordering is poor. A shallower
        //    search now provides a move for the next iteration.
        let stale = worker.params.stale_entry;
        let lacks_move = table_move.is_none()
            || (stale > 0 && entry.is_some_and(|entry| entry.depth + stale <= depth));
        if depth >= 4 && (PV || cut_node) && lacks_move && !singular_search {
            depth -= 1;
            node.depth = depth;
        }
    }
    search_moves::<PV, E>(worker, &mut node)
}

/// Step 5: returns a value if the node need not be searched.
fn prune_node<E: Evaluator>(worker: &mut Worker<'_, E>, node: &Node<'_>) -> Option<Value> {
    let params = worker.params;
    if pruning::is_razored(node, params) {
        let window = Window::above(node.alpha);
        let value = quiesce::<false, E>(worker, node.position, node.ply, window);
        // A search for the best move relies on the captures alone, even if they raise the value above alpha.
        if value <= node.alpha || worker.mode.best_move || worker.counters.aborted {
            return Some(value);
        }
    }
    if let Some(value) = pruning::reverse_futility(node, params, worker.mode) {
        return Some(value);
    }
    if pruning::allows_null_move(worker, node)
        && let Some(value) = try_null_move(worker, node)
    {
        return Some(value);
    }
    probcut(worker, node, pruning::probcut_beta(node, params)?)
}

/// Null-move pruning (NMP): the mover passes. If the opponent cannot bring the value below beta even with two moves in
/// a row, a real move will almost certainly reach beta too. A search at a reduced depth after the pass is enough to
/// show this.
///
/// The bet fails in zugzwang, where passing is better than any move. At high depth, the fail-high is therefore verified
/// by a search without null moves.
fn try_null_move<E: Evaluator>(worker: &mut Worker<'_, E>, node: &Node<'_>) -> Option<Value> {
    let Node { position, ply, depth, beta, .. } = *node;
    let child = worker.descend_by_null_move(position, ply)?;
    let reduced = depth - pruning::null_move_reduction(node, worker.params);
    let after_pass = Subtree {
        position: &child,
        ply: ply + 1,
        depth: reduced,
        window: Window::at_least(beta).opposite(),
        cut_node: !node.cut_node,
    };
    let value = -search::<false, E>(worker, after_pass);
    worker.ascend();
    if worker.counters.aborted {
        return Some(Value::DRAW);
    }
    if value < beta {
        return None;
    }
    if depth < 14 || worker.stack.verify_until > 0 {
        return Some(if value.is_decisive() { beta } else { value });
    }
    worker.stack.verify_until = ply + (3 * reduced.max(1) / 4) as usize;
    let without_pass =
        Subtree { position, ply, depth: reduced, window: Window::at_least(beta), cut_node: false };
    let verified = search::<false, E>(worker, without_pass);
    worker.stack.verify_until = 0;
    let value = if value.is_decisive() { beta } else { value };
    (verified >= beta).then_some(value)
}

/// Probcut (Buro 1995): a capture that beats a raised beta at a reduced depth will very probably beat beta at
/// the full depth.
fn probcut<E: Evaluator>(
    worker: &mut Worker<'_, E>,
    node: &Node<'_>,
    raised: Value,
) -> Option<Value> {
    let Node { position, ply, depth, .. } = *node;
    let static_evaluation = worker.stack[ply].static_evaluation.unwrap_or(node.adjusted);
    // The move from the table is tried without this condition.
    let least = (raised - static_evaluation).raw().max(0);
    let mut picker = Picker::noisy(worker.params, node.table_move, least);
    let window = Window::at_least(raised).opposite();
    while let Some(m) = picker.next(position, worker.histories, &Context::NONE) {
        worker.prefetch(position, m);
        let child = worker.descend(position, m, ply);
        let mut value = -quiesce::<false, E>(worker, &child, ply + 1, window);
        if value >= raised {
            let after_capture = Subtree {
                position: &child,
                ply: ply + 1,
                depth: depth - 4,
                window,
                cut_node: !node.cut_node,
            };
            value = -search::<false, E>(worker, after_capture);
        }
        worker.ascend();
        if worker.counters.aborted {
            return Some(Value::DRAW);
        }
        if value >= raised {
            let record = Record {
                mv: m.packed(),
                value,
                evaluation: node.raw,
                depth: depth - 3,
                bound: Bound::Lower,
                was_pv: node.was_pv,
            };
            worker.table.store(position.key(), ply, record);
            let is_proven = value.is_decisive();
            return Some(if is_proven { value } else { value - (raised - node.beta) });
        }
    }
    None
}

/// Steps 7 to 12: searches the moves of a node.
fn search_moves<const PV: bool, E: Evaluator>(
    worker: &mut Worker<'_, E>,
    node: &mut Node<'_>,
) -> Value {
    let Node { position, ply, beta, .. } = *node;
    let us = position.turn();
    let excluded = worker.stack[ply].excluded;
    let context = worker.context(position, ply);
    worker.stack[ply].context = context;
    let mut progress = Progress::new(node.alpha, context);
    let mut move_count = 0;
    let checks = Checks::of(position);
    let mut picker = Picker::all(worker.params, node.table_move, worker.stack[ply].killers);
    picker.use_search_params(worker.params, checks);
    while let Some(m) = picker.next(position, worker.histories, &progress.context) {
        if m == excluded || (ply == 0 && !worker.root.moves.contains(&m)) {
            continue;
        }
        move_count += 1;
        worker.prefetch(position, m);
        let nodes_before = worker.counters.nodes;
        let mut candidate = Candidate {
            mv: m,
            move_count,
            gives_check: checks.gives(m),
            history: if m.is_noisy() {
                worker.histories.capture_score(us, m)
            } else {
                worker.histories.quiet_score(us, m, &progress.context)
            },
            base_reduction: worker.reductions.hundredths(node.depth, move_count),
            extension: 0,
        };

        // 7. Skip moves that are unlikely to matter. At least one move must have been searched, so that a lost
        // position is not mistaken for mate.
        if worker.mode.selective
            && ply > 0
            && ply >= worker.mode.unpruned_until
            && progress.best > -Value::TABLE_BOUND
            && move_count > 1
            && position.has_pieces(us)
        {
            match pruning::verdict(worker, node, &candidate, progress.alpha) {
                Verdict::Search => {}
                Verdict::Skip => continue,
                Verdict::SkipQuiets => {
                    picker.keep_quiet(|m| checks.gives(m));
                    continue;
                }
            }
        }

        // 8. Extend a singular move.
        if worker.mode.selective && ply > 0 && m == node.table_move && excluded.is_none() {
            match singularity::<PV, E>(worker, node, m) {
                Singularity::Extension(plies) => candidate.extension = plies,
                Singularity::Cut(value) => return value,
            }
            if worker.counters.aborted {
                return Value::DRAW;
            }
        }

        // 9. Search the move.
        let value = search_move::<PV, E>(worker, node, &progress, &candidate);
        if ply == 0 && worker.root.counts_nodes {
            worker.root.add_nodes(m, worker.counters.nodes - nodes_before);
        }
        if worker.counters.aborted {
            return Value::DRAW;
        }

        // 10. The best move so far, and beta cut-offs.
        if value > progress.best {
            progress.best = value;
            if value > progress.alpha {
                progress.best_move = m;
                if PV {
                    worker.stack.update_line(ply, m);
                    if ply == 0 {
                        worker.note_root_best(value);
                    }
                }
                if value >= beta {
                    worker.stack[ply].cutoffs += 1;
                    progress.best = worker.softened(value, beta, node.depth);
                    break;
                }
                progress.alpha = value;
                // The other moves must now beat a good one, which is unlikely.
                let is_usual = ply > 0 && (3..=12).contains(&node.depth) && !value.is_decisive();
                node.depth -= i32::from(worker.mode.best_move && is_usual);
            }
        }
        if m != progress.best_move {
            progress.note_tried(m);
        }
    }

    // 11. No legal move: mate or stalemate.
    if move_count == 0 {
        return if !excluded.is_none() {
            progress.alpha
        } else if node.in_check {
            Value::mated_in(ply)
        } else {
            Value::DRAW
        };
    }
    // 12. Learn from the result.
    finish(worker, node, &progress);
    progress.best
}

/// Step 9: searches one move of a node. Late moves are first searched at a reduced depth with a zero window.
fn search_move<const PV: bool, E: Evaluator>(
    worker: &mut Worker<'_, E>,
    node: &Node<'_>,
    progress: &Progress,
    candidate: &Candidate,
) -> Value {
    let Node { position, ply, depth, beta, cut_node, .. } = *node;
    let Progress { alpha, best, .. } = *progress;
    let Candidate { mv, move_count, extension, .. } = *candidate;
    worker.stack[ply].move_count = move_count;
    let child = worker.descend(position, mv, ply);
    let full_depth = depth - 1 + extension;
    let open = Subtree {
        position: &child,
        ply: ply + 1,
        depth: full_depth,
        window: Window { alpha, beta }.opposite(),
        cut_node: false,
    };
    let zero = Subtree { window: Window::above(alpha).opposite(), cut_node: !cut_node, ..open };
    let mut value;
    if PV && move_count == 1 {
        value = -search::<true, E>(worker, open);
    } else {
        if worker.mode.selective && depth >= 2 && move_count > 1 + usize::from(PV) {
            let reduction = pruning::late_move_reduction::<PV, E>(worker, node, candidate);
            // In a search for the best move, a very promising move may even be extended.
            let deepest = full_depth + i32::from(worker.mode.best_move);
            let reduced = (full_depth - reduction).clamp(1, deepest.max(1));
            worker.stack[ply].reduction = full_depth - reduced;
            value = -search::<false, E>(worker, Subtree { depth: reduced, cut_node: true, ..zero });
            worker.stack[ply].reduction = 0;
            if value > alpha && reduced < full_depth {
                // The move is better than expected. Search it again at about the full depth: a ply deeper if it is much
                // better than the best so far, a ply shallower if it is only just better.
                let params = worker.params;
                let deeper = value > best + Value::centipawns(params.deeper + 2 * full_depth);
                let shallower = value < best + Value::centipawns(params.shallower);
                let again = full_depth + i32::from(deeper) - i32::from(shallower);
                if again > reduced {
                    value = -search::<false, E>(worker, Subtree { depth: again, ..zero });
                }
                if !mv.is_noisy() && !worker.counters.aborted {
                    let size = bonus(params, depth) / 2;
                    let reward = if value > alpha { size } else { -size };
                    worker.histories.learn_quiet(position.turn(), mv, &progress.context, reward);
                }
            }
        } else {
            value = -search::<false, E>(worker, zero);
        }
        if PV && value > alpha {
            value = -search::<true, E>(worker, open);
        }
    }
    worker.ascend();
    value
}

/// The result of step 8.
enum Singularity {
    /// Search the move this many plies deeper, or shallower if negative.
    Extension(i32),
    /// Return this value for the node.
    Cut(Value),
}

/// Singular extensions (Anantharaman, Campbell and Hsu 1988): is the move from the table much better than all others? A
/// search to half the depth without that move answers this. If all others fall well below the value from the table, the
/// move is singular: the whole node depends on it, and it is searched one to three plies deeper. If another move
/// reaches beta as well, the node is cut off at once (multi-cut).
fn singularity<const PV: bool, E: Evaluator>(
    worker: &mut Worker<'_, E>,
    node: &Node<'_>,
    m: Move,
) -> Singularity {
    let Node { position, ply, depth, beta, cut_node, .. } = *node;
    let Some(entry) = node.entry else { return Singularity::Extension(0) };
    let is_reliable = matches!(entry.bound, Bound::Lower | Bound::Exact)
        && entry.depth >= depth - 3
        && !entry.value.is_decisive();
    if !worker.mode.best_move || depth < 6 || !is_reliable || ply as i32 >= 2 * worker.root.depth {
        return Singularity::Extension(0);
    }
    let params = worker.params;
    let margin = params.singular * depth * (1 + i32::from(node.was_pv && !PV)) / 100;
    let threshold = entry.value - Value::centipawns(margin);
    worker.stack[ply].excluded = m;
    let others = Subtree {
        position,
        ply,
        depth: (depth - 1) / 2,
        window: Window::at_least(threshold),
        cut_node,
    };
    let value = search::<false, E>(worker, others);
    worker.stack[ply].excluded = Move::NONE;
    if value < threshold {
        let gap = (threshold - value).raw();
        let clearly = gap > params.doubly_singular + if PV { params.doubly_singular_pv } else { 0 };
        let very_clearly = clearly
            && !PV
            && !m.is_noisy()
            && gap > params.doubly_singular + params.triply_singular;
        return Singularity::Extension(1 + i32::from(clearly) + i32::from(very_clearly));
    }
    if value >= beta && !PV && !value.is_decisive() {
        return Singularity::Cut(worker.softened(value, beta, (depth - 1) / 2));
    }
    // Several moves are good, so this one does not need the full depth.
    Singularity::Extension(if entry.value >= beta {
        -2
    } else if cut_node {
        -1
    } else {
        0
    })
}
