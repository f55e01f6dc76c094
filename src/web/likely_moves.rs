//! The chart of the moves that players of each rating would play in a position of a game.
//!
//! The page requests the chart as an event stream. The first chart comes after a shallow
//! evaluation. The second comes after an evaluation at the depth that ratings are calibrated for.
//! When the page shows another position, its new request stops the work on the previous one. The
//! work also stops when the page has disconnected or the game is closed.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;

use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::player::{EloScale, USUAL_DEPTH};
use crate::report::MovesByRating;
use crate::search::{Controls, Observer};
use crate::session::GameSession;
use crate::threads::cores;
use crate::value::Depth;

/// The depth of the first chart.
const EARLY_DEPTH: Depth = 6;

/// The maximum number of threads for a chart, one for each rating. More would hardly make it faster.
const MAX_THREADS: usize = 8;

/// A position, and the rating scale of the chart.
#[derive(Debug)]
pub struct ChartRequest {
    /// The session of the game. Its engine evaluates the position.
    pub session: Arc<GameSession>,
    pub game: Game,
    pub scale: EloScale,
    /// The controls of this request. The next request for the same session stops them.
    pub controls: Controls,
}

/// A chart, as sent to the page.
#[derive(Debug, Serialize)]
pub struct ChartEvent {
    pub chart: MovesByRating,
    /// Whether this is the last chart for the request.
    last: bool,
}

/// Sends a chart. `None` only checks whether the page is still connected.
pub type SendChart<'a> = &'a mut dyn FnMut(Option<&ChartEvent>) -> io::Result<()>;

impl ChartRequest {
    /// Sends the charts of the position, the last one at full depth. A request that is stopped may
    /// send none.
    pub fn run(&self, send: SendChart<'_>) -> io::Result<()> {
        let mut early = EarlyChart { request: self, send, is_sent: false, outcome: Ok(()) };
        let evaluator = &self.session.evaluator;
        let evaluation = evaluator.evaluate(&self.game, USUAL_DEPTH, &self.controls, &mut early);
        let EarlyChart { send, outcome, .. } = early;
        outcome?;
        evaluation.map_or(Ok(()), |evaluation| send(Some(&self.chart(&evaluation, true))))
    }

    fn chart(&self, evaluation: &RootEvaluation, last: bool) -> ChartEvent {
        let threads = cores().clamp(1, MAX_THREADS);
        let chart = MovesByRating::new(&self.game, evaluation, USUAL_DEPTH, self.scale, threads);
        ChartEvent { chart, last }
    }
}

/// Sends the first chart during the evaluation, and stops when the page has disconnected.
struct EarlyChart<'a> {
    request: &'a ChartRequest,
    send: SendChart<'a>,
    is_sent: bool,
    /// The result of the last attempt to send something.
    outcome: io::Result<()>,
}

impl Observer for EarlyChart<'_> {
    fn depth_completed(&mut self, evaluation: &RootEvaluation, _elapsed: Duration) {
        if self.request.controls.is_stopped() {
            return;
        }
        let is_due = !self.is_sent && (EARLY_DEPTH..USUAL_DEPTH).contains(&evaluation.depth);
        let chart = is_due.then(|| self.request.chart(evaluation, false));
        self.is_sent |= is_due;
        self.outcome = (self.send)(chart.as_ref());
        if self.outcome.is_err() {
            self.request.controls.stop();
        }
    }
}
