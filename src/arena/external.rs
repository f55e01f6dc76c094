//! A UCI engine in a process of its own, as a player.
//!
//! Whatever the engine does, we go on: every wait has a deadline, and an engine that fails is ended
//! and started afresh for its next game. Before every move it is asked whether it is ready; what it
//! said earlier is stale then, a late move of an earlier search above all, and is thrown away.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::contestant::{Choice, Contestant, PlayerCard, Request};
use super::spec::ContestantSpec;
use super::time_control::{MoveLimits, TimeControl};
use super::wire::{consulting_command, go_command, is_evaluation, parse_info};
use crate::board::Game;
use crate::external::{Dialogue, ExternalSpec, Fault, Pulse, position_command};

/// The option by which an engine is told whom it meets.
const OPPONENT: &str = "UCI_Opponent";

/// How long a search may take to end after `stop`.
const STOPPING: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct External {
    dialogue: Dialogue,
    name: Option<String>,
}

impl External {
    /// The engine is started when it is first needed.
    pub fn new(spec: &ContestantSpec, external: &ExternalSpec, guard: Option<PathBuf>) -> External {
        let dialogue = Dialogue::new(external.clone(), spec.patience, guard);
        External { dialogue, name: spec.name.clone() }
    }

    /// Waits for the move that answers a `go` sent at `start`; `None` when there is none by the
    /// deadline, or where that is `None`, when the engine has come no deeper for too long.
    fn await_move(
        &mut self,
        game: &Game,
        start: Instant,
        deadline: Option<Instant>,
    ) -> Result<Option<Choice>, Fault> {
        let mut last_info = String::new();
        let (mut pulse, mut alive) = (Pulse::default(), Instant::now());
        loop {
            let until = deadline.unwrap_or(alive + self.dialogue.patience);
            let Some(line) = self.dialogue.listen(until)? else { return Ok(None) };
            if let Some(answer) = line.text.strip_prefix("bestmove") {
                let word = answer.split_whitespace().next().unwrap_or_default();
                let Ok(mv) = game.position().parse_uci(word) else {
                    return Err(self
                        .dialogue
                        .fail(Fault::Illegal(word.chars().take(80).collect())));
                };
                let elapsed = line.at.saturating_duration_since(start);
                return Ok(Some(Choice { elapsed, ..parse_info(&last_info, mv) }));
            }
            if pulse.is_in(&line.text) {
                alive = line.at;
            }
            if is_evaluation(&line.text) {
                last_info = line.text;
            }
        }
    }

    fn stalled(&mut self) -> Fault {
        let patience = self.dialogue.patience;
        self.dialogue.fail(Fault::Stalled(patience))
    }

    /// The time is over: ends the search, or the engine if it does not obey.
    fn stop(&mut self) -> Fault {
        let deadline = Instant::now() + STOPPING;
        if self.dialogue.send("stop").is_ok() {
            while let Ok(Some(line)) = self.dialogue.listen(deadline) {
                if line.text.starts_with("bestmove") {
                    return Fault::Overtime;
                }
            }
        }
        self.dialogue.fail(Fault::Overtime)
    }
}

impl Contestant for External {
    fn card(&self) -> PlayerCard {
        let identity = self.dialogue.name().unwrap_or(&self.dialogue.spec().program).to_owned();
        PlayerCard {
            name: self.name.clone().unwrap_or_else(|| identity.clone()),
            identity,
            threads: self.dialogue.value_of("Threads"),
            hash: self.dialogue.value_of("Hash"),
        }
    }

    fn begin(&mut self, game: &Game, _number: u64) -> Result<(), Fault> {
        self.dialogue.start()?;
        self.dialogue.tell_of_castling(game.start().is_chess960())?;
        // Who meets an engine need not take a person's time.
        if self.dialogue.has(OPPONENT) && !self.dialogue.is_set(OPPONENT) {
            self.dialogue
                .send(&format!("setoption name {OPPONENT} value none none computer none"))?;
        }
        self.dialogue.send("ucinewgame")?;
        self.dialogue.synchronise()
    }

    fn choose(&mut self, request: &Request<'_>) -> Result<Choice, Fault> {
        self.dialogue.synchronise()?;
        self.dialogue.send(&position_command(request.game))?;
        let start = Instant::now();
        self.dialogue.send(&go_command(request))?;
        let allowance = request.own_clock().allowance().map(|time| time + request.margin);
        match self.await_move(request.game, start, allowance.map(|time| start + time))? {
            Some(choice) => Ok(choice),
            None if allowance.is_some() => Err(self.stop()),
            None => Err(self.stalled()),
        }
    }

    /// Left to think until it is stopped, as an analyst is: some engines spare their time when they
    /// are told how much they have.
    fn consult(&mut self, game: &Game, limits: MoveLimits) -> Result<Choice, Fault> {
        self.dialogue.synchronise()?;
        self.dialogue.send(&position_command(game))?;
        let start = Instant::now();
        self.dialogue.send(&consulting_command(limits))?;
        let mut deadline = None;
        if let Some(TimeControl::PerMove(time)) = limits.time {
            if let Some(choice) = self.await_move(game, start, Some(start + time))? {
                return Ok(choice);
            }
            self.dialogue.send("stop")?;
            deadline = Some(Instant::now() + self.dialogue.patience);
        }
        let choice = self.await_move(game, start, deadline)?;
        choice.ok_or_else(|| self.stalled())
    }
}
