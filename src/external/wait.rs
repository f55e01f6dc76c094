//! Conditions that end a wait for an engine early.

use std::time::Duration;

use crate::clock::Instant;
use crate::search::Controls;

/// A wait for an engine. It ends when the controls are stopped, or when `time` has passed. Time
/// spent pondering does not count.
#[derive(Clone, Debug)]
pub(crate) struct Wait {
    controls: Controls,
    since: Instant,
    time: Option<Duration>,
}

impl Wait {
    /// Creates a wait that started at `since`. Without a `time`, only the controls end it.
    pub fn new(controls: &Controls, since: Instant, time: Option<Duration>) -> Wait {
        Wait { controls: controls.clone(), since, time }
    }

    /// Returns whether the wait has ended.
    pub fn is_over(&self) -> bool {
        let start = self.controls.clock_start(self.since);
        let has_passed = |time: Duration| start.is_some_and(|start| start.elapsed() >= time);
        self.controls.is_stopped() || self.time.is_some_and(has_passed)
    }
}

impl Default for Wait {
    /// A wait that never ends early.
    fn default() -> Wait {
        Wait::new(&Controls::new(), Instant::now(), None)
    }
}
