//! An engine that values all moves of a position, as our own search does.
//!
//! 1. It is asked for as many lines as there are moves (`MultiPV`), and every depth that it shows
//!    is taken down. Its table is emptied before, its book closed, and it has one thread unless more
//!    were asked for, so that what it says depends on nothing but the question.
//! 2. Where it cannot show so many lines, the moves that are missing are searched one by one.
//!
//! An engine that fails is started afresh and asked again, once. If that does not help either, there
//! is no evaluation, and [`Analyst::take_fault`] says why.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::ExternalSpec;
use super::client::{Fault, UciClient};
use super::search::{EngineSearch, PROMPT};
use super::sheet::Sheet;
use super::valuing::{Habits, Valuation};
use super::wait::Wait;
use crate::board::{Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::fingerprint;
use crate::search::{BestMove, Clock, Controls, EvaluationRequest, Limits, Observer};
use crate::value::Depth;

/// The longest time that is left on the clock for a move of our own.
const LARGEST_RESERVE: Duration = Duration::from_millis(300);

/// Attempts at one search.
const ATTEMPTS: usize = 2;

#[derive(Debug)]
pub struct Analyst {
    pub client: UciClient,
    habits: Habits,
    /// Why the last search had no result.
    fault: Option<Fault>,
    /// What was played before has nothing to do with what comes.
    new_game: bool,
}

impl Analyst {
    /// The engine is started when it is first needed.
    pub fn new(spec: ExternalSpec, patience: Duration, guard: Option<PathBuf>) -> Analyst {
        let mut client = UciClient::new(spec, patience, guard);
        client.is_evaluator = true;
        Analyst { client, habits: Habits::default(), fault: None, new_game: true }
    }

    /// Sets an option, if the engine has it. Should the engine be gone, it will hear of it when it
    /// is started again.
    pub fn set(&mut self, name: &str, value: &str) {
        if let Err(fault) = self.client.set(name, value) {
            self.note(&fault);
        }
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        self.new_game = true;
    }

    /// How many it thinks on when it values moves.
    pub fn threads(&self) -> Option<String> {
        match self.client.is_set("Threads") {
            true => self.client.value_of("Threads"),
            false => Some("1".to_owned()),
        }
    }

    /// Everything that its values depend on, in words.
    pub fn identity(&self) -> String {
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

    pub fn fingerprint(&self) -> u64 {
        fingerprint(self.identity().as_bytes())
    }

    /// What has happened that the user should know, each once.
    pub fn take_notices(&mut self) -> Vec<String> {
        std::mem::take(&mut self.habits.notices)
    }

    pub fn has_failed(&self) -> bool {
        self.fault.is_some()
    }

    /// Why the last search had no result, if it was the engine's fault.
    pub fn take_fault(&mut self) -> Option<Fault> {
        self.fault.take()
    }

    fn note(&mut self, fault: &Fault) {
        let notice = match fault {
            Fault::Unusable(words) => words.clone(),
            fault => format!("{} {fault}", self.client.known_as()),
        };
        self.habits.notices.push(notice);
    }

    /// Values all moves at all depths. Stopped early, it gives the last completed depth.
    pub fn evaluate(
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
        let evaluation = self.attempt(&wait, |analyst| {
            let sheet = Sheet::new(game.position(), &moves, request.depth);
            let Analyst { client, habits, .. } = analyst;
            let valuation = Valuation { client, habits, game, request, controls, started, sheet };
            let evaluation = valuation.value_all(&moves)?;
            analyst.new_game = false;
            Ok(evaluation)
        });
        let evaluation = evaluation.unwrap_or_default();
        if evaluation.depth > 0 {
            observer.depth_completed(&evaluation, started.elapsed());
        }
        evaluation
    }

    /// The engine's own move. All that it says on the way goes to the observer as it comes.
    pub fn best_move(
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
        let half = limits.clock.longest().map(|time| time / 2);
        let wait = Wait::new(controls, started, half);
        let best = self.attempt(&wait, |analyst| {
            let left = Limits { clock: limits.clock.after(started.elapsed()), ..limits.clone() };
            analyst.relay(game, &left, controls, observer)
        });
        best.unwrap_or_default()
    }

    fn relay(
        &mut self,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> Result<BestMove, Fault> {
        self.client.prepare(game)?;
        for changed in ["OwnBook", "Threads"] {
            self.client.tell_standing(changed)?;
        }
        self.client
            .tell("MultiPV", &limits.lines.clamp(1, self.client.most_lines()).to_string())?;
        if std::mem::take(&mut self.new_game) {
            self.client.send("ucinewgame")?;
            self.client.synchronise()?;
        }
        let time = limits.clock.move_time.or_else(|| time_on_clock(&limits.clock));
        // Without a clock it may think as long as it comes deeper from time to time.
        let patience = (time.is_none() && limits.are_bounds()).then_some(self.client.patience);
        let ponders = controls.is_pondering();
        let search = EngineSearch {
            ponders,
            time,
            patience,
            grace: PROMPT,
            ..EngineSearch::new(game, limits, controls)
        };
        let chosen = self.client.choose(&search, |line| observer.said(line))?;
        Ok(BestMove {
            mv: Some(chosen.mv),
            ponder: chosen.ponder,
            value: chosen.value.unwrap_or_default(),
            depth: chosen.depth.min(255) as Depth,
            nodes: chosen.nodes,
        })
    }

    /// Does something with the engine, and again with another one if it failed, unless nobody waits any
    /// longer.
    fn attempt<T>(
        &mut self,
        wait: &Wait,
        mut work: impl FnMut(&mut Analyst) -> Result<T, Fault>,
    ) -> Option<T> {
        self.fault = None;
        self.client.wait = wait.clone();
        let mut done = None;
        for _ in 0..ATTEMPTS {
            match work(self) {
                Ok(found) => {
                    self.fault = None;
                    done = Some(found);
                }
                Err(fault) => {
                    self.note(&fault);
                    self.fault = Some(fault);
                }
            }
            if done.is_some() || wait.is_over() {
                break;
            }
        }
        self.client.wait = Wait::default();
        done
    }
}

/// Of the clock, how much a single move may take: a reserve is left for a move of our own.
fn time_on_clock(clock: &Clock) -> Option<Duration> {
    let usable = clock.remaining?.saturating_sub(clock.overhead);
    Some(usable - (usable / 10).min(LARGEST_RESERVE))
}
