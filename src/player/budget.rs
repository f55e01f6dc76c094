//! What an imitator may spend on its opponent's moves.

use std::time::{Duration, Instant};

use super::own_time;
use super::stopped_down::LEAST_TIME;
use crate::search::{Controls, EvaluationRequest};
use crate::value::Depth;

/// What may be spent on his moves.
#[derive(Debug)]
pub(super) struct Budget {
    time: Option<Duration>,
    nodes: Option<u64>,
    /// Since when the clock runs.
    started: Instant,
}

impl Budget {
    /// The clock runs from now on.
    pub fn new(time: Option<Duration>, nodes: Option<u64>) -> Budget {
        Budget { time, nodes, started: Instant::now() }
    }

    /// The own time that has gone: none before the expected move is made, and no more than there was.
    pub fn spent(&self, controls: &Controls) -> Duration {
        own_time(self.started, controls).min(self.time.unwrap_or(Duration::MAX))
    }

    /// What the next evaluation may cost; `None` when nothing is left. While the opponent's clock
    /// runs no time is spent.
    pub fn request(
        &self,
        depth: Depth,
        nodes: u64,
        controls: &Controls,
    ) -> Option<EvaluationRequest> {
        let spent = self.spent(controls);
        let time = self.time.map(|time| time.saturating_sub(spent));
        let nodes = self.nodes.map(|most| most.saturating_sub(nodes));
        let is_left = time.is_none_or(|time| time >= LEAST_TIME) && nodes != Some(0);
        is_left.then(|| EvaluationRequest { time, nodes, ..EvaluationRequest::depth(depth) })
    }
}
