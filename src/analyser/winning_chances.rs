//! Winning chances, and marks for moves that give them away.
//!
//! A pawn matters less the further one side is ahead. So moves are judged by the winning chances
//! that they lose, as on Lichess. If a move misses a mate but keeps an advantage of five pawns, it
//! is not a blunder.

use serde::Serialize;

use crate::math::exact::logistic;
use crate::math::outcomes::LICHESS_LN_ODDS_PER_PAWN;

/// The cap on evaluations, in pawns. A larger advantage does not increase the winning chances.
pub(super) const CEILING: f64 = 10.0;

/// Returns the winning chances in percent for an evaluation in pawns, by the published Lichess
/// formula (lichess.org/page/accuracy).
pub(crate) fn winning_chances(pawns: f64) -> f64 {
    100.0 * logistic(LICHESS_LN_ODDS_PER_PAWN * pawns.clamp(-CEILING, CEILING))
}

/// Returns the winning chances that a move loses, in percentage points. `best` and `played` are the
/// evaluations of the best move and the move played in pawns.
pub(crate) fn lost_chances(best: f64, played: f64) -> f64 {
    (winning_chances(best) - winning_chances(played)).max(0.0)
}

/// A mark for a move that loses winning chances. The thresholds are the same as on Lichess.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub(crate) enum MoveMark {
    /// Loses at least 5 percentage points.
    #[serde(rename = "?!")]
    Inaccuracy,
    /// Loses at least 10 percentage points.
    #[serde(rename = "?")]
    Mistake,
    /// Loses at least 15 percentage points.
    #[serde(rename = "??")]
    Blunder,
}

impl MoveMark {
    /// All marks with their minimum loss in percentage points, worst first.
    const LIMITS: [(MoveMark, f64); 3] =
        [(MoveMark::Blunder, 15.0), (MoveMark::Mistake, 10.0), (MoveMark::Inaccuracy, 5.0)];

    /// Returns the mark of a move that loses `lost` percentage points.
    pub fn of(lost: f64) -> Option<MoveMark> {
        MoveMark::LIMITS.into_iter().find(|(_, least)| lost >= *least).map(|(mark, _)| mark)
    }
}

/// Returns whether a move that loses `lost` percentage points is a mistake or a blunder.
pub(super) fn is_mistake(lost: f64) -> bool {
    MoveMark::of(lost) >= Some(MoveMark::Mistake)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Value;

    fn mark(best: f64, played: f64) -> Option<MoveMark> {
        MoveMark::of(lost_chances(best, played))
    }

    #[test]
    fn winning_chances_follow_the_lichess_formula() {
        assert!((winning_chances(0.0) - 50.0).abs() < 1e-9);
        assert!((winning_chances(-2.0) - 32.4).abs() < 0.05);
        assert_eq!(winning_chances(10.0), winning_chances(20.0));
    }

    #[test]
    fn a_lost_pawn_counts_less_in_a_won_position() {
        assert_eq!(mark(0.0, -1.0), Some(MoveMark::Inaccuracy));
        assert_eq!(mark(0.5, -1.0), Some(MoveMark::Mistake));
        assert_eq!(mark(1.0, -1.0), Some(MoveMark::Blunder));
        assert_eq!(mark(6.0, 5.0), None);
        assert_eq!(mark(-9.0, -20.0), None);
    }

    #[test]
    fn a_missed_mate_that_still_wins_is_not_a_blunder() {
        let mate_in_two = Value::mate_in(3).pawns();
        assert_eq!(mark(mate_in_two, 4.89), Some(MoveMark::Mistake));
        assert_eq!(mark(mate_in_two, 8.0), None);
        assert_eq!(mark(mate_in_two, 0.0), Some(MoveMark::Blunder));
    }
}
