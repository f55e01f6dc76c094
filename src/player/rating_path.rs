//! Paths: the players of each family, ordered from random moves to full strength.
//!
//! A curve has two parameters, but a rating is one number. A path maps a single number, the place,
//! to a pair of parameters such that strength increases along the path. Games then measure the
//! rating of each place (see [`Levels`](super::Levels)).
//!
//! | family | place | parameters |
//! |---|---|---|
//! | haworth, levelled | 0 to 1 | `c = 10 x / (1 - x)`, κ = 1: ratings increase almost linearly in x |
//! | Regan's | -4000 to 6000 | s and c of humans with that rating, as Regan found them (2011, section 7) |
//! | human | 0 to 3000 | humans with that rating; below 600, c falls linearly to 0; above 2800, only c rises |
//!
//! Regan's two parameters, like the curve `human`, were fitted to human games: `ln s` and c are
//! linear in the rating. In Regan 2011, section 7, s itself is linear. A linear `ln s` keeps s
//! positive outside the range of the data. `stopdown-lab calibrate` creates the file with the fit.

use std::ops::RangeInclusive;

use once_cell::sync::Lazy;

use crate::math::exact::exp;
use crate::selector::human::{self, Human};
use crate::selector::{Competence, Curve, Family};

/// The competence of the power laws in the middle of the path.
const MIDPOINT_COMPETENCE: f64 = 10.0;

/// The players of Regan's curve: a linear fit to the logarithms of the published sensitivities, and
/// the published line for c. This must not change when humans are fitted again, because the table
/// of levels was measured with it.
const REGAN: ReganLines = ReganLines { sensitivity: [-2.0, -0.32], consistency: [0.464, 0.035] };

/// The range of places on the path of a family.
pub fn places(family: Family) -> RangeInclusive<f64> {
    match family.pool() {
        Some(_) => 0.0..=human::TOP,
        None if family.is_power_law() => 0.0..=1.0,
        None => -4000.0..=6000.0,
    }
}

/// The player at a place on the path. Places out of range are clamped.
pub fn curve(family: Family, place: f64) -> Curve {
    let range = places(family);
    let place = place.clamp(*range.start(), *range.end());
    let (exponent, scale) = match family.pool() {
        Some(_) => human_parameters(place),
        None if family.is_power_law() => (MIDPOINT_COMPETENCE * place / (1.0 - place), 1.0),
        None => REGAN.regan(place),
    };
    Competence::new(exponent)
        .and_then(|exponent| Curve::new(family, exponent, scale))
        .expect("the parameters on a path are valid")
}

/// The curve for the choices of humans with the same rating as this player. A level raises the probabilities of these
/// choices to a power (see [`Human::sharpening`]). This undoes it.
pub fn human_choice_curve(curve: &Curve) -> Curve {
    if curve.family().pool().is_none() {
        return *curve;
    }
    let rating = curve.scale().min(human::HIGHEST);
    let exponent = curve.competence().get() / Human::built_in().sharpening(rating);
    Competence::new(exponent).map_or(*curve, |exponent| curve.with_competence(exponent))
}

/// Whether a curve is that of a player on the path of its family: for a human curve, that of a level.
pub(crate) fn is_on_path(curve: &Curve) -> bool {
    /// The greatest relative difference. Places are found by bisection, so they are not exact.
    const TOLERANCE: f64 = 1e-3;
    let nearest = self::curve(curve.family(), place(curve));
    let is_near =
        |one: f64, other: f64| one == other || (one - other).abs() < TOLERANCE * other.abs();
    is_near(nearest.competence().get(), curve.competence().get())
        && is_near(nearest.scale(), curve.scale())
}

/// The competence and rating at a place on a human path.
fn human_parameters(place: f64) -> (f64, f64) {
    let rating = place.max(human::LOWEST);
    let sharpening = Human::built_in().sharpening(rating);
    (sharpening * place.min(human::LOWEST) / human::LOWEST, rating)
}

/// The place of the player nearest to a curve.
pub(crate) fn place(curve: &Curve) -> f64 {
    let family = curve.family();
    let c = curve.competence().get();
    let is_stronger = |than: &Curve| match family.pool() {
        Some(_) => (curve.scale(), c) > (than.scale(), than.competence().get()),
        None if family.is_power_law() => c > than.competence().get(),
        None => curve.scale() < than.scale(),
    };
    let (mut low, mut high) = places(family).into_inner();
    while high - low > 1e-6 * (1.0 + high.abs()) {
        let middle = (low + high) / 2.0;
        if is_stronger(&self::curve(family, middle)) {
            low = middle;
        } else {
            high = middle;
        }
    }
    (low + high) / 2.0
}

/// The built-in fit.
static BUILT_IN: Lazy<ReganLines> = Lazy::new(|| {
    let text = include_str!("../../tuning/calibration/people.toml");
    toml::from_str(text).expect("a test parses the built-in fit")
});

/// The origin and the unit of the linear fits, in Elo.
const MIDDLE: f64 = 2000.0;
const UNIT: f64 = 500.0;

/// The lowest consistency of any player.
const MIN_CONSISTENCY: f64 = 0.05;

/// Regan's parameters for humans, as linear functions of the rating.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReganLines {
    /// `ln s` at the origin, and its slope.
    pub sensitivity: [f64; 2],
    /// c at the origin, and its slope.
    pub consistency: [f64; 2],
}

impl ReganLines {
    /// The fit that is part of the program.
    pub fn built_in() -> &'static ReganLines {
        &BUILT_IN
    }

    /// The consistency and sensitivity of humans with this over-the-board rating.
    pub fn regan(&self, rating: f64) -> (f64, f64) {
        let x = (rating - MIDDLE) / UNIT;
        let line = |[level, slope]: [f64; 2]| level + slope * x;
        (line(self.consistency).max(MIN_CONSISTENCY), exp(line(self.sensitivity)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::GameKind;

    const FAMILIES: [Family; 4] =
        [Family::HAWORTH, Family::LEVELLED, Family::REGAN, Family::human(GameKind::Blitz)];

    #[test]
    fn paths_run_from_random_to_best_and_places_round_trip() {
        for family in FAMILIES {
            let (first, last) = places(family).into_inner();
            for step in 1..20 {
                let here = first + (last - first) * f64::from(step) / 20.0;
                let found = place(&curve(family, here));
                assert!((found - here).abs() < 1e-4 * (last - first), "{family} {here} {found}");
            }
            if family.is_power_law() {
                assert_eq!(curve(family, last).competence(), Competence::BEST);
            }
            if !matches!(family, Family::REGAN) {
                assert_eq!(curve(family, first).competence(), Competence::RANDOM);
            }
        }
    }

    #[test]
    fn places_of_human_paths_are_ratings_within_the_data() {
        let family = Family::human(GameKind::Board);
        let found = curve(family, 1730.0);
        let sharpening = Human::built_in().sharpening(1730.0);
        assert_eq!((found.competence().get(), found.scale()), (sharpening, 1730.0));
        assert!((human_choice_curve(&found).competence().get() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn levels_are_on_the_path_and_human_choices_are_not() {
        let family = Family::human(GameKind::Board);
        for place in [300.0, 450.0, 600.0, 1500.0, 2800.0] {
            let level = curve(family, place);
            assert!(is_on_path(&level), "{place}");
            // The choices of the weakest humans, with half the exponent, are those of a weaker level.
            assert_eq!(is_on_path(&human_choice_curve(&level)), place < 500.0, "{place}");
        }
    }

    #[test]
    fn the_built_in_fit_makes_stronger_players_more_sensitive() {
        let at = |rating| ReganLines::built_in().regan(rating);
        let ((_, weak), (c, strong)) = (at(1500.0), at(2500.0));
        assert!(weak > strong && strong > 0.0 && c > 0.0);
    }
}
