//! What a worker counts, what all of them have counted together, and when that is enough.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::time::Deadline;
use super::worker::Worker;
use crate::board::Move;
use crate::eval::Evaluator;

/// How often, in nodes, the clock and the outside are asked.
const CHECK_INTERVAL: u64 = 1024;

/// What the threads of one search share beside the table.
#[derive(Debug, Default)]
pub(super) struct Common {
    /// Nodes of all threads, updated now and then.
    pub nodes: AtomicU64,
    /// Answers of the oracle to all threads, likewise.
    pub oracle_hits: AtomicU64,
    /// Raised when one of them has the answer.
    pub halt: AtomicBool,
}

/// Ends the search of all threads when its own ends by a panic: nobody else would tell them.
#[derive(Debug)]
pub(super) struct HaltOnPanic<'a>(pub &'a Common);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt.store(true, Ordering::Relaxed);
        }
    }
}

/// The bounds that a worker itself watches over.
#[derive(Clone, Debug, Default)]
pub(super) struct Bounds {
    pub nodes: Option<u64>,
    /// The most that all threads together may visit.
    pub nodes_of_all: Option<u64>,
    pub deadline: Option<Deadline>,
}

impl<E: Evaluator> Worker<'_, E> {
    /// Counts a node and, now and then, looks whether to go on.
    #[inline]
    pub fn enter(&mut self, ply: usize) {
        self.nodes += 1;
        self.selective_depth = self.selective_depth.max(ply);
        if self.nodes >= self.next_check {
            self.check();
        }
    }

    #[cold]
    fn check(&mut self) {
        self.publish_nodes();
        let limit = self.bounds.nodes.unwrap_or(u64::MAX);
        self.next_check = (self.nodes + CHECK_INTERVAL).min(limit);
        let all = self.common.nodes.load(Ordering::Relaxed);
        let is_late = |deadline: &Deadline| deadline.has_passed(self.controls, Instant::now());
        // The first depth takes no time, and a move that it found is better than any.
        let is_stopped = self.root_depth > 1 && self.controls.is_stopped();
        self.aborted |= self.nodes >= limit
            || self.bounds.nodes_of_all.is_some_and(|most| all > most)
            || is_stopped
            || self.common.halt.load(Ordering::Relaxed)
            || self.bounds.deadline.as_ref().is_some_and(is_late);
    }

    /// Nodes of all threads so far.
    pub fn nodes_of_all(&self) -> u64 {
        self.common.nodes.load(Ordering::Relaxed) + self.nodes - self.counted_nodes
    }

    /// Answers of the oracle to all threads so far.
    pub fn hits_of_all(&self) -> u64 {
        self.common.oracle_hits.load(Ordering::Relaxed) + self.oracle_hits - self.counted_hits
    }

    /// Books nodes on a root move.
    pub fn spend(&mut self, m: Move, nodes: u64) {
        match self.efforts.iter_mut().find(|(other, _)| *other == m) {
            Some((_, spent)) => *spent += nodes,
            None => self.efforts.push((m, nodes)),
        }
    }

    /// The part of all nodes that went into a root move.
    pub fn effort(&self, m: Move) -> f64 {
        let total: u64 = self.efforts.iter().map(|(_, nodes)| nodes).sum();
        let own = self.efforts.iter().find(|(other, _)| *other == m).map_or(0, |(_, nodes)| *nodes);
        if total == 0 { 0.0 } else { own as f64 / total as f64 }
    }

    /// Adds what was counted since the last time to the common counters.
    pub fn publish_nodes(&mut self) {
        self.common.nodes.fetch_add(self.nodes - self.counted_nodes, Ordering::Relaxed);
        self.counted_nodes = self.nodes;
        let hits = self.oracle_hits - self.counted_hits;
        self.common.oracle_hits.fetch_add(hits, Ordering::Relaxed);
        self.counted_hits = self.oracle_hits;
    }
}
