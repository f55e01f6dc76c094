//! A game that people play or watch: its moves, the engine's evaluations of its own moves, and the
//! result. The clocks and draw offers are in `game_state.rs`.

use std::time::SystemTime;

use crate::arena::{
    Adjudication, Adjudicator, PlayedMove, Rules, TimeControl, detailed_comment, rating_tags,
    time_control_tag,
};
use crate::board::{Colour, Game, GameEnd, Move, Position, Role, colour_index};
use crate::games::pgn::PgnWriter;
use crate::games::{GameResult, utc_date};
use crate::player::ScaledRating;

/// A game, usually between a person and the engine.
#[derive(Clone, Debug)]
pub struct CasualGame {
    pub game: Game,
    /// If exactly one person plays, that person's side. Otherwise the side at the bottom of the
    /// board.
    pub human: Colour,
    /// Whether a person plays White, and whether a person plays Black.
    pub people: [bool; 2],
    /// One entry for each move. `None` for the moves of people and for moves that lead to the starting position.
    choices: Vec<Option<PlayedMove>>,
    /// The end of the game by the rules of chess.
    end_by_rules: Option<GameEnd>,
    /// The reason why the game ended, if it was not ended by the rules of chess.
    ended_early: Option<Over>,
}

/// The player of one side, as named in the PGN tags.
#[derive(Clone, Debug, PartialEq)]
pub struct SidePlayer {
    pub name: String,
    pub handicap: Option<String>,
    pub rating: Option<ScaledRating>,
}

impl Default for SidePlayer {
    /// An unnamed person.
    fn default() -> SidePlayer {
        SidePlayer::person("Human")
    }
}

impl SidePlayer {
    pub fn person(name: &str) -> SidePlayer {
        SidePlayer { name: name.to_owned(), handicap: None, rating: None }
    }

    /// An engine whose name is not known yet, because the engine is not ready.
    pub fn unnamed_engine() -> SidePlayer {
        SidePlayer { name: "Stopdown".to_owned(), ..SidePlayer::default() }
    }
}

/// The facts for the PGN that cannot be derived from the moves of a game.
#[derive(Clone, Copy, Debug)]
pub struct PgnFacts<'a> {
    /// The players of White and Black.
    pub players: &'a [SidePlayer; 2],
    pub date: SystemTime,
    pub control: Option<TimeControl>,
    /// Whether the engine's moves get comments about the search and the random choice, and the
    /// engine a tag that describes its handicap.
    pub is_detailed: bool,
}

/// Why a game is over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Over {
    Rules(GameEnd),
    /// This side has resigned.
    Resigned(Colour),
    Agreed,
    /// This side's flag has fallen.
    OutOfTime(Colour),
}

impl CasualGame {
    pub fn new(position: Position, human: Colour) -> CasualGame {
        let people = [human == Colour::White, human == Colour::Black];
        let game = Game::new(position);
        let end_by_rules = game.ending();
        let (choices, ended_early) = (Vec::new(), None);
        CasualGame { game, human, people, choices, end_by_rules, ended_early }
    }

    /// Returns this game, preceded by the moves that led to its first position. These moves are for
    /// display only, because the players did not make them. They do not count towards a repetition.
    pub fn preceded_by(&self, earlier: &Game) -> CasualGame {
        let mut whole = CasualGame { game: earlier.clone(), ..self.clone() };
        whole.choices = vec![None; earlier.ply()];
        for (&m, choice) in self.game.moves().iter().zip(&self.choices) {
            whole.play(m, *choice);
        }
        whole.end_by_rules = self.end_by_rules;
        whole
    }

    pub fn is_person(&self, colour: Colour) -> bool {
        self.people[colour_index(colour)]
    }

    /// Returns whether engines play both sides and people only watch.
    pub fn is_watched(&self) -> bool {
        self.people == [false, false]
    }

    /// Returns whether one person plays against an engine.
    pub fn has_one_person(&self) -> bool {
        self.people[0] != self.people[1]
    }

    pub fn play(&mut self, m: Move, choice: Option<PlayedMove>) {
        self.game.play(m);
        self.choices.push(choice);
        self.end_by_rules = self.game.ending();
    }

    pub fn is_humans_turn(&self) -> bool {
        self.is_person(self.game.position().turn())
    }

    pub fn over(&self) -> Option<Over> {
        self.ended_early.or(self.end_by_rules.map(Over::Rules))
    }

    /// Returns whether the game has started and is not over.
    pub fn is_running(&self) -> bool {
        self.over().is_none() && self.game.ply() > 0
    }

    /// Applies the rules for resignation and draws to an engine that is about to play `next`. Only
    /// the moves that engines made from ply `since` onwards count, because the moves of people have
    /// no evaluation.
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
                adjudicator.follow(position.turn(), position.plies() + 1, choice.value);
            }
            position.play(m);
        }
        adjudicator.follow(position.turn(), position.plies() + 1, next.value)
    }

    /// Ends the game without waiting for the rules of chess to end it.
    pub fn end(&mut self, over: Over) {
        self.ended_early = Some(over);
    }

    /// Takes back a person's last move and all moves after it. Returns false if no person has
    /// moved.
    pub fn undo(&mut self) -> bool {
        let first = self.game.start().turn();
        let mover = |ply: usize| if ply.is_multiple_of(2) { first } else { !first };
        let plies = 0..self.game.moves().len();
        let Some(remaining) = plies.rev().find(|&ply| self.is_person(mover(ply))) else {
            return false;
        };
        self.game = self.game.until(remaining);
        self.choices.truncate(remaining);
        self.end_by_rules = self.game.ending();
        self.ended_early = None;
        true
    }

    pub fn result(&self) -> Option<GameResult> {
        Some(match self.over()? {
            Over::Rules(GameEnd::Checkmate) => GameResult::won_by(!self.game.position().turn()),
            Over::Resigned(colour) => GameResult::won_by(!colour),
            Over::OutOfTime(colour) if self.game.position().can_win(!colour) => {
                GameResult::won_by(!colour)
            }
            Over::Rules(_) | Over::Agreed | Over::OutOfTime(_) => GameResult::Draw,
        })
    }

    /// Describes the result and the reason. If one person plays, the text addresses that person.
    pub fn verdict(&self) -> Option<String> {
        let (result, is_personal) = (self.result()?, self.has_one_person());
        let why = match self.over()? {
            Over::Rules(GameEnd::Checkmate) => "Checkmate",
            Over::Rules(GameEnd::Stalemate) => "Stalemate",
            Over::Rules(GameEnd::InsufficientMaterial) => "Insufficient material",
            Over::Rules(GameEnd::FiftyMoves) => "Fifty-move rule",
            Over::Rules(GameEnd::Threefold) => "Threefold repetition",
            Over::Resigned(Colour::White) if !is_personal => "White resigned",
            Over::Resigned(Colour::Black) if !is_personal => "Black resigned",
            // It is clear who wins.
            Over::Resigned(colour) if colour == self.human => {
                return Some(format!("You resigned, {result}"));
            }
            Over::Resigned(_) => "Your opponent resigned",
            Over::OutOfTime(Colour::White) if !is_personal => "White is out of time",
            Over::OutOfTime(Colour::Black) if !is_personal => "Black is out of time",
            Over::OutOfTime(colour) if colour == self.human => "You are out of time",
            Over::OutOfTime(_) => "Your opponent is out of time",
            Over::Agreed => return Some(format!("Draw agreed, {result}")),
        };
        let side = if is_personal { self.human } else { Colour::White };
        let outcome = match result.half_points(side) {
            2 if is_personal => "you win",
            2 => "White wins",
            1 => "draw",
            _ if is_personal => "you lose",
            _ => "Black wins",
        };
        Some(format!("{why}: {outcome}, {result}"))
    }

    /// Returns the engine's evaluations of its own moves: pairs of a ply and a score in pawns, from
    /// White's point of view.
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

    /// Returns the moves as lines such as `12. Nf3 Nc6`, one for each full move.
    pub fn move_lines(&self) -> Vec<String> {
        let mut lines: Vec<String> = Vec::new();
        let mut position = self.game.start().clone();
        for &m in self.game.moves() {
            let san = position.san(m);
            match (position.turn(), lines.last_mut()) {
                (Colour::Black, Some(line)) => *line += &format!(" {san}"),
                _ => lines.push(format!("{} {san}", position.move_number())),
            }
            position.play(m);
        }
        lines
    }

    /// Returns the material balance in pawns, from the point of view of `colour`.
    pub fn material(&self, colour: Colour) -> i64 {
        let roles = [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        let position = self.game.position();
        let sum = |colour| -> i64 {
            let pieces = roles.iter().zip([1, 3, 3, 5, 9]);
            pieces.map(|(&role, pawns)| position.pieces(colour, role).count() as i64 * pawns).sum()
        };
        sum(colour) - sum(!colour)
    }

    /// Returns the game so far as PGN.
    pub fn pgn(&self, facts: &PgnFacts<'_>) -> String {
        let [white, black] = facts.players;
        let result = self.result().map_or("*".to_owned(), |result| result.to_string());
        let mut tags = vec![
            ("Event", "Casual game".to_owned()),
            ("Site", "?".to_owned()),
            ("Date", utc_date(facts.date)),
            ("Round", "-".to_owned()),
            ("White", white.name.clone()),
            ("Black", black.name.clone()),
            ("Result", result.clone()),
        ];
        tags.extend(rating_tags([white.rating, black.rating]));
        tags.push(("TimeControl", time_control_tag(facts.control)));
        let handicaps = [("WhiteProfile", white), ("BlackProfile", black)];
        let handicaps = handicaps.into_iter().filter(|_| facts.is_detailed);
        tags.extend(handicaps.filter_map(|(tag, player)| Some((tag, player.handicap.clone()?))));
        let termination = match self.over() {
            Some(Over::OutOfTime(_)) => "time forfeit",
            Some(_) => "normal",
            None => "unterminated",
        };
        tags.push(("Termination", termination.to_owned()));
        if self.game.start().is_chess960() {
            tags.push(("Variant", "Chess960".to_owned()));
        }
        let comment =
            |choice: &Option<PlayedMove>| choice.as_ref().map(detailed_comment).unwrap_or_default();
        let commented = self.choices.iter().filter(|_| facts.is_detailed);
        let comments = commented.map(comment).collect();
        PgnWriter { tags, game: &self.game, comments, result: &result }.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_before_the_game_do_not_count_towards_a_repetition() {
        let earlier = Game::from_uci(None, ["g1f3", "g8f6", "f3g1", "f6g8"], false).expect("legal");
        let mut casual = CasualGame::new(earlier.position().clone(), Colour::White);
        for (round, is_over) in [false, true].into_iter().enumerate() {
            for text in ["g1f3", "g8f6", "f3g1", "f6g8"] {
                let played = casual.game.position().parse_uci(text).expect("legal");
                casual.play(played, None);
            }
            let whole = casual.preceded_by(&earlier);
            assert_eq!(casual.over().is_some(), is_over, "round {round}");
            assert_eq!(whole.over(), casual.over(), "round {round}");
            assert_eq!(whole.game.ply(), 4 * (round + 2));
        }
        assert_eq!(casual.verdict().as_deref(), Some("Threefold repetition: draw, 1/2-1/2"));
        assert!(casual.undo() && casual.over().is_none());
    }
}
