//! A conversation with a UCI engine in a process of its own.
//!
//! Whatever the engine does, we go on: every wait has an end, and an engine that fails is ended and
//! is started afresh when it is next needed, with the options that it had.

use std::path::PathBuf;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

use super::ExternalSpec;
use super::process::{COMPLAINT, EVALUATES_FOR, OutputLine, Process, command};
use super::wait::Wait;
use super::wire::Declared;
use crate::board::Game;

/// How long an engine may be silent where nothing says otherwise.
pub const PATIENCE: Duration = Duration::from_secs(120);

/// How soon it is noticed that nobody waits for the engine any longer.
pub(super) const GLANCE: Duration = Duration::from_millis(5);

/// How long an engine may take to introduce itself.
const INTRODUCTION: Duration = Duration::from_secs(10);

/// What an engine says before `uciok`.
#[derive(Debug)]
struct Introduction {
    deadline: Instant,
    name: Option<String>,
    author: Option<String>,
    options: Vec<Declared>,
}

#[derive(Debug)]
pub struct UciClient {
    pub spec: ExternalSpec,
    /// How long the engine may be silent where no clock says so.
    pub patience: Duration,
    /// Our own program, which keeps engines from outliving us.
    guard: Option<PathBuf>,
    process: Option<Process>,
    /// What the running process has said of itself so far; `None` once it has said `uciok`.
    introduction: Option<Introduction>,
    /// Since it was started the process has not said `readyok` yet.
    is_setting_up: bool,
    /// How many `isready` the process has not answered, and when it is given up for that.
    unanswered: usize,
    silent_until: Option<Instant>,
    /// Who waits for the engine, and for how long.
    pub wait: Wait,
    /// The engine evaluates moves for us, and is told so.
    pub is_evaluator: bool,
    /// What it has said of itself before `uciok`.
    pub name: Option<String>,
    pub author: Option<String>,
    pub options: Vec<Declared>,
    /// Options that the running process has been told of, with what it was told last.
    told: Vec<(String, String)>,
}

impl UciClient {
    /// The engine is started when it is first needed.
    pub fn new(spec: ExternalSpec, patience: Duration, guard: Option<PathBuf>) -> UciClient {
        UciClient {
            spec,
            patience,
            guard,
            process: None,
            introduction: None,
            is_setting_up: false,
            unanswered: 0,
            silent_until: None,
            wait: Wait::default(),
            is_evaluator: false,
            name: None,
            author: None,
            options: Vec::new(),
            told: Vec::new(),
        }
    }

    /// Has the running process introduced itself?
    pub fn is_running(&self) -> bool {
        self.process.is_some() && self.introduction.is_none()
    }

    /// Starts the engine, if it does not run. A start that was interrupted goes on where it was.
    pub fn start(&mut self) -> Result<(), Fault> {
        if self.process.is_none() {
            self.launch()?;
        }
        if let Some(introduction) = self.introduction.take() {
            self.introduce(introduction)?;
            self.is_setting_up = true;
            self.tell_options()?;
        }
        if self.is_setting_up {
            self.synchronise()?;
            self.is_setting_up = false;
        }
        Ok(())
    }

    /// The same as long as this waits.
    pub fn start_while(&mut self, wait: Wait) -> Result<(), Fault> {
        self.wait = wait;
        let started = self.start();
        self.wait = Wait::default();
        started
    }

    fn launch(&mut self) -> Result<(), Fault> {
        let program = &self.spec.program;
        let mut command = command(self.guard.as_ref(), program, &self.spec.arguments);
        if self.is_evaluator {
            command.env(EVALUATES_FOR, std::process::id().to_string());
        }
        let process = Process::start(command, self.spec.directory.as_deref())
            .map_err(|error| Fault::Unusable(format!("{program} cannot be started: {error}")))?;
        self.process = Some(process);
        self.told.clear();
        (self.unanswered, self.silent_until) = (0, None);
        // Should it be gone already, it may have left word why.
        let _unheard = self.process.as_mut().map(|process| process.send("uci"));
        self.introduction = Some(Introduction {
            deadline: Instant::now() + INTRODUCTION,
            name: None,
            author: None,
            options: Vec::new(),
        });
        Ok(())
    }

    fn introduce(&mut self, mut introduction: Introduction) -> Result<(), Fault> {
        loop {
            let line = match self.listen_patiently(introduction.deadline) {
                Ok(Some(OutputLine { text, .. })) => text,
                Ok(None) => {
                    let program = &self.spec.program;
                    let fault = format!("{program} does not answer \"uci\"; is it a UCI engine?");
                    return Err(self.fail(Fault::Unusable(fault)));
                }
                Err(Fault::Interrupted) => {
                    self.introduction = Some(introduction);
                    return Err(Fault::Interrupted);
                }
                Err(fault) => return Err(fault),
            };
            if line == "uciok" {
                self.name = introduction.name;
                self.author = introduction.author;
                self.options = introduction.options;
                return Ok(());
            } else if let Some(complaint) = line.strip_prefix(COMPLAINT) {
                let fault = Fault::Unusable(format!("cannot be started: {complaint}"));
                return Err(self.fail(fault));
            } else if let Some(word) = line.strip_prefix("id name ") {
                introduction.name = Some(word.trim().to_owned());
            } else if let Some(word) = line.strip_prefix("id author ") {
                introduction.author = Some(word.trim().to_owned());
            } else {
                introduction.options.extend(Declared::parse(&line));
            }
        }
    }

    fn tell_options(&mut self) -> Result<(), Fault> {
        for (name, value) in self.spec.options.clone() {
            if !self.has(&name) {
                let known: Vec<&str> = self.options.iter().map(|o| o.name.as_str()).collect();
                let (program, known) = (&self.spec.program, known.join(", "));
                let fault = format!("{program} has no option \"{name}\"; it has {known}");
                return Err(self.fail(Fault::Unusable(fault)));
            }
            self.tell(&name, &value)?;
        }
        Ok(())
    }

    /// Waits until the engine has nothing left to do or say. What it said earlier is stale then, a
    /// late move of an earlier search above all, and is thrown away.
    pub fn synchronise(&mut self) -> Result<(), Fault> {
        self.send("isready")?;
        self.unanswered += 1;
        let patience = self.patience;
        let deadline = *self.silent_until.get_or_insert_with(|| Instant::now() + patience);
        while self.unanswered > 0 {
            match self.listen_patiently(deadline)? {
                Some(line) if line.text == "readyok" => self.unanswered -= 1,
                Some(_) => {}
                None => return Err(self.fail(Fault::Stalled(self.patience))),
            }
        }
        self.silent_until = None;
        Ok(())
    }

    /// A search was not answered when it was stopped. The engine is given up if it does not answer
    /// within this time.
    pub(super) fn expect_answer_within(&mut self, time: Duration) {
        self.silent_until.get_or_insert_with(|| Instant::now() + time);
    }

    pub fn send(&mut self, text: &str) -> Result<(), Fault> {
        let sent = self.process.as_mut().map(|process| process.send(text));
        match sent {
            Some(Ok(())) => Ok(()),
            Some(Err(_)) | None => Err(self.crash()),
        }
    }

    /// The next line that arrived by the deadline, if one did.
    pub fn listen(&mut self, deadline: Instant) -> Result<Option<OutputLine>, Fault> {
        match self.process.as_mut().map(|process| process.receive(deadline)) {
            Some(Ok(line)) => Ok(Some(line)),
            Some(Err(RecvTimeoutError::Timeout)) => Ok(None),
            Some(Err(RecvTimeoutError::Disconnected)) | None => Err(self.crash()),
        }
    }

    /// The next line that arrives by the deadline, unless nobody waits for it any longer.
    fn listen_patiently(&mut self, deadline: Instant) -> Result<Option<OutputLine>, Fault> {
        loop {
            if self.wait.is_over() {
                return Err(Fault::Interrupted);
            }
            let glance = deadline.min(Instant::now() + GLANCE);
            match self.listen(glance)? {
                Some(line) => return Ok(Some(line)),
                None if Instant::now() >= deadline => return Ok(None),
                None => {}
            }
        }
    }

    fn crash(&mut self) -> Fault {
        let words = self.process.as_mut().map(Process::end).unwrap_or_default();
        self.fail(Fault::Crashed(words))
    }

    /// Ends the process: there is no telling what state it is in.
    pub fn fail(&mut self, fault: Fault) -> Fault {
        self.introduction = None;
        if let Some(mut process) = self.process.take() {
            process.end();
        }
        fault
    }

    /// Tells the engine how castling is written. One that has no option for it would take Chess960 for
    /// another game.
    pub fn tell_of_castling(&mut self, chess960: bool) -> Result<(), Fault> {
        if chess960 && !self.has("UCI_Chess960") {
            return Err(Fault::Unusable(format!("{} does not play Chess960", self.known_as())));
        }
        self.tell("UCI_Chess960", &chess960.to_string())
    }

    /// The engine is there, idle, and knows how castling is written.
    pub(super) fn prepare(&mut self, game: &Game) -> Result<(), Fault> {
        self.start()?;
        self.synchronise()?;
        self.tell_of_castling(game.position().is_chess960())
    }

    /// How many lines it can show.
    pub(super) fn most_lines(&self) -> usize {
        let most = self.find("MultiPV").map(|option| option.max.unwrap_or(1));
        most.and_then(|most| usize::try_from(most).ok()).unwrap_or(1).max(1)
    }

    /// Tells the engine the value of an option, unless it has none of that name or has been told
    /// already.
    pub fn tell(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        let Some(option) = self.find(name) else { return Ok(()) };
        let name = option.name.clone();
        let is_button = option.is_button();
        let same = |(known, last): &(String, String)| *known == name && last == value;
        if !is_button && self.told.iter().any(same) {
            return Ok(());
        }
        self.told.retain(|(known, _)| *known != name);
        let with_value = if value.is_empty() { String::new() } else { format!(" value {value}") };
        self.send(&format!("setoption name {name}{with_value}"))?;
        self.told.push((name, value.to_owned()));
        Ok(())
    }

    /// Sets an option for good: it is kept when the engine is started afresh. Numbers out of its
    /// range become the nearest that the engine allows. Does nothing if it is known to have no such
    /// option.
    pub fn set(&mut self, name: &str, value: &str) -> Result<(), Fault> {
        let mut value = value.to_owned();
        match self.find(name) {
            Some(option) if option.is_button() => {
                return if self.is_running() { self.tell(name, "") } else { Ok(()) };
            }
            Some(option) => {
                if let Some(number) = value.parse().ok().filter(|_| option.max.is_some()) {
                    value = option.nearest(number).to_string();
                }
            }
            None if self.is_running() || !self.options.is_empty() => return Ok(()),
            None => {}
        }
        self.spec.set(name, &value);
        if self.is_running() { self.tell(name, &value) } else { Ok(()) }
    }

    /// Tells the engine what was set, or its default, whatever it was told since.
    pub fn tell_standing(&mut self, name: &str) -> Result<(), Fault> {
        match self.value_of(name) {
            Some(value) => self.tell(name, &value),
            None => Ok(()),
        }
    }

    /// By what name the engine goes.
    pub fn known_as(&self) -> &str {
        self.name.as_deref().unwrap_or(&self.spec.program)
    }

    pub fn find(&self, name: &str) -> Option<&Declared> {
        self.options.iter().find(|option| option.name.eq_ignore_ascii_case(name))
    }

    pub fn has(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    /// Was it given a value?
    pub fn is_set(&self, name: &str) -> bool {
        self.spec.options.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
    }

    /// The value of an option: as it was set, or else its default.
    pub fn value_of(&self, name: &str) -> Option<String> {
        let set = self.spec.options.iter().find(|(known, _)| known.eq_ignore_ascii_case(name));
        let set = set.map(|(_, value)| value.clone());
        set.or_else(|| self.find(name).map(|option| option.default.clone()))
    }
}

/// In words that follow the name of who failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("{0}")]
    Unusable(String),
    #[error("disconnects ({0})")]
    Crashed(String),
    #[error("stalls (no answer within {} s)", .0.as_secs_f64())]
    Stalled(Duration),
    #[error("loses on time")]
    Overtime,
    #[error("makes an illegal move: {0}")]
    Illegal(String),
    /// Nobody waited any longer. The engine may still answer.
    #[error("does not answer in time")]
    Interrupted,
}
