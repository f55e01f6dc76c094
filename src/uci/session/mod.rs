//! The loop: one conversation with a GUI.

mod running;
mod search;

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::Instant;

use vampirc_uci::UciMessage;

use self::running::Running;
use super::command::{InputLine, UciCommand};
use super::foreign::Foreign;
use super::handicap::Handicap;
use super::worker::{self, Job, Machine};
use super::{Event, message};
use crate::board::{Game, shorten};
use crate::config::{self, Applied, OPTIONS, Settings};
use crate::eval::WinModel;
use crate::external::{Analyst, ExternalSpec, PATIENCE, guard_program};
use crate::player::{Engine, Player};

/// The state of a conversation, and the only writer.
#[derive(Debug)]
pub struct Session<W> {
    out: W,
    /// Defaults as advertised.
    defaults: Settings,
    settings: Settings,
    winning: WinModel,
    handicap: Handicap,
    /// Another engine that values the moves.
    foreign: Option<Foreign>,
    /// The program that was last asked for by the option `Engine`.
    asked_for: String,
    game: Game,
    debug: bool,
    jobs: Sender<Job>,
    /// At home between searches.
    machine: Option<Machine>,
    running: Option<Running>,
    /// The game after our move, until it was looked at whether to watch the opponent.
    before_him: Option<Game>,
    /// "Clear Hash" was pressed while the machine was out.
    clear_later: bool,
    /// Commands that came too early and wait for the running search to end.
    waiting: VecDeque<UciCommand>,
    /// No more commands will come. What was asked is still answered.
    has_heard_all: bool,
}

impl<W: Write> Session<W> {
    /// A conversation about the starting position. Searches report through `events`.
    pub fn new(config: &Settings, out: W, events: Sender<Event>) -> io::Result<Session<W>> {
        let mut session = Session {
            out,
            defaults: config.clone(),
            settings: config.clone(),
            winning: WinModel::embedded(),
            handicap: Handicap::new(),
            foreign: None,
            asked_for: String::new(),
            game: Game::default(),
            debug: false,
            jobs: worker::start(events)?,
            machine: Some(Machine::new()),
            running: None,
            before_him: None,
            clear_later: false,
            waiting: VecDeque::new(),
            has_heard_all: false,
        };
        session.adopt()?;
        Ok(session)
    }

    /// From now on another engine, which has been started, values the moves.
    pub fn stand_before(&mut self, analyst: Analyst) -> io::Result<()> {
        for (name, value) in &analyst.client.spec.options {
            if let Some(option) = Foreign::in_common(name) {
                // What is out of our range is nearest to it, as it is when it is set later.
                let _ = option.apply(&mut self.settings, value);
                let _ = option.apply(&mut self.defaults, value);
            }
        }
        let foreign = Foreign::of(&analyst, guard_program(), &self.settings);
        self.handicap.valued_by(Some(&foreign.name));
        self.foreign = Some(foreign);
        self.machine = Some(Machine::of(Engine::External(Box::new(analyst))));
        self.adopt()
    }

    /// Puts the engine that the option `Engine` names before ours, or ours in its place again.
    fn adopt_engine(&mut self) -> io::Result<()> {
        if self.machine.is_none() || self.settings.engine == self.asked_for {
            return Ok(());
        }
        self.asked_for.clone_from(&self.settings.engine);
        (self.foreign, self.machine) = (None, Some(Machine::new()));
        self.handicap.valued_by(None);
        if self.asked_for.is_empty() {
            return Ok(());
        }
        let started = ExternalSpec::of_program(&self.asked_for).map_err(|error| error.to_string());
        let started = started.and_then(|spec| {
            let mut analyst = Analyst::new(spec, PATIENCE, guard_program());
            analyst.client.start().map_err(|fault| fault.to_string()).map(|()| analyst)
        });
        match started {
            Ok(analyst) => self.stand_before(analyst),
            Err(fault) => self.remark(&format!(
                "Engine {}: {fault}; Stopdown values the moves itself",
                shorten(&self.asked_for.clone())
            )),
        }
    }

    /// Reacts to events until "quit", or until the input has ended and all that was asked is
    /// answered. Fails when nobody reads any more.
    pub fn run(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        while !self.has_answered_all()? {
            let event = match self.running.as_ref().and_then(Running::due) {
                Some(due) => events.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::EndOfInput) => self.has_heard_all = true,
                Err(RecvTimeoutError::Disconnected) => break,
                Ok(Event::Line(InputLine::Text(line))) => match UciCommand::parse(&line) {
                    Ok(Some(UciCommand::Quit)) => break,
                    Ok(Some(command)) => self.take(command)?,
                    Ok(None) if self.debug && !line.trim().is_empty() => {
                        self.remark(&format!("no known word in \"{}\"", shorten(line.trim())))?;
                    }
                    Ok(None) => {}
                    Err(error) => self.remark(&error.to_string())?,
                },
                Ok(event) => self.react(event)?,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.answer()?;
            self.watch()?;
        }
        self.keep()?;
        if let Some(running) = &self.running {
            running.controls.stop();
        }
        Ok(())
    }

    /// Has the input ended, and is nothing left to be answered? A search that would wait for words
    /// that cannot come any more is stopped, and nobody is there to be shown a person's pace.
    fn has_answered_all(&mut self) -> io::Result<bool> {
        if !self.has_heard_all {
            return Ok(false);
        }
        self.running.iter_mut().for_each(Running::hurry);
        self.answer()?;
        if self.running.as_ref().is_some_and(Running::waits_for_words) {
            self.stop()?;
        }
        Ok(self.running.is_none() && self.waiting.is_empty())
    }

    /// Says something to the user.
    pub fn remark(&mut self, text: &str) -> io::Result<()> {
        self.say(&message::remark(text))
    }

    fn say(&mut self, message: &impl Display) -> io::Result<()> {
        writeln!(self.out, "{message}")?;
        self.out.flush()
    }

    /// Obeys a command, at once or when its turn comes.
    fn take(&mut self, command: UciCommand) -> io::Result<()> {
        match command {
            // Answered whatever runs.
            UciCommand::Uci => self.introduce(),
            UciCommand::IsReady => self.say(&UciMessage::ReadyOk),
            UciCommand::Debug(on) => {
                self.debug = on;
                Ok(())
            }
            UciCommand::Help => {
                self.remark("a chess program sends commands here; the protocol is UCI")
            }
            command => {
                self.waiting.push_back(command);
                self.obey_waiting()
            }
        }
    }

    /// Obeys the other commands in their order, up to one that must wait for a search to end.
    fn obey_waiting(&mut self) -> io::Result<()> {
        while let Some(command) = self.waiting.pop_front() {
            match &command {
                UciCommand::Stop => self.stop()?,
                UciCommand::PonderHit => self.ponder_hit()?,
                UciCommand::SetOption { name, value } if !self.is_watching() => {
                    self.set_option(name, value)?;
                }
                // No GUI should send the others during a search, but some do. The search is
                // ended and answered first.
                _ => {
                    self.stop()?;
                    if self.running.is_some() {
                        self.waiting.push_front(command);
                        return Ok(());
                    }
                    self.obey_at_rest(&command)?;
                }
            }
        }
        Ok(())
    }

    fn obey_at_rest(&mut self, command: &UciCommand) -> io::Result<()> {
        match command {
            UciCommand::NewGame => self.new_game(),
            UciCommand::Position { fen, moves } => self.set_position(fen.as_deref(), moves),
            UciCommand::Go(go) => self.go(go),
            UciCommand::SetOption { name, value } => self.set_option(name, value),
            _ => Ok(()),
        }
    }

    fn is_watching(&self) -> bool {
        self.running.as_ref().is_some_and(|running| running.is_watching)
    }

    fn introduce(&mut self) -> io::Result<()> {
        for line in message::identity(self.foreign.as_ref().map(|f| (&*f.name, &*f.author))) {
            self.say(&line)?;
        }
        let is_proxy = self.foreign.is_some();
        let shown = OPTIONS.iter().filter(|option| option.is_shown);
        for option in shown.filter(|o| !is_proxy || !Foreign::is_idle(o.name)) {
            self.say(&message::option(option, &self.defaults))?;
        }
        let theirs = self.foreign.iter().flat_map(Foreign::options);
        for text in theirs.map(|option| option.text.clone()).collect::<Vec<_>>() {
            self.say(&text)?;
        }
        self.say(&UciMessage::UciOk)
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        if self.foreign.as_mut().is_some_and(|foreign| foreign.set(name, value)) {
            return self.adopt_or_say(name);
        }
        let applied = config::find(name)
            .and_then(|option| Ok((option, option.apply(&mut self.settings, value)?)));
        match applied {
            Err(error) => return self.remark(&error.to_string()),
            // There is one button: Clear Hash.
            Ok((_, Applied::Pressed)) => match &mut self.machine {
                Some(machine) => machine.clear(),
                None => self.clear_later = true,
            },
            Ok((option, applied)) => {
                if let Applied::Clamped(number) = applied {
                    self.remark(&format!(
                        "{} is set to {number}, because {} is out of range; allowed is {}",
                        option.name,
                        shorten(value),
                        option.allowed(&self.settings)
                    ))?;
                }
                self.handicap.adopt(option.name);
                let settings = &self.settings;
                self.foreign.iter_mut().for_each(|foreign| foreign.share(option.name, settings));
            }
        }
        self.adopt_or_say(name)
    }

    /// Brings the settings into force, or says that the one of this name has to wait.
    fn adopt_or_say(&mut self, name: &str) -> io::Result<()> {
        if self.machine.is_none() {
            let name = shorten(name);
            return self.remark(&format!("{name} will take effect after the running search"));
        }
        self.adopt()
    }

    /// Brings the settings into force, if the machine is at home.
    fn adopt(&mut self) -> io::Result<()> {
        self.adopt_engine()?;
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let mut remarks = machine.adopt(&mut self.settings);
        if let Some(foreign) = &mut self.foreign {
            foreign.tell(&mut machine.engine);
        }
        remarks.extend(machine.engine.take_notices());
        remarks.iter().try_for_each(|remark| self.remark(remark))
    }

    fn new_game(&mut self) -> io::Result<()> {
        self.machine.iter_mut().for_each(Machine::clear);
        self.game = Game::default();
        self.handicap.new_game();
        let player = self.player()?;
        self.handicap.welcome(player);
        Ok(())
    }

    fn player(&mut self) -> io::Result<Player> {
        let (player, remarks) = self.handicap.player(&self.game, &self.settings);
        remarks.iter().try_for_each(|remark| self.remark(remark)).map(|()| player)
    }

    fn set_position(&mut self, fen: Option<&str>, moves: &[String]) -> io::Result<()> {
        let moves = moves.iter().map(String::as_str);
        match Game::from_uci(fen, moves, self.settings.chess960) {
            Ok(game) => {
                self.game = game;
                Ok(())
            }
            Err(error) => self.remark(&format!("position not changed: {error}")),
        }
    }
}
