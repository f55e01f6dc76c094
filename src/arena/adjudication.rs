//! Ending games whose result is no longer in doubt.

use crate::board::{Colour, FiftyMoveResult, Position};
use crate::endgame::Syzygy;
use crate::value::Value;

/// When a game is ended before the rules of chess end it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    pub draw: Option<DrawRule>,
    pub resign: Option<ResignRule>,
    /// A game that has so many full moves is a draw.
    pub max_moves: Option<u32>,
}

/// From move `from` on, `moves` moves of both sides in a row with values within `centipawns` of
/// zero make a draw.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DrawRule {
    pub from: u32,
    pub moves: u32,
    pub centipawns: i32,
}

/// A side that thinks itself lost by `centipawns` for `moves` moves of its own in a row resigns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResignRule {
    pub moves: u32,
    pub centipawns: i32,
}

/// What an adjudicator has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Adjudication {
    Draw,
    Loss(Colour),
    TooLong,
    /// By a table: who wins, if anybody.
    Table(Option<Colour>),
}

/// What endgame tables say of a position, under the fifty-move rule and as its counter stands.
pub fn by_tables(tables: &Syzygy, position: &Position) -> Option<Adjudication> {
    let mover = position.turn();
    let winner = match tables.report(position)?.fifty_move_result(position.halfmoves()) {
        FiftyMoveResult::Win => Some(mover),
        FiftyMoveResult::Loss => Some(!mover),
        _ => None,
    };
    Some(Adjudication::Table(winner))
}

/// Follows one game.
#[derive(Clone, Debug)]
pub struct Adjudicator {
    rules: Rules,
    /// Plies in a row that looked drawn.
    level: u32,
    /// Moves in a row that looked lost, by side.
    lost: [u32; 2],
}

impl Adjudicator {
    pub fn new(rules: Rules) -> Adjudicator {
        Adjudicator { rules, level: 0, lost: [0; 2] }
    }

    /// Takes note of a move: who made it, in which full move, and what he thought it worth.
    pub fn follow(
        &mut self,
        mover: Colour,
        fullmove: u32,
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
            let level = value.is_some_and(|value| value.raw().abs() <= rule.centipawns);
            self.level = if level { self.level + 1 } else { 0 };
            if fullmove >= rule.from && self.level >= 2 * rule.moves {
                return Some(Adjudication::Draw);
            }
        }
        let too_long = mover == Colour::Black
            && self.rules.max_moves.is_some_and(|max_moves| fullmove >= max_moves);
        too_long.then_some(Adjudication::TooLong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Colour::{Black, White};

    fn cp(n: i32) -> Option<Value> {
        Some(Value::centipawns(n))
    }

    #[test]
    fn only_a_side_that_gives_itself_up_resigns() {
        let rules =
            Rules { resign: Some(ResignRule { moves: 2, centipawns: 500 }), ..Rules::default() };
        let mut judge = Adjudicator::new(rules);
        let course = [(White, 600), (Black, -500), (White, 900), (Black, -499), (White, 900)];
        for (mover, value) in course {
            assert_eq!(judge.follow(mover, 30, cp(value)), None);
        }
        assert_eq!(judge.follow(Black, 31, Some(Value::mated_in(4))), None);
        assert_eq!(judge.follow(White, 32, None), None);
        assert_eq!(judge.follow(Black, 32, cp(-501)), Some(Adjudication::Loss(Black)));
    }

    #[test]
    fn a_draw_wants_both_sides_and_its_time() {
        let rules = Rules {
            draw: Some(DrawRule { from: 40, moves: 2, centipawns: 10 }),
            ..Rules::default()
        };
        let mut judge = Adjudicator::new(rules);
        for fullmove in 30..39 {
            assert_eq!(judge.follow(White, fullmove, cp(10)), None);
            assert_eq!(judge.follow(Black, fullmove, cp(-10)), None);
        }
        assert_eq!(judge.follow(White, 39, cp(11)), None);
        assert_eq!(judge.follow(Black, 39, cp(0)), None);
        assert_eq!(judge.follow(White, 40, cp(0)), None);
        assert_eq!(judge.follow(Black, 40, cp(0)), None);
        assert_eq!(judge.follow(White, 41, cp(0)), Some(Adjudication::Draw));
    }

    #[test]
    fn a_long_game_ends_after_blacks_move() {
        let mut judge = Adjudicator::new(Rules { max_moves: Some(60), ..Rules::default() });
        assert_eq!(judge.follow(White, 60, None), None);
        assert_eq!(judge.follow(Black, 60, None), Some(Adjudication::TooLong));
    }
}
