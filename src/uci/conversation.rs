//! The loop: one conversation with a GUI.
//!
//! It keeps what a GUI may ask at any time, and answers from that. Everything that may last is a job of
//! the worker; what comes of it arrives as an event.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use vampirc_uci::UciMessage;

use super::command::UciCommand;
use super::event::Event;
use super::go::Go;
use super::input::InputLine;
use super::message;
use super::running::Running;
use crate::board::{Game, Move, shorten};
use crate::config::{self, Applied, OPTIONS, Settings};
use crate::eval::WinModel;
use crate::external::Analyst;
use crate::player::Who;
use crate::search::{BestMove, Controls, Report};
use crate::session::{self, ExternalIdentity, Job, SearchJob};

/// `isready` waits so long for the jobs before it, so that what they have to say comes first.
const READY_WITHIN: Duration = Duration::from_millis(40);

/// `uci` waits so long for them: another engine may be starting whose options are to be shown.
const INTRODUCED_WITHIN: Duration = Duration::from_secs(2);

/// At the end what was learnt is kept, if that takes no longer.
const FINISHED_WITHIN: Duration = Duration::from_millis(40);

/// The state of a conversation, and the only writer.
#[derive(Debug)]
pub struct Session<W> {
    out: W,
    /// Defaults as advertised.
    defaults: Settings,
    settings: Settings,
    winning: WinModel,
    /// Another engine that evaluates the moves.
    external: Option<ExternalIdentity>,
    game: Game,
    debug: bool,
    jobs: Sender<Job>,
    /// Jobs that are not done.
    jobs_left: usize,
    /// End the waiting of those that bring settings into force.
    setup: Controls,
    running: Option<Running>,
    /// The game after our move, until it was looked at whether to watch the opponent.
    before_opponent: Option<Game>,
    /// Commands that came too early and wait for the running search to end.
    waiting: VecDeque<UciCommand>,
    /// Answers that wait for jobs to be done, and no longer than until then.
    due_answers: VecDeque<(Instant, Answer)>,
    /// No more commands will come. What was asked is still answered.
    has_heard_all: bool,
}

/// An answer to a command.
#[derive(Clone, Copy, Debug)]
enum Answer {
    Introduction,
    Ready,
}

impl<W: Write> Session<W> {
    /// A conversation about the starting position. Jobs report through `events`.
    pub fn new(config: &Settings, out: W, events: Sender<Event>) -> io::Result<Session<W>> {
        Session::with_engine(config, None, out, events)
    }

    /// The same where another engine, which has been started, evaluates the moves.
    pub fn with_engine(
        config: &Settings,
        external: Option<Analyst>,
        out: W,
        events: Sender<Event>,
    ) -> io::Result<Session<W>> {
        let mut config = config.clone();
        let options = external.iter().flat_map(|analyst| &analyst.client.spec.options);
        for (name, value) in options {
            if let Some(option) = session::option_in_common(name) {
                // A number out of our range becomes the nearest, as it does when it is set later.
                let _ = option.apply(&mut config, value);
            }
        }
        let identity = external.as_ref().map(|analyst| ExternalIdentity::of(&analyst.client));
        let mut session = Session {
            out,
            jobs: session::start(&config, external, events)?,
            jobs_left: 0,
            setup: Controls::new(),
            defaults: config.clone(),
            settings: config,
            winning: WinModel::embedded(),
            external: identity,
            game: Game::default(),
            debug: false,
            running: None,
            before_opponent: None,
            waiting: VecDeque::new(),
            due_answers: VecDeque::new(),
            has_heard_all: false,
        };
        session.adopt()?;
        Ok(session)
    }

    /// Reacts to events until "quit", or until the input has ended and all that was asked is
    /// answered. Fails when nobody reads any more.
    pub fn run(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        while !self.has_answered_all()? {
            let due = self.running.as_ref().and_then(Running::due);
            let due = due.into_iter().chain(self.due_answers.iter().map(|(due, _)| *due)).min();
            let event = match due {
                Some(due) => events.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Line(InputLine::Text(line))) => match UciCommand::parse(&line) {
                    Ok(Some(UciCommand::Quit)) => break,
                    Ok(Some(command)) => self.obey(command)?,
                    Ok(None) if self.debug && !line.trim().is_empty() => {
                        self.remark(&format!("no known word in \"{}\"", shorten(line.trim())))?;
                    }
                    Ok(None) => {}
                    Err(error) => self.remark(&error.to_string())?,
                },
                Ok(Event::Line(InputLine::TooLong(length))) => {
                    self.remark(&format!(
                        "a line of {length} bytes is no command; it was skipped"
                    ))?;
                }
                Ok(Event::EndOfInput) => self.has_heard_all = true,
                Ok(Event::Job(event)) => self.react(event)?,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.answer()?;
            self.watch()?;
        }
        self.finish(events)
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
        if self.running.is_some() || !self.waiting.is_empty() {
            return Ok(false);
        }
        self.setup.stop();
        Ok(self.jobs_left == 0)
    }

    /// Ends whatever runs, and has what was learnt kept.
    fn finish(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        self.setup.stop();
        self.running.iter().for_each(|running| running.controls.stop());
        self.hand_over(Job::Finish)?;
        let due = Instant::now() + FINISHED_WITHIN;
        while self.jobs_left > 0 {
            match events.recv_timeout(due.saturating_duration_since(Instant::now())) {
                Ok(Event::Job(session::Event::Done)) => self.jobs_left -= 1,
                Ok(Event::Job(session::Event::Remark(text))) => self.remark(&text)?,
                Ok(_) => {}
                Err(_) => break,
            }
        }
        Ok(())
    }

    /// Says something to the user.
    pub fn remark(&mut self, text: &str) -> io::Result<()> {
        self.say(&message::remark(text))
    }

    fn say(&mut self, message: &impl Display) -> io::Result<()> {
        writeln!(self.out, "{message}")?;
        self.out.flush()
    }

    fn hand_over(&mut self, job: Job) -> io::Result<()> {
        self.jobs_left += 1;
        self.jobs.send(job).map_err(|_| io::Error::other("the worker has ended"))
    }

    /// Obeys a command, at once or when its turn comes.
    fn obey(&mut self, command: UciCommand) -> io::Result<()> {
        match command {
            // Answered whatever runs.
            UciCommand::Uci => self.answer_soon(Answer::Introduction, INTRODUCED_WITHIN),
            UciCommand::IsReady => self.answer_soon(Answer::Ready, READY_WITHIN),
            UciCommand::Debug(on) => {
                self.debug = on;
                Ok(())
            }
            UciCommand::Help => {
                self.remark("a chess program sends commands here; the protocol is UCI")
            }
            // The others are obeyed in their order.
            command if !self.waiting.is_empty() => {
                self.waiting.push_back(command);
                Ok(())
            }
            UciCommand::Stop => self.stop(),
            UciCommand::PonderHit => {
                self.running.iter_mut().for_each(Running::ponder_hit);
                self.answer()
            }
            UciCommand::SetOption { name, value } => self.set_option(&name, &value),
            // No GUI should send these during a search, but some do. The search is ended and
            // answered first.
            command => {
                self.stop()?;
                if self.running.is_some() {
                    self.waiting.push_back(command);
                    return Ok(());
                }
                match command {
                    UciCommand::NewGame => self.new_game(),
                    UciCommand::Position { fen, moves } => {
                        self.set_position(fen.as_deref(), &moves)
                    }
                    UciCommand::Go(go) => self.go(&go),
                    _ => Ok(()),
                }
            }
        }
    }

    /// Obeys the commands that wait, up to one that must wait for another search to end.
    fn obey_waiting(&mut self) -> io::Result<()> {
        let waiting = std::mem::take(&mut self.waiting);
        waiting.into_iter().try_for_each(|command| self.obey(command))
    }

    /// Answers at once while a search runs or nothing does; else when the jobs are done, but no later
    /// than this.
    fn answer_soon(&mut self, answer: Answer, within: Duration) -> io::Result<()> {
        if self.jobs_left == 0 || self.running.is_some() {
            return self.give(answer);
        }
        self.due_answers.push_back((Instant::now() + within, answer));
        Ok(())
    }

    fn give(&mut self, answer: Answer) -> io::Result<()> {
        match answer {
            Answer::Introduction => self.introduce(),
            Answer::Ready => self.say(&UciMessage::ReadyOk),
        }
    }

    fn introduce(&mut self) -> io::Result<()> {
        let external = self.external.clone();
        for line in message::identity(external.as_ref().map(|e| (&*e.name, &*e.author))) {
            self.say(&line)?;
        }
        let shown = OPTIONS.iter().filter(|option| option.is_shown);
        for option in shown.filter(|o| external.is_none() || !session::is_idle(o.name)) {
            self.say(&message::option(option, &self.defaults))?;
        }
        for option in external.iter().flat_map(ExternalIdentity::options) {
            self.say(&option.text)?;
        }
        self.say(&UciMessage::UciOk)
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        self.end_watching();
        let is_external = self.external.as_ref().is_some_and(|external| external.has(name));
        // The options of an engine that is starting are not known yet.
        let is_open = self.external.is_none() && !self.settings.engine.is_empty();
        let option = match config::find(name) {
            Ok(option) if !is_external => option,
            Err(error) if !is_external && !is_open => return self.remark(&error.to_string()),
            _ => {
                let (name, value) = (name.to_owned(), value.to_owned());
                self.say_if_late(&name)?;
                return self.hand_over(Job::SetOption { name, value });
            }
        };
        match option.apply(&mut self.settings, value) {
            Err(error) => return self.remark(&error.to_string()),
            // There is one button: Clear Hash.
            Ok(Applied::Pressed) => self.hand_over(Job::ClearHash)?,
            Ok(Applied::Clamped(number)) => {
                self.remark(&format!(
                    "{} is set to {number}, because {} is out of range; allowed is {}",
                    option.name,
                    shorten(value),
                    option.allowed(&self.settings)
                ))?;
            }
            Ok(Applied::Set) => {}
        }
        self.say_if_late(name)?;
        if option.name == "Seed" {
            self.hand_over(Job::RestartSeries)?;
        }
        self.adopt()
    }

    /// Says that an option has to wait, if it has.
    fn say_if_late(&mut self, name: &str) -> io::Result<()> {
        let is_searching = self.running.as_ref().is_some_and(|running| !running.has_result());
        if is_searching {
            let name = shorten(name);
            return self.remark(&format!("{name} will take effect after the running search"));
        }
        Ok(())
    }

    /// Has the settings brought into force.
    fn adopt(&mut self) -> io::Result<()> {
        let settings = Box::new(self.settings.clone());
        self.hand_over(Job::Adopt(settings, self.setup.clone()))
    }

    fn new_game(&mut self) -> io::Result<()> {
        self.game = Game::default();
        self.hand_over(Job::NewGame)
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

    fn go(&mut self, go: &Go) -> io::Result<()> {
        for remark in &go.remarks {
            self.remark(remark)?;
        }
        // A move is worth more than what is still waited for.
        self.setup.stop();
        self.setup = Controls::new();
        let position = self.game.position().clone();
        let mut running = Running::new(go, position.clone());
        running.shows_chances = self.settings.show_wdl;
        let controls = running.controls.clone();
        if let Some(depth) = go.perft {
            self.running = Some(running);
            let depth = depth.clamp(1, 30) as u32;
            return self.hand_over(Job::Count { position, depth, controls });
        }
        let moves = self.restriction(go.moves.as_deref())?;
        if !position.has_legal_move() || moves.as_ref().is_some_and(Vec::is_empty) {
            running.settle(BestMove::default(), Duration::ZERO);
            self.running = Some(running);
            return self.answer();
        }
        let limits = go.limits(&self.game, &self.settings, moves.unwrap_or_default());
        let is_analysis = go.is_analysis() || self.settings.analyse;
        let who = self.settings.player().player().unwrap_or_default();
        let is_full = is_analysis || who == Who::FullStrength;
        running.is_unbounded = is_full && !limits.are_bounds();
        running.then_watch =
            self.settings.ponder && !is_analysis && matches!(who, Who::Imitator(_));
        self.running = Some(running);
        let search = SearchJob { game: self.game.clone(), limits, controls, is_analysis };
        self.hand_over(Job::Search(Box::new(search)))
    }

    /// The moves that a search may look at. `None`: all; empty: nothing legal was asked for.
    fn restriction(&mut self, moves: Option<&[String]>) -> io::Result<Option<Vec<Move>>> {
        let Some(texts) = moves else { return Ok(None) };
        let mut moves = Vec::new();
        for text in texts {
            match self.game.position().parse_uci(text) {
                Ok(m) if moves.contains(&m) => {}
                Ok(m) => moves.push(m),
                Err(error) => self.remark(&format!("searchmoves: {error}"))?,
            }
        }
        Ok(Some(moves))
    }

    /// Passes on what the worker tells.
    fn react(&mut self, event: session::Event) -> io::Result<()> {
        match event {
            session::Event::Remark(text) => self.remark(&text),
            session::Event::Report(report) => self.show(&report),
            session::Event::Said(line) => self.say(&line),
            session::Event::Engine(external) => {
                self.external = external;
                Ok(())
            }
            session::Event::Decided(search) => {
                if let Some(running) = &mut self.running {
                    running.is_shown = search.is_shown;
                    running.settle(search.best, search.pause);
                }
                self.answer()?;
                self.obey_waiting()
            }
            session::Event::Watched => {
                self.running.take_if(|running| running.is_watching);
                self.obey_waiting()
            }
            session::Event::Counted(counts) => self.counted(counts),
            session::Event::Failed => {
                self.remark("the search failed, which is a bug; please report the game")?;
                self.running.take_if(|running| running.is_watching);
                let first = self.game.position().legal_moves().first().copied();
                if let Some(running) = &mut self.running {
                    let mv = running.shown.or(first);
                    running.settle(BestMove { mv, ..BestMove::default() }, Duration::ZERO);
                }
                self.answer()?;
                self.obey_waiting()
            }
            session::Event::Done => {
                self.jobs_left = self.jobs_left.saturating_sub(1);
                Ok(())
            }
        }
    }

    fn show(&mut self, report: &Report) -> io::Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        if report.line_number == 1 {
            running.shown = report.line.first().copied();
        }
        let winning = running.shows_chances.then_some(&self.winning);
        let message = message::report(report, &running.position, winning);
        self.say(&message)
    }

    fn stop(&mut self) -> io::Result<()> {
        self.running.iter_mut().for_each(Running::stop);
        self.end_watching();
        self.answer()
    }

    /// What is only watched gives way at once: nobody waits for it.
    fn end_watching(&mut self) {
        if let Some(watching) = self.running.take_if(|running| running.is_watching) {
            watching.controls.stop();
        }
    }

    /// Gives the answers whose time has come: first those that waited for jobs, then the move.
    fn answer(&mut self) -> io::Result<()> {
        let (now, is_idle) = (Instant::now(), self.jobs_left == 0);
        let (given, kept): (VecDeque<_>, _) = std::mem::take(&mut self.due_answers)
            .into_iter()
            .partition(|(due, _)| is_idle || *due <= now);
        self.due_answers = kept;
        given.into_iter().try_for_each(|(_, answer)| self.give(answer))?;
        let Some(running) = self.running.take_if(|running| running.is_due()) else {
            return Ok(());
        };
        let (best, position) = (running.result(), &running.position);
        if !position.has_legal_move() {
            self.say(&message::game_over(position))?;
        } else if let Some(report) = running.last_report() {
            let winning = running.shows_chances.then_some(&self.winning);
            self.say(&message::report(&report, position, winning))?;
        }
        self.say(&message::best_move(best.mv, best.ponder, position))?;
        self.before_opponent = best.mv.filter(|_| running.then_watch).map(|mv| {
            let mut game = self.game.clone();
            game.play(mv);
            game
        });
        Ok(())
    }

    /// After an answer: the imitator uses the opponent's time, if the GUI allows it.
    fn watch(&mut self) -> io::Result<()> {
        let Some(game) = self.before_opponent.take() else { return Ok(()) };
        let is_idle = self.running.is_none() && self.waiting.is_empty() && !self.has_heard_all;
        if !is_idle || game.ending().is_some() {
            return Ok(());
        }
        let running = Running::watching(game.position().clone());
        let controls = running.controls.clone();
        self.running = Some(running);
        self.hand_over(Job::Watch(Box::new(game), controls))
    }

    fn counted(&mut self, counts: Option<Vec<(Move, u64)>>) -> io::Result<()> {
        let running = self.running.take();
        if counts.is_none() {
            self.remark("the count was stopped")?;
        }
        if let (Some(running), Some(counts)) = (running, counts) {
            for &(m, nodes) in &counts {
                self.say(&format_args!("{}: {nodes}", running.position.uci(m)))?;
            }
            let total: u64 = counts.iter().map(|(_, nodes)| nodes).sum();
            self.say(&format_args!("\nNodes searched: {total}\n"))?;
        }
        self.obey_waiting()
    }
}
