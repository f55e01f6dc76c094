//! The chances of a win, a draw and a loss (WDL) for a score.
//!
//! The chance of a win is a logistic curve in the score, the chance of a loss is its mirror image, and draws are the
//! rest. The curve depends on the number of pieces, since an extra pawn is more likely to decide an endgame than a game
//! with all pieces on the board. It is fitted to self-play games (`stopdown-lab tune winning`).

use crate::math::exact::exp;
use crate::value::{Meaning, Value};

/// The parameters of the curve, as polynomials in the share of the pieces that are left on the board.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WinModel {
    /// The score in centipawns at which the chance of a win is 50%.
    pub even: [f64; 3],
    /// The difference in centipawns that changes the odds of a win by a factor of e.
    pub slope: [f64; 3],
}

/// Pieces at the start of a game.
const PIECES: f64 = 32.0;
/// The minimum slope, in centipawns.
const MIN_SLOPE: f64 = 5.0;

impl WinModel {
    /// The model that is built into the program.
    pub(crate) fn embedded() -> WinModel {
        toml::from_str(include_str!("../../tuning/winning.toml"))
            .expect("a test reads the embedded model")
    }

    /// The score in centipawns at which the chance of a win is 50% with `pieces` pieces on the board.
    pub fn even(&self, pieces: usize) -> f64 {
        polynomial(&self.even, pieces)
    }

    /// The difference in centipawns that changes the odds of a win by a factor of e.
    pub fn slope(&self, pieces: usize) -> f64 {
        polynomial(&self.slope, pieces).max(MIN_SLOPE)
    }

    /// The chance of a win with this score.
    pub fn winning(&self, centipawns: f64, pieces: usize) -> f64 {
        let odds = exp((centipawns - self.even(pieces)) / self.slope(pieces));
        if odds.is_finite() { odds / (1.0 + odds) } else { 1.0 }
    }

    /// The chances of a win, a draw and a loss in thousandths, from the same point of view as the score.
    pub(crate) fn chances(&self, value: Value, pieces: usize) -> [u32; 3] {
        let winning = |value: Value| match value.meaning() {
            Meaning::Centipawns(n) => (1000.0 * self.winning(f64::from(n), pieces)) as u32,
            _ if value > Value::DRAW => 1000,
            _ => 0,
        };
        let (win, loss) = (winning(value), winning(-value));
        // If draws are rare, the two curves may overlap a little.
        let loss = loss.min(1000 - win);
        [win, 1000 - win - loss, loss]
    }
}

fn polynomial(coefficients: &[f64; 3], pieces: usize) -> f64 {
    let x = pieces as f64 / PIECES;
    coefficients[0] + x * (coefficients[1] + x * coefficients[2])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chances_add_up_to_1000_and_are_symmetric() {
        let model = WinModel::embedded();
        for raw in [-32_000, -31_000, -29_999, -300, -120, -1, 0, 1, 57, 120, 2_000, 31_500] {
            for pieces in [2, 3, 10, 24, 32] {
                let value = Value::centipawns(raw);
                let [win, draw, loss] = model.chances(value, pieces);
                assert_eq!(win + draw + loss, 1000, "{raw}");
                assert_eq!(model.chances(-value, pieces), [loss, draw, win], "{raw} {pieces}");
            }
        }
        assert_eq!(model.chances(Value::mate_in(5), 10), [1000, 0, 0]);
    }

    #[test]
    fn a_higher_score_wins_more_often() {
        let model = WinModel::embedded();
        for pieces in 2..=32 {
            let chances = (-100..100).map(|n| model.chances(Value::centipawns(20 * n), pieces));
            assert!(chances.clone().map(|[win, _, _]| win).is_sorted());
            assert!(chances.map(|[_, _, loss]| 1000 - loss).is_sorted());
            let even = Value::centipawns(model.even(pieces).round() as i32);
            assert!((490..=510).contains(&model.chances(even, pieces)[0]), "{pieces} pieces");
        }
    }
}
