//! The loop: one conversation with a GUI.

use std::collections::VecDeque;
use std::fmt::Display;
use std::io::{self, Write};
use std::time::Instant;

use crossbeam::channel::{Receiver, Sender};
use vampirc_uci::UciMessage;

use super::command::Command;
use super::go::Go;
use super::handicap::Handicap;
use super::reader::Line;
use super::worker::{self, Job, Machine, Search};
use super::{Event, message};
use crate::board::{Game, Move, Position, shorten};
use crate::config::{self, Action, Applied, Config, OPTIONS, Settings};
use crate::player::Player;
use crate::search::{BestMove, Bound, Controls, Report};

/// The state of a conversation, and the only writer.
#[derive(Debug)]
pub struct Session<W> {
    out: W,
    /// Defaults as advertised.
    defaults: Settings,
    settings: Settings,
    handicap: Handicap,
    game: Game,
    debug: bool,
    jobs: Sender<Job>,
    /// At home between searches.
    machine: Option<Machine>,
    running: Option<Running>,
    /// "Clear Hash" was pressed while the machine was out.
    clear_later: bool,
    /// Commands that came too early and wait for the running search to end.
    waiting: VecDeque<Command>,
}

/// A `go` that has not been answered.
#[derive(Debug)]
struct Running {
    controls: Controls,
    /// The answer must wait for "stop".
    infinite: bool,
    /// The answer must wait for "ponderhit" or "stop".
    pondering: bool,
    started: Instant,
    position: Position,
    /// The move that the GUI was last shown as best.
    shown: Option<Move>,
    result: Option<BestMove>,
}

impl<W: Write> Session<W> {
    /// A conversation about the starting position. Searches report through `events`.
    pub fn new(config: &Config, out: W, events: Sender<Event>) -> io::Result<Session<W>> {
        let mut session = Session {
            out,
            defaults: config.settings.clone(),
            settings: config.settings.clone(),
            handicap: Handicap::new(config.profiles.clone()),
            game: Game::default(),
            debug: false,
            jobs: worker::start(events)?,
            machine: Some(Machine::new()),
            running: None,
            clear_later: false,
            waiting: VecDeque::new(),
        };
        session.adopt()?;
        Ok(session)
    }

    /// Reacts to events until "quit" or the end of the input. Fails when nobody reads any more.
    pub fn run(&mut self, events: &Receiver<Event>) -> io::Result<()> {
        for event in events {
            match event {
                Event::EndOfInput => break,
                Event::Line(Line::TooLong(length)) => {
                    self.remark(&format!(
                        "a line of {length} bytes is no command; it was skipped"
                    ))?;
                }
                Event::Line(Line::Text(line)) => match Command::parse(&line) {
                    Ok(Some(Command::Quit)) => break,
                    Ok(Some(command)) => self.take(command)?,
                    Ok(None) if self.debug && !line.trim().is_empty() => {
                        self.remark(&format!("no known word in \"{}\"", shorten(line.trim())))?;
                    }
                    Ok(None) => {}
                    Err(error) => self.remark(&error.to_string())?,
                },
                Event::Remark(text) => self.remark(&text)?,
                Event::Report(report) => self.show(&report)?,
                Event::CurrentMove(depth, m, number) => {
                    if let Some(running) = &self.running {
                        let message = message::current_move(depth, m, number, &running.position);
                        self.say(&message)?;
                    }
                }
                Event::Searched(end) => self.searched(end)?,
                Event::Counted(counts) => self.counted(counts)?,
            }
        }
        if let Some(running) = &self.running {
            running.controls.stop();
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

    /// Obeys a command, at once or when its turn comes.
    fn take(&mut self, command: Command) -> io::Result<()> {
        match command {
            // Answered whatever runs.
            Command::Uci => self.introduce(),
            Command::IsReady => self.say(&UciMessage::ReadyOk),
            Command::Debug(on) => {
                self.debug = on;
                Ok(())
            }
            Command::Help => {
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
                Command::Stop => self.stop()?,
                Command::PonderHit => self.ponder_hit()?,
                Command::SetOption { name, value } => self.set_option(name, value)?,
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

    fn obey_at_rest(&mut self, command: &Command) -> io::Result<()> {
        match command {
            Command::NewGame => self.new_game(),
            Command::Position { fen, moves } => self.set_position(fen.as_deref(), moves),
            Command::Go(go) => self.go(go),
            _ => Ok(()),
        }
    }

    fn introduce(&mut self) -> io::Result<()> {
        for line in message::identity() {
            self.say(&line)?;
        }
        for option in &OPTIONS {
            self.say(&message::option(option, &self.defaults))?;
        }
        self.say(&UciMessage::UciOk)
    }

    fn set_option(&mut self, name: &str, value: &str) -> io::Result<()> {
        let applied = config::find(name)
            .and_then(|option| Ok((option, option.apply(&mut self.settings, value)?)));
        match applied {
            Err(error) => return self.remark(&error.to_string()),
            Ok((option, Applied::Clamped(number))) => self.remark(&format!(
                "{} is set to {number}, because {} is out of range; allowed is {}",
                option.name,
                shorten(value),
                option.allowed()
            ))?,
            Ok((_, Applied::Pressed(Action::ClearHash))) => match &mut self.machine {
                Some(machine) => machine.clear(),
                None => self.clear_later = true,
            },
            Ok((option, Applied::Set)) => {
                let complaint = self.handicap.adopt(option.name, &mut self.settings);
                complaint.map_or(Ok(()), |complaint| self.remark(&complaint))?;
            }
        }
        if self.machine.is_none() {
            let name = shorten(name);
            return self.remark(&format!("{name} will take effect after the running search"));
        }
        self.adopt()
    }

    /// Brings the settings into force, if the machine is at home.
    fn adopt(&mut self) -> io::Result<()> {
        let Some(machine) = &mut self.machine else { return Ok(()) };
        let remarks = machine.adopt(&mut self.settings);
        remarks.iter().try_for_each(|remark| self.remark(remark))
    }

    fn new_game(&mut self) -> io::Result<()> {
        self.machine.iter_mut().for_each(Machine::clear);
        self.game = Game::default();
        self.handicap.new_game();
        self.player().map(drop)
    }

    fn player(&mut self) -> io::Result<Player> {
        let (player, remarks) = self.handicap.player(&self.settings);
        remarks.iter().try_for_each(|remark| self.remark(remark)).map(|()| player)
    }

    /// Who decides: analysis is never handicapped.
    fn player_for(&mut self, go: &Go) -> io::Result<Player> {
        if !go.is_analysis() && !self.settings.analyse {
            return self.player();
        }
        if self.handicap.is_stopped_down(&self.settings) {
            self.remark("analysing at full strength")?;
        }
        Ok(Player::FullStrength)
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
        let position = self.game.position().clone();
        let controls = if go.ponder { Controls::pondering() } else { Controls::new() };
        let mut running = Running {
            controls: controls.clone(),
            infinite: go.infinite,
            pondering: go.ponder,
            started: Instant::now(),
            position: position.clone(),
            shown: None,
            result: None,
        };
        if let Some(depth) = go.perft {
            self.running = Some(running);
            let depth = depth.clamp(1, 30) as u32;
            return self.hand_over(Job::Count { position, depth, controls });
        }
        let moves = self.restriction(go.moves.as_deref())?;
        if !position.has_legal_move() || moves.as_ref().is_some_and(Vec::is_empty) {
            running.result = Some(BestMove::default());
            self.running = Some(running);
            return self.answer();
        }
        let player = self.player_for(go)?;
        self.running = Some(running);
        let limits = go.limits(&self.game, &self.settings, moves.unwrap_or_default());
        let machine = self.machine.take().unwrap_or_default();
        let game = self.game.clone();
        let search = Search { machine, player, game, limits, controls };
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

    fn hand_over(&mut self, job: Job) -> io::Result<()> {
        self.jobs.send(job).map_err(|_| io::Error::other("the search thread has ended"))
    }

    fn show(&mut self, report: &Report) -> io::Result<()> {
        let Some(running) = &mut self.running else { return Ok(()) };
        if report.line_number == 1 {
            running.shown = report.line.first().copied();
        }
        let message = message::report(report, &running.position, self.settings.show_wdl);
        self.say(&message)
    }

    fn stop(&mut self) -> io::Result<()> {
        if let Some(running) = &mut self.running {
            running.infinite = false;
            running.pondering = false;
            running.controls.stop();
        }
        self.answer()
    }

    fn ponder_hit(&mut self) -> io::Result<()> {
        if let Some(running) = &mut self.running {
            running.pondering = false;
            running.controls.ponder_hit();
        }
        self.answer()
    }

    fn searched(&mut self, end: Option<Box<(Machine, BestMove)>>) -> io::Result<()> {
        let (machine, best) = match end {
            Some(end) => *end,
            None => {
                self.remark("the search failed, which is a bug; please report the game")?;
                let shown = self.running.as_ref().and_then(|running| running.shown);
                let first = || self.game.position().legal_moves().first().copied();
                (Machine::new(), BestMove { mv: shown.or_else(first), ..BestMove::default() })
            }
        };
        self.machine = Some(machine);
        if let Some(running) = &mut self.running {
            running.result = Some(best);
        }
        self.answer()?;
        self.adopt()?;
        if std::mem::take(&mut self.clear_later) {
            self.machine.iter_mut().for_each(Machine::clear);
        }
        self.obey_waiting()
    }

    /// Gives the result to the GUI, if there is one and it may be given now.
    fn answer(&mut self) -> io::Result<()> {
        let ready = |r: &mut Running| r.result.is_some() && !r.infinite && !r.pondering;
        let Some(running) = self.running.take_if(ready) else { return Ok(()) };
        let best = running.result.clone().unwrap_or_default();
        if !running.position.has_legal_move() {
            self.say(&message::game_over(&running.position))?;
        } else if best.mv.is_some() && best.mv != running.shown {
            // What is played must be what was last shown: match runners check it.
            let report = last_report(&running, &best);
            self.say(&message::report(&report, &running.position, self.settings.show_wdl))?;
        }
        self.say(&message::best_move(best.mv, best.ponder, &running.position))
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

/// A line for a result that the search had no time to report.
fn last_report(running: &Running, best: &BestMove) -> Report {
    Report {
        depth: best.depth,
        selective_depth: best.depth,
        line_number: 1,
        value: best.value,
        bound: Bound::Exact,
        nodes: best.nodes,
        elapsed: running.started.elapsed(),
        hash_full: 0,
        table_hits: 0,
        line: best.mv.into_iter().chain(best.ponder).collect(),
    }
}
