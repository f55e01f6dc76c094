//! PROVISIONAL: which curve plays at which Elo. To be replaced by calibration from data.
//!
//! Measured by matches of players who look [`DEPTH`] plies ahead, each level against its
//! neighbours, and tied by a few more to the scale that Stockfish's own levels stand on;
//! `tuning/studies/provisional` says how. What is right for the differences in such matches need not
//! be right against people, so whoever shows a number made with it has to say that it is
//! provisional.
//!
//! The levels are those of the levelled curve. Of Haworth's and of Regan's the curve was taken
//! whose choices come closest (in relative entropy) in positions of the same games; for Regan's the
//! pairs of s and c are those of Regan 2011, section 7, for some published rating. His other curves
//! take the numbers of the first.

use std::ops::RangeInclusive;

use super::Elo;
use crate::math::exact::exp;
use crate::selector::human::{self, Human};
use crate::selector::{Competence, Curve, Family, Shape};
use crate::value::Depth;

/// The lowest and the highest rating for which there is a curve.
pub const LOWEST: i64 = 0;
pub const HIGHEST: i64 = 1850;
pub const RANGE: RangeInclusive<f64> = LOWEST as f64..=HIGHEST as f64;

/// How many plies ahead players of a rating look who do not say: as many as when it was measured.
pub const DEPTH: Depth = 3;

/// A level that was measured.
struct Level {
    elo: f64,
    levelled: f64,
    haworth: f64,
    /// The rating for which Regan published the curve.
    regan: f64,
}

const fn level(elo: f64, levelled: f64, haworth: f64, regan: f64) -> Level {
    Level { elo, levelled, haworth, regan }
}

/// Beyond the last of these a greater c made no difference that 100 games could show.
const LEVELS: [Level; 10] = [
    level(-250.0, 0.0, 0.0, -3648.0),
    level(-50.0, 1.111, 0.89, -3218.0),
    level(250.0, 2.5, 2.43, -2082.0),
    level(635.0, 4.286, 4.33, -656.0),
    level(1070.0, 6.667, 6.78, 712.0),
    level(1430.0, 10.0, 10.23, 1742.0),
    level(1680.0, 15.0, 15.74, 2503.0),
    level(1780.0, 23.333, 24.02, 3078.0),
    level(1810.0, 40.0, 40.54, 3925.0),
    level(1855.0, 90.0, 90.55, 5195.0),
];

/// Competences are told apart by c / (c + 10), in which ratings rise nearly evenly.
const HALF_WAY: f64 = 10.0;

/// The line through Regan's s over the ratings 1600 to 2700: value at 0 and slope.
const SENSITIVITY: (f64, f64) = (0.299_031_468_531_468_4, -8.129_370_629_370_624e-5);
/// Where that line ends, and the slope of `ln s` beyond, so that it stays positive.
const SENSITIVITY_TAIL: (f64, f64) = (3000.0, -6.790_266_390_835_843e-4);

/// The ratings for which a family has curves. Those about people know what ratings people have.
pub fn range(family: Family) -> RangeInclusive<f64> {
    if family.pool().is_some() { human::LOWEST..=human::HIGHEST } else { RANGE }
}

/// How far players of a family look whose rating is all that is said.
pub fn depth(family: Family) -> Depth {
    family.pool().map_or(DEPTH, |pool| Human::built_in().depth(pool))
}

/// The nearest rating for which a family has a curve.
pub fn clamp(family: Family, elo: Elo) -> Elo {
    let range = range(family);
    Elo(elo.0.clamp(*range.start(), *range.end()))
}

/// The curve of a family at a rating, which is brought into its range first.
pub fn curve(family: Family, elo: Elo) -> Curve {
    let Elo(elo) = clamp(family, elo);
    if family.pool().is_some() {
        return valid(family, 1.0, elo);
    }
    if !family.is_power_law() {
        return regan(family, between(elo, |level| level.regan));
    }
    let step = between(elo, |level| {
        let c = if family.shape == Shape::Haworth { level.haworth } else { level.levelled };
        c / (c + HALF_WAY)
    });
    let competence = HALF_WAY * step / (1.0 - step);
    // No match could tell more decimals apart, and these can be read.
    valid(family, (1000.0 * competence).round() / 1000.0, 1.0)
}

/// Regan's curve for a rating that he speaks of.
pub fn regan(family: Family, published: f64) -> Curve {
    let (end, fall) = SENSITIVITY_TAIL;
    let line = SENSITIVITY.0 + SENSITIVITY.1 * published.min(end);
    let sensitivity = line * exp(fall * (published - end).max(0.0));
    valid(family, 0.513 - 0.007 * (2700.0 - published) / 100.0, sensitivity)
}

fn valid(family: Family, exponent: f64, scale: f64) -> Curve {
    Competence::new(exponent)
        .and_then(|exponent| Curve::new(family, exponent, scale))
        .expect("the numbers are finite and the scale is positive all over the range")
}

/// The rating of a curve: by its competence, or for Regan's curves by its sensitivity. Those about
/// people say it themselves.
pub fn elo(played: &Curve) -> Elo {
    if played.family().pool().is_some() {
        return clamp(played.family(), Elo(played.scale()));
    }
    let is_stronger = |than: &Curve| match played.family().is_power_law() {
        true => played.competence() > than.competence(),
        false => played.scale() < than.scale(),
    };
    let (mut low, mut high) = (*RANGE.start(), *RANGE.end());
    while high - low > 0.01 {
        let middle = (low + high) / 2.0;
        if is_stronger(&curve(played.family(), Elo(middle))) {
            low = middle;
        } else {
            high = middle;
        }
    }
    Elo((low + high) / 2.0)
}

/// A number of the levels at a rating between them.
fn between(elo: f64, number: impl Fn(&Level) -> f64) -> f64 {
    let after = LEVELS.partition_point(|level| level.elo < elo).clamp(1, LEVELS.len() - 1);
    let (below, above) = (&LEVELS[after - 1], &LEVELS[after]);
    let share = (elo - below.elo) / (above.elo - below.elo);
    number(below) + (number(above) - number(below)) * share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_line_of_consistency_and_the_fit_of_sensitivity() {
        for (published, c, s) in [(2700.0, 0.513, 0.079_538), (1600.0, 0.436, 0.168_962)] {
            let curve = regan(Family::REGAN, published);
            assert!((curve.competence().get() - c).abs() < 1e-9);
            assert!((curve.scale() - s).abs() < 1e-6);
        }
    }

    #[test]
    fn every_rating_of_the_range_lies_between_levels() {
        assert!(LEVELS[0].elo <= *RANGE.start() && *RANGE.end() <= LEVELS[LEVELS.len() - 1].elo);
        assert!(LEVELS.windows(2).all(|pair| pair[0].elo < pair[1].elo));
    }

    #[test]
    fn stronger_ratings_have_stronger_curves_and_come_back() {
        for family in [Family::HAWORTH, Family::LEVELLED, Family::REGAN] {
            for rating in (LOWEST..HIGHEST).step_by(50).map(|rating| rating as f64) {
                let (here, next) = (curve(family, Elo(rating)), curve(family, Elo(rating + 50.0)));
                assert!(next.competence() > here.competence() && next.scale() <= here.scale());
                // A thousandth of c is up to a quarter of a point.
                assert!((elo(&here).0 - rating).abs() < 0.25, "{family} {rating}");
            }
        }
    }
}
