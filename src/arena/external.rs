//! A UCI engine in a process of its own, as a player.
//!
//! Whatever the engine does, we go on: every wait has a deadline, and an engine that fails is ended
//! and started afresh for its next game. Before every move it is asked whether it is ready; what it
//! said earlier is stale then, a late move of an earlier search above all, and is thrown away.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::contestant::{Choice, Contestant, Fault, PlayerCard, Request};
use super::guard::{COMPLAINT, command};
use super::process::{Process, Silence};
use super::spec::{ExternalSpec, PlayerSpec};
use super::time_control::{MoveLimits, TimeControl};
use super::wire::{
    consulting_command, go_command, is_evaluation, parse_info, parse_option, position_command,
};
use crate::board::Game;

/// How long an engine may take to introduce itself.
const INTRODUCTION: Duration = Duration::from_secs(10);

/// How long a search may take to end after `stop`.
const STOPPING: Duration = Duration::from_secs(1);

#[derive(Debug)]
pub struct External {
    spec: ExternalSpec,
    /// How long the engine may be silent where no clock says so.
    patience: Duration,
    /// Our own program, which keeps engines from outliving us.
    guard: Option<PathBuf>,
    process: Option<Process>,
    introduction: Introduction,
    name: Option<String>,
}

/// What an engine says before `uciok`.
#[derive(Debug, Default)]
struct Introduction {
    name: Option<String>,
    /// Names of the options with their defaults.
    options: Vec<(String, String)>,
}

impl External {
    /// The engine is started when it is first needed.
    pub fn new(spec: &PlayerSpec, external: &ExternalSpec, guard: Option<PathBuf>) -> External {
        External {
            spec: external.clone(),
            patience: spec.patience,
            guard,
            process: None,
            introduction: Introduction::default(),
            name: spec.name.clone(),
        }
    }

    fn launch(&mut self) -> Result<(), Fault> {
        let program = &self.spec.program;
        let command = command(self.guard.as_ref(), program, &self.spec.arguments);
        let process = Process::start(command, self.spec.directory.as_deref())
            .map_err(|error| Fault::Unusable(format!("{program} cannot be started: {error}")))?;
        self.process = Some(process);
        self.introduction = self.introduce()?;
        let mut commands = Vec::new();
        for (name, value) in &self.spec.options {
            let known = &self.introduction.options;
            if !known.iter().any(|(option, _)| option.eq_ignore_ascii_case(name)) {
                let known: Vec<&str> = known.iter().map(|(name, _)| name.as_str()).collect();
                let known = known.join(", ");
                let program = &self.spec.program;
                let fault = format!("{program} has no option \"{name}\"; it has {known}");
                return Err(self.fail(Fault::Unusable(fault)));
            }
            let with_value =
                if value.is_empty() { String::new() } else { format!(" value {value}") };
            commands.push(format!("setoption name {name}{with_value}"));
        }
        for command in commands {
            self.send(&command)?;
        }
        self.synchronise()
    }

    fn introduce(&mut self) -> Result<Introduction, Fault> {
        self.send("uci")?;
        let deadline = Instant::now() + INTRODUCTION;
        let mut introduction = Introduction::default();
        loop {
            let line = match self.receive(deadline) {
                Err(Fault::Stalled(_)) => {
                    let program = &self.spec.program;
                    let fault = format!("{program} does not answer \"uci\"; is it a UCI engine?");
                    return Err(Fault::Unusable(fault));
                }
                answer => answer?.0,
            };
            if line == "uciok" {
                return Ok(introduction);
            } else if let Some(complaint) = line.strip_prefix(COMPLAINT) {
                let fault = Fault::Unusable(format!("cannot be started: {complaint}"));
                return Err(self.fail(fault));
            } else if let Some(name) = line.strip_prefix("id name ") {
                introduction.name = Some(name.trim().to_owned());
            } else if let Some(option) = line.strip_prefix("option ") {
                introduction.options.extend(parse_option(option));
            }
        }
    }

    /// Waits until the engine has nothing left to do or say.
    fn synchronise(&mut self) -> Result<(), Fault> {
        self.send("isready")?;
        let deadline = Instant::now() + self.patience;
        while self.receive(deadline)?.0 != "readyok" {}
        Ok(())
    }

    fn send(&mut self, text: &str) -> Result<(), Fault> {
        let process = self.process.as_mut().expect("started before it is spoken to");
        match process.send(text) {
            Ok(()) => Ok(()),
            Err(_) => Err(self.crash()),
        }
    }

    /// The next line with its time of arrival. Silence ends the process.
    fn receive(&mut self, deadline: Instant) -> Result<(String, Instant), Fault> {
        let process = self.process.as_mut().expect("started before it is listened to");
        match process.receive(deadline) {
            Ok(line) => Ok((line.text, line.at)),
            Err(Silence::Closed) => Err(self.crash()),
            Err(Silence::Timeout) => Err(self.fail(Fault::Stalled(self.patience))),
        }
    }

    fn crash(&mut self) -> Fault {
        let words = self.process.as_mut().map(Process::end).unwrap_or_default();
        self.fail(Fault::Crashed(words))
    }

    /// Ends the process: there is no telling what state it is in.
    fn fail(&mut self, fault: Fault) -> Fault {
        if let Some(mut process) = self.process.take() {
            process.end();
        }
        fault
    }

    /// Waits for the move that answers a `go` sent at `start`; `None` when there is none by the
    /// deadline.
    fn await_move(
        &mut self,
        game: &Game,
        start: Instant,
        deadline: Instant,
    ) -> Result<Option<Choice>, Fault> {
        let mut last_info = String::new();
        loop {
            let process = self.process.as_mut().expect("started before it is listened to");
            let line = match process.receive(deadline) {
                Ok(line) => line,
                Err(Silence::Closed) => return Err(self.crash()),
                Err(Silence::Timeout) => return Ok(None),
            };
            if let Some(answer) = line.text.strip_prefix("bestmove") {
                let word = answer.split_whitespace().next().unwrap_or_default();
                let Ok(mv) = game.position().parse_uci(word) else {
                    return Err(self.fail(Fault::Illegal(word.chars().take(80).collect())));
                };
                let elapsed = line.at.saturating_duration_since(start);
                return Ok(Some(Choice { elapsed, ..parse_info(&last_info, mv) }));
            }
            if is_evaluation(&line.text) {
                last_info = line.text;
            }
        }
    }

    /// The time is over: ends the search, or the engine if it does not obey.
    fn stop(&mut self) -> Fault {
        let deadline = Instant::now() + STOPPING;
        if self.send("stop").is_ok() {
            while let Ok((line, _)) = self.receive(deadline) {
                if line.starts_with("bestmove") {
                    return Fault::Overtime;
                }
            }
        }
        self.fail(Fault::Overtime)
    }

    fn value_of(&self, option: &str) -> Option<String> {
        let find = |options: &[(String, String)]| {
            let found = options.iter().find(|(name, _)| name.eq_ignore_ascii_case(option));
            found.map(|(_, value)| value.clone())
        };
        find(&self.spec.options).or_else(|| find(&self.introduction.options))
    }
}

impl Contestant for External {
    fn card(&self) -> PlayerCard {
        let introduced = &self.introduction.name;
        let own_name = self.name.clone().or_else(|| introduced.clone());
        PlayerCard {
            identity: introduced.clone().unwrap_or_else(|| self.spec.program.clone()),
            name: own_name.unwrap_or_else(|| self.spec.program.clone()),
            threads: self.value_of("Threads"),
            hash: self.value_of("Hash"),
        }
    }

    fn begin(&mut self, game: &Game, _number: u64) -> Result<(), Fault> {
        if self.process.is_none() {
            self.launch()?;
        }
        if self.value_of("UCI_Chess960").is_some() {
            let chess960 = game.start().is_chess960();
            self.send(&format!("setoption name UCI_Chess960 value {chess960}"))?;
        }
        self.send("ucinewgame")?;
        self.synchronise()
    }

    fn choose(&mut self, request: &Request<'_>) -> Result<Choice, Fault> {
        self.synchronise()?;
        self.send(&position_command(request.game))?;
        let start = Instant::now();
        self.send(&go_command(request))?;
        let allowance = request.own_clock().allowance().map(|time| time + request.margin);
        let deadline = start + allowance.unwrap_or(self.patience);
        match self.await_move(request.game, start, deadline)? {
            Some(choice) => Ok(choice),
            None if allowance.is_some() => Err(self.stop()),
            None => Err(self.fail(Fault::Stalled(self.patience))),
        }
    }

    /// Left to think until it is stopped, as an analyst is: some engines spare their time when they
    /// are told how much they have.
    fn consult(&mut self, game: &Game, limits: MoveLimits) -> Result<Choice, Fault> {
        self.synchronise()?;
        self.send(&position_command(game))?;
        let start = Instant::now();
        self.send(&consulting_command(limits))?;
        if let Some(TimeControl::PerMove(time)) = limits.time {
            if let Some(choice) = self.await_move(game, start, start + time)? {
                return Ok(choice);
            }
            self.send("stop")?;
        }
        let deadline = Instant::now() + self.patience;
        let choice = self.await_move(game, start, deadline)?;
        choice.ok_or_else(|| self.fail(Fault::Stalled(self.patience)))
    }
}
