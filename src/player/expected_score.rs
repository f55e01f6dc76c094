//! The score that the engine can expect against a fallible opponent.
//!
//! A perfect opponent wins when a knight up. A weak opponent often does not: the more pieces are
//! left, the more errors such an opponent can still make. The expected score is therefore a
//! logistic function of the evaluation plus the value of the opponent's future errors. That value
//! grows with the difference in strength and with the number of pieces on the board.

use crate::board::{Position, Role};
use crate::math::exact::exp;
use crate::value::Value;

/// A player with this FIDE rating is expected to make no more errors than the engine.
const FLAWLESS_RATING: f64 = 2900.0;
/// The value, in pawns, of the future errors of a player rated 1000 points below
/// [`FLAWLESS_RATING`], with all pieces on the board.
const PAWNS_PER_1000: f64 = 9.0;
/// The number of pawns that changes the odds by a factor of e, against a player rated
/// [`FLAWLESS_RATING`].
const MIN_WIDTH: f64 = 1.0;
/// The increase in that number of pawns for every 1000 points below [`FLAWLESS_RATING`].
const WIDTH_PER_1000: f64 = 0.9;
/// The fraction of the value of future errors that remains when only kings and pawns are left.
const WITHOUT_PIECES: f64 = 0.4;
/// The total weight of the pieces in the starting position.
const ALL_PIECES: f64 = 24.0;

/// The expected score against players with a given rating.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct ExpectedScore {
    /// The value of the opponent's future errors, in pawns.
    advantage: f64,
    /// The number of pawns that changes the odds by a factor of e.
    width: f64,
}

impl ExpectedScore {
    /// The expected score against a player with this FIDE rating.
    pub fn against(rating: f64) -> ExpectedScore {
        let thousands = (FLAWLESS_RATING - rating).max(0.0) / 1000.0;
        ExpectedScore {
            advantage: PAWNS_PER_1000 * thousands,
            width: MIN_WIDTH + WIDTH_PER_1000 * thousands,
        }
    }

    /// The expected score, from 0 to 1, in a position that has this value for us.
    pub fn of(&self, value: Value, position: &Position) -> f64 {
        let advantage =
            self.advantage * (WITHOUT_PIECES + (1.0 - WITHOUT_PIECES) * fullness(position));
        let playing_on = 1.0 / (1.0 + exp(-(value.pawns() + advantage) / self.width));
        // A value of exactly zero usually means a repetition that one side can force but does not
        // have to.
        if value == Value::DRAW { (playing_on + 0.5) / 2.0 } else { playing_on }
    }
}

/// The fraction of the pieces that are still on the board. Pawns do not count.
fn fullness(position: &Position) -> f64 {
    let of = |role| weight(role) * position.of_role(role).count() as f64;
    let pieces = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
    (pieces.map(of).iter().sum::<f64>() / ALL_PIECES).min(1.0)
}

fn weight(role: Role) -> f64 {
    match role {
        Role::Queen => 4.0,
        Role::Rook => 2.0,
        Role::Knight | Role::Bishop => 1.0,
        Role::Pawn | Role::King => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn position(fen: &str) -> Position {
        Position::from_fen(fen, false).expect(fen)
    }

    #[test]
    fn chances_are_better_against_weak_players_and_with_many_pieces() {
        let full = position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/R1BQKBNR w KQkq - 0 1");
        let bare = position("4k3/pppppppp/8/8/8/4n3/PPPPPPPP/4K3 w - - 0 1");
        let knight_down = Value::centipawns(-400);
        let of = |rating, position| ExpectedScore::against(rating).of(knight_down, position);
        assert!(of(1200.0, &full) > of(1600.0, &full));
        assert!(of(1600.0, &full) > of(2000.0, &full));
        assert!(of(1600.0, &full) > of(1600.0, &bare));
        assert!(of(2900.0, &full) < 0.05);
    }

    #[test]
    fn the_score_rises_with_the_value_and_a_draw_scores_less_than_a_small_advantage() {
        let full = position("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1");
        let score = ExpectedScore::against(1600.0);
        let all = (-30..30).map(|n| Value::centipawns(33 * n + 1));
        assert!(all.map(|value| score.of(value, &full)).is_sorted());
        let draw = score.of(Value::DRAW, &full);
        assert!(draw > 0.5 && draw < score.of(Value::centipawns(1), &full));
        assert!(score.of(Value::mated_in(4), &full) < 0.05);
    }
}
