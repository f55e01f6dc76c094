//! What was fitted to games of people beside the curve `human`: Regan's two numbers by rating.
//!
//! `ln s` and c are lines in the rating (Regan 2011, section 7, has s itself on a line; the logarithm
//! stays positive beyond the data). `stopdown-lab calibrate` makes the file.

use once_cell::sync::Lazy;

use crate::math::exact::exp;

/// The fit that is built in.
static BUILT_IN: Lazy<People> = Lazy::new(|| {
    let text = include_str!("../../tuning/calibration/people.toml");
    toml::from_str(text).expect("a test reads the built-in fit")
});

/// Where lines are anchored, and what their unit is.
pub const MIDDLE: f64 = 2000.0;
pub const UNIT: f64 = 500.0;

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

    #[test]
    fn the_built_in_fit_makes_stronger_people_more_sensitive() {
        let at = |rating| People::built_in().regan(rating);
        let ((_, weak), (c, strong)) = (at(1500.0), at(2500.0));
        assert!(weak > strong && strong > 0.0 && c > 0.0);
    }
}
