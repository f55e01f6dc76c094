//! How the outside reaches into a running search.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Instant;

/// A handle on a search: clones reach the same one. Make a new one for every search.
#[derive(Clone, Debug, Default)]
pub struct Controls(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    /// The search starts on the opponent's time.
    ponders: bool,
    /// When the opponent played the expected move.
    hit: OnceLock<Instant>,
}

impl Controls {
    /// Controls of a search that starts on its own clock.
    pub fn new() -> Controls {
        Controls::default()
    }

    /// Controls of a search that starts on the opponent's time.
    pub fn pondering() -> Controls {
        Controls(Arc::new(Flags { ponders: true, ..Flags::default() }))
    }

    /// Ends the search soon.
    pub fn stop(&self) {
        self.0.stop.store(true, Ordering::Release);
    }

    #[inline]
    pub fn is_stopped(&self) -> bool {
        self.0.stop.load(Ordering::Relaxed)
    }

    /// The opponent played the expected move: from now on the clock is ours.
    pub fn ponder_hit(&self) {
        self.ponder_hit_at(Instant::now());
    }

    /// The same of a given moment. What is heard later changes nothing.
    pub(super) fn ponder_hit_at(&self, moment: Instant) {
        self.0.hit.get_or_init(|| moment);
    }

    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.0.ponders && self.0.hit.get().is_none()
    }

    /// Since when our clock runs for work that was begun at `start`. `None` while the opponent's
    /// does.
    pub fn clock_start(&self, start: Instant) -> Option<Instant> {
        if self.0.ponders { self.0.hit.get().map(|&hit| hit.max(start)) } else { Some(start) }
    }
}
