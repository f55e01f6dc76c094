//! A search between `go` and `bestmove`.
//!
//! Three conditions must hold before the answer is sent:
//!
//! - The worker has a result.
//! - The protocol allows an answer. It does not allow one during pondering or after `go infinite`.
//! - The imitated thinking time is over.
//!
//! Nothing here waits. [`Running::due`] says when to answer, and the loop wakes up at that time.

use std::time::{Duration, Instant};

use super::go::Go;
use crate::board::{Game, Move, Position};
use crate::eval::WinModel;
use crate::search::{BestMove, Bound, Controls, Report};

/// The current search or perft count, or the imitator's use of the opponent's time.
#[derive(Debug)]
pub struct Running {
    pub controls: Controls,
    pub position: Position,
    /// The first move of the best line most recently sent to the GUI.
    pub shown: Option<Move>,
    /// Whether WDL chances are shown too. The value of the option at the start of the search
    /// decides.
    pub shows_wdl: bool,
    /// The game in which the imitator is using the opponent's time. The GUI did not ask for this, so
    /// there is no answer.
    pub watched: Option<Game>,
    /// Whether the external engine has already shown the best line itself.
    pub is_shown: bool,
    /// Whether the imitator uses the opponent's time after the answer.
    pub then_watch: bool,
    /// Whether the answer must wait for `stop`.
    infinite: bool,
    /// Whether the answer must wait for `ponderhit` or `stop`.
    pondering: bool,
    /// Whether the search has no limits, so that only `stop` ends it.
    pub is_unbounded: bool,
    pub started: Instant,
    /// The time when the clock started. A ponder hit restarts it.
    clock_started: Instant,
    /// Whether the imitated thinking time is skipped.
    skips_pause: bool,
    /// The imitated thinking time, counted from the start of the clock.
    pause: Duration,
    result: Option<BestMove>,
}

impl Running {
    /// The model for WDL chances, if they are shown.
    pub fn wdl_model<'m>(&self, model: &'m WinModel) -> Option<&'m WinModel> {
        self.shows_wdl.then_some(model)
    }

    pub fn new(go: &Go, position: Position) -> Running {
        let started = Instant::now();
        Running {
            controls: if go.ponder { Controls::pondering() } else { Controls::new() },
            position,
            shown: None,
            shows_wdl: false,
            watched: None,
            is_shown: false,
            then_watch: false,
            infinite: go.infinite,
            pondering: go.ponder,
            is_unbounded: false,
            started,
            clock_started: started,
            skips_pause: false,
            pause: Duration::ZERO,
            result: None,
        }
    }

    /// Creates the state of an imitator that uses the opponent's time.
    pub fn watching(game: Game) -> Running {
        let position = game.position().clone();
        Running { watched: Some(game), ..Running::new(&Go::default(), position) }
    }

    /// Returns whether the imitator is using the opponent's time.
    pub fn is_watching(&self) -> bool {
        self.watched.is_some()
    }

    /// Stores the result. `pause` is the imitated thinking time.
    pub fn set_result(&mut self, best: BestMove, pause: Duration) {
        self.pause = if self.skips_pause { Duration::ZERO } else { pause };
        self.result = Some(best);
    }

    /// Answers with the move shown last, or with any legal one, because the search has failed.
    pub fn fail(&mut self) {
        let mv = self.shown.or_else(|| self.position.legal_moves().first().copied());
        self.set_result(BestMove { mv, ..BestMove::default() }, Duration::ZERO);
    }

    /// Returns whether only a command from the GUI can end the work.
    pub fn waits_for_gui(&self) -> bool {
        self.is_watching() || self.infinite || self.pondering || self.is_unbounded
    }

    /// Stops the search. The answer is sent as soon as there is a result.
    pub fn stop(&mut self) {
        // If the opponent played another move than expected, there is nothing to learn from the expected one.
        self.then_watch &= !self.pondering;
        (self.infinite, self.pondering, self.is_unbounded) = (false, false, false);
        self.skip_pause();
        self.controls.stop();
    }

    /// Skips the imitated thinking time.
    pub fn skip_pause(&mut self) {
        (self.skips_pause, self.pause) = (true, Duration::ZERO);
    }

    /// Turns pondering into a normal search, because the opponent has played the expected move.
    pub fn ponder_hit(&mut self) {
        if std::mem::take(&mut self.pondering) {
            self.clock_started = Instant::now();
            self.controls.ponder_hit();
        }
    }

    /// Returns the time since the clock started.
    pub fn time_used(&self) -> Duration {
        self.clock_started.elapsed()
    }

    /// Returns the imitated thinking time.
    pub fn pause(&self) -> Duration {
        self.pause
    }

    pub fn has_result(&self) -> bool {
        self.result.is_some()
    }

    /// Returns the time at which to answer, or `None` if the answer must also wait for something
    /// else.
    pub fn due(&self) -> Option<Instant> {
        let may_answer = !self.infinite && !self.pondering;
        self.result.as_ref().filter(|_| may_answer)?;
        self.clock_started.checked_add(self.pause)
    }

    pub fn is_due(&self) -> bool {
        self.due().is_some_and(|due| due <= Instant::now())
    }

    pub fn result(&self) -> BestMove {
        self.result.clone().unwrap_or_default()
    }

    /// Returns a line for the result, unless the last line shown to the GUI starts with the same
    /// move. Match runners check that the move played is the move shown.
    pub fn last_report(&self) -> Option<Report> {
        let best = self.result();
        if best.mv.is_none() || best.mv == self.shown || self.is_shown {
            return None;
        }
        Some(Report {
            depth: best.depth,
            selective_depth: best.depth,
            line_number: 1,
            value: best.value,
            bound: Bound::Exact,
            nodes: best.nodes,
            elapsed: self.started.elapsed(),
            hash_full: 0,
            table_hits: 0,
            line: best.mv.into_iter().chain(best.ponder).collect(),
        })
    }
}
