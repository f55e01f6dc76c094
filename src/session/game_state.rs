//! Where a game stands, and what the people in it may do.
//!
//! Nothing here waits or searches. The threads of the [`GameSession`](super::GameSession) find here what
//! is to be done next.

use std::time::{Duration, Instant, SystemTime};

use super::casual_game::{CasualGame, Over, SidePlayer};
use super::spelling::read_move;
use super::strength_reader::Thoroughness;
use crate::arena::{ContestantSpec, PlayedMove, PlayerClock};
use crate::board::{Colour, Game, place_of};

/// What is needed to start a game.
#[derive(Debug)]
pub struct GameSetup {
    pub table: CasualGame,
    /// White's and Black's player, where they are not people.
    pub specs: [Option<ContestantSpec>; 2],
    pub clocks: [PlayerClock; 2],
    /// Engines take the time of a person.
    pub paced: bool,
}

/// What is believed of a player after so many plies.
#[derive(Clone, Copy, Debug)]
pub struct RatingPoint {
    pub ply: usize,
    pub rating: f64,
    /// Of 90 %.
    pub interval: (f64, f64),
    /// Informative moves.
    pub informative: usize,
    pub thoroughness: Thoroughness,
}

#[derive(Debug)]
pub struct GameState {
    pub table: CasualGame,
    /// White's and Black's: who they are, as soon as they are ready.
    pub seats: [SidePlayer; 2],
    /// White's and Black's, as they were when this turn started.
    pub clocks: [PlayerClock; 2],
    pub paced: bool,
    pub since: Instant,
    pub began: SystemTime,
    /// White's and Black's player that have to get ready first, where they are not people.
    pub(super) newcomers: Option<[Option<ContestantSpec>; 2]>,
    /// As whom the only engine is to go on.
    pub(super) replacement: Option<ContestantSpec>,
    /// All players are ready.
    pub(super) seated: bool,
    /// The opponent would have a draw, and has no answer yet.
    pub is_offered: bool,
    /// The offer was declined after so many plies.
    pub declined_at: Option<usize>,
    /// A person would have a draw.
    pub draw_asked: bool,
    /// Something to be said to the person.
    pub notice: String,
    /// Why an opponent cannot play.
    pub trouble: Option<String>,
    /// Of White and of Black, if their moves are read: one before the first move, then one for each
    /// move.
    pub ratings: [Vec<RatingPoint>; 2],
    /// The turn for which the person's choices are evaluated.
    foreseen: u64,
    /// The reader does that now.
    pub(super) is_foreseeing: bool,
    /// Counts changes of the game: what was thought about an earlier one is of no use.
    pub turn: u64,
    /// Counts the games, and moves taken back: what was read of earlier moves is of no use.
    pub line: u64,
    /// Counts all changes that can be seen, as the session makes them.
    pub version: u64,
    pub closed: bool,
}

/// What the player thread is to do next.
#[derive(Debug)]
pub(super) enum PlayerTask {
    /// White and Black get ready, where they are not people.
    Seat(Box<[Option<ContestantSpec>; 2]>),
    /// The only engine goes on as somebody else.
    Change(Box<ContestantSpec>),
    Move,
    AnswerOffer(Box<Game>),
}

/// What the reader thread is to do next.
#[derive(Debug)]
pub(super) enum ReaderTask {
    /// Reads the moves so far of a side.
    Read(Colour, Game, Thoroughness),
    /// Evaluates the moves that a person can choose from.
    Foresee(Game),
}

/// What the clock forgives: the way from the person to here.
const MARGIN: Duration = Duration::from_millis(100);

impl GameState {
    pub fn new(setup: GameSetup) -> GameState {
        let GameSetup { table, specs, clocks, paced } = setup;
        GameState {
            table,
            seats: Default::default(),
            clocks,
            paced,
            since: Instant::now(),
            began: SystemTime::now(),
            newcomers: Some(specs),
            replacement: None,
            seated: false,
            is_offered: false,
            declined_at: None,
            draw_asked: false,
            notice: String::new(),
            trouble: None,
            ratings: Default::default(),
            foreseen: 0,
            is_foreseeing: false,
            turn: 1,
            line: 1,
            version: 1,
            closed: false,
        }
    }

    /// Another game starts.
    pub fn start_anew(&mut self, setup: GameSetup) {
        let (turn, line, version) = (self.turn + 1, self.line + 1, self.version);
        *self = GameState { turn, line, version, ..GameState::new(setup) };
    }

    /// The game has changed.
    fn next_turn(&mut self) {
        self.turn += 1;
        self.since = Instant::now();
        self.is_offered = false;
        self.draw_asked = false;
    }

    fn check_turn(&self) -> Result<(), String> {
        if self.table.over().is_some() {
            return Err("the game is over".to_owned());
        }
        match self.table.is_humans_turn() {
            true => Ok(()),
            false => Err("it is not your turn".to_owned()),
        }
    }

    /// Plays a move that a person has typed or shown.
    pub fn play(&mut self, text: &str) -> Result<(), String> {
        self.check_turn()?;
        let played = read_move(text.trim(), self.table.game.position());
        let played = played.map_err(|error| error.to_string())?;
        if !self.spend() {
            return Ok(());
        }
        if self.is_offered {
            self.declined_at = Some(self.table.game.ply());
        }
        self.table.play(played, None);
        self.notice.clear();
        self.next_turn();
        Ok(())
    }

    /// An engine has moved.
    pub fn answered(&mut self, choice: PlayedMove, offers: bool) {
        if self.spend() {
            self.table.play(choice.mv, Some(choice));
            self.next_turn();
            self.is_offered = offers && self.table.over().is_none();
        }
    }

    /// Do the clocks run? Not before both sides have made a move.
    pub fn runs(&self) -> bool {
        self.table.over().is_none() && self.table.game.ply() >= 2
    }

    /// Takes the time of this turn off the clock; false if there was not so much.
    fn spend(&mut self) -> bool {
        if !self.runs() {
            return true;
        }
        let mover = self.table.game.position().turn();
        let is_in_time = self.clocks[place_of(mover)].spend(self.since.elapsed(), MARGIN);
        if !is_in_time {
            self.end(Over::OutOfTime(mover));
        }
        is_in_time
    }

    /// Time until the flag of the side to move falls.
    pub fn allowance(&self) -> Option<Duration> {
        if !self.runs() {
            return None;
        }
        let left = self.clocks[place_of(self.table.game.position().turn())].allowance()?;
        Some((left + MARGIN).saturating_sub(self.since.elapsed()))
    }

    /// White's and Black's clocks as they stand now, in milliseconds.
    pub fn left(&self) -> Option<[u64; 2]> {
        let turn = self.table.game.position().turn();
        let running = self.runs().then_some(turn);
        let left = |colour: Colour| {
            let left = self.clocks[place_of(colour)].allowance()?;
            let gone = if running == Some(colour) { self.since.elapsed() } else { Duration::ZERO };
            Some(left.saturating_sub(gone).as_millis() as u64)
        };
        Some([left(Colour::White)?, left(Colour::Black)?])
    }

    pub fn end(&mut self, over: Over) {
        self.table.end(over);
        self.next_turn();
    }

    pub fn take_back(&mut self) -> Result<(), String> {
        if !self.table.undo() {
            return Err("there is no move of yours to take back".to_owned());
        }
        let ply = self.table.game.ply();
        self.ratings.iter_mut().for_each(|side| side.retain(|point| point.ply <= ply));
        self.notice.clear();
        self.line += 1;
        self.next_turn();
        Ok(())
    }

    pub fn resign(&mut self) -> Result<(), String> {
        if self.table.over().is_some() {
            return Err("the game is over".to_owned());
        }
        let resigns = match self.table.people {
            [true, true] => self.table.game.position().turn(),
            [false, false] => return Err("nobody here has a side".to_owned()),
            _ => self.table.human,
        };
        self.end(Over::Resigned(resigns));
        Ok(())
    }

    /// Takes the opponent's offer of a draw, or makes one. Two people have agreed already.
    pub fn draw(&mut self) -> Result<(), String> {
        self.check_turn()?;
        if self.is_offered || self.table.people == [true, true] {
            self.end(Over::Agreed);
        } else {
            self.draw_asked = true;
        }
        Ok(())
    }

    /// From the next move on the only engine plays as somebody else.
    pub fn change_opponent(&mut self, spec: ContestantSpec) {
        self.replacement = Some(spec);
        self.seated = false;
    }

    /// Have players still to get ready?
    pub(super) fn has_newcomers(&self) -> bool {
        self.newcomers.is_some() || self.replacement.is_some()
    }

    /// Are all players ready?
    pub fn is_seated(&self) -> bool {
        self.seated
    }

    /// Is it an engine that has to do something next?
    pub fn awaits_engine(&self) -> bool {
        let is_engines_turn = self.table.over().is_none() && !self.table.is_humans_turn();
        self.trouble.is_none() && (!self.seated || is_engines_turn || self.draw_asked)
    }

    /// Have all moves so far been read as deeply as they will be?
    pub fn is_read(&self) -> bool {
        self.unread().is_none()
    }

    /// Takes a point of the chart, unless moves were taken back since it was read.
    pub fn take_rating(&mut self, side: Colour, point: RatingPoint) {
        let points = &mut self.ratings[place_of(side)];
        match points.iter_mut().find(|known| known.ply == point.ply) {
            Some(known) => *known = point,
            None => points.push(point),
        }
    }

    pub(super) fn player_task(&mut self) -> Option<PlayerTask> {
        let game = &self.table.game;
        if let Some(specs) = self.newcomers.take() {
            return Some(PlayerTask::Seat(Box::new(specs)));
        }
        if let Some(spec) = self.replacement.take() {
            return Some(PlayerTask::Change(Box::new(spec)));
        }
        if self.table.over().is_some() || self.trouble.is_some() {
            return None;
        }
        // Engines that play each other wait for the reader: nobody waits for them.
        let waits = self.table.is_watched() && self.unread().is_some();
        if !self.table.is_humans_turn() && !waits {
            return Some(PlayerTask::Move);
        }
        self.draw_asked.then(|| PlayerTask::AnswerOffer(Box::new(game.clone())))
    }

    pub(super) fn reader_task(&mut self) -> Option<ReaderTask> {
        let game = &self.table.game;
        self.is_foreseeing = false;
        if let Some((side, plies, thoroughness)) = self.unread() {
            return Some(ReaderTask::Read(side, game.until(plies), thoroughness));
        }
        let is_persons_turn = self.table.over().is_none() && self.table.is_humans_turn();
        if !is_persons_turn || self.foreseen == self.turn {
            return None;
        }
        (self.foreseen, self.is_foreseeing) = (self.turn, true);
        Some(ReaderTask::Foresee(game.clone()))
    }

    /// The sides whose moves are read: those of people, or else both.
    fn sides_read(&self) -> impl Iterator<Item = Colour> {
        let table = &self.table;
        let is_read = |colour: &Colour| table.is_watched() || table.is_person(*colour);
        [Colour::White, Colour::Black].into_iter().filter(is_read)
    }

    /// The side to read next, after how many plies and how deeply: a glance at everything comes first.
    fn unread(&self) -> Option<(Colour, usize, Thoroughness)> {
        let game = &self.table.game;
        let next_ply = |side: Colour| {
            let Some(number) = self.ratings[place_of(side)].len().checked_sub(1) else { return 0 };
            usize::from(game.start().turn() != side) + 2 * number + 1
        };
        let new = self.sides_read().map(|side| (side, next_ply(side), Thoroughness::Glance));
        let new =
            new.filter(|(_, plies, _)| *plies <= game.ply()).min_by_key(|(_, plies, _)| *plies);
        let glanced = |side: Colour| {
            let points = self.ratings[place_of(side)].iter();
            let mut glanced = points.filter(|point| point.thoroughness == Thoroughness::Glance);
            glanced.next().map(|point| (side, point.ply, Thoroughness::Full))
        };
        let deepen = || self.sides_read().filter_map(glanced).min_by_key(|(_, plies, _)| *plies);
        new.or_else(deepen)
    }
}
