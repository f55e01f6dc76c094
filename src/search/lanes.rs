//! Lanes of moves, shared out among threads.
//!
//! A lane goes through its depths one after the other, wherever the others are; a thread that has
//! finished a lane's depth takes the lane that is furthest behind. So threads wait for each other
//! only where a depth must be complete before the next begins, and at the very end.

use std::cmp::Reverse;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::worker::Worker;
use crate::board::Move;
use crate::eval::Evaluator;
use crate::evaluation::Assessment;
use crate::value::{Depth, Value};

/// A worker and its moves.
pub(super) struct Lane<'a, E: Evaluator> {
    pub worker: Worker<'a, E>,
    pub moves: Vec<Candidate>,
    /// Completed so far.
    depth: Depth,
    counted_nodes: u64,
}

/// A move as its lane knows it.
pub(super) struct Candidate {
    /// Its place in the common list.
    pub index: usize,
    pub mv: Move,
    /// Completed so far.
    pub depth: Depth,
    /// What was found there.
    pub last: Option<Assessment>,
}

/// What was found of one move at one depth.
pub(super) struct Found {
    pub index: usize,
    pub assessment: Assessment,
    pub line: Vec<Move>,
}

/// What all lanes found at one depth.
#[derive(Default)]
pub(super) struct Findings {
    pub moves: Vec<Found>,
    pub nodes: u64,
    lanes: usize,
}

/// Some lane to be searched.
pub(super) struct Task<'a, E: Evaluator> {
    pub lane: Lane<'a, E>,
    pub depth: Depth,
    /// What is not better need not be known exactly.
    pub floor: Option<Value>,
}

/// All lanes of one evaluation.
pub(super) struct Lanes<'a, E: Evaluator> {
    count: usize,
    state: Mutex<State<'a, E>>,
    changed: Condvar,
}

struct State<'a, E: Evaluator> {
    /// Those that no thread has.
    waiting: Vec<Lane<'a, E>>,
    /// By depth, from 1.
    found: Vec<Findings>,
    /// No lane goes beyond this depth for now.
    open: Depth,
    floor: Option<Value>,
    is_over: bool,
}

impl Candidate {
    pub fn new(index: usize, mv: Move) -> Candidate {
        Candidate { index, mv, depth: 0, last: None }
    }
}

impl<'a, E: Evaluator> Lane<'a, E> {
    pub fn new(worker: Worker<'a, E>, moves: Vec<Candidate>) -> Lane<'a, E> {
        Lane { worker, moves, depth: 0, counted_nodes: 0 }
    }
}

impl<'a, E: Evaluator> Lanes<'a, E> {
    pub fn new(waiting: Vec<Lane<'a, E>>) -> Lanes<'a, E> {
        let count = waiting.len();
        let state = State { waiting, found: Vec::new(), open: 0, floor: None, is_over: false };
        Lanes { count, state: Mutex::new(state), changed: Condvar::new() }
    }

    /// Lets lanes go on to the given depth.
    pub fn open(&self, depth: Depth, floor: Option<Value>) {
        let mut state = self.lock();
        state.found.resize_with(usize::from(depth), Findings::default);
        (state.open, state.floor) = (depth, floor);
        self.changed.notify_all();
    }

    /// Ends the work for all threads.
    pub fn close(&self) {
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    /// The lane of a move, while none is being searched.
    pub fn lane_of(&self, index: usize) -> Option<Lane<'a, E>> {
        let mut state = self.lock();
        let has = |lane: &Lane<'_, E>| lane.moves.iter().any(|candidate| candidate.index == index);
        let place = state.waiting.iter().position(has)?;
        Some(state.waiting.swap_remove(place))
    }

    pub fn put_back(&self, lane: Lane<'a, E>) {
        self.lock().waiting.push(lane);
    }

    /// The next lane to be searched; waits for it. `None` when there is nothing more to do.
    pub fn take(&self) -> Option<Task<'a, E>> {
        self.take_unless(|_| false)
    }

    /// The same, or `None` as soon as all lanes have completed the depth.
    pub fn take_before(&self, depth: Depth) -> Option<Task<'a, E>> {
        self.take_unless(|state| state.found[usize::from(depth) - 1].lanes == self.count)
    }

    fn take_unless(&self, is_enough: impl Fn(&State<'a, E>) -> bool) -> Option<Task<'a, E>> {
        let mut state = self.lock();
        loop {
            if state.is_over || is_enough(&state) {
                return None;
            }
            let behind =
                |(_, lane): &(usize, &Lane<'_, E>)| (Reverse(lane.depth), lane.worker.nodes);
            let open = state.waiting.iter().enumerate().filter(|(_, lane)| lane.depth < state.open);
            if let Some((place, _)) = open.max_by_key(behind) {
                let lane = state.waiting.swap_remove(place);
                return Some(Task { depth: lane.depth + 1, floor: state.floor, lane });
            }
            state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Hands in what a lane found.
    pub fn complete(&self, task: Task<'a, E>, moves: Vec<Found>) {
        let Task { mut lane, depth, .. } = task;
        let mut state = self.lock();
        let findings = &mut state.found[usize::from(depth) - 1];
        findings.moves.extend(moves);
        findings.nodes += lane.worker.nodes - lane.counted_nodes;
        findings.lanes += 1;
        lane.counted_nodes = lane.worker.nodes;
        lane.depth = depth;
        state.waiting.push(lane);
        self.changed.notify_all();
    }

    /// What was found at a depth, if all lanes have completed it.
    pub fn findings(&self, depth: Depth) -> Option<Findings> {
        let findings = &mut self.lock().found[usize::from(depth) - 1];
        (findings.lanes == self.count).then(|| std::mem::take(findings))
    }

    /// Only a panic elsewhere could poison the lock, and that panic is on its way already.
    fn lock(&self) -> MutexGuard<'_, State<'a, E>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends the work for all when its thread ends, be it by a panic: nobody waits for a lane that is
/// lost.
pub(super) struct Closing<'l, 'a, E: Evaluator>(pub &'l Lanes<'a, E>);

impl<E: Evaluator> Drop for Closing<'_, '_, E> {
    fn drop(&mut self) {
        self.0.close();
    }
}
