//! Where a game in the browser stands, and what the human may do about it.
//!
//! Nothing here waits or searches: that is the part of the session's thread, which finds here what is to
//! be done next.

use std::time::{Duration, Instant, SystemTime};

use super::setup::{Prepared, Setup};
use crate::arena::{Choice, ContestantSpec, PlayerClock};
use crate::board::{Colour, Game};
use crate::sparring::{Over, Table, read_move};

/// What is believed of the human after so many plies.
#[derive(Clone, Copy, Debug)]
pub struct Belief {
    pub ply: usize,
    pub rating: f64,
    /// Of 90 %.
    pub interval: (f64, f64),
    /// Moves that have told something.
    pub informative: usize,
}

#[derive(Debug)]
pub struct State {
    pub table: Table,
    pub setup: Setup,
    pub introduction: Option<String>,
    /// Of the opponent, as soon as it has sat down.
    pub name: String,
    pub handicap: Option<String>,
    /// White's and Black's, as they were when this turn began.
    pub clocks: [PlayerClock; 2],
    pub since: Instant,
    pub began: SystemTime,
    /// An opponent that has to sit down first.
    pub newcomer: Option<ContestantSpec>,
    /// The opponent would have a draw, and has no answer yet.
    pub is_offered: bool,
    /// The offer was declined after so many plies.
    pub declined_at: Option<usize>,
    /// The human would have a draw.
    pub draw_asked: bool,
    /// What is to be said to the human.
    pub notice: String,
    /// Why the opponent cannot play.
    pub trouble: Option<String>,
    /// One before the first move, then one for each move of the human's.
    pub beliefs: Vec<Belief>,
    /// The turn for which the human's choices are valued.
    pub foreseen: u64,
    /// Counts changes of the game: what was thought about an earlier one is of no use.
    pub turn: u64,
    /// Counts all that the page shows, as the session changes it.
    pub version: u64,
    pub closed: bool,
}

/// What the session's thread is to do next.
#[derive(Debug)]
pub enum Task {
    /// The opponent sits down.
    Welcome(Box<ContestantSpec>, Game),
    Answer,
    AnswerOffer(Game),
    /// What do the first moves, so many, say of the human?
    Judge(Game),
    Foresee(Game),
}

/// White's clock is the first.
fn place(colour: Colour) -> usize {
    usize::from(colour == Colour::Black)
}

/// What the clock forgives: the way from the page to here.
const MARGIN: Duration = Duration::from_millis(100);

impl State {
    pub fn new(prepared: Prepared) -> State {
        let Prepared { table, spec, introduction, clocks, setup } = prepared;
        State {
            table,
            setup,
            introduction,
            name: "Stopdown".to_owned(),
            handicap: None,
            clocks,
            since: Instant::now(),
            began: SystemTime::now(),
            newcomer: Some(spec),
            is_offered: false,
            declined_at: None,
            draw_asked: false,
            notice: String::new(),
            trouble: None,
            beliefs: Vec::new(),
            foreseen: 0,
            turn: 1,
            version: 1,
            closed: false,
        }
    }

    /// Another game begins at this table.
    pub fn start_anew(&mut self, prepared: Prepared) {
        let (turn, version) = (self.turn + 1, self.version);
        *self = State { turn, version, ..State::new(prepared) };
    }

    /// The game is another now.
    fn turn_over(&mut self) {
        self.turn += 1;
        self.since = Instant::now();
        self.is_offered = false;
        self.draw_asked = false;
    }

    fn wants_turn(&self) -> Result<(), String> {
        if self.table.over().is_some() {
            return Err("the game is over".to_owned());
        }
        match self.table.is_humans_turn() {
            true => Ok(()),
            false => Err("it is not your turn".to_owned()),
        }
    }

    /// Plays what the human has typed or shown.
    pub fn play(&mut self, text: &str) -> Result<(), String> {
        self.wants_turn()?;
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
        self.turn_over();
        Ok(())
    }

    /// The opponent has moved.
    pub fn answered(&mut self, choice: Choice, offers: bool) {
        if self.spend() {
            self.table.play(choice.mv, Some(choice));
            self.turn_over();
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
        let is_in_time = self.clocks[place(mover)].spend(self.since.elapsed(), MARGIN);
        if !is_in_time {
            self.end(Over::OutOfTime(mover));
        }
        is_in_time
    }

    /// Time until the flag of who is to move falls.
    pub fn allowance(&self) -> Option<Duration> {
        if !self.runs() {
            return None;
        }
        let left = self.clocks[place(self.table.game.position().turn())].allowance()?;
        Some((left + MARGIN).saturating_sub(self.since.elapsed()))
    }

    /// White's and Black's clocks as they stand now, in milliseconds.
    pub fn left(&self) -> Option<[u64; 2]> {
        let turn = self.table.game.position().turn();
        let running = self.runs().then_some(turn);
        let left = |colour: Colour| {
            let left = self.clocks[place(colour)].allowance()?;
            let gone = if running == Some(colour) { self.since.elapsed() } else { Duration::ZERO };
            Some(left.saturating_sub(gone).as_millis() as u64)
        };
        Some([left(Colour::White)?, left(Colour::Black)?])
    }

    pub fn end(&mut self, over: Over) {
        self.table.end(over);
        self.turn_over();
    }

    pub fn take_back(&mut self) -> Result<(), String> {
        if !self.table.undo() {
            return Err("there is no move of yours to take back".to_owned());
        }
        let ply = self.table.game.ply();
        self.beliefs.retain(|belief| belief.ply <= ply);
        self.notice.clear();
        self.turn_over();
        Ok(())
    }

    pub fn resign(&mut self) -> Result<(), String> {
        if self.table.over().is_some() {
            return Err("the game is over".to_owned());
        }
        self.end(Over::Resigned(self.table.human));
        Ok(())
    }

    /// Takes the opponent's offer of a draw, or makes one.
    pub fn draw(&mut self) -> Result<(), String> {
        self.wants_turn()?;
        if self.is_offered {
            self.end(Over::Agreed);
        } else {
            self.draw_asked = true;
        }
        Ok(())
    }

    /// What is to be done next, if anything.
    pub fn task(&mut self) -> Option<Task> {
        let game = &self.table.game;
        if let Some(spec) = self.newcomer.take() {
            return Some(Task::Welcome(Box::new(spec), game.clone()));
        }
        let is_going_on = self.table.over().is_none() && self.trouble.is_none();
        if is_going_on && !self.table.is_humans_turn() {
            return Some(Task::Answer);
        }
        if is_going_on && self.draw_asked {
            return Some(Task::AnswerOffer(game.clone()));
        }
        if let Some(plies) = self.unjudged() {
            return Some(Task::Judge(game.until(plies)));
        }
        if is_going_on && self.foreseen != self.turn {
            self.foreseen = self.turn;
            return Some(Task::Foresee(game.clone()));
        }
        None
    }

    /// The plies after which the next belief is due.
    fn unjudged(&self) -> Option<usize> {
        let Some(number) = self.beliefs.len().checked_sub(1) else { return Some(0) };
        let first = usize::from(self.table.game.start().turn() != self.table.human);
        let plies = first + 2 * number + 1;
        (plies <= self.table.game.ply()).then_some(plies)
    }
}
