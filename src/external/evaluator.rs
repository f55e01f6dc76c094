//! An external engine that takes the place of our own search: it evaluates all moves in a position,
//! or plays its best move.
//!
//! An engine that fails is restarted and asked once more. If it fails again, the result is empty,
//! and [`ExternalEvaluator::take_fault`] returns the reason.

use std::path::PathBuf;
use std::time::Duration;

use super::all_moves::{AllMovesEvaluation, EvaluatorState, most_lines, prepare};
use super::client::{Fault, UciClient};
use super::search::{EngineSearch, PROMPT};
use super::spec::ExternalSpec;
use super::wait::Wait;
use super::worksheet::Worksheet;
use crate::board::{Game, Move};
use crate::clock::Instant;
use crate::evaluation::RootEvaluation;
use crate::math::fingerprint;
use crate::search::{BestMove, Clock, Controls, EvaluationRequest, Limits, Observer};
use crate::value::Depth;

/// The largest reserve on the clock for a search of our own, which is needed if the engine fails.
const MAX_TIME_RESERVE: Duration = Duration::from_millis(300);

/// The number of times that a search is attempted.
const ATTEMPTS: usize = 2;

/// An external engine that evaluates moves.
#[derive(Debug)]
pub struct ExternalEvaluator {
    /// The connection to the engine.
    pub(crate) client: UciClient,
    state: EvaluatorState,
    /// The reason why the last search had no result.
    fault: Option<Fault>,
}

impl ExternalEvaluator {
    /// Creates an evaluator. The engine starts when it is first needed.
    pub(crate) fn new(
        spec: ExternalSpec,
        patience: Duration,
        guard: Option<PathBuf>,
    ) -> ExternalEvaluator {
        let mut client = UciClient::new(spec, patience, guard);
        client.is_evaluator = true;
        ExternalEvaluator { client, state: EvaluatorState::default(), fault: None }
    }

    /// Sets an option if the engine has it. An engine that is restarted gets it too.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        if let Err(fault) = self.client.set(name, value) {
            self.state.notices.push(self.describe(&fault));
        }
    }

    /// Makes the engine forget all earlier searches before its next one.
    pub(crate) fn clear(&mut self) {
        self.state.has_sent_new_game = false;
    }

    /// The number of threads for evaluations.
    pub(crate) fn threads(&self) -> Option<String> {
        match self.client.is_set("Threads") {
            true => self.client.value_of("Threads"),
            false => Some("1".to_owned()),
        }
    }

    /// A description of everything that the values depend on: the engine, its author and its
    /// options.
    pub(crate) fn identity(&self) -> String {
        let author = self.client.author.as_ref().map(|author| format!(" by {author}"));
        let mut options = self.client.spec.options.clone();
        options.sort();
        let options = options.iter().map(|(name, value)| format!(", {name}={value}"));
        format!(
            "{}{}{}",
            self.client.known_as(),
            author.unwrap_or_default(),
            options.collect::<String>()
        )
    }

    /// Returns a hash of [`ExternalEvaluator::identity`].
    pub(crate) fn fingerprint(&self) -> u64 {
        fingerprint(self.identity().as_bytes())
    }

    /// Returns new messages for the user.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.state.notices)
    }

    /// Returns whether the last search had no result because the engine failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.fault.is_some()
    }

    /// Returns the reason why the last search had no result, if the engine caused that.
    pub(crate) fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    /// Turns a fault into a message to the user.
    pub(crate) fn describe(&self, fault: &Fault) -> String {
        fault.described(self.client.known_as())
    }

    /// Starts the engine if needed, and tells it about a new game. It may need seconds to clear its
    /// memory, which should not come off the clock. Gives up when `wait` is over.
    pub(crate) fn start_game(&mut self, wait: Wait) -> Result<(), Fault> {
        self.client.start_while(wait.clone())?;
        self.client.wait = wait;
        let told = self.tell_new_game();
        self.client.wait = Wait::default();
        told
    }

    fn tell_new_game(&mut self) -> Result<(), Fault> {
        self.client.send("ucinewgame")?;
        self.state.has_sent_new_game = true;
        self.client.synchronise()
    }

    /// Evaluates all moves at all depths. If it is stopped early, returns the last completed depth.
    pub(crate) fn evaluate(
        &mut self,
        game: &Game,
        request: &EvaluationRequest,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> RootEvaluation {
        let legal = game.position().legal_moves().into_iter();
        let is_asked = |m: &Move| request.moves.is_empty() || request.moves.contains(m);
        let moves: Vec<Move> = legal.filter(is_asked).collect();
        if moves.is_empty() {
            return RootEvaluation::default();
        }
        let started = Instant::now();
        let wait = Wait::new(controls, started, request.time);
        let found = self.attempt(&wait, |ExternalEvaluator { client, state, .. }| {
            let sheet = Worksheet::new(game.position(), &moves, request.depth);
            AllMovesEvaluation { client, state, game, request, controls, started, sheet }
                .run(&moves)
        });
        // If the time is over before the engine is ready, the engine has not failed: a shorter search may still succeed.
        self.fault.take_if(|fault| *fault == Fault::Interrupted);
        let evaluation = found.unwrap_or_default();
        if evaluation.depth > 0 {
            observer.depth_completed(&evaluation, started.elapsed());
        }
        evaluation
    }

    /// Returns the engine's own move. The observer receives the engine's output as it arrives.
    pub(crate) fn best_move(
        &mut self,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> BestMove {
        if !game.position().has_legal_move() {
            return BestMove::default();
        }
        let started = Instant::now();
        let half = limits.clock.safe_time_per_move().map(|time| time / 2);
        let wait = Wait::new(controls, started, half);
        let best = self.attempt(&wait, |evaluator| {
            let left = Limits { clock: limits.clock.after(started.elapsed()), ..limits.clone() };
            evaluator.relay(game, &left, controls, observer)
        });
        best.unwrap_or_default()
    }

    /// Lets the engine search, and passes its output on.
    fn relay(
        &mut self,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> Result<BestMove, Fault> {
        prepare(&mut self.client, game)?;
        for changed in ["OwnBook", "Threads"] {
            self.client.restore_option(changed)?;
        }
        self.client
            .send_option("MultiPV", &limits.lines.clamp(1, most_lines(&self.client)).to_string())?;
        if !self.state.has_sent_new_game {
            self.tell_new_game()?;
        }
        let limits = &Limits { clock: without_overhead(&limits.clock), ..limits.clone() };
        let time = limits.clock.move_time.into_iter().chain(time_on_clock(&limits.clock)).min();
        // Without a clock, the engine may think for as long as it keeps reaching new depths.
        // A search for a mate may go on until it is stopped, because there may be no mate.
        let has_end = limits.depth.is_some() || limits.nodes.is_some();
        let patience = (time.is_none() && has_end).then_some(self.client.patience);
        let ponders = controls.is_pondering();
        let search = EngineSearch {
            ponders,
            time,
            patience,
            grace: PROMPT,
            ..EngineSearch::new(game, limits, controls)
        };
        let chosen = search.choose(&mut self.client, |line| observer.external_line(line))?;
        Ok(BestMove {
            mv: Some(chosen.mv),
            ponder: chosen.ponder,
            value: chosen.value.unwrap_or_default(),
            depth: chosen.depth.min(255) as Depth,
            nodes: chosen.nodes,
        })
    }

    /// Runs `work`. If it fails, restarts the engine and runs it once more, unless the time is
    /// up.
    fn attempt<T>(
        &mut self,
        wait: &Wait,
        mut work: impl FnMut(&mut ExternalEvaluator) -> Result<T, Fault>,
    ) -> Option<T> {
        self.fault = None;
        self.client.wait = wait.clone();
        let mut result = None;
        for _ in 0..ATTEMPTS {
            match work(self) {
                Ok(found) => {
                    self.fault = None;
                    result = Some(found);
                }
                Err(fault) => {
                    self.state.notices.push(self.describe(&fault));
                    self.fault = Some(fault);
                }
            }
            if result.is_some() || wait.is_over() {
                break;
            }
        }
        self.client.wait = Wait::default();
        result
    }
}

/// Returns the clock with a time per move that has been reduced by the overhead. Engines allow for the overhead only
/// if they manage a clock themselves.
fn without_overhead(clock: &Clock) -> Clock {
    let move_time = clock.move_time.map(|time| time.saturating_sub(clock.overhead));
    Clock { move_time, ..*clock }
}

/// Returns the clock time that the engine may use for a move. A reserve is left for a search of our
/// own, in case the engine does not answer.
fn time_on_clock(clock: &Clock) -> Option<Duration> {
    let usable = clock.remaining?.saturating_sub(clock.overhead);
    Some(usable - (usable / 10).min(MAX_TIME_RESERVE))
}
