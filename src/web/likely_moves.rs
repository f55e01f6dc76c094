//! The chart of the moves that players of all ratings would play in a position of a game.
//!
//! The page asks for it with an event stream. The first chart comes after a shallow evaluation, and
//! the second after one at the depth that ratings are calibrated for. When the page shows another
//! position, its new request stops the work on the last one.

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
/// Size of the hash table in MiB.
const HASH: usize = 16;
/// The largest number of threads. More would not make a chart visibly faster.
const MAX_THREADS: usize = 8;

/// A position, and the rating scale of the chart.
#[derive(Debug)]
pub struct ChartRequest {
    pub game: Game,
    pub scale: EloScale,
    /// Stopped by the next request for the same session.
    pub controls: Controls,
}

/// A chart, as the page gets it.
#[derive(Debug, Serialize)]
pub struct ChartEvent {
    pub chart: MovesByRating,
    /// Whether this is the last chart for the request.
    last: bool,
}

/// The engine behind the charts of all sessions. It is loaded for the first chart.
#[derive(Debug, Default)]
pub struct ChartEngine {
    engine: Mutex<Option<Engine>>,
}

impl ChartEngine {
    /// Sends the charts of a position, the last one at full depth. A stopped request may have none.
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
    /// The result of sending it.
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
