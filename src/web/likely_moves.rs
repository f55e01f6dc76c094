//! The chart of the moves that players of each rating would play in a position of a game.
//!
//! The page requests the chart as an event stream. The first chart comes after a shallow
//! evaluation. The second comes after an evaluation at the depth that ratings are calibrated for.
//! When the page shows another position, its new request stops the work on the previous one.

use std::io;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;

use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::player::{EloScale, Engine, USUAL_DEPTH};
use crate::report::MovesByRating;
use crate::search::{Controls, EvaluationRequest, Observer};
use crate::threads::cores;
use crate::value::Depth;

/// The depth of the first chart.
const EARLY_DEPTH: Depth = 6;
/// The size of the hash table in MiB.
const HASH: usize = 16;
/// The maximum number of threads. More would not make the chart noticeably faster.
const MAX_THREADS: usize = 8;

/// A position, and the rating scale of the chart.
#[derive(Debug)]
pub struct ChartRequest {
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

/// The engine that computes the charts for all sessions. It is loaded for the first chart.
#[derive(Debug, Default)]
pub struct ChartEngine {
    engine: Mutex<Option<Engine>>,
}

impl ChartEngine {
    /// Sends the charts of a position, the last one at full depth. A request that is stopped may
    /// send none.
    pub fn run(
        &self,
        request: &ChartRequest,
        send: &mut dyn FnMut(&ChartEvent) -> io::Result<()>,
    ) -> io::Result<()> {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if request.controls.is_stopped() {
            return Ok(());
        }
        let engine = engine.get_or_insert_with(|| Engine::built_in(HASH));
        engine.set_threads(threads());
        let wanted = EvaluationRequest::depth(USUAL_DEPTH);
        let mut early = EarlyChart { request, send, outcome: None };
        let evaluation = engine.evaluate(&request.game, &wanted, &request.controls, &mut early);
        let outcome = early.outcome.unwrap_or(Ok(()));
        if outcome.is_err() || request.controls.is_stopped() {
            return outcome;
        }
        send(&request.chart(&evaluation, true))
    }
}

fn threads() -> usize {
    cores().clamp(1, MAX_THREADS)
}

impl ChartRequest {
    fn chart(&self, evaluation: &RootEvaluation, last: bool) -> ChartEvent {
        let chart = MovesByRating::new(&self.game, evaluation, USUAL_DEPTH, self.scale, threads());
        ChartEvent { chart, last }
    }
}

/// Sends the first chart during the evaluation.
struct EarlyChart<'a> {
    request: &'a ChartRequest,
    send: &'a mut dyn FnMut(&ChartEvent) -> io::Result<()>,
    /// The result of sending the chart.
    outcome: Option<io::Result<()>>,
}

impl Observer for EarlyChart<'_> {
    fn depth_completed(&mut self, evaluation: &RootEvaluation, _elapsed: Duration) {
        let is_due = (EARLY_DEPTH..USUAL_DEPTH).contains(&evaluation.depth);
        if !is_due || self.outcome.is_some() || self.request.controls.is_stopped() {
            return;
        }
        let outcome = (self.send)(&self.request.chart(evaluation, false));
        if outcome.is_err() {
            // The page has disconnected.
            self.request.controls.stop();
        }
        self.outcome = Some(outcome);
    }
}
