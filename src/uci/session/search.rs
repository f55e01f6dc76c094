//! From `go` to `bestmove`: a search is handed over to the worker, what it tells is passed on, and
//! its result is given when its time has come.

use std::io::{self, Write};

use super::Session;
use super::running::Running;
use crate::board::Move;
use crate::player::{Decision, Player};
use crate::search::{BestMove, Limits, Report};
use crate::uci::command::InputLine;
use crate::uci::foreign::Foreign;
use crate::uci::go::Go;
use crate::uci::worker::{FinishedSearch, Job, Machine, Search};
use crate::uci::{Event, message};

impl<W: Write> Session<W> {
    pub(super) fn go(&mut self, go: &Go) -> io::Result<()> {
        for remark in &go.remarks {
            self.remark(remark)?;
        }
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
            running.settle(Decision::default());
            self.running = Some(running);
            return self.answer();
        }
        let player = self.player_for(go)?;
        let limits = go.limits(&self.game, &self.settings, moves.unwrap_or_default());
        let analysing = self.is_analysis(go);
        let thought = if analysing {
            None
        } else {
            self.handicap.thought(&player, &self.game, &limits.clock, &self.settings)
        };
        running.is_unbounded = matches!(player, Player::FullStrength) && !limits.are_bounds();
        running.then_watch = self.settings.ponder && matches!(player, Player::Imitating(_));
        self.running = Some(running.paced(thought));
        let machine = self.machine.take().unwrap_or_else(|| self.new_machine());
        let game = self.game.clone();
        let search = Search { machine, player, game, limits, controls };
        self.hand_over(Job::Search(Box::new(search)))
    }

    /// Is it asked what is true, not what to play?
    fn is_analysis(&self, go: &Go) -> bool {
        go.is_analysis() || self.settings.analyse
    }

    /// Who decides: analysis is never handicapped.
    fn player_for(&mut self, go: &Go) -> io::Result<Player> {
        if !self.is_analysis(go) {
            return self.player();
        }
        if self.handicap.is_stopped_down(&self.settings) {
            self.remark("analysing at full strength")?;
        }
        Ok(Player::FullStrength)
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

    /// Passes on what the worker tells.
    pub(super) fn react(&mut self, event: Event) -> io::Result<()> {
        match event {
            Event::Line(InputLine::TooLong(length)) => {
                self.remark(&format!("a line of {length} bytes is no command; it was skipped"))
            }
            Event::Remark(text) => self.remark(&text),
            Event::Report(report) => self.show(&report),
            Event::Said(line) => self.say(&line),
            Event::Searched(end) => self.searched(end),
            Event::Counted(counts) => self.counted(counts),
            Event::Line(InputLine::Text(_)) | Event::EndOfInput => Ok(()),
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

    pub(super) fn stop(&mut self) -> io::Result<()> {
        self.running.iter_mut().for_each(Running::stop);
        self.answer()
    }

    pub(super) fn ponder_hit(&mut self) -> io::Result<()> {
        self.running.iter_mut().for_each(Running::ponder_hit);
        self.answer()
    }

    fn searched(&mut self, end: Option<Box<FinishedSearch>>) -> io::Result<()> {
        let FinishedSearch { machine, player, decision } = match end {
            Some(end) => *end,
            None => {
                self.remark("the search failed, which is a bug; please report the game")?;
                self.without_result()
            }
        };
        if let (Some(running), Some(_), Player::FullStrength) =
            (&mut self.running, &self.foreign, &player)
        {
            // It has said itself what there was to say.
            running.shown = decision.best.mv;
        }
        self.machine = Some(machine);
        self.handicap.welcome(player);
        self.running.take_if(|running| running.is_watching);
        if let Some(running) = &mut self.running {
            let pause = running.settle(decision);
            if self.settings.explain && !pause.is_zero() {
                let seconds = pause.as_secs_f64();
                self.remark(&format!("takes {seconds:.3} s over the move, as a person might"))?;
            }
        }
        self.answer()?;
        self.adopt()?;
        if std::mem::take(&mut self.clear_later) {
            self.machine.iter_mut().for_each(Machine::clear);
        }
        self.obey_waiting()
    }

    fn new_machine(&self) -> Machine {
        self.foreign.as_ref().map_or_else(Machine::new, Foreign::machine)
    }

    /// Another machine, and a move that can be played, after the search was lost.
    fn without_result(&self) -> FinishedSearch {
        let shown = self.running.as_ref().and_then(|running| running.shown);
        let first = || self.game.position().legal_moves().first().copied();
        let best = BestMove { mv: shown.or_else(first), ..BestMove::default() };
        let (machine, decision) = (self.new_machine(), Decision { best, choice: None });
        FinishedSearch { machine, player: Player::FullStrength, decision }
    }

    /// Gives the result to the GUI, if there is one and its time has come.
    pub(super) fn answer(&mut self) -> io::Result<()> {
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
        self.before_him = best.mv.filter(|_| running.then_watch).map(|mv| {
            let mut game = self.game.clone();
            game.play(mv);
            game
        });
        self.keep()
    }

    /// Keeps what was learnt of the opponent.
    pub(super) fn keep(&mut self) -> io::Result<()> {
        self.handicap.keep().map_or(Ok(()), |complaint| self.remark(&complaint))
    }

    /// After an answer: who imitates uses the opponent's time, if the GUI allows it.
    pub(super) fn watch(&mut self) -> io::Result<()> {
        let Some(game) = self.before_him.take() else { return Ok(()) };
        let is_idle = self.running.is_none() && self.waiting.is_empty() && !self.has_heard_all;
        if !is_idle || game.ending().is_some() {
            return Ok(());
        }
        let player = self.player()?;
        let machine = self.machine.take().unwrap_or_else(|| self.new_machine());
        let running = Running::watching(game.position().clone());
        let (controls, limits) = (running.controls.clone(), Limits::default());
        self.running = Some(running);
        self.hand_over(Job::Watch(Box::new(Search { machine, player, game, limits, controls })))
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
