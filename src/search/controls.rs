//! How the outside reaches into a running search.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// A handle on a search: clones reach the same one. Make a new one for every search.
#[derive(Clone, Debug, Default)]
pub struct Controls(Arc<Flags>);

#[derive(Debug, Default)]
struct Flags {
    stop: AtomicBool,
    pondering: AtomicBool,
}

impl Controls {
    /// Controls of a search that starts on its own clock.
    pub fn new() -> Controls {
        Controls::default()
    }

    /// Controls of a search that starts on the opponent's time.
    pub fn pondering() -> Controls {
        let controls = Controls::default();
        controls.0.pondering.store(true, Ordering::Release);
        controls
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
        self.0.pondering.store(false, Ordering::Release);
    }

    #[inline]
    pub fn is_pondering(&self) -> bool {
        self.0.pondering.load(Ordering::Relaxed)
    }
}
