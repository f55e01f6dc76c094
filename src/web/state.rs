//! Where a game in the browser stands, what the human may do about it, and what the page shows of it.
//!
//! Nothing here waits or searches: that is the part of the session's thread, which finds here what is to
//! be done next.

use std::time::{Duration, Instant, SystemTime};

use serde_json::{Value as Json, json};

use super::setup::{Prepared, Setup};
use crate::arena::{ContestantSpec, PlayedMove, PlayerClock};
use crate::board::{Colour, Game, place_of};
use crate::report::moves_json;
use crate::sparring::{FEWEST_MOVES, Over, SidePlayer, SparringTable, read_move};

/// What is believed of a player after so many plies.
#[derive(Clone, Copy, Debug)]
pub struct RatingPoint {
    pub ply: usize,
    pub rating: f64,
    /// Of 90 %.
    pub interval: (f64, f64),
    /// Moves that have told something.
    pub informative: usize,
}

#[derive(Debug)]
pub struct WebState {
    pub table: SparringTable,
    pub setup: Setup,
    pub introduction: Option<String>,
    /// White's and Black's: who they are, as soon as they have sat down.
    pub seats: [SidePlayer; 2],
    /// White's and Black's, as they were when this turn began.
    pub clocks: [PlayerClock; 2],
    pub since: Instant,
    pub began: SystemTime,
    /// Those who have to sit down first: White and Black, where they are no people.
    pub newcomers: Option<[Option<ContestantSpec>; 2]>,
    /// The opponent would have a draw, and has no answer yet.
    pub is_offered: bool,
    /// The offer was declined after so many plies.
    pub declined_at: Option<usize>,
    /// The human would have a draw.
    pub draw_asked: bool,
    /// What is to be said to the human.
    pub notice: String,
    /// Why an opponent cannot play.
    pub trouble: Option<String>,
    /// Of White and of Black, if their moves are read: one before the first move, then one for each
    /// move.
    pub beliefs: [Vec<RatingPoint>; 2],
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
    /// White and Black sit down, where they are no people.
    Welcome(Box<[Option<ContestantSpec>; 2]>, Game),
    Answer,
    AnswerOffer(Game),
    /// What do the moves so far say of this side?
    Judge(Colour, Game),
    Foresee(Game),
}

/// What the clock forgives: the way from the page to here.
const MARGIN: Duration = Duration::from_millis(100);

impl WebState {
    pub fn new(prepared: Prepared) -> WebState {
        let Prepared { table, specs, introduction, clocks, setup } = prepared;
        WebState {
            table,
            setup,
            introduction,
            seats: Default::default(),
            clocks,
            since: Instant::now(),
            began: SystemTime::now(),
            newcomers: Some(specs),
            is_offered: false,
            declined_at: None,
            draw_asked: false,
            notice: String::new(),
            trouble: None,
            beliefs: Default::default(),
            foreseen: 0,
            turn: 1,
            version: 1,
            closed: false,
        }
    }

    /// Another game begins at this table.
    pub fn start_anew(&mut self, prepared: Prepared) {
        let (turn, version) = (self.turn + 1, self.version);
        *self = WebState { turn, version, ..WebState::new(prepared) };
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
    pub fn answered(&mut self, choice: PlayedMove, offers: bool) {
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
        let is_in_time = self.clocks[place_of(mover)].spend(self.since.elapsed(), MARGIN);
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
        self.turn_over();
    }

    pub fn take_back(&mut self) -> Result<(), String> {
        if !self.table.undo() {
            return Err("there is no move of yours to take back".to_owned());
        }
        let ply = self.table.game.ply();
        self.beliefs.iter_mut().for_each(|side| side.retain(|belief| belief.ply <= ply));
        self.notice.clear();
        self.turn_over();
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
        self.wants_turn()?;
        if self.is_offered || self.table.people == [true, true] {
            self.end(Over::Agreed);
        } else {
            self.draw_asked = true;
        }
        Ok(())
    }

    /// What is to be done next, if anything.
    pub fn task(&mut self) -> Option<Task> {
        let game = &self.table.game;
        if let Some(specs) = self.newcomers.take() {
            return Some(Task::Welcome(Box::new(specs), game.clone()));
        }
        let is_going_on = self.table.over().is_none() && self.trouble.is_none();
        let unjudged = self.unjudged();
        // Nobody waits for engines that play each other.
        let waits = self.table.is_watched() && unjudged.is_some();
        if is_going_on && !self.table.is_humans_turn() && !waits {
            return Some(Task::Answer);
        }
        if is_going_on && self.draw_asked {
            return Some(Task::AnswerOffer(game.clone()));
        }
        if let Some((side, plies)) = unjudged {
            return Some(Task::Judge(side, game.until(plies)));
        }
        if is_going_on && self.foreseen != self.turn {
            self.foreseen = self.turn;
            return Some(Task::Foresee(game.clone()));
        }
        None
    }

    /// Whose moves are read: those of people, or else of both sides.
    fn judged(&self) -> impl Iterator<Item = Colour> {
        let table = &self.table;
        let is_judged = |colour: &Colour| table.is_watched() || table.is_person(*colour);
        [Colour::White, Colour::Black].into_iter().filter(is_judged)
    }

    /// The side of which a belief is due, and after how many plies.
    fn unjudged(&self) -> Option<(Colour, usize)> {
        let game = &self.table.game;
        let due = |side: Colour| {
            let Some(number) = self.beliefs[place_of(side)].len().checked_sub(1) else { return 0 };
            usize::from(game.start().turn() != side) + 2 * number + 1
        };
        let due = self.judged().map(|side| (side, due(side)));
        due.filter(|(_, plies)| *plies <= game.ply()).min_by_key(|(_, plies)| *plies)
    }
}

/// Everything.
pub fn snapshot(session: &str, state: &WebState) -> Json {
    let game = &state.table.game;
    let (boards, moves) = moves_json(game, |_, _| Json::Null);
    let position = game.position();
    let is_over = state.table.over().is_some();
    let legal = match is_over || !state.table.is_humans_turn() {
        true => Vec::new(),
        false => position.legal_moves().iter().map(|&mv| position.uci(mv)).collect(),
    };
    let is_thinking = !is_over && state.trouble.is_none() && !state.table.is_humans_turn();
    json!({
        "session": session,
        "version": state.version,
        "setup": state.setup,
        "boards": boards,
        "moves": moves,
        "legal": legal,
        "fen": position.fen(),
        "white": position.turn() == Colour::White,
        "check": position.in_check().then(|| position.king(position.turn()).to_string()),
        "human": if state.table.human == Colour::White { "white" } else { "black" },
        "people": state.table.people,
        "names": state.seats.each_ref().map(|seat| &seat.name),
        "introduction": state.introduction,
        "handicap": state.seats[place_of(!state.table.human)].handicap,
        "thinking": is_thinking,
        "offered": state.is_offered,
        "asked": state.draw_asked,
        "notice": state.notice,
        "trouble": state.trouble,
        "result": state.table.result().map(|result| result.to_string()),
        "verdict": state.table.verdict(),
        "left": state.left(),
        "running": state.runs(),
        "beliefs": state.beliefs.each_ref().map(|beliefs| believed(beliefs)),
        "values": state.table.values(),
    })
}

/// What is believed of a side: plies, medians and the ends of intervals; nothing of whose moves are not
/// read.
fn believed(beliefs: &[RatingPoint]) -> Option<Json> {
    let row = |belief: &RatingPoint| {
        let (low, high) = belief.interval;
        [belief.ply as f64, belief.rating.round(), low.round(), high.round()]
    };
    let informative = beliefs.last()?.informative;
    Some(json!({
        "points": beliefs.iter().map(row).collect::<Vec<_>>(),
        "informative": informative,
        "enough": informative >= FEWEST_MOVES,
    }))
}
