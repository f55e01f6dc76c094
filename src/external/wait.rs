//! How long somebody waits for an engine.

use std::time::{Duration, Instant};

use crate::search::Controls;

/// Who waits: until the controls say stop, or until this time has passed on the clock that they know.
#[derive(Clone, Debug)]
pub struct Wait {
    controls: Controls,
    since: Instant,
    time: Option<Duration>,
}

impl Wait {
    pub fn new(controls: &Controls, since: Instant, time: Option<Duration>) -> Wait {
        Wait { controls: controls.clone(), since, time }
    }

    pub fn is_over(&self) -> bool {
        let start = self.controls.clock_start(self.since);
        let is_up = |time: Duration| start.is_some_and(|start| start.elapsed() >= time);
        self.controls.is_stopped() || self.time.is_some_and(is_up)
    }
}

impl Default for Wait {
    /// As long as the engine may take.
    fn default() -> Wait {
        Wait::new(&Controls::new(), Instant::now(), None)
    }
}
