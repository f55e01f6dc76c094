//! A `go` on its way to its answer.
//!
//! The answer takes three things: the worker's result, the GUI's leave (there is none while it
//! ponders or analyses without an end), and the time that a person would need. The last is only a
//! moment to be waited for by whoever also listens; nothing here waits.

use std::time::{Duration, Instant};

use super::go::Go;
use crate::board::{Move, Position};
use crate::search::{BestMove, Bound, Controls, Report};

#[derive(Debug)]
pub struct Running {
    pub controls: Controls,
    pub position: Position,
    /// The move that the GUI was last shown as best.
    pub shown: Option<Move>,
    /// Chances of winning are shown too: as was wished when it began.
    pub shows_chances: bool,
    /// Nobody asked: only the opponent's time is used, and there will be no answer.
    pub is_watching: bool,
    /// The engine has shown its own line for the result.
    pub is_shown: bool,
    /// The opponent's time is to be used after the answer.
    pub then_watch: bool,
    /// The answer must wait for "stop".
    infinite: bool,
    /// The answer must wait for "ponderhit" or "stop".
    pondering: bool,
    /// Nothing but "stop" ends the search.
    pub is_unbounded: bool,
    started: Instant,
    /// Since when the clock runs: a ponder hit starts it anew.
    clock_started: Instant,
    /// The answer comes as soon as there is one, not when a person would give it.
    is_hurried: bool,
    /// The answer comes no sooner than this after the clock has started.
    pause: Duration,
    result: Option<BestMove>,
}

impl Running {
    pub fn new(go: &Go, position: Position) -> Running {
        let started = Instant::now();
        Running {
            controls: if go.ponder { Controls::pondering() } else { Controls::new() },
            position,
            shown: None,
            shows_chances: false,
            is_watching: false,
            is_shown: false,
            then_watch: false,
            infinite: go.infinite,
            pondering: go.ponder,
            is_unbounded: false,
            started,
            clock_started: started,
            is_hurried: false,
            pause: Duration::ZERO,
            result: None,
        }
    }

    /// What runs while the opponent thinks.
    pub fn watching(position: Position) -> Running {
        Running { is_watching: true, ..Running::new(&Go::default(), position) }
    }

    /// The result is there; a person would have given it so much later.
    pub fn settle(&mut self, best: BestMove, pause: Duration) {
        self.pause = if self.is_hurried { Duration::ZERO } else { pause };
        self.result = Some(best);
    }

    /// Is there something that only a word from the GUI can end?
    pub fn waits_for_words(&self) -> bool {
        self.is_watching || self.infinite || self.pondering || self.is_unbounded
    }

    /// The answer is to come as soon as there is one.
    pub fn stop(&mut self) {
        (self.infinite, self.pondering, self.is_unbounded) = (false, false, false);
        self.hurry();
        self.controls.stop();
    }

    /// Once there is an answer, it is not to wait for as long as a person would need.
    pub fn hurry(&mut self) {
        (self.is_hurried, self.pause) = (true, Duration::ZERO);
    }

    pub fn ponder_hit(&mut self) {
        if std::mem::take(&mut self.pondering) {
            self.clock_started = Instant::now();
            self.controls.ponder_hit();
        }
    }

    pub fn has_result(&self) -> bool {
        self.result.is_some()
    }

    /// When the answer is to be given. `None` as long as more than time is wanting.
    pub fn due(&self) -> Option<Instant> {
        let has_leave = !self.infinite && !self.pondering;
        self.result.as_ref().filter(|_| has_leave)?;
        self.clock_started.checked_add(self.pause)
    }

    pub fn is_due(&self) -> bool {
        self.due().is_some_and(|due| due <= Instant::now())
    }

    pub fn result(&self) -> BestMove {
        self.result.clone().unwrap_or_default()
    }

    /// A line for the result, if it is not what the GUI was last shown. Match runners check that
    /// what is played is what was shown.
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
