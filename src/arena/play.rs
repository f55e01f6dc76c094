//! Plays one game between two contestants. It adjudicates the game when the result is no longer in
//! doubt.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use super::contestant::{Contestant, PlayedMove, Request};
use super::time_control::{MoveLimits, PlayerClock};
use crate::board::{Colour, FiftyMoveResult, Game, GameEnd, Position, colour_index};
use crate::endgame::{Syzygy, TableResult};
use crate::external::Fault;
use crate::games::GameResult;
use crate::player::SavedPrior;
use crate::value::Value;

/// A contestant in a game, with its limits.
pub struct PlayerSlot<'a> {
    pub contestant: &'a mut dyn Contestant,
    pub limits: MoveLimits,
    pub margin: Duration,
}

/// A finished game.
#[derive(Clone, Debug)]
pub struct FinishedGame {
    pub game: Game,
    /// The number of plies in the opening, which the players did not choose.
    pub book_plies: usize,
    /// The moves after the opening.
    pub choices: Vec<PlayedMove>,
    pub result: GameResult,
    pub reason: EndReason,
    /// White's and Black's estimates of each other after the game, if they remember their
    /// opponents.
    pub estimates: [Option<SavedPrior>; 2],
}

/// Why a game is over.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EndReason {
    Rules(GameEnd),
    Adjudicated(Adjudication),
    Fault(Fault),
    /// A player is out of time, but the opponent has only a king.
    OutOfTimeDraw,
}

impl FinishedGame {
    /// The reason in the words of other match runners: `White mates`, `Black loses on time`.
    pub fn result_text(&self) -> String {
        let (winner, loser) = match self.result {
            GameResult::BlackWins => ("Black", "White"),
            _ => ("White", "Black"),
        };
        match &self.reason {
            EndReason::Rules(ending) => match ending {
                GameEnd::Checkmate => format!("{winner} mates"),
                GameEnd::Stalemate => "Draw by stalemate".to_owned(),
                GameEnd::InsufficientMaterial => "Draw by insufficient mating material".to_owned(),
                GameEnd::FiftyMoves => "Draw by fifty moves rule".to_owned(),
                GameEnd::Threefold => "Draw by 3-fold repetition".to_owned(),
            },
            EndReason::Adjudicated(verdict) => match verdict {
                Adjudication::Loss(_) => format!("{winner} wins by adjudication"),
                Adjudication::Draw => "Draw by adjudication".to_owned(),
                Adjudication::Table(None) => "Draw by adjudication: SyzygyTB".to_owned(),
                Adjudication::Table(_) => format!("{winner} wins by adjudication: SyzygyTB"),
                Adjudication::TooLong => "Draw by adjudication: too many moves".to_owned(),
            },
            EndReason::Fault(fault) => format!("{loser} {fault}"),
            EndReason::OutOfTimeDraw => "Draw by timeout vs insufficient material".to_owned(),
        }
    }

    /// The value of the PGN tag `Termination`.
    pub fn termination(&self) -> &'static str {
        match &self.reason {
            EndReason::Rules(_) => "normal",
            EndReason::Adjudicated(_) => "adjudication",
            EndReason::Fault(Fault::Overtime) | EndReason::OutOfTimeDraw => "time forfeit",
            EndReason::Fault(Fault::Illegal(_)) => "illegal move",
            EndReason::Fault(Fault::Stalled(_) | Fault::Interrupted) => "stalled connection",
            EndReason::Fault(Fault::Crashed(_) | Fault::Unusable(_)) => "abandoned",
        }
    }
}

/// A game to play.
#[derive(Clone, Copy, Debug)]
pub struct GamePlan<'a> {
    pub number: u64,
    pub opening: &'a Game,
    pub rules: &'a Rules,
    /// The tablebases that adjudicate the game.
    pub tables: Option<&'a Syzygy>,
    /// White's and Black's estimates of each other from earlier games.
    pub known: [Option<&'a SavedPrior>; 2],
}

impl GamePlan<'_> {
    /// Plays the game. Returns `None` if it was stopped before the end.
    pub fn play(&self, mut slots: [PlayerSlot<'_>; 2], stop: &AtomicBool) -> Option<FinishedGame> {
        let mut ongoing = OngoingGame {
            game: self.opening.clone(),
            clocks: [0, 1].map(|side: usize| PlayerClock::new(slots[side].limits.time)),
            adjudicator: Adjudicator::new(*self.rules),
            choices: Vec::new(),
        };
        let faults = [Colour::White, Colour::Black].map(|colour| {
            let side = colour_index(colour);
            let contestant = &mut slots[side].contestant;
            let started = contestant.start_game(self.opening, self.number);
            let recalled = self.known[side].map_or(Ok(()), |known| contestant.recall(known));
            started.and(recalled).err().map(|fault| (colour, fault))
        });
        let fault = faults.into_iter().flatten().next();
        let mut over = fault.map(|(colour, fault)| ongoing.end_by_fault(colour, fault));
        while over.is_none() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            over = ongoing.play_move(&mut slots, self.tables);
        }
        let (result, reason) = over.expect("the loop ends when the game is over");
        Some(FinishedGame {
            game: ongoing.game,
            book_plies: self.opening.ply(),
            choices: ongoing.choices,
            result,
            reason,
            estimates: slots.map(|slot| slot.contestant.estimate()),
        })
    }
}

/// A running game.
struct OngoingGame {
    game: Game,
    clocks: [PlayerClock; 2],
    adjudicator: Adjudicator,
    choices: Vec<PlayedMove>,
}

impl OngoingGame {
    /// Plays the next move. Returns the result if the game is already over, or if a fault or an
    /// adjudication ends it.
    fn play_move(
        &mut self,
        slots: &mut [PlayerSlot<'_>; 2],
        tables: Option<&Syzygy>,
    ) -> Option<(GameResult, EndReason)> {
        let mover = self.game.position().turn();
        if let Some(ending) = self.game.ending() {
            let result = match ending {
                GameEnd::Checkmate => GameResult::won_by(!mover),
                _ => GameResult::Draw,
            };
            return Some((result, EndReason::Rules(ending)));
        }
        let slot = &mut slots[colour_index(mover)];
        let request = Request {
            game: &self.game,
            limits: slot.limits,
            clocks: self.clocks,
            margin: slot.margin,
            at_human_pace: false,
        };
        let choice = match slot.contestant.choose(&request) {
            Ok(choice) => choice,
            Err(fault) => return Some(self.end_by_fault(mover, fault)),
        };
        if !self.clocks[colour_index(mover)].spend(choice.elapsed, slot.margin) {
            return Some(self.end_by_fault(mover, Fault::Overtime));
        }
        self.game.play(choice.mv);
        self.choices.push(choice);
        if self.game.ending().is_some() {
            return None; // the next call reports the end by the rules
        }
        let known = tables.and_then(|tables| by_tables(tables, self.game.position()));
        let found = match known {
            Some(found) => found,
            None => self.adjudicator.follow(mover, self.game.ply(), choice.value)?,
        };
        let result = match found {
            Adjudication::Loss(loser) => GameResult::won_by(!loser),
            Adjudication::Table(Some(winner)) => GameResult::won_by(winner),
            Adjudication::Draw | Adjudication::TooLong | Adjudication::Table(None) => {
                GameResult::Draw
            }
        };
        Some((result, EndReason::Adjudicated(found)))
    }

    /// The result after a fault by a player.
    fn end_by_fault(&self, colour: Colour, fault: Fault) -> (GameResult, EndReason) {
        match fault {
            Fault::Overtime if !self.game.position().can_win(!colour) => {
                (GameResult::Draw, EndReason::OutOfTimeDraw)
            }
            _ => (GameResult::won_by(!colour), EndReason::Fault(fault)),
        }
    }
}

/// The rules for ending games early.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    /// The rule for draws, or `None` to play on in drawish positions.
    pub draw: Option<DrawRule>,
    /// The rule for losses, or `None` to play on in lost positions.
    pub resign: Option<ResignRule>,
    /// The number of full moves after which a game is adjudicated as a draw.
    pub max_moves: Option<usize>,
}

/// From move `from` on, adjudicates a draw once both sides have made `moves` consecutive moves with
/// scores within `centipawns` of zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    /// The first full move at which a draw may be adjudicated.
    pub(crate) from: u32,
    /// The number of consecutive moves by each side.
    pub(crate) moves: u32,
    /// The largest allowed distance of the scores from zero.
    pub(crate) centipawns: i32,
}

/// Adjudicates a loss after `moves` consecutive moves by one side with a score of `-centipawns` or
/// less.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResignRule {
    /// The number of consecutive moves by the losing side.
    pub(crate) moves: u32,
    /// The required disadvantage, as a positive number.
    pub(crate) centipawns: i32,
}

/// The verdict of an adjudication.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjudication {
    Draw,
    Loss(Colour),
    TooLong,
    /// Decided by tablebases: the winner, or `None` for a draw.
    Table(Option<Colour>),
}

/// The verdict of the tablebases, given the fifty-move rule and the current halfmove clock.
pub fn by_tables(tables: &Syzygy, position: &Position) -> Option<Adjudication> {
    let mover = position.turn();
    let report = tables.report(position)?;
    let result = report.fifty_move_result(position.halfmoves());
    let is_certain = match result {
        // Without a distance to check against the fifty-move rule, this needs a position right after a capture or pawn
        // move, for which the tables apply the rule themselves.
        FiftyMoveResult::Win | FiftyMoveResult::Loss if !report.has_distances() => {
            tables.result(position)? != TableResult::Draw
        }
        _ => true,
    };
    let winner = match result {
        FiftyMoveResult::Win if is_certain => Some(mover),
        FiftyMoveResult::Loss if is_certain => Some(!mover),
        _ => None,
    };
    Some(Adjudication::Table(winner))
}

/// Adjudicates one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Rules,
    /// The number of consecutive plies with a drawish score.
    drawish_plies: u32,
    /// The number of consecutive moves with a losing score, for each side.
    lost: [u32; 2],
}

impl Adjudicator {
    pub fn new(rules: Rules) -> Adjudicator {
        Adjudicator { rules, drawish_plies: 0, lost: [0; 2] }
    }

    /// Records a move and its score. Returns the verdict if the game is decided.
    ///
    /// `plies` counts the moves of both sides up to this one. In a match, the moves before the
    /// opening's position do not count. In a game with a person, they do, so that a draw can be
    /// offered early in an endgame that was set up.
    pub fn follow(
        &mut self,
        mover: Colour,
        plies: usize,
        value: Option<Value>,
    ) -> Option<Adjudication> {
        if let Some(rule) = self.rules.resign {
            let lost = value.is_some_and(|value| value.raw() <= -rule.centipawns);
            let count = &mut self.lost[mover as usize];
            *count = if lost { *count + 1 } else { 0 };
            if *count >= rule.moves {
                return Some(Adjudication::Loss(mover));
            }
        }
        if let Some(rule) = self.rules.draw {
            let is_drawish = value.is_some_and(|value| value.raw().abs() <= rule.centipawns);
            self.drawish_plies = if is_drawish { self.drawish_plies + 1 } else { 0 };
            if plies.div_ceil(2) >= rule.from as usize && self.drawish_plies >= 2 * rule.moves {
                return Some(Adjudication::Draw);
            }
        }
        let too_long = plies.is_multiple_of(2)
            && self.rules.max_moves.is_some_and(|max_moves| plies / 2 >= max_moves);
        too_long.then_some(Adjudication::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use Colour::{Black, White};

    use super::*;

    fn cp(n: i32) -> Option<Value> {
        Some(Value::centipawns(n))
    }

    #[test]
    fn a_bare_king_does_not_win_on_time() {
        let result = |fen: &str| {
            let game = Game::from_uci(Some(fen), [], false).expect("a position");
            let clocks = [PlayerClock::new(None); 2];
            let adjudicator = Adjudicator::new(Rules::default());
            let ongoing = OngoingGame { game, clocks, adjudicator, choices: Vec::new() };
            ongoing.end_by_fault(White, Fault::Overtime).0
        };
        assert_eq!(result("4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"), GameResult::Draw);
        assert_eq!(result("4k3/4p3/8/8/8/8/4P3/4K3 w - - 0 1"), GameResult::BlackWins);
    }

    #[test]
    fn only_the_side_with_a_losing_score_resigns() {
        let rules =
            Rules { resign: Some(ResignRule { moves: 2, centipawns: 500 }), ..Rules::default() };
        let mut adjudicator = Adjudicator::new(rules);
        let course = [(White, 600), (Black, -500), (White, 900), (Black, -499), (White, 900)];
        for (mover, value) in course {
            assert_eq!(adjudicator.follow(mover, 60, cp(value)), None);
        }
        assert_eq!(adjudicator.follow(Black, 62, Some(Value::mated_in(4))), None);
        assert_eq!(adjudicator.follow(White, 63, None), None);
        assert_eq!(adjudicator.follow(Black, 64, cp(-501)), Some(Adjudication::Loss(Black)));
    }

    #[test]
    fn a_draw_needs_both_scores_and_enough_moves() {
        let rules = Rules {
            draw: Some(DrawRule { from: 40, moves: 2, centipawns: 10 }),
            ..Rules::default()
        };
        let mut adjudicator = Adjudicator::new(rules);
        for number in 30..39 {
            assert_eq!(adjudicator.follow(White, 2 * number - 1, cp(10)), None);
            assert_eq!(adjudicator.follow(Black, 2 * number, cp(-10)), None);
        }
        assert_eq!(adjudicator.follow(White, 77, cp(11)), None);
        assert_eq!(adjudicator.follow(Black, 78, cp(0)), None);
        assert_eq!(adjudicator.follow(White, 79, cp(0)), None);
        assert_eq!(adjudicator.follow(Black, 80, cp(0)), None);
        assert_eq!(adjudicator.follow(White, 81, cp(0)), Some(Adjudication::Draw));
    }

    #[test]
    fn a_long_game_ends_once_both_sides_have_made_all_their_moves() {
        let rules = Rules { max_moves: Some(60), ..Rules::default() };
        for (last_but_one, last) in [(White, Black), (Black, White)] {
            let mut adjudicator = Adjudicator::new(rules);
            assert_eq!(adjudicator.follow(last_but_one, 119, None), None);
            assert_eq!(adjudicator.follow(last, 120, None), Some(Adjudication::TooLong));
        }
    }
}
