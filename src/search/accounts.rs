//! What a thread counts, what all of them have counted together, and when that is enough.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use super::Controls;
use super::time::Deadline;

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

/// What one thread counts, and what may end its search.
#[derive(Clone, Debug)]
pub(super) struct Accounts<'a> {
    pub controls: &'a Controls,
    common: &'a Common,
    pub bounds: Bounds,
    /// The outside may stop it. The first depth takes no time, and a move that it found is better than any.
    pub can_be_stopped: bool,
    /// Set when the search is to be abandoned; values found since then mean nothing.
    pub aborted: bool,
    pub nodes: u64,
    pub oracle_hits: u64,
    pub selective_depth: usize,
    /// How many of both are in the common counters.
    published: [u64; 2],
    next_check: u64,
}

impl<'a> Accounts<'a> {
    pub fn new(controls: &'a Controls, common: &'a Common) -> Accounts<'a> {
        Accounts {
            controls,
            common,
            bounds: Bounds::default(),
            can_be_stopped: false,
            aborted: false,
            nodes: 0,
            oracle_hits: 0,
            selective_depth: 0,
            published: [0; 2],
            next_check: 0,
        }
    }

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
        self.publish();
        let limit = self.bounds.nodes.unwrap_or(u64::MAX);
        self.next_check = (self.nodes + CHECK_INTERVAL).min(limit);
        let all = self.common.nodes.load(Ordering::Relaxed);
        let is_late = |deadline: &Deadline| deadline.has_passed(self.controls, Instant::now());
        self.aborted |= self.nodes >= limit
            || self.bounds.nodes_of_all.is_some_and(|most| all > most)
            || (self.can_be_stopped && self.controls.is_stopped())
            || self.common.halt.load(Ordering::Relaxed)
            || self.bounds.deadline.as_ref().is_some_and(is_late);
    }

    /// Nodes of all threads so far.
    pub fn nodes_of_all(&self) -> u64 {
        self.common.nodes.load(Ordering::Relaxed) + self.nodes - self.published[0]
    }

    /// Answers of the oracle to all threads so far.
    pub fn hits_of_all(&self) -> u64 {
        self.common.oracle_hits.load(Ordering::Relaxed) + self.oracle_hits - self.published[1]
    }

    /// Adds what was counted since the last time to the common counters.
    pub fn publish(&mut self) {
        let [nodes, hits] = self.published;
        self.common.nodes.fetch_add(self.nodes - nodes, Ordering::Relaxed);
        self.common.oracle_hits.fetch_add(self.oracle_hits - hits, Ordering::Relaxed);
        self.published = [self.nodes, self.oracle_hits];
    }
}
