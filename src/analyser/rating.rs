//! The likelihood of decisions along a rating scale, and the rating that it suggests.
//!
//! For a grid of ratings, the sums hold the log-likelihood, its slope, the information, and the
//! squared slope of each whole game. All of these add up over games, so the games of a study can be
//! divided among several processes.

use serde::{Deserialize, Serialize};

use super::StudiedMove;
use super::scale::{Rating, RatingScale, UNIT};
use crate::math::sums::{FineCurve, additive};
use crate::selector::Selector;

/// The ratings of the grid. Each grid point has three players: one with the rating itself, one
/// slightly below it and one slightly above it.
#[derive(Clone, Debug)]
pub(super) struct RatingGrid {
    points: Vec<f64>,
    players: Vec<[Selector; 3]>,
    /// The distance between the outer two players of each point, in units of the fit.
    spacing: Vec<f64>,
}

/// The evidence from one decision about its player's rating, at each point of the grid.
#[derive(Clone, Debug)]
pub(super) struct RatingEvidence {
    pub ln_likelihood: Vec<f64>,
    pub slope: Vec<f64>,
    pub information: Vec<f64>,
}

/// The same evidence, added up over many games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RatingSums {
    pub ln_likelihood: FineCurve<3>,
    pub slope: FineCurve<3>,
    pub information: FineCurve<2>,
    /// The squared slopes of whole games.
    pub squared_slope: FineCurve<2>,
}

additive!(RatingEvidence: ln_likelihood, slope, information);
additive!(RatingSums: ln_likelihood, slope, information, squared_slope);

impl RatingSums {
    /// Converts the evidence from one game.
    pub fn of(game: &RatingEvidence) -> RatingSums {
        let squares: Vec<f64> = game.slope.iter().map(|slope| slope * slope).collect();
        RatingSums {
            ln_likelihood: FineCurve::of(&game.ln_likelihood),
            slope: FineCurve::of(&game.slope),
            information: FineCurve::of(&game.information),
            squared_slope: FineCurve::of(&squares),
        }
    }

    /// The number of points of each curve.
    pub fn lengths(&self) -> [usize; 4] {
        let RatingSums { ln_likelihood, slope, information, squared_slope } = self;
        [ln_likelihood.len(), slope.len(), information.len(), squared_slope.len()]
    }
}

/// The distance in Elo from a grid point to its two outer players, which give the slope.
const STEP: f64 = 0.4;
/// A lower bound on the information, which prevents division by zero.
const MIN_INFORMATION: f64 = 1e-6;
/// The number of steps between two grid points in the search for the likeliest rating.
const STEPS_PER_INTERVAL: usize = 50;

impl RatingGrid {
    pub fn new(scale: &RatingScale) -> RatingGrid {
        let points = scale.points();
        let (first, last) = (points[0], points[points.len() - 1]);
        let neighbours = |elo: f64| [(elo - STEP).max(first), elo, (elo + STEP).min(last)];
        let players = |&elo: &f64| neighbours(elo).map(|elo| scale.selector(elo));
        let complete = |[low, at, high]: [Option<Selector>; 3]| Some([low?, at?, high?]);
        let players = points.iter().map(players).filter_map(complete).collect();
        let spacing =
            points.iter().map(|&elo| (neighbours(elo)[2] - neighbours(elo)[0]) / UNIT).collect();
        RatingGrid { points, players, spacing }
    }

    /// Measures a decision.
    pub fn observe(&self, decision: &StudiedMove) -> RatingEvidence {
        let mut found = self.empty_evidence();
        for (index, (players, spacing)) in self.players.iter().zip(&self.spacing).enumerate() {
            let [low, at, high] = players.each_ref().map(|p| p.distribution(&decision.values));
            let slope = |j: usize| {
                let slope = (high.ln_probability(j) - low.ln_probability(j)) / spacing;
                if slope.is_finite() { slope } else { 0.0 }
            };
            let information = |(j, p): (usize, &f64)| p * slope(j) * slope(j);
            found.ln_likelihood[index] = at.ln_probability(decision.chosen);
            found.slope[index] = slope(decision.chosen);
            let terms = at.probabilities().iter().enumerate().map(information);
            found.information[index] = terms.sum();
        }
        found
    }

    /// Evidence from no decisions.
    pub fn empty_evidence(&self) -> RatingEvidence {
        let zeros = || vec![0.0; self.points.len()];
        RatingEvidence { ln_likelihood: zeros(), slope: zeros(), information: zeros() }
    }

    /// Finds the rating that maximises the posterior of these sums, or `None` if they are not
    /// informative.
    ///
    /// The search first tries evenly spaced ratings and then refines the best one. It treats the
    /// likelihood as a normal distribution around the maximum, so that it can separate the
    /// contribution of the moves from that of the prior. The two are then combined again, with an
    /// error that allows for the differences between players with the same rating.
    pub fn rate(&self, scale: &RatingScale, sums: &RatingSums, decisions: usize) -> Option<Rating> {
        let RatingSums { ln_likelihood, slope, information, squared_slope } = sums;
        if decisions == 0 || sums.lengths() != [self.points.len(); 4] {
            return None;
        }
        let (low, high) = (self.points[0], self.points[self.points.len() - 1]);
        let middle = (low + high) / 2.0;
        let (mean, spread) = scale.prior.unwrap_or((middle, f64::INFINITY));
        let ln_posterior = |elo: f64| {
            self.interpolate(ln_likelihood, slope, elo) - ((elo - mean) / spread).powi(2) / 2.0
        };
        let steps = STEPS_PER_INTERVAL * (self.points.len() - 1);
        let width = (high - low) / steps as f64;
        let candidates = (0..=steps).map(|step| low + width * step as f64);
        let by_posterior = |a: &f64, b: &f64| ln_posterior(*a).total_cmp(&ln_posterior(*b));
        let best = candidates.max_by(by_posterior).unwrap_or(middle);
        let likeliest = maximise((best - width).max(low), (best + width).min(high), ln_posterior);
        // Remove the prior, as if the likelihood were a normal distribution.
        let before = (UNIT / spread).powi(2);
        let information = self.interpolate_linearly(information, likeliest);
        if information < MIN_INFORMATION && before == 0.0 {
            return None;
        }
        let own_information = information.max(MIN_INFORMATION);
        let alone = mean + (likeliest - mean) * (1.0 + before / own_information);
        let sampling = UNIT / own_information.sqrt();
        let by_games = UNIT * self.interpolate_linearly(squared_slope, likeliest).max(0.0).sqrt()
            / own_information;
        // The playing strength of players with the same rating varies, so moves are weaker evidence
        // about the rating than about the strength.
        let precision_of_moves = 1.0
            / ((scale.dispersion * sampling).powi(2)
                + scale.between_players * scale.between_players);
        let precision_of_prior = 1.0 / (spread * spread);
        let precision = precision_of_moves + precision_of_prior;
        let elo = (precision_of_moves * alone + precision_of_prior * mean) / precision;
        let (elo, deviation) = (elo.clamp(low, high), 1.0 / precision.sqrt());
        Some(Rating { elo, deviation, alone, sampling, by_games, decisions })
    }

    /// The grid point below a rating, and the fraction of the way to the next point.
    fn locate(&self, elo: f64) -> (usize, f64) {
        let step = self.points[1] - self.points[0];
        let position = (elo - self.points[0]) / step;
        let below = (position as usize).min(self.points.len() - 2);
        (below, position - below as f64)
    }

    /// Interpolates linearly between grid points.
    fn interpolate_linearly(&self, sums: &FineCurve<2>, elo: f64) -> f64 {
        let (below, part) = self.locate(elo);
        sums.at(below) * (1.0 - part) + sums.at(below + 1) * part
    }

    /// Interpolates between grid points with a cubic that matches the values and slopes.
    fn interpolate(&self, sums: &FineCurve<3>, slopes: &FineCurve<3>, elo: f64) -> f64 {
        let (below, t) = self.locate(elo);
        let step = (self.points[1] - self.points[0]) / UNIT;
        let value = |index: usize| sums.at(index);
        let slope = |index: usize| step * slopes.at(index);
        let (t2, u) = (t * t, 1.0 - t);
        value(below) * (1.0 + 2.0 * t) * u * u
            + slope(below) * t * u * u
            + value(below + 1) * t2 * (3.0 - 2.0 * t)
            - slope(below + 1) * t2 * u
    }
}

/// Finds the maximum of a unimodal function by ternary search.
fn maximise(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        let (one, other) = (low + third, high - third);
        if of(one) < of(other) { low = one } else { high = other }
    }
    (low + high) / 2.0
}
