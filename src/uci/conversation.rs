//! The loop of the UCI front end: one conversation with a GUI.
//!
//! The loop keeps the protocol state: the options, the position and the current search. It answers
//! from that state without delay. Everything that can take a long time becomes a job for the
//! worker, whose results arrive as events.
//!
//! GUIs do not always wait for answers. Three rules keep the answers in order:
//!
//! - There is at most one current search. A command that the protocol forbids during a search stops
//!   the search and is deferred until `bestmove` has been sent.
//! - `uci` and `isready` wait for earlier jobs and deferred commands, so that the answers come in
//!   order, but not for long. While a search continues, they are answered at once.
//! - An answer can have a due time, because some players imitate human thinking times. The loop
//!   sleeps until the next event or due time, whichever comes first.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use vampirc_uci::UciMessage;

use super::command::UciCommand;
use super::due_answers::{Answer, DueAnswers};
use super::event::Event;
use super::go::Go;
use super::input::InputLine;
use super::message;
use super::overruns::Overruns;
use super::running::Running;
use crate::board::{Game, Move, shorten};
use crate::config::{self, Applied, EngineOption, OPTIONS, Settings};
use crate::eval::WinModel;
use crate::external::ExternalEvaluator;
use crate::player::Who;
use crate::search::{BestMove, Controls, Report};
use crate::session::{self, ExternalIdentity, ExternalOption, Job, JobKind, SearchJob};

/// The time that `quit` waits for the pending jobs to end.
const FINISH_TIMEOUT: Duration = Duration::from_millis(40);

/// The time that `quit` waits for the file with the imitator's opponents, which may be locked.
const SAVE_TIMEOUT: Duration = Duration::from_secs(1);

/// A conversation with a GUI. Only this type writes to `out`.
#[derive(Debug)]
pub struct Session<W> {
    out: W,
    /// The defaults that `uci` shows.
    defaults: Settings,
    settings: Settings,
    win_model: WinModel,
    /// The external engine that evaluates the moves, if any.
    external: Option<ExternalIdentity>,
    /// Whether an external engine was given on the command line.
    has_given_engine: bool,
    /// The moves that took more time than planned.
    overruns: Overruns,
    game: Game,
    debug: bool,
    jobs: Sender<Job>,
    /// The number of jobs that the worker has received, and how many of them it has finished.
    jobs_sent: usize,
    jobs_done: usize,
    /// Whether the worker is writing a file.
    is_saving: bool,
    /// Controls for the pending jobs that apply settings. They can end the wait for an external engine.
    setup: Controls,
    running: Option<Running>,
    /// The game after our move, if the imitator may now think on the opponent's time.
    game_to_watch: Option<Game>,
    /// Commands that wait until the current search has been answered.
    deferred: VecDeque<UciCommand>,
    due_answers: DueAnswers,
    /// Whether the input has ended. Earlier commands are still answered.
    input_ended: bool,
}

impl<W: Write> Session<W> {
    /// Starts a conversation. The worker sends its results through `events`.
    pub fn new(config: &Settings, out: W, events: Sender<Event>) -> io::Result<Session<W>> {
        Session::with_engine(config, None, out, events)
    }

    /// Starts a conversation that uses an external engine. The worker starts the engine.
    pub(crate) fn with_engine(
        config: &Settings,
        external: Option<ExternalEvaluator>,
        out: W,
        events: Sender<Event>,
    ) -> io::Result<Session<W>> {
        let mut config = config.clone();
        let options = external.iter().flat_map(|evaluator| &evaluator.client.spec.options);
        for (name, value) in options {
            if let Some(option) = session::option_in_common(name) {
                // A number outside our range is clamped. An invalid value is left to the external engine.
                let _ = option.apply(&mut config, value);
            }
        }
        let has_given_engine = external.is_some();
        let mut session = Session {
            out,
            jobs: session::start(&config, external, events)?,
            jobs_sent: 0,
            jobs_done: 0,
            is_saving: false,
            setup: Controls::new(),
            defaults: config.clone(),
            settings: config,
            win_model: WinModel::embedded(),
            external: None,
            has_given_engine,
            overruns: Overruns::default(),
            game: Game::default(),
            debug: false,
            running: None,
            game_to_watch: None,
            deferred: VecDeque::new(),
            due_answers: DueAnswers::default(),
            input_ended: false,
        };
        session.apply_settings()?;
        Ok(session)
    }

    /// Handles events until `quit`, or until the input has ended and everything has been answered.
    /// Fails if the output is closed.
    pub fn run(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        while !self.is_finished()? {
            let due = self.running.as_ref().and_then(Running::due);
            let due = due.into_iter().chain(self.due_answers.next_time()).min();
            let event = match due {
                Some(due) => events.recv_timeout(due.saturating_duration_since(Instant::now())),
                None => events.recv().map_err(|_| RecvTimeoutError::Disconnected),
            };
            match event {
                Ok(Event::Line(InputLine::Text(line))) => match UciCommand::parse(&line) {
                    Ok(Some(UciCommand::Quit)) => break,
                    Ok(Some(command)) => self.handle(command)?,
                    Ok(None) if self.debug && !line.trim().is_empty() => {
                        self.remark(&format!("unknown command \"{}\"", shorten(line.trim())))?;
                    }
                    Ok(None) => {}
                    Err(error) => self.remark(&error.to_string())?,
                },
                Ok(Event::Line(InputLine::TooLong(length))) => {
                    self.remark(&format!(
                        "skipped a line of {length} bytes, which is too long for a command"
                    ))?;
                }
                Ok(Event::EndOfInput) => self.input_ended = true,
                Ok(Event::Job(event)) => self.handle_event(event)?,
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {}
            }
            self.answer()?;
            self.watch()?;
        }
        self.finish(events)
    }

    /// Returns whether the input has ended and there is nothing left to answer. If a search waits
    /// for a command, it is stopped, because no more commands can come. Imitated thinking times are
    /// skipped.
    fn is_finished(&mut self) -> io::Result<bool> {
        if !self.input_ended {
            return Ok(false);
        }
        self.running.iter_mut().for_each(Running::skip_pause);
        self.answer()?;
        if self.running.as_ref().is_some_and(Running::waits_for_gui) {
            self.stop()?;
        }
        if self.running.is_some() || !self.deferred.is_empty() {
            return Ok(false);
        }
        // The exit code depends on whether the engine on the command line can be used, so wait for that engine.
        if self.external.is_some() || !self.has_given_engine {
            self.setup.stop();
        }
        Ok(self.jobs_done == self.jobs_sent)
    }

    /// Sends the remaining answers, stops everything, and waits briefly for the file with the
    /// imitator's opponents to be saved.
    fn finish(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        self.send_waiting_answers()?;
        for command in std::mem::take(&mut self.deferred) {
            match command {
                UciCommand::Uci => self.introduce()?,
                UciCommand::IsReady => self.write(&UciMessage::ReadyOk)?,
                _ => {}
            }
        }
        self.setup.stop();
        self.running.iter().for_each(|running| running.controls.stop());
        self.send_job(Job::Finish)?;
        let (mut last, mut has_saved) = (Instant::now(), self.is_saving);
        while self.jobs_done < self.jobs_sent {
            let due = last + if has_saved { SAVE_TIMEOUT } else { FINISH_TIMEOUT };
            let next = events.recv_timeout(due.saturating_duration_since(Instant::now()));
            let Ok(event) = next else { break };
            let Event::Job(event) = event else { continue };
            match event {
                session::Event::NotExternal { name, .. } => {
                    config::find(&name).err().map_or(Ok(()), |e| self.remark(&e.to_string()))?;
                }
                session::Event::Saving | session::Event::Done | session::Event::Remark(_) => {
                    has_saved |= matches!(event, session::Event::Saving);
                    last = Instant::now();
                    self.handle_event(event)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Writes a message for the user.
    pub(crate) fn remark(&mut self, text: &str) -> io::Result<()> {
        self.write(&message::remark(text))
    }

    fn write(&mut self, message: &impl Display) -> io::Result<()> {
        writeln!(self.out, "{message}")?;
        self.out.flush()
    }

    fn send_job(&mut self, job: Job) -> io::Result<()> {
        self.jobs_sent += 1;
        self.jobs.send(job).map_err(|_| io::Error::other("the worker has ended"))
    }

    /// Handles a command, or defers it.
    fn handle(&mut self, command: UciCommand) -> io::Result<()> {
        let is_waiting = !self.deferred.is_empty();
        match command {
            // These are answered at any time, unless earlier commands wait for a stopped search.
            UciCommand::Uci if !is_waiting => self.answer_soon(Answer::Introduction),
            UciCommand::IsReady if !is_waiting => self.answer_soon(Answer::Ready),
            UciCommand::Debug(on) => {
                self.debug = on;
                Ok(())
            }
            UciCommand::Help => self.remark(
                "this is a UCI chess engine; for help, run `stopdown help` on the command line",
            ),
            // The other commands keep their order.
            command if is_waiting => {
                self.deferred.push_back(command);
                Ok(())
            }
            UciCommand::Stop => self.stop(),
            UciCommand::PonderHit => {
                self.running.iter_mut().for_each(Running::ponder_hit);
                self.overruns.ponder_hit();
                self.answer()
            }
            UciCommand::SetOption { name, value } => self.set_option(&name, &value),
            // GUIs should not send these during a search, but some do. Stop the search and answer it first.
            command => {
                self.stop()?;
                if self.running.is_some() {
                    self.deferred.push_back(command);
                    return Ok(());
                }
                self.game_to_watch = None;
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

    /// Handles the deferred commands. If one starts a search, later ones may be deferred again.
    fn handle_deferred(&mut self) -> io::Result<()> {
        let deferred = std::mem::take(&mut self.deferred);
        deferred.into_iter().try_for_each(|command| self.handle(command))
    }

    /// Answers at once during a search, and otherwise after the jobs so far, but without waiting for long.
    fn answer_soon(&mut self, answer: Answer) -> io::Result<()> {
        let is_wanted = match answer {
            Answer::Introduction => self.has_given_engine,
            Answer::Ready => self.wants_external(),
        };
        let timeout = answer.timeout(is_wanted && self.external.is_none());
        let within = if self.running.is_some() { Duration::ZERO } else { timeout };
        self.due_answers.add(answer, self.jobs_sent, within);
        self.answer()
    }

    /// Sends all answers that are waiting for jobs.
    fn send_waiting_answers(&mut self) -> io::Result<()> {
        self.due_answers.take_all().into_iter().try_for_each(|answer| self.send_answer(answer))
    }

    fn send_answer(&mut self, answer: Answer) -> io::Result<()> {
        match answer {
            Answer::Introduction => self.introduce(),
            Answer::Ready => self.write(&UciMessage::ReadyOk),
        }
    }

    /// Answers `uci`.
    fn introduce(&mut self) -> io::Result<()> {
        let external = self.external.clone();
        for line in message::identity(external.as_ref().map(|e| (&*e.name, &*e.author))) {
            self.write(&line)?;
        }
        for option in OPTIONS.iter().filter(|option| option.is_shown) {
            self.write(&message::option(option, &self.defaults))?;
        }
        for option in external.iter().flat_map(ExternalIdentity::options) {
            self.write(&option.text)?;
        }
        self.write(&UciMessage::UciOk)
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        // The option must not wait for the opponent's move. Afterwards, the imitator continues.
        self.game_to_watch = self.stop_watching().or(self.game_to_watch.take());
        let is_external = self.external.as_ref().is_some_and(|external| external.has(name));
        // While an external engine is starting, its options are not known yet.
        let is_unknown = self.external.is_none() && self.wants_external();
        let is_ours = match config::find(name) {
            Ok(option) if !is_external => {
                self.set_own_option(option, value)?;
                if option.is_shown || !is_unknown {
                    return Ok(());
                }
                true
            }
            Err(error) if !is_external && !is_unknown => return self.remark(&error.to_string()),
            _ => {
                self.warn_if_delayed(name)?;
                false
            }
        };
        let (name, value) = (name.to_owned(), value.to_owned());
        self.send_job(Job::SetOption(ExternalOption { name, value, is_ours }))
    }

    fn set_own_option(&mut self, option: &EngineOption, value: &str) -> io::Result<()> {
        match option.apply(&mut self.settings, value) {
            Err(error) => return self.remark(&error.to_string()),
            // `Clear Hash` is the only button.
            Ok(Applied::Pressed) => self.send_job(Job::ClearHash)?,
            Ok(Applied::Clamped(number)) => {
                self.remark(&format!("{}; it is set to {number}", option.refusal(value)))?;
            }
            Ok(Applied::Set) => {}
        }
        self.warn_if_delayed(option.name)?;
        if option.name == "Seed" {
            self.send_job(Job::RestartSeries)?;
        }
        self.apply_settings()
    }

    fn wants_external(&self) -> bool {
        self.has_given_engine || !self.settings.engine.is_empty()
    }

    /// Tells the user if an option has to wait for the current search.
    fn warn_if_delayed(&mut self, name: &str) -> io::Result<()> {
        let is_searching = self.running.as_ref().is_some_and(|running| !running.has_result());
        if is_searching {
            let name = shorten(name);
            return self.remark(&format!("{name} will take effect after the current search"));
        }
        Ok(())
    }

    /// Tells the worker to apply the settings.
    fn apply_settings(&mut self) -> io::Result<()> {
        let settings = Box::new(self.settings.clone());
        self.send_job(Job::ApplySettings(settings, self.setup.clone()))
    }

    fn new_game(&mut self) -> io::Result<()> {
        self.game = Game::default();
        self.overruns.new_game();
        self.send_job(Job::NewGame)
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
        // The move must not wait for an external engine that is still starting.
        self.setup.stop();
        self.setup = Controls::new();
        let position = self.game.position().clone();
        let mut running = Running::new(go, position.clone());
        running.shows_wdl = self.settings.show_wdl;
        let controls = running.controls.clone();
        if let Some(depth) = go.perft {
            self.running = Some(running);
            let depth = depth.clamp(1, 30) as u32;
            return self.send_job(Job::Perft { position, depth, controls });
        }
        let moves = self.restriction(go.moves.as_deref())?;
        if !position.has_legal_move() || moves.as_ref().is_some_and(Vec::is_empty) {
            running.set_result(BestMove::default(), Duration::ZERO);
            self.running = Some(running);
            return self.answer();
        }
        let mut limits = go.limits(&self.game, &self.settings, moves.unwrap_or_default());
        let start = if go.ponder { Overruns::start_pondering } else { Overruns::start_move };
        start(&mut self.overruns, self.game.plies(), &limits.clock);
        limits.clock = self.overruns.with_reserve(&limits.clock);
        let is_analysis = go.is_analysis() || self.settings.analyse;
        let who = self.settings.player().player().unwrap_or_default();
        let is_full = is_analysis || who == Who::FullStrength;
        running.is_unbounded = is_full && !limits.are_finite();
        running.then_watch =
            self.settings.ponder && !is_analysis && matches!(who, Who::Imitator(_));
        let started = running.started;
        self.running = Some(running);
        let search = SearchJob { game: self.game.clone(), limits, controls, started, is_analysis };
        self.send_job(Job::Search(Box::new(search)))
    }

    /// Returns the legal moves given after `searchmoves`. `None` means all moves. An empty list
    /// means that none of the given moves is legal.
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

    /// Handles an event from the worker.
    fn handle_event(&mut self, event: session::Event) -> io::Result<()> {
        match event {
            session::Event::Remark(text) => self.remark(&text),
            session::Event::Report(report) => self.show(&report),
            session::Event::ExternalLine(line) => self.write(&line),
            session::Event::NoEngine(failure) => {
                Err(io::Error::other(format!("--engine {failure}")))
            }
            session::Event::Engine(external) => {
                self.external = external;
                Ok(())
            }
            // The engine was changed after the front end had sent the option.
            session::Event::NotExternal { name, value } => match config::find(&name) {
                Ok(option) => self.set_own_option(option, &value),
                Err(error) => self.remark(&error.to_string()),
            },
            session::Event::SearchDone(search) => {
                if let Some(running) = &mut self.running {
                    running.is_shown = search.is_shown;
                    running.set_result(search.best, search.pause);
                    // Store the result before writing this line, so that a GUI that reacts to the line can set options.
                    if self.settings.explain && !search.pause.is_zero() {
                        let seconds = search.pause.as_secs_f64();
                        self.remark(&format!(
                            "waits {seconds:.3} s before moving, as a human would"
                        ))?;
                    }
                }
                self.answer()?;
                self.handle_deferred()
            }
            session::Event::WatchDone => {
                self.running.take_if(|running| running.is_watching());
                self.handle_deferred()
            }
            session::Event::PerftDone(counts) => self.show_perft(counts),
            session::Event::Failed(kind) => {
                self.remark("the engine failed, which is a bug; please report the game")?;
                match kind {
                    JobKind::Search => self.running.iter_mut().for_each(Running::fail),
                    JobKind::Watch => drop(self.running.take_if(|running| running.is_watching())),
                    JobKind::Perft => self.running = None,
                    JobKind::Other => {}
                }
                self.answer()?;
                self.handle_deferred()
            }
            session::Event::Saving => {
                self.is_saving = true;
                Ok(())
            }
            session::Event::Done => {
                self.is_saving = false;
                self.jobs_done += 1;
                Ok(())
            }
        }
    }

    /// Writes a line of analysis.
    fn show(&mut self, report: &Report) -> io::Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        if report.line_number == 1 {
            running.shown = report.line.first().copied();
        }
        let wdl_model = running.wdl_model(&self.win_model);
        let message = message::report(report, &running.position, wdl_model);
        self.write(&message)
    }

    /// Stops the current search, and answers it if there is already a result.
    fn stop(&mut self) -> io::Result<()> {
        self.running.iter_mut().for_each(Running::stop);
        self.stop_watching();
        self.game_to_watch = None;
        self.answer()
    }

    /// Ends the imitator's use of the opponent's time, and returns the game. Nothing waits for its answer.
    fn stop_watching(&mut self) -> Option<Game> {
        let watching = self.running.take_if(|running| running.is_watching())?;
        watching.controls.stop();
        watching.watched
    }

    /// Sends all answers that are due: first those that waited for jobs, then the best move.
    fn answer(&mut self) -> io::Result<()> {
        let due = self.due_answers.take_due(self.jobs_done);
        due.into_iter().try_for_each(|answer| self.send_answer(answer))?;
        let Some(running) = self.running.take_if(|running| running.is_due()) else {
            return Ok(());
        };
        self.send_waiting_answers()?;
        let (best, position) = (running.result(), &running.position);
        if !position.has_legal_move() {
            self.write(&message::game_over(position))?;
        } else if let Some(report) = running.last_report() {
            self.write(&message::report(&report, position, running.wdl_model(&self.win_model)))?;
        }
        self.write(&message::best_move(best.mv, best.ponder, position))?;
        // An external engine plans its own time.
        let (used, pause) = (running.time_used(), running.pause());
        self.overruns.end_move(used, if self.external.is_some() { used } else { pause });
        self.game_to_watch = best.mv.filter(|_| running.then_watch).map(|mv| {
            let mut game = self.game.clone();
            game.play(mv);
            game
        });
        Ok(())
    }

    /// Lets the imitator use the opponent's time after our move, once there is nothing else to do.
    fn watch(&mut self) -> io::Result<()> {
        let is_idle = self.running.is_none()
            && self.deferred.is_empty()
            && self.jobs_done == self.jobs_sent
            && !self.input_ended;
        let Some(game) = self.game_to_watch.take_if(|_| is_idle) else { return Ok(()) };
        if !self.settings.ponder || game.ending().is_some() {
            return Ok(());
        }
        let running = Running::watching(game.clone());
        let controls = running.controls.clone();
        self.running = Some(running);
        self.send_job(Job::Watch(Box::new(game), controls))
    }

    fn show_perft(&mut self, counts: Option<Vec<(Move, u64)>>) -> io::Result<()> {
        let running = self.running.take();
        if counts.is_none() {
            self.remark("perft was stopped")?;
        }
        if let (Some(running), Some(counts)) = (running, counts) {
            for &(m, nodes) in &counts {
                self.write(&format_args!("{}: {nodes}", running.position.uci(m)))?;
            }
            let total: u64 = counts.iter().map(|(_, nodes)| nodes).sum();
            self.write(&format_args!("\nNodes searched: {total}\n"))?;
        }
        self.handle_deferred()
    }
}
