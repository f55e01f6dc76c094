//! Stops a running search from another thread, and tells it about `ponderhit`.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};

use crate::clock::Instant;

/// A handle on one search. Clones control the same search. Every search needs new controls.
#[derive(Clone, Debug, Default)]
pub struct Controls(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    /// Whether the search starts on the opponent's time.
    ponders: bool,
    /// The moment at which the opponent played the expected move.
    hit: OnceLock<Instant>,
}

impl Controls {
    /// Controls for a search that starts on our own time.
    pub fn new() -> Controls {
        Controls::default()
    }

    /// Controls for a search that starts on the opponent's time.
    pub(crate) fn pondering() -> Controls {
        Controls(Arc::new(Flags { ponders: true, ..Flags::default() }))
    }

    /// Asks the search to stop.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
    }

    /// Whether the search must stop.
    #[inline]
    pub(crate) fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// Reports that the opponent played the expected move: our clock runs from now on.
    pub(crate) fn ponder_hit(&self) {
        self.ponder_hit_at(Instant::now());
    }

    /// [`Controls::ponder_hit`] at a given moment. A second report changes nothing.
    pub(super) fn ponder_hit_at(&self, moment: Instant) {
        self.0.hit.get_or_init(|| moment);
    }

    #[inline]
    pub(crate) fn is_pondering(&self) -> bool {
        self.0.ponders && self.0.hit.get().is_none()
    }

    /// The moment at which a search that started at `start` began to use our clock. `None` while the opponent's
    /// clock runs.
    pub(crate) fn clock_start(&self, start: Instant) -> Option<Instant> {
        if self.0.ponders { self.0.hit.get().map(|&hit| hit.max(start)) } else { Some(start) }
    }
}
