//! A game in which people play or watch: its moves, what the engine thought of its own, and how it ended.

use std::time::SystemTime;

use crate::arena::{Adjudication, Adjudicator, PlayedMove, Rules, move_comment};
use crate::board::{Colour, Ending, Game, Move, Position, Role, place_of};
use crate::games::pgn::PgnWriter;
use crate::games::{GameResult, utc_date};

/// A game, usually between a person and the engine.
#[derive(Clone, Debug)]
pub struct CasualGame {
    pub game: Game,
    /// Who sits at this side of the board: the human, where there is one.
    pub human: Colour,
    /// Do people move for White, and for Black?
    pub people: [bool; 2],
    /// One for each move: nothing is known of the human's, nor of those the game began with.
    choices: Vec<Option<PlayedMove>>,
    /// Ended by the players before the rules of chess did.
    agreed: Option<Over>,
}

/// Who plays a side, as a file of games says it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SidePlayer {
    pub name: String,
    pub handicap: Option<String>,
}

impl Default for SidePlayer {
    /// Somebody.
    fn default() -> SidePlayer {
        SidePlayer { name: "Human".to_owned(), handicap: None }
    }
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Rules(Ending),
    /// By this side.
    Resigned(Colour),
    Agreed,
    /// By this side's flag.
    OutOfTime(Colour),
}

impl CasualGame {
    pub fn new(position: Position, human: Colour) -> CasualGame {
        let people = [human == Colour::White, human == Colour::Black];
        CasualGame { game: Game::new(position), human, people, choices: Vec::new(), agreed: None }
    }

    pub fn is_person(&self, colour: Colour) -> bool {
        self.people[place_of(colour)]
    }

    /// Do engines play each other, and people only watch?
    pub fn is_watched(&self) -> bool {
        self.people == [false, false]
    }

    /// Is it one person's game against the engine?
    fn has_one_person(&self) -> bool {
        self.people[0] != self.people[1]
    }

    pub fn play(&mut self, m: Move, choice: Option<PlayedMove>) {
        self.game.play(m);
        self.choices.push(choice);
    }

    pub fn is_humans_turn(&self) -> bool {
        self.is_person(self.game.position().turn())
    }

    pub fn over(&self) -> Option<Over> {
        self.agreed.or_else(|| self.game.ending().map(Over::Rules))
    }

    /// Is it neither over nor only about to begin?
    pub fn is_under_way(&self) -> bool {
        self.over().is_none() && self.game.ply() > 0
    }

    /// What the engine's own values since this ply make of the game, by these rules, when it plays
    /// its next choice.
    pub fn adjudicated(
        &self,
        rules: Rules,
        since: usize,
        next: &PlayedMove,
    ) -> Option<Adjudication> {
        let mut adjudicator = Adjudicator::new(rules);
        let mut position = self.game.start().clone();
        for (ply, (&m, choice)) in self.game.moves().iter().zip(&self.choices).enumerate() {
            if let Some(choice) = choice.as_ref().filter(|_| ply >= since) {
                adjudicator.follow(position.turn(), position.fullmoves(), choice.value);
            }
            position.play(m);
        }
        adjudicator.follow(position.turn(), position.fullmoves(), next.value)
    }

    pub fn end(&mut self, over: Over) {
        self.agreed = Some(over);
    }

    /// Goes back to before the last move that a person made. False if there is none.
    pub fn undo(&mut self) -> bool {
        let mut position = self.game.start().clone();
        let mut turns = Vec::new();
        for &m in self.game.moves() {
            turns.push(position.turn());
            position.play(m);
        }
        let Some(kept) = turns.iter().rposition(|&turn| self.is_person(turn)) else { return false };
        self.game = self.game.until(kept);
        self.choices.truncate(kept);
        self.agreed = None;
        true
    }

    pub fn result(&self) -> Option<GameResult> {
        Some(match self.over()? {
            Over::Rules(Ending::Checkmate) => GameResult::won_by(!self.game.position().turn()),
            Over::Resigned(colour) => GameResult::won_by(!colour),
            Over::OutOfTime(colour) if self.can_win(!colour) => GameResult::won_by(!colour),
            Over::Rules(_) | Over::Agreed | Over::OutOfTime(_) => GameResult::Draw,
        })
    }

    /// The result and why: to the human, where there is just one.
    pub fn verdict(&self) -> Option<String> {
        let (result, is_told) = (self.result()?, self.has_one_person());
        let why = match self.over()? {
            Over::Rules(Ending::Checkmate) => "Checkmate",
            Over::Rules(Ending::Stalemate) => "Stalemate",
            Over::Rules(Ending::InsufficientMaterial) => "Neither side has enough left to mate",
            Over::Rules(Ending::FiftyMoves) => "Fifty moves without a capture or a pawn move",
            Over::Rules(Ending::Threefold) => "The same position for the third time",
            Over::Resigned(Colour::White) if !is_told => "White resigns",
            Over::Resigned(Colour::Black) if !is_told => "Black resigns",
            Over::Resigned(colour) if colour == self.human => "You resign",
            Over::Resigned(_) => "Stopdown resigns",
            Over::OutOfTime(Colour::White) if !is_told => "White's time is over",
            Over::OutOfTime(Colour::Black) if !is_told => "Black's time is over",
            Over::OutOfTime(colour) if colour == self.human => "Your time is over",
            Over::OutOfTime(_) => "Stopdown's time is over",
            Over::Agreed => "A draw is agreed",
        };
        let side = if is_told { self.human } else { Colour::White };
        let what = match result.half_points(side) {
            2 if is_told => "you win",
            2 => "White wins",
            1 => "drawn",
            _ if is_told => "you lose",
            _ => "Black wins",
        };
        Some(format!("{why}: {what}, {result}"))
    }

    /// A bare king wins no game, not even on time.
    fn can_win(&self, colour: Colour) -> bool {
        self.game.position().of_colour(colour).count() > 1
    }

    /// What the engine thought of its own moves: what the position after so many plies is worth to
    /// White, in pawns.
    pub fn values(&self) -> Vec<(usize, f64)> {
        let mut mover = self.game.start().turn();
        let mut values = Vec::new();
        for (ply, choice) in self.choices.iter().enumerate() {
            if let Some(value) = choice.as_ref().and_then(|choice| choice.value) {
                let pawns = value.pawns();
                values.push((ply + 1, if mover == Colour::White { pawns } else { -pawns }));
            }
            mover = !mover;
        }
        values
    }

    /// `12. Nf3 Nc6`, one line for each full move.
    pub fn move_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut position = self.game.start().clone();
        for &m in self.game.moves() {
            let san = position.san(m);
            match (position.turn(), lines.last_mut()) {
                (Colour::Black, Some(line)) => *line += &format!(" {san}"),
                (Colour::Black, None) => lines.push(format!("{} {san}", position.move_number())),
                (Colour::White, _) => lines.push(format!("{} {san}", position.move_number())),
            }
            position.play(m);
        }
        lines
    }

    /// How many pawns' worth of pieces a side has more than the other.
    pub fn material(&self, colour: Colour) -> i64 {
        let worth = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        let position = self.game.position();
        let sum = |colour| -> i64 {
            let pieces = worth.iter().zip([1, 3, 3, 5, 9]);
            pieces.map(|(&role, worth)| position.pieces(colour, role).count() as i64 * worth).sum()
        };
        sum(colour) - sum(!colour)
    }

    /// The game so far, ready to be added to a file of games: White's seat is the first.
    pub fn pgn(&self, [white, black]: &[SidePlayer; 2], date: SystemTime) -> String {
        let result = self.result().map_or("*".to_owned(), |result| result.to_string());
        let mut tags = vec![
            ("Event", "Casual game".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", utc_date(date)),
            ("Round", "-".to_owned()),
            ("White", white.name.clone()),
            ("Black", black.name.clone()),
            ("Result", result.clone()),
        ];
        let handicaps = [("WhiteProfile", white), ("BlackProfile", black)];
        tags.extend(
            handicaps.into_iter().filter_map(|(tag, seat)| Some((tag, seat.handicap.clone()?))),
        );
        let ended = match self.over() {
            Some(Over::OutOfTime(_)) => "time forfeit",
            Some(_) => "normal",
            None => "unterminated",
        };
        tags.push(("Termination", ended.to_owned()));
        if self.game.start().is_chess960() {
            tags.push(("Variant", "Chess960".to_owned()));
        }
        let comment =
            |choice: &Option<PlayedMove>| choice.as_ref().map(move_comment).unwrap_or_default();
        let comments = self.choices.iter().map(comment).collect();
        PgnWriter { tags, game: &self.game, comments, result: &result }.to_string()
    }
}
