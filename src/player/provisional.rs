//! PROVISIONAL: which curve plays at which Elo. To be replaced by calibration from data.
//!
//! What stands here was derived from published figures for other engines, not measured on this
//! one; whoever shows a number made with it has to say so.
//!
//! * Regan's curves: the fits of Regan 2011, section 7. c is the published line; s is the line
//!   through the published values, and beyond 3000 falls by the slope of `ln s` so that it stays
//!   positive.
//! * Haworth's and the levelled curve with κ = 1: the c whose choices come closest (in relative
//!   entropy) to those of Regan's curve at the same rating, over positions within three pawns.

use std::ops::RangeInclusive;

use super::Elo;
use crate::math::exact::exp;
use crate::selector::{Competence, Curve, Family};
use crate::value::Depth;

/// The ratings for which there is a curve.
pub const RANGE: RangeInclusive<f64> = 600.0..=3200.0;

/// How many plies ahead a player of a rating looks who does not say.
pub const DEPTH: Depth = 3;

/// Rating and c of the power laws.
const COMPETENCES: [(f64, f64); 12] = [
    (800.0, 4.0),
    (1000.0, 4.3),
    (1200.0, 4.65),
    (1400.0, 5.06),
    (1600.0, 5.53),
    (1800.0, 6.09),
    (2000.0, 6.75),
    (2200.0, 7.55),
    (2400.0, 8.54),
    (2600.0, 9.79),
    (2800.0, 11.44),
    (3000.0, 13.76),
];

/// The line through Regan's s over the ratings 1600 to 2700: value at 0 and slope.
const SENSITIVITY: (f64, f64) = (0.299_031_468_531_468_4, -8.129_370_629_370_624e-5);
/// Where that line ends, and the slope of `ln s` beyond.
const SENSITIVITY_TAIL: (f64, f64) = (3000.0, -6.790_266_390_835_843e-4);

/// The curve of a family at a rating, which is brought into [`RANGE`] first.
pub fn curve(family: Family, elo: Elo) -> Curve {
    let elo = elo.0.clamp(*RANGE.start(), *RANGE.end());
    let (exponent, scale) = match family.is_power_law() {
        true => (competence(elo), 1.0),
        false => (0.513 - 0.007 * (2700.0 - elo) / 100.0, sensitivity(elo)),
    };
    Competence::new(exponent)
        .and_then(|exponent| Curve::new(family, exponent, scale))
        .expect("both parameters are positive all over the range")
}

/// The rating of a curve: by its competence, or for Regan's curves by its sensitivity.
pub fn elo(played: &Curve) -> Elo {
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

fn competence(elo: f64) -> f64 {
    let after = COMPETENCES.partition_point(|&(e, _)| e < elo).clamp(1, COMPETENCES.len() - 1);
    let ((e0, c0), (e1, c1)) = (COMPETENCES[after - 1], COMPETENCES[after]);
    c0 + (c1 - c0) * (elo - e0) / (e1 - e0)
}

fn sensitivity(elo: f64) -> f64 {
    let (end, fall) = SENSITIVITY_TAIL;
    let line = SENSITIVITY.0 + SENSITIVITY.1 * elo.min(end);
    line * exp(fall * (elo - end).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_line_of_consistency_and_the_fit_of_sensitivity() {
        for (elo, c, s) in [(2700.0, 0.513, 0.079_538), (1600.0, 0.436, 0.168_962)] {
            let curve = curve(Family::REGAN, Elo(elo));
            assert!((curve.competence().get() - c).abs() < 1e-9);
            assert!((curve.scale() - s).abs() < 1e-6);
        }
    }

    #[test]
    fn stronger_ratings_have_stronger_curves_and_come_back() {
        for family in [Family::HAWORTH, Family::LEVELLED, Family::REGAN] {
            for rating in (600..3200).step_by(50).map(f64::from) {
                let (here, next) = (curve(family, Elo(rating)), curve(family, Elo(rating + 50.0)));
                assert!(next.competence() > here.competence() && next.scale() <= here.scale());
                assert!((elo(&here).0 - rating).abs() < 0.1);
            }
        }
    }
}
