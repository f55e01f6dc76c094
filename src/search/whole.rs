//! The evaluation of all moves: exact values, at every depth, repeatably.
//!
//! 1. The legal moves are dealt out to *lanes*. A lane has its own part of the table and its own
//!    memory, and goes through its moves in a fixed order; so what it finds depends on nothing
//!    outside of it.
//! 2. Threads take lanes, the one that is furthest behind first.
//! 3. Depths up to [`FULL_WIDTH_DEPTH`] are searched over the full width; deeper ones with
//!    everything that the search has, but for a foresight that sinks with depth.
//!
//! With a cap, the best move of the last depth is valued first, and the others are searched down
//! to that value less the cap.

use std::cmp::Reverse;
use std::time::Instant;

use super::foresight::foresight;
use super::lanes::{Candidate, Closing, Found, Lane, Lanes, Task};
use super::node::FULL_WIDTH_DEPTH;
use super::window::Window;
use super::worker::Worker;
use super::{EvaluationRequest, Observer};
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::evaluation::{Assessment, MoveEvaluation, RootEvaluation};
use crate::threads::helper;
use crate::value::{Depth, MAX_PLY, Value};

/// Into how many lanes the moves are dealt. More lanes keep more threads busy; fewer share more of
/// what they find.
pub(super) const LANES: usize = 16;

/// Shallower evaluations are done before another thread has begun.
const WORTH_SHARING: Depth = 3;

/// One evaluation under way.
pub(super) struct Whole<'a, E: Evaluator> {
    position: &'a Position,
    request: &'a EvaluationRequest,
    lanes: Lanes<'a, E>,
    start: Instant,
}

impl<'a, E: Evaluator> Whole<'a, E> {
    pub fn new(
        position: &'a Position,
        request: &'a EvaluationRequest,
        lanes: Vec<Lane<'a, E>>,
        start: Instant,
    ) -> Whole<'a, E> {
        Whole { position, request, lanes: Lanes::new(lanes), start }
    }

    /// Goes through the depths. Stopped early, it gives the last completed one; before the first,
    /// no moves at all.
    pub fn run(
        self,
        moves: &[Move],
        threads: usize,
        observer: &mut dyn Observer,
    ) -> RootEvaluation {
        if moves.is_empty() {
            return RootEvaluation::default();
        }
        let empty = |&mv| MoveEvaluation { mv, by_depth: Vec::new(), line: Vec::new() };
        let moves: Vec<MoveEvaluation> = moves.iter().map(empty).collect();
        let mut evaluation = RootEvaluation { moves, ..RootEvaluation::default() };
        let helpers = if self.deepest() < WORTH_SHARING { 0 } else { threads.max(1) - 1 };
        std::thread::scope(|scope| {
            let _closing = Closing(&self.lanes);
            for _ in 0..helpers {
                helper(scope, || {
                    let _closing = Closing(&self.lanes);
                    while let Some(task) = self.lanes.take() {
                        self.search_lane(task);
                    }
                });
            }
            for depth in 1..=self.deepest() {
                if self.complete(depth, &mut evaluation).is_none() {
                    break;
                }
                observer.depth_completed(&evaluation, self.start.elapsed());
            }
        });
        if evaluation.depth == 0 {
            evaluation.moves.clear();
        }
        evaluation.sort();
        evaluation
    }

    fn deepest(&self) -> Depth {
        self.request.depth.min((MAX_PLY - 10) as Depth)
    }

    /// Works until all lanes have completed a depth, and adds what they found. `None` when that
    /// was not to be.
    fn complete(&self, depth: Depth, evaluation: &mut RootEvaluation) -> Option<()> {
        // A cap asks for the best move of the last depth. Nodes are counted over all threads, so
        // that they buy the same depth however many there are: none may run ahead.
        let is_in_step = self.request.cap.is_some() || self.request.nodes.is_some();
        let mut leader = None;
        if is_in_step {
            let floor = match self.request.cap {
                Some(cap) if depth > 1 => {
                    let best = self.search_leader(depth, evaluation)?;
                    let floor = floor(best.assessment.value, cap);
                    leader = Some(best);
                    floor
                }
                _ => None,
            };
            self.lanes.open(depth, floor);
        } else if depth == 1 {
            self.lanes.open(self.deepest(), None);
        }
        while let Some(task) = self.lanes.take_before(depth) {
            self.search_lane(task);
        }
        let findings = self.lanes.findings(depth)?;
        let nodes = evaluation.nodes + findings.nodes;
        if self.request.nodes.is_some_and(|most| nodes > most) {
            return None;
        }
        for Found { index, assessment, line } in findings.moves.into_iter().chain(leader) {
            let entry = &mut evaluation.moves[index];
            entry.by_depth.push(assessment);
            entry.line = line;
        }
        evaluation.depth = depth;
        evaluation.nodes = nodes;
        Some(())
    }

    /// The best move of the last depth, ahead of all others.
    fn search_leader(&self, depth: Depth, so_far: &RootEvaluation) -> Option<Found> {
        let values = so_far.moves.iter().map(MoveEvaluation::value);
        let index = values.enumerate().max_by_key(|&(i, v)| (v, Reverse(i)))?.0;
        let mut lane = self.lanes.lane_of(index)?;
        let Lane { worker, moves, .. } = &mut lane;
        let candidate = moves.iter_mut().find(|candidate| candidate.index == index)?;
        let found = self.search_move(worker, candidate, depth, None);
        self.lanes.put_back(lane);
        found
    }

    /// The other moves of a lane at one depth.
    fn search_lane(&self, mut task: Task<'a, E>) {
        let Task { lane: Lane { worker, moves, .. }, depth, floor } = &mut task;
        let mut found = Vec::with_capacity(moves.len());
        for candidate in moves.iter_mut().filter(|candidate| candidate.depth < *depth) {
            let Some(of_move) = self.search_move(worker, candidate, *depth, *floor) else {
                return self.lanes.close();
            };
            found.push(of_move);
        }
        if *depth == self.deepest() {
            // Here, while it is shared out, rather than all at once before the next evaluation.
            worker.memory.clear();
        }
        self.lanes.complete(task, found);
    }

    /// One move at one depth: exactly, or as "at most the floor".
    fn search_move(
        &self,
        worker: &mut Worker<'a, E>,
        candidate: &mut Candidate,
        depth: Depth,
        floor: Option<Value>,
    ) -> Option<Found> {
        worker.selective = depth > FULL_WIDTH_DEPTH;
        worker.equal_depths = !worker.selective;
        worker.foresight = foresight(depth);
        worker.root_depth = i32::from(depth);
        worker.aborted |= worker.controls.is_stopped();
        // What a search of the root would forget too: it is that of another move or depth.
        worker.frames[2].cuts = 0;
        worker.frames[1].killers = [Move::NONE; 2];
        let child = worker.descend(self.position, candidate.mv, 0);
        worker.frames[1].line.clear();
        let plies = i32::from(depth) - 1;
        let assessment = value_within(worker, &child, plies, candidate.last, floor);
        worker.ascend();
        worker.publish_nodes();
        if worker.aborted {
            return None;
        }
        candidate.depth = depth;
        candidate.last = Some(assessment);
        worker.update_line(0, candidate.mv);
        let line = worker.frames[0].line.clone();
        Some(Found { index: candidate.index, assessment, line })
    }
}

/// What need not be known exactly: what is so many centipawns below the best. It is an evaluation,
/// and below mates in pawns, as the curves count them. Below all evaluations it is nothing.
fn floor(best: Value, cap: i32) -> Option<Value> {
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
        if value <= floor || worker.aborted {
            return Assessment { value: floor, exact: false };
        }
    }
    let mut window = Window::around(last.filter(|last| last.exact).map(|last| last.value));
    loop {
        window.raise_to(floor);
        let value = -worker.search::<true>(child, 1, plies, -window.beta, -window.alpha, false);
        if worker.aborted || value <= floor {
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
    use super::super::memory::Memory;
    use super::super::reductions::Reductions;
    use super::super::table::Table;
    use super::*;
    use crate::board::Game;
    use crate::eval::Simple;
    use crate::search::Controls;

    /// The values of a root move at all depths, and the nodes that they took, when the stack is left
    /// like that before every depth.
    fn search(leave: impl Fn(&mut Worker<'_, Simple>)) -> (Vec<Value>, u64) {
        let game = Game::default();
        let (controls, common) = (Controls::new(), Common::default());
        let table = Table::new(1).expect("a mebibyte");
        let reductions = Reductions::new(Simple.margins());
        let (mut memory, mut cache) = (Memory::new(), ());
        let mut worker = Worker::new(
            &game,
            &Simple,
            table.view(),
            &reductions,
            &mut memory,
            &mut cache,
            &controls,
            &common,
        );
        let request = EvaluationRequest::depth(9);
        let whole = Whole::new(game.position(), &request, Vec::new(), Instant::now());
        let m = game.position().parse_uci("e2e4").expect("a legal move");
        let mut candidate = Candidate::new(0, m);
        let mut values = Vec::new();
        for depth in 1..=request.depth {
            leave(&mut worker);
            let found = whole.search_move(&mut worker, &mut candidate, depth, None);
            values.push(found.expect("nobody stops it").assessment.value);
        }
        (values, worker.nodes)
    }

    #[test]
    fn what_other_root_moves_leave_on_the_stack_is_forgotten() {
        let after_none = search(|_| {});
        let after_many = search(|worker| {
            worker.frames[2].cuts = 1000;
            worker.frames[1].killers = ["a7a6", "h7h6"].map(reply);
        });
        assert_eq!(after_many, after_none);
    }

    /// A reply that is legal after the first move.
    fn reply(text: &str) -> Move {
        let game = Game::from_uci(None, ["e2e4"], false).expect("legal");
        game.position().parse_uci(text).expect("a legal reply")
    }
}
