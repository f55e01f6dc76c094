//! The curve used to infer ratings from moves.
//!
//! The curve `human` was fitted to the losses of players as well as to their moves, and it is too sure of the best move
//! at some ratings. The likelihood of moves by players rated R therefore does not peak at R. So the probability of
//! moves at rating R is computed with the same curve at another rating, m(R), and then raised to the power t(R).
//! `tuning/policy/reading.py` fits both functions to human games by likelihood alone. With this fit, the likelihood of
//! moves by players rated R does peak at R.

use once_cell::sync::Lazy;

use super::clock_effect::ClockEffect;
use crate::policy::GameKind;
use crate::search::Clock;
use crate::selector::human::{HIGHEST, LOWEST, exp_quadratic};
use crate::selector::{Competence, Curve};

/// The fit for each kind of game.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Reading {
    board: ReadingFit,
    classical: ReadingFit,
    rapid: ReadingFit,
    blitz: ReadingFit,
    bullet: ReadingFit,
}

/// [Quadratics](exp_quadratic) in the rating for one kind of game.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct ReadingFit {
    /// The logarithm of the ratio of m(R) to R, both counted from the lowest rating.
    rating: [f64; 3],
    /// The logarithm of t(R).
    exponent: [f64; 3],
}

/// The built-in fit.
static BUILT_IN: Lazy<Reading> = Lazy::new(|| {
    let text = include_str!("../../tuning/calibration/reading.toml");
    toml::from_str(text).expect("a test parses the built-in fit")
});

/// The curve used to compute the likelihood of a player's moves, if the player is assumed to choose moves as this human
/// curve describes. Curves of other families are returned unchanged.
pub fn reading_curve(curve: &Curve) -> Curve {
    let Some(pool) = curve.family().pool() else {
        return *curve;
    };
    let fit = BUILT_IN.fit(pool);
    let exponent = curve.competence().get() * fit.exponent(curve.scale());
    let rating = fit.rating(curve.scale());
    Competence::new(exponent)
        .and_then(|exponent| Curve::new(curve.family(), exponent, rating))
        .unwrap_or(*curve)
}

/// The [`reading_curve`] at this clock, if it is known. Humans play worse when they are short of time.
pub fn timed_reading_curve(curve: &Curve, clock: Option<&Clock>) -> Curve {
    let Some(clock) = clock.filter(|_| curve.family().pool().is_some()) else {
        return reading_curve(curve);
    };
    let shortage = ClockEffect::built_in().shortage(curve.scale(), clock);
    let rating = (curve.scale() + shortage).clamp(LOWEST, HIGHEST);
    let timed = Curve::new(curve.family(), curve.competence(), rating);
    reading_curve(&timed.unwrap_or(*curve))
}

impl Reading {
    fn fit(&self, pool: GameKind) -> &ReadingFit {
        pool.pick([&self.board, &self.classical, &self.rapid, &self.blitz, &self.bullet])
    }
}

impl ReadingFit {
    /// m(R).
    fn rating(&self, rating: f64) -> f64 {
        (LOWEST + (rating - LOWEST) * exp_quadratic(self.rating, rating)).clamp(LOWEST, HIGHEST)
    }

    /// t(R).
    fn exponent(&self, rating: f64) -> f64 {
        exp_quadratic(self.exponent, rating)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::selector::Family;

    /// Otherwise two ratings would explain the same moves equally well.
    #[test]
    fn a_higher_rating_is_estimated_with_a_stronger_curve() {
        for pool in GameKind::ALL {
            let ratings = (LOWEST as usize..=HIGHEST as usize).step_by(50);
            let read: Vec<f64> = ratings.map(|elo| BUILT_IN.fit(pool).rating(elo as f64)).collect();
            assert!(read.is_sorted_by(|low, high| low < high), "{pool:?}: {read:?}");
        }
    }

    #[test]
    fn only_human_curves_are_changed() {
        let of = |family| Curve::new(family, Competence::new(2.0).expect("c"), 0.1).expect("s");
        assert_eq!(reading_curve(&of(Family::REGAN)), of(Family::REGAN));
    }
}
