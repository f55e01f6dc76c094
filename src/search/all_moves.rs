//! The evaluation of all moves: an exact and repeatable value for every legal move at every depth.
//!
//! One worker searches depth by depth. At every depth, it searches the moves in the order of their values at the
//! previous depth. All moves share one table and one set of histories, since results found below one move help the
//! search below the next. The evaluation therefore uses one thread, even if the searcher has more. To evaluate many
//! positions on many threads, give each thread its own searcher.
//!
//! Depths up to [`FULL_WIDTH_DEPTH`] are searched at full width, deeper ones selectively. With a cap, moves that are
//! worse than the best by more than the cap get an upper bound instead of an exact value.

use std::cmp::Reverse;

use super::alpha_beta::search;
use super::aspiration::AspirationWindow;
use super::node::{Subtree, Window};
use super::worker::{Mode, Worker};
use super::{EvaluationRequest, Observer};
use crate::board::{Move, Position};
use crate::clock::Instant;
use crate::eval::Evaluator;
use crate::evaluation::{DepthValue, MoveEvaluation, RootEvaluation};
use crate::value::{Depth, MAX_DEPTH, Value};

/// Up to this depth every line is searched, so that nothing within the depth is overlooked. At the horizon, quiescence
/// search sees checkmate but not stalemate.
const FULL_WIDTH_DEPTH: Depth = 2;

/// Half the width of a move's first window, in centipawns. The values of bad moves change more from depth to depth than
/// the value of the best move. With 14 instead of 30, the search takes 5% more nodes. With 60, it saves none.
const FIRST_WIDTH: i32 = 30;

/// A running evaluation of all moves.
pub(super) struct AllMovesSearch<'w, 'a, E: Evaluator> {
    position: &'w Position,
    request: &'w EvaluationRequest,
    worker: Worker<'a, E>,
    start: Instant,
}

impl<'w, 'a, E: Evaluator> AllMovesSearch<'w, 'a, E> {
    pub fn new(
        position: &'w Position,
        request: &'w EvaluationRequest,
        worker: Worker<'a, E>,
        start: Instant,
    ) -> AllMovesSearch<'w, 'a, E> {
        AllMovesSearch { position, request, worker, start }
    }

    /// Searches depth by depth. A stopped search returns the results of the last completed depth, or no moves if no
    /// depth was completed.
    pub fn run(mut self, moves: &[Move], observer: &mut dyn Observer) -> RootEvaluation {
        if moves.is_empty() {
            return RootEvaluation::default();
        }
        let empty = |&mv| MoveEvaluation { mv, by_depth: Vec::new(), line: Vec::new() };
        let moves: Vec<MoveEvaluation> = moves.iter().map(empty).collect();
        let mut evaluation = RootEvaluation { moves, ..RootEvaluation::default() };
        for depth in 1..=self.request.depth.min(MAX_DEPTH) {
            let Some(found) = self.search_moves(depth, &evaluation.moves) else { break };
            for (entry, Found { assessment, line }) in evaluation.moves.iter_mut().zip(found) {
                entry.by_depth.push(assessment);
                entry.line = line;
            }
            evaluation.depth = depth;
            evaluation.nodes = self.worker.counters.nodes;
            observer.depth_completed(&evaluation, self.start.elapsed());
        }
        if evaluation.depth == 0 {
            evaluation.moves.clear();
        }
        evaluation.sort();
        evaluation
    }

    /// Searches all moves at one depth and returns the results in the order of `moves`. `None` if the search was
    /// stopped.
    fn search_moves(&mut self, depth: Depth, moves: &[MoveEvaluation]) -> Option<Vec<Found>> {
        let last = |index: usize| moves[index].by_depth.last().copied();
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_key(|&index| Reverse(last(index).map(|last| last.value)));
        let mut found: Vec<Option<Found>> = moves.iter().map(|_| None).collect();
        let mut floor = None;
        for index in order {
            let of_move = self.search_move(moves[index].mv, depth, last(index), floor)?;
            // The cap is measured from the best move so far.
            if let Some(cap) = self.request.cap
                && depth > 1
            {
                floor = floor.max(lowest(of_move.assessment.value, cap));
            }
            found[index] = Some(of_move);
        }
        found.into_iter().collect()
    }

    /// Searches one move at one depth. If the value is not above `floor`, the result is a bound.
    fn search_move(
        &mut self,
        mv: Move,
        depth: Depth,
        last: Option<DepthValue>,
        floor: Option<Value>,
    ) -> Option<Found> {
        let worker = &mut self.worker;
        worker.mode = match depth > FULL_WIDTH_DEPTH {
            true => Mode::EVALUATION,
            false => Mode::FULL_WIDTH,
        };
        worker.begin_depth(i32::from(depth));
        worker.counters.aborted |= worker.counters.controls.is_stopped();
        worker.begin_root_move();
        let child = worker.descend(self.position, mv, 0);
        worker.stack[1].line.clear();
        let subtree = Subtree {
            position: &child,
            ply: 1,
            depth: i32::from(depth) - 1,
            window: Window::OPEN,
            cut_node: false,
        };
        let assessment = value_within(worker, subtree, last, floor);
        worker.ascend();
        if worker.counters.aborted {
            return None;
        }
        worker.stack.update_line(0, mv);
        Some(Found { assessment, line: worker.stack[0].line.clone() })
    }
}

/// The result of one move at one depth.
struct Found {
    assessment: DepthValue,
    line: Vec<Move>,
}

/// The value below which moves need not be evaluated exactly: `cap` centipawns below the best. The distance is measured
/// on the scale of [`Value::pawns`], so that it also works if the best move mates. `None` if that is below every
/// possible evaluation.
fn lowest(best: Value, cap: i32) -> Option<Value> {
    let floor = Value::of_pawns(best.pawns() - f64::from(cap) / 100.0);
    (floor > -Value::EVALUATION_BOUND).then_some(floor)
}

/// Searches the position after a root move and returns its value for the side to move at the root. If it is not
/// above the floor, the floor is returned as a bound.
fn value_within<E: Evaluator>(
    worker: &mut Worker<'_, E>,
    child: Subtree<'_>,
    last: Option<DepthValue>,
    floor: Option<Value>,
) -> DepthValue {
    let floor = floor.unwrap_or(-Value::INFINITE);
    let at_floor = DepthValue { value: floor, exact: false };
    if last.is_some_and(|last| !last.exact) {
        // The move was below the floor at the last depth, so most likely it still is.
        let zero = Subtree { window: Window::above(floor).opposite(), cut_node: true, ..child };
        let value = -search::<false, E>(worker, zero);
        if value <= floor || worker.counters.aborted {
            return at_floor;
        }
    }
    let guess = last.filter(|last| last.exact).map(|last| last.value);
    let mut window = AspirationWindow::around(guess, FIRST_WIDTH);
    loop {
        window.raise_to(floor);
        let bounds = window.bounds();
        let value = -search::<true, E>(worker, Subtree { window: bounds.opposite(), ..child });
        if worker.counters.aborted || value <= floor {
            return at_floor;
        }
        if value <= bounds.alpha {
            window.widen_below(value);
        } else if value >= bounds.beta {
            window.widen_above(value);
        } else {
            return DepthValue { value, exact: true };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::counters::SharedCounters;
    use super::super::histories::Histories;
    use super::super::reductions::Reductions;
    use super::super::table::TranspositionTable;
    use super::super::worker::Shared;
    use super::*;
    use crate::board::Game;
    use crate::eval::{SearchParams, Simple};
    use crate::search::Controls;

    /// Returns the values of a root move at all depths, and the number of nodes. `leave` changes the stack
    /// before every depth.
    fn search(leave: impl Fn(&mut Worker<'_, Simple>)) -> (Vec<Value>, u64) {
        let game = Game::default();
        let table = TranspositionTable::new(1).expect("a mebibyte");
        let shared = Shared {
            evaluator: &Simple,
            table: table.view(),
            reductions: &Reductions::new(SearchParams::for_evaluation()),
            params: SearchParams::for_evaluation(),
            controls: &Controls::new(),
            counters: &SharedCounters::default(),
        };
        let mut histories = Histories::new();
        let worker = Worker::new(&game, &shared, &mut histories);
        let request = EvaluationRequest::depth(9);
        let mut search = AllMovesSearch::new(game.position(), &request, worker, Instant::now());
        let m = game.position().parse_uci("e2e4").expect("a legal move");
        let (mut last, mut values) = (None, Vec::new());
        for depth in 1..=request.depth {
            leave(&mut search.worker);
            let found = search.search_move(m, depth, last, None).expect("nothing stops it");
            last = Some(found.assessment);
            values.push(found.assessment.value);
        }
        (values, search.worker.counters.nodes)
    }

    #[test]
    fn a_root_move_does_not_depend_on_the_stack_that_others_left() {
        let after_none = search(|_| {});
        let after_many = search(|worker| worker.stack[2].cutoffs = 1000);
        assert_eq!(after_many, after_none);
    }
}
