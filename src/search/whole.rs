//! The evaluation of all moves: exact values, at every depth, repeatably.
//!
//! 1. The legal moves are dealt out to *lanes*. A lane has its own part of the table and its own
//!    memory, and goes through its moves in a fixed order; so what it finds depends on nothing
//!    outside of it.
//! 2. Threads take lanes, the longest so far first, so that none is left with a long one at the
//!    end. All lanes complete a depth before any begins the next.
//! 3. Depths up to [`FULL_WIDTH_DEPTH`] are searched over the full width; deeper ones with
//!    everything that the search has.
//!
//! With a cap, the best move of the last depth is valued first, and the others are searched down
//! to that value less the cap.

use std::cmp::Reverse;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use super::node::FULL_WIDTH_DEPTH;
use super::window::Window;
use super::worker::{Common, Worker, spawn_within};
use super::{EvaluationRequest, Observer};
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::evaluation::{Assessment, MoveEvaluation, RootEvaluation};
use crate::value::{Depth, MAX_PLY, Value};

/// Into how many lanes the moves are dealt. More lanes keep more threads busy; fewer share more of
/// what they find.
pub(super) const LANES: usize = 12;

/// Shallower depths are done before another thread has begun.
const WORTH_SHARING: Depth = 3;

/// A worker and its moves, by index into the common list.
pub(super) struct Lane<'a, E: Evaluator> {
    pub worker: Worker<'a, E>,
    pub moves: Vec<usize>,
}

/// One evaluation under way.
pub(super) struct Whole<'a, E: Evaluator> {
    position: &'a Position,
    request: &'a EvaluationRequest,
    lanes: Vec<Mutex<Lane<'a, E>>>,
    common: &'a Common,
    start: Instant,
}

/// What was found of one move at one depth.
struct Found {
    index: usize,
    assessment: Assessment,
    line: Vec<Move>,
}

impl<'a, E: Evaluator> Whole<'a, E> {
    pub fn new(
        position: &'a Position,
        request: &'a EvaluationRequest,
        lanes: Vec<Lane<'a, E>>,
        common: &'a Common,
        start: Instant,
    ) -> Whole<'a, E> {
        let lanes = lanes.into_iter().map(Mutex::new).collect();
        Whole { position, request, lanes, common, start }
    }

    /// Goes through the depths. Stopped early, it gives the last completed one; before the first,
    /// no moves at all.
    pub fn run(
        self,
        moves: &[Move],
        threads: usize,
        observer: &mut dyn Observer,
    ) -> RootEvaluation {
        let empty = |&mv| MoveEvaluation { mv, by_depth: Vec::new(), line: Vec::new() };
        let moves: Vec<MoveEvaluation> = moves.iter().map(empty).collect();
        let mut evaluation = RootEvaluation { moves, ..RootEvaluation::default() };
        for depth in 1..=self.deepest() {
            let Some(found) = self.search_depth(depth, &evaluation, threads) else { break };
            let nodes = self.common.nodes.load(Ordering::Relaxed);
            // Counted over all threads, so that it is the same depth however many there are.
            if self.request.nodes.is_some_and(|most| nodes > most) {
                break;
            }
            for Found { index, assessment, line } in found {
                let entry = &mut evaluation.moves[index];
                entry.by_depth.push(assessment);
                entry.line = line;
            }
            evaluation.depth = depth;
            evaluation.nodes = nodes;
            observer.depth_completed(&evaluation, self.start.elapsed());
        }
        if evaluation.depth == 0 {
            evaluation.moves.clear();
        }
        evaluation.sort();
        evaluation
    }

    fn deepest(&self) -> Depth {
        self.request.depth.min((MAX_PLY - 10) as Depth)
    }

    /// One depth of all moves, or `None` when it was not completed.
    fn search_depth(
        &self,
        depth: Depth,
        so_far: &RootEvaluation,
        threads: usize,
    ) -> Option<Vec<Found>> {
        let mut found = Vec::with_capacity(so_far.moves.len());
        let mut floor = None;
        let mut leader = None;
        if let (Some(cap), true) = (self.request.cap, depth > 1) {
            let values = so_far.moves.iter().map(MoveEvaluation::value);
            let index = values.enumerate().max_by_key(|&(i, v)| (v, Reverse(i)))?.0;
            let lane = self.lanes.iter().find(|lane| lock(lane).moves.contains(&index))?;
            let best = self.search_move(&mut lock(lane).worker, depth, index, so_far, None)?;
            floor = Some(best.assessment.value - Value::centipawns(cap));
            leader = Some(index);
            found.push(best);
        }
        let mut longest_first: Vec<_> = self.lanes.iter().collect();
        longest_first.sort_by_cached_key(|lane| Reverse(lock(lane).worker.nodes));
        let next = AtomicUsize::new(0);
        let take_lanes = || {
            let mut found = Vec::new();
            while let Some(lane) = longest_first.get(next.fetch_add(1, Ordering::Relaxed)) {
                let lane = &mut *lock(lane);
                for &index in lane.moves.iter().filter(|&&index| Some(index) != leader) {
                    found.push(self.search_move(&mut lane.worker, depth, index, so_far, floor)?);
                }
                if depth == self.deepest() {
                    // Here while it is shared out, rather than by one thread before the next.
                    lane.worker.memory.clear();
                }
            }
            Some(found)
        };
        if threads <= 1 || depth < WORTH_SHARING {
            found.extend(take_lanes()?);
        } else {
            let portions = std::thread::scope(|scope| {
                let helpers: Vec<_> =
                    (1..threads).filter_map(|_| spawn_within(scope, take_lanes)).collect();
                let own = take_lanes();
                let others = helpers.into_iter().map(|helper| helper.join().ok().flatten());
                std::iter::once(own).chain(others).collect::<Vec<_>>()
            });
            for portion in portions {
                found.extend(portion?);
            }
        }
        Some(found)
    }

    /// One move at one depth: exactly, or as "at most the floor".
    fn search_move(
        &self,
        worker: &mut Worker<'a, E>,
        depth: Depth,
        index: usize,
        so_far: &RootEvaluation,
        floor: Option<Value>,
    ) -> Option<Found> {
        let before = &so_far.moves[index];
        worker.selective = depth > FULL_WIDTH_DEPTH;
        worker.root_depth = i32::from(depth);
        worker.aborted |= worker.controls.is_stopped();
        let child = worker.descend(self.position, before.mv, 0);
        worker.frames[1].line.clear();
        let plies = i32::from(depth) - 1;
        let assessment = value_within(worker, &child, plies, before, floor);
        worker.ascend();
        worker.publish_nodes();
        if worker.aborted {
            return None;
        }
        worker.update_line(0, before.mv);
        let line = worker.frames[0].line.clone();
        Some(Found { index, assessment, line })
    }
}

/// The value of the position after a root move, from the root's side. What is not above the floor
/// is only known to be so.
fn value_within<E: Evaluator>(
    worker: &mut Worker<'_, E>,
    child: &Position,
    plies: i32,
    before: &MoveEvaluation,
    floor: Option<Value>,
) -> Assessment {
    let floor = floor.unwrap_or(-Value::INFINITE);
    let last = before.by_depth.last();
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

/// A lane's lock. Only a panic elsewhere could poison it, and that panic is on its way already.
fn lock<'m, 'a, E: Evaluator>(lane: &'m Mutex<Lane<'a, E>>) -> MutexGuard<'m, Lane<'a, E>> {
    lane.lock().unwrap_or_else(PoisonError::into_inner)
}
