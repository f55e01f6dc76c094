//! Counts nodes, for one thread and for all threads of a search, and decides when a search must end.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use super::Controls;
use super::time::Deadline;
use crate::clock::Instant;

/// The number of nodes between checks of the clock and the controls.
const CHECK_INTERVAL: u64 = 1024;

/// An answer from the oracle brings the next check forward by this many nodes, because it can come from a slow disk.
const ORACLE_COST: u64 = 128;

/// Counters that the threads of one search share.
#[derive(Debug, Default)]
pub(super) struct SharedCounters {
    /// The nodes that all threads have searched, updated now and then.
    pub nodes: AtomicU64,
    /// The number of nodes that the threads have claimed from their common limit.
    pub claimed: AtomicU64,
    /// The number of answers that the oracle has given to all threads, updated now and then.
    pub oracle_hits: AtomicU64,
    /// Set when the first thread has the result, or when a thread panics, to end the others.
    pub halt: AtomicBool,
    /// Set while pondering if the search has thought long enough, so that the ponder hit ends it.
    pub ends_at_hit: AtomicBool,
}

/// Ends the search of all threads when its own thread panics. Otherwise the other threads would search forever.
#[derive(Debug)]
pub(super) struct HaltOnPanic<'a>(pub &'a SharedCounters);

impl Drop for HaltOnPanic<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.halt.store(true, Ordering::Relaxed);
        }
    }
}

/// The limits that a worker checks while it searches.
#[derive(Clone, Debug, Default)]
pub(super) struct WorkerLimits {
    pub nodes: Option<u64>,
    /// The limit for all threads together.
    pub of_all: Option<CommonLimit>,
    pub deadline: Option<Deadline>,
}

/// The maximum number of nodes that several threads together may visit.
#[derive(Clone, Copy, Debug)]
pub(super) struct CommonLimit {
    pub nodes: u64,
    pub threads: u64,
}

/// The counters of one thread, and the conditions that end its search.
#[derive(Clone, Debug)]
pub(super) struct Counters<'a> {
    pub controls: &'a Controls,
    shared: &'a SharedCounters,
    pub limits: WorkerLimits,
    /// Whether a limit or the controls may end the search. At depth 1, nothing may end the first thread's search for the
    /// best move, which takes almost no time.
    pub can_be_stopped: bool,
    /// Set when the search has been given up. Values that are returned afterwards are meaningless.
    pub aborted: bool,
    pub nodes: u64,
    pub oracle_hits: u64,
    pub selective_depth: usize,
    /// The nodes and oracle hits that the shared counters already include.
    published: [u64; 2],
    /// The number of nodes up to which this thread may search within the limit for all threads.
    claimed: u64,
    next_check: u64,
}

impl<'a> Counters<'a> {
    pub fn new(controls: &'a Controls, shared: &'a SharedCounters) -> Counters<'a> {
        Counters {
            controls,
            shared,
            limits: WorkerLimits::default(),
            can_be_stopped: true,
            aborted: false,
            nodes: 0,
            oracle_hits: 0,
            selective_depth: 0,
            published: [0; 2],
            claimed: 0,
            next_check: 0,
        }
    }

    /// Counts a node and, now and then, checks whether to go on.
    #[inline]
    pub fn enter(&mut self, ply: usize) {
        self.nodes += 1;
        self.selective_depth = self.selective_depth.max(ply);
        if self.nodes >= self.next_check {
            self.check();
        }
    }

    /// Counts an answer from the oracle.
    pub fn count_oracle_hit(&mut self) {
        self.oracle_hits += 1;
        self.next_check = self.next_check.saturating_sub(ORACLE_COST);
    }

    #[cold]
    fn check(&mut self) {
        self.publish();
        let limit = self.limits.nodes.unwrap_or(u64::MAX);
        self.next_check = (self.nodes + CHECK_INTERVAL).min(limit);
        let has_share = self.limits.of_all.is_none_or(|of_all| self.claim(of_all));
        if !self.can_be_stopped {
            return;
        }
        let is_late = |deadline: &Deadline| deadline.has_passed(self.controls, Instant::now());
        let is_hit = || !self.controls.is_pondering();
        self.aborted |= self.nodes >= limit
            || !has_share
            || self.controls.is_stopped()
            || self.shared.halt.load(Ordering::Relaxed)
            || self.shared.ends_at_hit.load(Ordering::Relaxed) && is_hit()
            || self.limits.deadline.as_ref().is_some_and(is_late);
    }

    /// Claims a share of the nodes that are left for all threads, unless an earlier share is not used up. The next check
    /// comes when it is. Returns false if no nodes are left.
    fn claim(&mut self, of_all: CommonLimit) -> bool {
        let mut is_left = true;
        if self.nodes >= self.claimed {
            let left = of_all.nodes.saturating_sub(self.shared.claimed.load(Ordering::Relaxed));
            let share = (left / (2 * of_all.threads)).clamp(1, CHECK_INTERVAL);
            self.shared.claimed.fetch_add(share, Ordering::Relaxed);
            self.claimed = self.nodes + share;
            is_left = left > 0;
        }
        self.next_check = self.next_check.min(self.claimed);
        is_left
    }

    /// Sets whether a ponder hit ends the search.
    pub fn set_ends_at_hit(&self, ends: bool) {
        self.shared.ends_at_hit.store(ends, Ordering::Relaxed);
    }

    /// The number of nodes that all threads have searched so far.
    pub fn nodes_of_all(&self) -> u64 {
        self.shared.nodes.load(Ordering::Relaxed) + self.nodes - self.published[0]
    }

    /// The number of answers that the oracle has given to all threads so far.
    pub fn hits_of_all(&self) -> u64 {
        self.shared.oracle_hits.load(Ordering::Relaxed) + self.oracle_hits - self.published[1]
    }

    /// Adds the counts since the last call to the shared counters.
    pub fn publish(&mut self) {
        let [nodes, hits] = self.published;
        self.shared.nodes.fetch_add(self.nodes - nodes, Ordering::Relaxed);
        self.shared.oracle_hits.fetch_add(self.oracle_hits - hits, Ordering::Relaxed);
        self.published = [self.nodes, self.oracle_hits];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ponder_hit_ends_a_search_that_has_thought_long_enough() {
        for is_enough in [false, true] {
            let (controls, shared) = (Controls::pondering(), SharedCounters::default());
            let mut counters = Counters::new(&controls, &shared);
            counters.set_ends_at_hit(is_enough);
            let mut search_on = || {
                (0..=CHECK_INTERVAL).for_each(|_| counters.enter(1));
                counters.aborted
            };
            assert!(!search_on(), "the opponent is still thinking");
            controls.ponder_hit();
            assert_eq!(search_on(), is_enough);
        }
    }

    #[test]
    fn threads_that_run_side_by_side_keep_to_their_common_limit() {
        let (controls, shared) = (Controls::new(), SharedCounters::default());
        let of_all = Some(CommonLimit { nodes: 12_345, threads: 4 });
        let mut threads: Vec<Counters> =
            (0..4).map(|_| Counters::new(&controls, &shared)).collect();
        threads.iter_mut().for_each(|thread| thread.limits.of_all = of_all);
        while threads.iter().any(|thread| !thread.aborted) {
            threads.iter_mut().filter(|thread| !thread.aborted).for_each(|thread| thread.enter(1));
        }
        let nodes: u64 = threads.iter().map(|thread| thread.nodes).sum();
        assert!((12_345..12_355).contains(&nodes), "{nodes}");
    }
}
