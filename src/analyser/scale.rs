//! A scale of ratings: which player of the model a rating stands for, and which rating a player.

use std::ops::RangeInclusive;

use super::Turn;
use super::fit::{Fit, FitError, by_likelihood};
use crate::math::exact::{exp, ln};
use crate::math::normal::normal_quantile;
use crate::prior::Pool;
use crate::selector::{Competence, Curve, Family, Selector, human};

/// Players by their rating: Regan's (2011, section 7), or people as the curve `human` knows them.
///
/// Regan's sensitivities were fitted to the values of another engine, so until a calibration of this
/// one takes their place, ratings on that scale tell players apart but are not anybody's Elo. The
/// curve of people was fitted to this engine's values and to their ratings.
#[derive(Clone, Debug, PartialEq)]
pub struct Scale {
    /// What to call it.
    pub name: &'static str,
    /// `None`: Regan's.
    people: Option<Pool>,
    /// Not fitted to this engine's values.
    pub is_provisional: bool,
    pub range: RangeInclusive<f64>,
    /// How far players of one rating differ in what their moves show, as a standard deviation.
    pub scatter: f64,
}

/// A rating with its intervals.
#[derive(Clone, Debug, PartialEq)]
pub struct Rating {
    pub elo: f64,
    /// From the number of turns alone.
    pub sampling: f64,
    /// With the scatter between players.
    pub deviation: f64,
    pub turns: usize,
}

/// `s = a + b Elo` through the fitted sensitivities of 2006 to 2009, and the same for `ln s` (from
/// the table of section 7).
const SENSITIVITY: (f64, f64) = (0.299_031_468_5, -8.129_370_63e-5);
const LN_SENSITIVITY: (f64, f64) = (-0.653_047_418_96, -6.790_266_39e-4);
/// Beyond this the line would soon be below zero.
const STRAIGHT_TO: f64 = 3000.0;
/// Steps of ratings for the fit, which expects parameters of the order of one.
const UNIT: f64 = 400.0;

impl Scale {
    /// The scale of the paper.
    pub fn published() -> Scale {
        Scale {
            name: "the published line of Regan and Haworth",
            people: None,
            is_provisional: true,
            range: 600.0..=3400.0,
            scatter: 100.0,
        }
    }

    /// People who play such games, by the ratings that they have for them.
    pub fn of_people(pool: Pool) -> Scale {
        Scale {
            name: match pool {
                Pool::Board => "the ratings of people over the board (FIDE)",
                Pool::Classical => "the ratings of people in classical games on a server (Lichess)",
                Pool::Rapid => "the ratings of people in rapid games (Lichess)",
                Pool::Blitz => "the ratings of people in blitz games (Lichess)",
                Pool::Bullet => "the ratings of people in bullet games (Lichess)",
            },
            people: Some(pool),
            is_provisional: false,
            range: human::LOWEST..=human::HIGHEST,
            ..Scale::published()
        }
    }

    /// The curve that turns have to be seen with.
    pub fn family(&self) -> Family {
        self.people.map_or(Family::REGAN, Family::human)
    }

    /// Sensitivity and consistency of a rating on the published line.
    pub fn parameters(&self, elo: f64) -> (f64, f64) {
        let line = |(start, slope): (f64, f64), x: f64| start + slope * x;
        // Above the straight part the logarithm goes on from where it ends.
        let s = match elo <= STRAIGHT_TO {
            true => line(SENSITIVITY, elo),
            false => {
                let end = line(SENSITIVITY, STRAIGHT_TO);
                end * exp(LN_SENSITIVITY.1 * (elo - STRAIGHT_TO))
            }
        };
        (s, 0.513 - 0.007 * (2700.0 - elo) / 100.0)
    }

    /// The player of a rating.
    pub fn selector(&self, elo: f64) -> Option<Selector> {
        if self.people.is_some() {
            let one = Competence::new(1.0).ok()?;
            return Some(Selector::new(Curve::new(self.family(), one, elo).ok()?));
        }
        let (s, c) = self.parameters(elo);
        Some(Selector::new(Curve::new(Family::REGAN, Competence::new(c).ok()?, s).ok()?))
    }

    /// The rating under which some choices are likeliest, within the range of the scale or, where its
    /// line goes on, a little beyond.
    pub fn rate(&self, turns: &[&Turn]) -> Result<Rating, FitError> {
        let (low, high) = (*self.range.start(), *self.range.end());
        let middle = (low + high) / 2.0;
        let beyond = if self.people.is_some() { 0.0 } else { UNIT };
        let elo = |parameters: &[f64]| middle + UNIT * parameters[0];
        let model = |parameters: &[f64]| {
            let elo = elo(parameters);
            (elo > low - beyond && elo < high + beyond).then(|| self.selector(elo)).flatten()
        };
        let fit: Fit = by_likelihood(turns, &[0.0], model)?;
        let sampling = UNIT * fit.deviation(0);
        Ok(Rating {
            elo: elo(&fit.parameters),
            sampling,
            deviation: sampling.hypot(self.scatter),
            turns: turns.len(),
        })
    }
}

impl Rating {
    /// The interval that holds the player's rating with this probability.
    pub fn interval(&self, probability: f64) -> (f64, f64) {
        let reach = normal_quantile((1.0 + probability) / 2.0) * self.deviation;
        (self.elo - reach, self.elo + reach)
    }
}

/// The logarithms of s and c as parameters of a fit.
pub fn regan_by_logarithms(parameters: &[f64]) -> Option<Selector> {
    let [s, c] = *parameters else { return None };
    Some(Selector::new(Curve::new(Family::REGAN, Competence::new(exp(c)).ok()?, exp(s)).ok()?))
}

/// Where such a fit begins: a club player.
pub fn usual_start() -> [f64; 2] {
    [ln(0.14), ln(0.47)]
}
