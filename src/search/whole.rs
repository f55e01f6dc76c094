//! The evaluation of all moves: exact values, at every depth, repeatably.
//!
//! One worker goes through the depths, and at every depth through the moves, the best of the last depth
//! first. All moves share one table and one set of histories: what is found below one of them is of
//! use below the next. So an evaluation is the work of one thread, whatever the number of threads; who
//! has many positions to value gives each thread a searcher of its own.
//!
//! Depths up to [`FULL_WIDTH_DEPTH`] are searched over the full width; deeper ones with everything that
//! the search has.
//!
//! With a cap, moves are searched down to the value of the best move less the cap.

use std::cmp::Reverse;
use std::time::Instant;

use super::deepening::Window;
use super::node::FULL_WIDTH_DEPTH;
use super::worker::{Mode, Worker};
use super::{EvaluationRequest, Observer};
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::evaluation::{Assessment, MoveEvaluation, RootEvaluation};
use crate::value::{Depth, MAX_PLY, Value};

/// Half the width of a move's first window, in centipawns. Bad moves change more from depth to depth than
/// the best one does: 14 takes a twentieth more nodes, 60 takes no fewer.
const FIRST_WIDTH: i32 = 30;

/// One evaluation under way.
pub(super) struct Whole<'w, 'a, E: Evaluator> {
    position: &'w Position,
    request: &'w EvaluationRequest,
    worker: Worker<'a, E>,
    start: Instant,
}

impl<'w, 'a, E: Evaluator> Whole<'w, 'a, E> {
    pub fn new(
        position: &'w Position,
        request: &'w EvaluationRequest,
        worker: Worker<'a, E>,
        start: Instant,
    ) -> Whole<'w, 'a, E> {
        Whole { position, request, worker, start }
    }

    /// Goes through the depths. Stopped early, it gives the last completed one; before the first,
    /// no moves at all.
    pub fn run(mut self, moves: &[Move], observer: &mut dyn Observer) -> RootEvaluation {
        if moves.is_empty() {
            return RootEvaluation::default();
        }
        let empty = |&mv| MoveEvaluation { mv, by_depth: Vec::new(), line: Vec::new() };
        let moves: Vec<MoveEvaluation> = moves.iter().map(empty).collect();
        let mut evaluation = RootEvaluation { moves, ..RootEvaluation::default() };
        for depth in 1..=self.request.depth.min((MAX_PLY - 10) as Depth) {
            let Some(found) = self.search_moves(depth, &evaluation.moves) else { break };
            for (entry, Found { assessment, line }) in evaluation.moves.iter_mut().zip(found) {
                entry.by_depth.push(assessment);
                entry.line = line;
            }
            evaluation.depth = depth;
            evaluation.nodes = self.worker.accounts.nodes;
            observer.depth_completed(&evaluation, self.start.elapsed());
        }
        if evaluation.depth == 0 {
            evaluation.moves.clear();
        }
        evaluation.sort();
        evaluation
    }

    /// All moves at one depth, in their order. `None` when that was not to be.
    fn search_moves(&mut self, depth: Depth, moves: &[MoveEvaluation]) -> Option<Vec<Found>> {
        let last = |index: usize| moves[index].by_depth.last().copied();
        let mut order: Vec<usize> = (0..moves.len()).collect();
        order.sort_by_key(|&index| Reverse(last(index).map(|last| last.value)));
        let mut found: Vec<Option<Found>> = moves.iter().map(|_| None).collect();
        let mut floor = None;
        for index in order {
            let of_move = self.search_move(moves[index].mv, depth, last(index), floor)?;
            // The best move so far says what the others need not reach.
            if let Some(cap) = self.request.cap
                && depth > 1
            {
                floor = floor.max(lowest(of_move.assessment.value, cap));
            }
            found[index] = Some(of_move);
        }
        found.into_iter().collect()
    }

    /// One move at one depth: exactly, or as "at most the floor".
    fn search_move(
        &mut self,
        mv: Move,
        depth: Depth,
        last: Option<Assessment>,
        floor: Option<Value>,
    ) -> Option<Found> {
        let worker = &mut self.worker;
        worker.mode = match depth > FULL_WIDTH_DEPTH {
            true => Mode::EVALUATION,
            false => Mode::FULL_WIDTH,
        };
        worker.begin_depth(i32::from(depth));
        worker.accounts.aborted |= worker.accounts.controls.is_stopped();
        worker.begin_root_move();
        let child = worker.descend(self.position, mv, 0);
        worker.stack[1].line.clear();
        let plies = i32::from(depth) - 1;
        let assessment = value_within(worker, &child, plies, last, floor);
        worker.ascend();
        if worker.accounts.aborted {
            return None;
        }
        worker.stack.update_line(0, mv);
        Some(Found { assessment, line: worker.stack[0].line.clone() })
    }
}

/// What was found of one move at one depth.
struct Found {
    assessment: Assessment,
    line: Vec<Move>,
}

/// What need not be known exactly: what is so many centipawns below the best. It is an evaluation,
/// and below mates in pawns, as the curves count them. Below all evaluations it is nothing.
fn lowest(best: Value, cap: i32) -> Option<Value> {
    let floor = Value::of_pawns(best.pawns() - f64::from(cap) / 100.0);
    (floor > -Value::EVALUATION_BOUND).then_some(floor)
}

/// The value of the position after a root move, from the root's side. What is not above the floor
/// is only known to be so.
fn value_within<E: Evaluator>(
    worker: &mut Worker<'_, E>,
    child: &Position,
    plies: i32,
    last: Option<Assessment>,
    floor: Option<Value>,
) -> Assessment {
    let floor = floor.unwrap_or(-Value::INFINITE);
    if last.is_some_and(|last| !last.exact) {
        // Below the floor so far: most likely still.
        let beta = floor + Value::centipawns(1);
        let value = -worker.search::<false>(child, 1, plies, -beta, -floor, true);
        if value <= floor || worker.accounts.aborted {
            return Assessment { value: floor, exact: false };
        }
    }
    let mut window =
        Window::around(last.filter(|last| last.exact).map(|last| last.value), FIRST_WIDTH);
    loop {
        window.raise_to(floor);
        let value = -worker.search::<true>(child, 1, plies, -window.beta, -window.alpha, false);
        if worker.accounts.aborted || value <= floor {
            return Assessment { value: floor, exact: false };
        }
        if value <= window.alpha {
            window.widen_below(value);
        } else if value >= window.beta {
            window.widen_above(value);
        } else {
            return Assessment { value, exact: true };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::accounts::Common;
    use super::super::histories::Histories;
    use super::super::pruning::Reductions;
    use super::super::table::TranspositionTable;
    use super::*;
    use crate::board::Game;
    use crate::eval::Simple;
    use crate::search::Controls;

    /// The values of a root move at all depths, and the nodes that they took, when the stack is left
    /// like that before every depth.
    fn search(leave: impl Fn(&mut Worker<'_, Simple>)) -> (Vec<Value>, u64) {
        let game = Game::default();
        let (controls, common) = (Controls::new(), Common::default());
        let table = TranspositionTable::new(1).expect("a mebibyte");
        let reductions = Reductions::new(Simple.margins());
        let (mut histories, mut cache) = (Histories::new(), ());
        let worker = Worker::new(
            &game,
            &Simple,
            table.view(),
            &reductions,
            &mut histories,
            &mut cache,
            &controls,
            &common,
        );
        let request = EvaluationRequest::depth(9);
        let mut whole = Whole::new(game.position(), &request, worker, Instant::now());
        let m = game.position().parse_uci("e2e4").expect("a legal move");
        let (mut last, mut values) = (None, Vec::new());
        for depth in 1..=request.depth {
            leave(&mut whole.worker);
            let found = whole.search_move(m, depth, last, None).expect("nobody stops it");
            last = Some(found.assessment);
            values.push(found.assessment.value);
        }
        (values, whole.worker.accounts.nodes)
    }

    #[test]
    fn what_other_root_moves_leave_on_the_stack_is_forgotten() {
        let after_none = search(|_| {});
        let after_many = search(|worker| worker.stack[2].cuts = 1000);
        assert_eq!(after_many, after_none);
    }
}
