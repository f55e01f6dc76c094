//! A UCI client for an engine in a separate process.
//!
//! Every wait has a deadline. An engine that fails is killed. When it is next needed, it is
//! restarted with the same options.

use std::path::{Path, PathBuf};
use std::sync::mpsc::RecvTimeoutError;
use std::time::Duration;

use super::process::{
    EVALUATES_FOR, GUARD_ERROR, NOT_FOUND, OutputLine, Process, command, is_missing,
};
use super::spec::ExternalSpec;
use super::wait::Wait;
use super::wire::UciOption;
use crate::board::shorten;
use crate::clock::Instant;

/// How long an engine may be silent, by default.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// The time between checks that decide whether a wait ends early.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(5);

/// The time that an engine may take from `uci` to `uciok`.
const HANDSHAKE_TIME: Duration = Duration::from_secs(10);

/// The contents of the lines that an engine sends between `uci` and `uciok`.
#[derive(Debug)]
struct Handshake {
    deadline: Instant,
    name: Option<String>,
    author: Option<String>,
    options: Vec<UciOption>,
}

/// A connection to one engine, which is started and restarted as needed.
#[derive(Debug)]
pub struct UciClient {
    /// The program that is started, and the options that are sent to it each time.
    pub(crate) spec: ExternalSpec,
    /// How long the engine may be silent while no clock limits it.
    pub(crate) patience: Duration,
    /// Our own program. Engines are started through it, so that they cannot outlive us.
    guard: Option<PathBuf>,
    process: Option<Process>,
    /// The part of the handshake received so far. `None` after `uciok`.
    handshake: Option<Handshake>,
    /// Whether the process has yet to answer its first `isready`.
    is_setting_up: bool,
    /// The number of `isready` commands that have not been answered.
    unanswered: usize,
    /// The deadline for the answers to `isready`. An engine that misses it is considered stalled.
    answer_deadline: Option<(Instant, Duration)>,
    /// The conditions that end a wait for the engine early.
    pub(crate) wait: Wait,
    /// Whether the engine evaluates moves for us. An environment variable tells the engine this.
    pub(crate) is_evaluator: bool,
    /// The name in `id name`.
    pub(crate) name: Option<String>,
    /// The author in `id author`.
    pub(crate) author: Option<String>,
    /// Whether the engine has ever answered `uci`, so that its options are known.
    is_known: bool,
    /// The options that the engine declared in its last handshake.
    pub(crate) options: Vec<UciOption>,
    /// The options sent to the running process, with their latest values.
    sent_options: Vec<(String, String)>,
}

impl UciClient {
    /// Creates a client. The engine starts when it is first needed.
    pub(crate) fn new(spec: ExternalSpec, patience: Duration, guard: Option<PathBuf>) -> UciClient {
        UciClient {
            spec,
            patience,
            guard,
            process: None,
            handshake: None,
            is_setting_up: false,
            unanswered: 0,
            answer_deadline: None,
            wait: Wait::default(),
            is_evaluator: false,
            name: None,
            author: None,
            is_known: false,
            options: Vec::new(),
            sent_options: Vec::new(),
        }
    }

    /// Returns whether the engine is running and has sent `uciok`.
    pub(crate) fn is_running(&self) -> bool {
        self.process.is_some() && self.handshake.is_none()
    }

    /// Starts the engine unless it is already running. If an earlier start was interrupted,
    /// continues it.
    pub(crate) fn start(&mut self) -> Result<(), Fault> {
        if self.process.is_none() {
            self.launch()?;
        }
        if let Some(handshake) = self.handshake.take() {
            self.complete(handshake)?;
            self.is_setting_up = true;
            self.send_options()?;
        }
        if self.is_setting_up {
            self.synchronise()?;
            self.is_setting_up = false;
        }
        Ok(())
    }

    /// Starts the engine, but gives up when `wait` is over.
    pub(crate) fn start_while(&mut self, wait: Wait) -> Result<(), Fault> {
        self.wait = wait;
        let started = self.start();
        self.wait = Wait::default();
        started
    }

    /// Starts the process and sends `uci`.
    fn launch(&mut self) -> Result<(), Fault> {
        let program = &self.spec.program;
        let mut command = command(self.guard.as_ref(), program, &self.spec.arguments);
        if self.is_evaluator {
            command.env(EVALUATES_FOR, std::process::id().to_string());
        }
        let directory = self.spec.directory.as_deref();
        if let Some(missing) = directory.filter(|directory| !directory.is_dir()) {
            let missing = missing.display();
            let text = format!("{program} cannot be started in {missing}: there is no such folder");
            return Err(Fault::Unusable(text));
        }
        let process = Process::start(command, directory).map_err(|error| {
            // The guard can be missing too.
            let is_program = self.guard.is_none();
            Fault::Unusable(match is_program && is_missing(Path::new(program), &error) {
                true => format!("{program}: {NOT_FOUND}"),
                false => format!("{program} cannot be started: {error}"),
            })
        })?;
        self.process = Some(process);
        self.sent_options.clear();
        (self.unanswered, self.answer_deadline) = (0, None);
        // If this fails, the process has exited. Its output may say why, so read the output anyway.
        let _exited = self.process.as_mut().map(|process| process.send("uci"));
        self.handshake = Some(Handshake {
            deadline: Instant::now() + HANDSHAKE_TIME,
            name: None,
            author: None,
            options: Vec::new(),
        });
        Ok(())
    }

    /// Reads lines up to `uciok`.
    fn complete(&mut self, mut handshake: Handshake) -> Result<(), Fault> {
        loop {
            let line = match self.listen_while_waiting(handshake.deadline) {
                Ok(Some(OutputLine { text, .. })) => text,
                Ok(None) => {
                    let program = &self.spec.program;
                    let fault = format!("{program} does not answer \"uci\"; is it a UCI engine?");
                    return Err(self.fail(Fault::Unusable(fault)));
                }
                Err(Fault::Interrupted) => {
                    self.handshake = Some(handshake);
                    return Err(Fault::Interrupted);
                }
                Err(fault) => return Err(fault),
            };
            if line == "uciok" {
                self.name = handshake.name;
                self.author = handshake.author;
                self.options = handshake.options;
                self.is_known = true;
                return Ok(());
            } else if let Some(error) = line.strip_prefix(GUARD_ERROR) {
                let fault = match error.ends_with(NOT_FOUND) {
                    true => error.to_owned(),
                    false => format!("cannot be started: {error}"),
                };
                return Err(self.fail(Fault::Unusable(fault)));
            } else if let Some(word) = line.strip_prefix("id name ") {
                handshake.name = Some(shorten(word.trim()));
            } else if let Some(word) = line.strip_prefix("id author ") {
                handshake.author = Some(shorten(word.trim()));
            } else {
                handshake.options.extend(UciOption::parse(&line));
            }
        }
    }

    /// Sends the options of the specification. Returns an error if the engine does not have one of
    /// them.
    fn send_options(&mut self) -> Result<(), Fault> {
        for (name, value) in self.spec.options.clone() {
            if !self.has(&name) {
                let known: Vec<&str> = self.options.iter().map(|o| o.name.as_str()).collect();
                let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
                let program = &self.spec.program;
                let fault = format!("{program} has no option \"{name}\"; it has {known}");
                return Err(self.fail(Fault::Unusable(fault)));
            }
            if let Some(refusal) = self.find(&name).and_then(|option| option.refusal(&value)) {
                let fault = format!("{}: the option {refusal}", self.spec.program);
                return Err(self.fail(Fault::Unusable(fault)));
            }
            self.send_option(&name, &value)?;
        }
        Ok(())
    }

    /// Waits until the engine has answered `isready`. Discards earlier output, which may include a
    /// late `bestmove` from an earlier search.
    pub(crate) fn synchronise(&mut self) -> Result<(), Fault> {
        self.send("isready")?;
        self.unanswered += 1;
        let patience = self.patience;
        let (deadline, allowed) =
            *self.answer_deadline.get_or_insert_with(|| (Instant::now() + patience, patience));
        while self.unanswered > 0 {
            match self.listen_while_waiting(deadline)? {
                Some(line) if line.text == "readyok" => self.unanswered -= 1,
                Some(_) => {}
                None => return Err(self.fail(Fault::Stalled(allowed))),
            }
        }
        self.answer_deadline = None;
        Ok(())
    }

    /// Sets a deadline for an engine that did not answer `stop`. If it also misses this deadline, it
    /// is considered stalled.
    pub(super) fn expect_answer_within(&mut self, time: Duration) {
        self.answer_deadline.get_or_insert_with(|| (Instant::now() + time, time));
    }

    /// Sends a line. Returns an error if the engine has exited.
    pub(crate) fn send(&mut self, text: &str) -> Result<(), Fault> {
        let sent = self.process.as_mut().map(|process| process.send(text));
        match sent {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.crash()),
        }
    }

    /// Returns the next line if it arrives before the deadline.
    pub(crate) fn listen(&mut self, deadline: Instant) -> Result<Option<OutputLine>, Fault> {
        match self.process.as_mut().map(|process| process.receive(deadline)) {
            Some(Ok(line)) => Ok(Some(line)),
            Some(Err(RecvTimeoutError::Timeout)) => Ok(None),
            Some(Err(RecvTimeoutError::Disconnected)) | None => Err(self.crash()),
        }
    }

    /// Returns the next line if it arrives before the deadline. Returns an error if the wait ends
    /// before that.
    fn listen_while_waiting(&mut self, deadline: Instant) -> Result<Option<OutputLine>, Fault> {
        loop {
            if self.wait.is_over() {
                return Err(Fault::Interrupted);
            }
            let next_check = deadline.min(Instant::now() + POLL_INTERVAL);
            match self.listen(next_check)? {
                Some(line) => return Ok(Some(line)),
                None if Instant::now() >= deadline => return Ok(None),
                None => {}
            }
        }
    }

    /// Returns the fault for an engine that has exited.
    fn crash(&mut self) -> Fault {
        let status = self.process.as_mut().map(Process::end).unwrap_or_default();
        self.fail(Fault::Crashed(status))
    }

    /// Kills the process and returns the fault. This is needed because after a fault, the state of
    /// the engine is unknown.
    pub(crate) fn fail(&mut self, fault: Fault) -> Fault {
        self.handshake = None;
        if let Some(mut process) = self.process.take() {
            process.end();
        }
        fault
    }

    /// Tells the engine whether the game is Chess960. An engine without that option cannot play
    /// Chess960.
    pub(crate) fn set_chess960(&mut self, chess960: bool) -> Result<(), Fault> {
        if chess960 && !self.has("UCI_Chess960") {
            return Err(Fault::Unusable(format!("{} does not support Chess960", self.known_as())));
        }
        self.send_option("UCI_Chess960", &chess960.to_string())
    }

    /// Sends the value of an option, unless the engine lacks the option or already has this value.
    pub(crate) fn send_option(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        let Some(option) = self.find(name) else { return Ok(()) };
        let name = option.name.clone();
        let is_button = option.is_button();
        let same = |(known, last): &(String, String)| *known == name && last == value;
        if !is_button && self.sent_options.iter().any(same) {
            return Ok(());
        }
        self.sent_options.retain(|(known, _)| *known != name);
        let with_value = if value.is_empty() { String::new() } else { format!(" value {value}") };
        self.send(&format!("setoption name {name}{with_value}"))?;
        self.sent_options.push((name, value.to_owned()));
        Ok(())
    }

    /// Sets an option permanently: an engine that is restarted gets it too. A number out of range
    /// becomes the nearest number that the engine allows. Does nothing if the engine is known to
    /// lack the option.
    pub(crate) fn set(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        let mut value = value.to_owned();
        match self.find(name) {
            Some(option) if option.is_button() => {
                return if self.is_running() { self.send_option(name, "") } else { Ok(()) };
            }
            Some(option) => {
                if let Some(number) = value.parse().ok().filter(|_| option.max.is_some()) {
                    value = option.nearest(number).to_string();
                }
            }
            None if self.is_known => return Ok(()),
            None => {}
        }
        self.spec.set(name, &value);
        if self.is_running() { self.send_option(name, &value) } else { Ok(()) }
    }

    /// Restores the permanent value, or else the default.
    pub(crate) fn restore_option(&mut self, name: &str) -> Result<(), Fault> {
        match self.value_of(name) {
            Some(value) => self.send_option(name, &value),
            None => Ok(()),
        }
    }

    /// The engine's name, or the program's name until the engine has sent its own.
    pub(crate) fn known_as(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.spec.program)
    }

    /// The declared option with this name, ignoring case.
    pub(crate) fn find(&self, name: &str) -> Option<&UciOption> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    /// Returns whether the engine has declared an option with this name, ignoring case.
    pub(crate) fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Returns whether the option was set permanently.
    pub(crate) fn is_set(&self, name: &str) -> bool {
        self.spec.options.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// Returns the permanent value of an option, or else its default.
    pub(crate) fn value_of(&self, name: &str) -> Option<String> {
        let set = self.spec.options.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let set = set.map(|(_, value)| value.clone());
        set.or_else(|| self.find(name).map(|option| option.default.clone()))
    }
}

/// An engine fault. All messages except that of [`Fault::Unusable`] are printed after the engine's
/// name. They are in the present tense, as in the game records of other match runners, which report
/// `White disconnects` or `Black loses on time`. Outside games, [`Fault::described`] says what the
/// engine did.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// The engine cannot be used at all: it does not start or lacks a feature. Contains the message.
    #[error("{0}")]
    Unusable(String),
    /// The engine exited. Contains its exit status.
    #[error("disconnects ({0})")]
    Crashed(String),
    /// The engine was silent for too long. Contains the time that was allowed.
    #[error("stalls (no answer within {} s)", .0.as_secs_f64())]
    Stalled(Duration),
    /// The engine used more time than its clock had.
    #[error("loses on time")]
    Overtime,
    /// The engine sent a move that is not legal. Contains the move as text.
    #[error("makes an illegal move: {0}")]
    Illegal(String),
    /// The wait was ended early. The engine may still answer.
    #[error("did not answer in time")]
    Interrupted,
}

impl Fault {
    /// Says what the engine of this name did, in the past tense.
    pub fn described(&self, engine: &str) -> String {
        let what = match self {
            Fault::Unusable(message) => return message.clone(),
            Fault::Crashed(status) => format!("exited ({status})"),
            Fault::Stalled(time) if *time < Duration::from_secs(1) => {
                format!("did not answer within {} ms", time.as_millis())
            }
            Fault::Stalled(time) => format!("did not answer within {} s", time.as_secs_f64()),
            Fault::Overtime => "lost on time".to_owned(),
            Fault::Illegal(mv) => format!("sent an illegal move: {mv}"),
            Fault::Interrupted => "did not answer".to_owned(),
        };
        format!("{engine} {what}")
    }
}
