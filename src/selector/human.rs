//! How people choose: what draws the eye, times what is seen at a glance, at a look, and after
//! thought.
//!
//! `ln p = a ln π - c1 ln(1 + δ_1/k1) - c4 ln(1 + δ_4/k4) - cp ln(1 + δ_p/kp) + const`, with the share
//! π of people who would look at a move and Regan's scaled losses (2011, section 3.1) at depth 1, at
//! depth 4, and at a depth p that belongs to the kind of game. In the opening people know what they
//! play: after n plies a part `e^(-n/t)` of `ln p` is `ln π` alone. Each of the seven numbers is e to
//! the power of a parabola in the rating, one for every kind of game; `tuning/eye/fit.py` fits them
//! to games of people. Where nobody can tell what draws the eye, all moves draw it alike.

use std::str::FromStr;

use once_cell::sync::Lazy;

use super::Values;
use crate::math::exact::{exp, ln};
use crate::prior::Pool;
use crate::value::Depth;

/// The model that is built in.
static BUILT_IN: Lazy<Human> = Lazy::new(|| FILE.parse().expect("a test reads the built-in model"));

/// Its file.
pub const FILE: &str = include_str!("../../tuning/human.toml");

/// Ratings beyond these are taken for the nearest: there were hardly any games.
pub const LOWEST: f64 = 800.0;
pub const HIGHEST: f64 = 2800.0;

/// The depth of a look.
const LOOK: usize = 4;

/// What a unit of the parabolas is, and where it is 0.
const UNIT: f64 = 500.0;
const MIDDLE: f64 = 2000.0;

/// The parabolas of a kind of game: of the logarithms, by powers of the rating.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Parabolas {
    /// p, beyond which values do not count.
    depth: Depth,
    eye: [f64; 3],
    glance: [f64; 3],
    glance_scale: [f64; 3],
    look: [f64; 3],
    look_scale: [f64; 3],
    thought: [f64; 3],
    thought_scale: [f64; 3],
}

/// The numbers of people of all ratings.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Human {
    /// t.
    opening: f64,
    board: Parabolas,
    classical: Parabolas,
    rapid: Parabolas,
    blitz: Parabolas,
    bullet: Parabolas,
}

/// The numbers of people of one rating, as in the formula.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Weights {
    pub a: f64,
    pub c1: f64,
    pub k1: f64,
    pub c4: f64,
    pub k4: f64,
    pub cp: f64,
    pub kp: f64,
}

impl Human {
    /// The model that is built in.
    pub fn built_in() -> &'static Human {
        &BUILT_IN
    }

    fn parabolas(&self, pool: Pool) -> &Parabolas {
        match pool {
            Pool::Board => &self.board,
            Pool::Classical => &self.classical,
            Pool::Rapid => &self.rapid,
            Pool::Blitz => &self.blitz,
            Pool::Bullet => &self.bullet,
        }
    }

    /// p of people who play such games: how deep their thought is taken to go.
    pub fn depth(&self, pool: Pool) -> Depth {
        self.parabolas(pool).depth
    }

    /// The numbers of people of a rating who play such games.
    pub fn weights(&self, pool: Pool, rating: f64) -> Weights {
        let parabolas = self.parabolas(pool);
        let x = (rating.clamp(LOWEST, HIGHEST) - MIDDLE) / UNIT;
        let at = |[level, slope, bend]: [f64; 3]| exp(level + x * (slope + x * bend));
        Weights {
            a: at(parabolas.eye),
            c1: at(parabolas.glance),
            k1: at(parabolas.glance_scale),
            c4: at(parabolas.look),
            k4: at(parabolas.look_scale),
            cp: at(parabolas.thought),
            kp: at(parabolas.thought_scale),
        }
    }

    /// The logarithms of the probabilities but for a constant, of moves with these values.
    pub(super) fn scores(&self, values: &Values, pool: Pool, rating: f64) -> Vec<f64> {
        let Weights { a, c1, k1, c4, k4, cp, kp } = self.weights(pool, rating);
        let row = |depth: usize| {
            values.at_depth(values.depths().min(depth).saturating_sub(1)).deltas(false)
        };
        let known = values.plies().map_or(0.0, |plies| exp(-(plies as f64) / self.opening));
        let eye = values.ln_shares(rating).unwrap_or_else(|| vec![0.0; values.moves()]);
        let losses = row(1).zip(row(LOOK)).zip(row(usize::from(self.depth(pool))));
        let score = |(((glance, look), thought), eye): (((f64, f64), f64), f64)| {
            let seen = c1 * ln(1.0 + glance / k1) + c4 * ln(1.0 + look / k4);
            let later = a * eye - seen - cp * ln(1.0 + thought / kp);
            known * eye + (1.0 - known) * later
        };
        losses.zip(eye).map(score).collect()
    }
}

impl FromStr for Human {
    type Err = toml::de::Error;

    fn from_str(text: &str) -> Result<Human, toml::de::Error> {
        toml::from_str(text)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Competence, Curve, Family, Glance, Selector};
    use super::*;

    fn of_rating(rating: f64, c: Competence) -> Selector {
        Selector::new(Curve::new(Family::human(Pool::Board), c, rating).expect("a rating"))
    }

    /// A move that looks good and is not, one that looks bad and is good, and one that is neither.
    fn values() -> Values {
        let rows = [vec![1.0, -1.0, -1.0], vec![-2.0, 0.5, -2.0]];
        let glance = |rating| Glance { rating, ln_shares: [0.7f64, 0.2, 0.1].map(ln).to_vec() };
        Values::by_depth(&rows).expect("finite").with_glances(30, vec![glance(1500.0)])
    }

    #[test]
    fn the_formula_by_hand() {
        let Weights { a, c1, k1, c4, k4, cp, kp } = Human::built_in().weights(Pool::Board, 1500.0);
        let scaled = |x: f64| x.signum() * (1.0 + x.abs()).ln();
        let (first, last) = (scaled(1.0) - scaled(-1.0), scaled(0.5) - scaled(-2.0));
        // Two depths are known: the second stands for a look and for thought.
        let (look, thought) = (c4 * (1.0 + last / k4).ln(), cp * (1.0 + last / kp).ln());
        let odds = a * (0.7f64 / 0.2).ln() + c1 * (1.0 + first / k1).ln() - look - thought;
        let one = Competence::new(1.0).expect("a number");
        let distribution = of_rating(1500.0, one).distribution(&values());
        let known = (-30.0 / Human::built_in().opening).exp();
        let odds = known * (0.7f64 / 0.2).ln() + (1.0 - known) * odds;
        let found = distribution.ln_probability(0) - distribution.ln_probability(1);
        assert!((found - odds).abs() < 1e-9, "{found} {odds}");
    }

    #[test]
    fn the_exponent_is_scaled_as_a_whole() {
        let of = |c: f64| {
            let c = Competence::new(c).expect("a number");
            of_rating(1500.0, c).distribution(&values())
        };
        let odds = |c: f64| of(c).ln_probability(0) - of(c).ln_probability(2);
        assert!((odds(2.0) - 2.0 * odds(1.0)).abs() < 1e-9);
        assert!((odds(-1.0) + odds(1.0)).abs() < 1e-9);
        assert!(of(0.0).probabilities().iter().all(|p| (p - 1.0 / 3.0).abs() < 1e-12));
        let ends = [f64::INFINITY, f64::NEG_INFINITY].map(of);
        assert!(ends.iter().all(|end| end.probabilities().contains(&1.0)));
        assert_eq!(ends[1].probability(2), 1.0);
        let all = of_rating(1500.0, Competence::BEST).ln_likelihoods(&values(), 2, &[0.0, 1.0]);
        assert!((all[1] - of(1.0).ln_probability(2)).abs() < 1e-12);
    }

    #[test]
    fn the_strong_see_what_is_deep() {
        let one = Competence::new(1.0).expect("a number");
        let sound = |rating| of_rating(rating, one).distribution(&values()).probability(1);
        assert!(sound(2600.0) > sound(1400.0));
    }
}
