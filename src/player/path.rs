//! The players of a family in a row: from those who move at random to the engine's best.
//!
//! A family has two numbers, a rating has one. A path says which pair of numbers stands at which
//! place, so that strength rises along it; what rating that place has is for games to say (see
//! [`Levels`](super::Levels)).
//!
//! | family | place | numbers |
//! |---|---|---|
//! | haworth, levelled | 0 to 1 | `c = 10 x / (1 - x)`, κ = 1: ratings rise nearly evenly in x |
//! | of Regan | -4000 to 6000 | s and c of the people of that rating as he found them (2011, section 7) |
//! | of people | 0 to 3200 | people of that rating, c = 1; below 800 c falls evenly to 0, above 2800 it is `1 / (1 - x)`, which grows without end |
//!
//! Regan's two numbers by rating were fitted to games of people too, beside the curve `human`:
//! `ln s` and c are lines in the rating (Regan 2011, section 7, has s itself on a line; the logarithm
//! stays positive beyond the data). `stopdown-lab calibrate` makes the file.

use std::ops::RangeInclusive;

use once_cell::sync::Lazy;

use crate::math::exact::exp;
use crate::selector::human::{self, Human};
use crate::selector::{Competence, Curve, Family};

/// Where c of the power laws is half of the way to the best player.
const HALF_WAY: f64 = 10.0;

/// The players of Regan's curve: near the line through the logarithms of the published sensitivities, and on
/// that of c. It stays whatever is fitted to people later, since the games of the ladder were played by it.
const REGAN: People = People { sensitivity: [-2.0, -0.32], consistency: [0.464, 0.035] };

/// How far beyond the ratings of people their path goes until only the best moves are played.
const BEYOND: f64 = 400.0;

/// The places of a family's path.
pub fn places(family: Family) -> RangeInclusive<f64> {
    match family.pool() {
        Some(_) => 0.0..=human::HIGHEST + BEYOND,
        None if family.is_power_law() => 0.0..=1.0,
        None => -4000.0..=6000.0,
    }
}

/// The player at a place, which is brought into the range first.
pub fn curve(family: Family, place: f64) -> Curve {
    let range = places(family);
    let place = place.clamp(*range.start(), *range.end());
    let (exponent, scale) = match family.pool() {
        Some(_) => of_people(place),
        None if family.is_power_law() => (HALF_WAY * place / (1.0 - place), 1.0),
        None => REGAN.regan(place),
    };
    Competence::new(exponent)
        .and_then(|exponent| Curve::new(family, exponent, scale))
        .expect("exponents are numbers and scales positive all along a path")
}

/// The player who chooses as people do of whom this one has the strength.
pub fn as_they_choose(curve: &Curve) -> Curve {
    if curve.family().pool().is_none() {
        return *curve;
    }
    let exponent = curve.competence().get() / Human::built_in().sharpening(curve.scale());
    Competence::new(exponent).map_or(*curve, |exponent| curve.with_competence(exponent))
}

/// Competence and rating.
fn of_people(place: f64) -> (f64, f64) {
    let rating = place.clamp(human::LOWEST, human::HIGHEST);
    let beyond = (place - human::HIGHEST).max(0.0) / BEYOND;
    let sharpening = Human::built_in().sharpening(rating);
    (sharpening * place.min(human::LOWEST) / human::LOWEST / (1.0 - beyond), rating)
}

/// The place of the players who come nearest to a curve.
pub fn place(curve: &Curve) -> f64 {
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

/// The fit that is built in.
static BUILT_IN: Lazy<People> = Lazy::new(|| {
    let text = include_str!("../../tuning/calibration/people.toml");
    toml::from_str(text).expect("a test reads the built-in fit")
});

/// Where lines are anchored, and what their unit is.
const MIDDLE: f64 = 2000.0;
const UNIT: f64 = 500.0;

/// However bad, some consistency is left.
const LEAST_CONSISTENCY: f64 = 0.05;

/// The numbers of people by their rating.
#[derive(Clone, Copy, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub struct People {
    /// `ln s` in the middle, and its slope.
    pub sensitivity: [f64; 2],
    /// c in the middle, and its slope.
    pub consistency: [f64; 2],
}

impl People {
    pub fn built_in() -> &'static People {
        &BUILT_IN
    }

    /// Consistency and sensitivity of people of a rating over the board.
    pub fn regan(&self, rating: f64) -> (f64, f64) {
        let x = (rating - MIDDLE) / UNIT;
        let line = |[level, slope]: [f64; 2]| level + slope * x;
        (line(self.consistency).max(LEAST_CONSISTENCY), exp(line(self.sensitivity)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::GameKind;

    const FAMILIES: [Family; 4] =
        [Family::HAWORTH, Family::LEVELLED, Family::REGAN, Family::human(GameKind::Blitz)];

    #[test]
    fn a_path_goes_from_chance_to_the_best_and_its_places_come_back() {
        for family in FAMILIES {
            let (first, last) = places(family).into_inner();
            for step in 1..20 {
                let here = first + (last - first) * f64::from(step) / 20.0;
                let found = place(&curve(family, here));
                assert!((found - here).abs() < 1e-4 * (last - first), "{family} {here} {found}");
            }
            if !matches!(family, Family::REGAN) {
                assert_eq!(curve(family, first).competence(), Competence::RANDOM);
                assert_eq!(curve(family, last).competence(), Competence::BEST);
            }
        }
    }

    #[test]
    fn within_the_data_the_path_of_people_is_their_rating() {
        let family = Family::human(GameKind::Board);
        let found = curve(family, 1730.0);
        let sharpening = Human::built_in().sharpening(1730.0);
        assert_eq!((found.competence().get(), found.scale()), (sharpening, 1730.0));
        assert!((as_they_choose(&found).competence().get() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn the_built_in_fit_makes_stronger_people_more_sensitive() {
        let at = |rating| People::built_in().regan(rating);
        let ((_, weak), (c, strong)) = (at(1500.0), at(2500.0));
        assert!(weak > strong && strong > 0.0 && c > 0.0);
    }
}
