//! The likelihood of turns along a scale of ratings, and the rating that it gives.
//!
//! What the turns say is kept at a row of ratings: the logarithm of the likelihood, its slope, the
//! information, and the squares of the slopes of whole games. All of these add up over games, so that a
//! rating can be made from sums, whoever has added them.

use serde::{Deserialize, Serialize};

use super::Turn;
use super::scale::{Rating, RatingScale, UNIT};
use crate::math::sums::{FineCurve, additive};
use crate::selector::Selector;

/// The ratings at which the likelihood is kept, with the players of each, a little below and above.
#[derive(Clone, Debug)]
pub(super) struct RatingGrid {
    points: Vec<f64>,
    players: Vec<[Selector; 3]>,
    /// What the outer two players of each lie apart, in units of the fit.
    apart: Vec<f64>,
}

/// What a decision shows about the rating of its player, at each point of the grid.
#[derive(Clone, Debug)]
pub(super) struct RatingEvidence {
    pub ln_likelihood: Vec<f64>,
    pub slope: Vec<f64>,
    pub information: Vec<f64>,
}

/// The same of many games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RatingSums {
    pub ln_likelihood: FineCurve<3>,
    pub slope: FineCurve<3>,
    pub information: FineCurve<2>,
    /// The squares of the slopes of whole games.
    pub squared_slope: FineCurve<2>,
}

additive!(RatingEvidence: ln_likelihood, slope, information);
additive!(RatingSums: ln_likelihood, slope, information, squared_slope);

impl RatingSums {
    /// The sums of one game.
    pub fn of(game: &RatingEvidence) -> RatingSums {
        let squares: Vec<f64> = game.slope.iter().map(|slope| slope * slope).collect();
        RatingSums {
            ln_likelihood: FineCurve::of(&game.ln_likelihood),
            slope: FineCurve::of(&game.slope),
            information: FineCurve::of(&game.information),
            squared_slope: FineCurve::of(&squares),
        }
    }

    /// The numbers of points of its curves.
    pub fn lengths(&self) -> [usize; 4] {
        let RatingSums { ln_likelihood, slope, information, squared_slope } = self;
        [ln_likelihood.len(), slope.len(), information.len(), squared_slope.len()]
    }
}

/// Half of what the players lie apart from whom slopes are taken, in Elo.
const STEP: f64 = 0.4;
/// Turns never say less than this of a rating, so that nothing is divided by 0.
const LEAST_INFORMATION: f64 = 1e-6;
/// The likeliest rating is searched for at so many places between two of the grid.
const PLACES: usize = 50;

impl RatingGrid {
    pub fn new(scale: &RatingScale) -> RatingGrid {
        let points = scale.points();
        let (first, last) = (points[0], points[points.len() - 1]);
        let near = |elo: f64| [(elo - STEP).max(first), elo, (elo + STEP).min(last)];
        let players = |&elo: &f64| near(elo).map(|elo| scale.selector(elo));
        let complete = |[low, at, high]: [Option<Selector>; 3]| Some([low?, at?, high?]);
        let players = points.iter().map(players).filter_map(complete).collect();
        let apart = points.iter().map(|&elo| (near(elo)[2] - near(elo)[0]) / UNIT).collect();
        RatingGrid { points, players, apart }
    }

    /// The evidence of a decision.
    pub fn observe(&self, turn: &Turn) -> RatingEvidence {
        let mut found = self.nothing();
        for (place, (players, apart)) in self.players.iter().zip(&self.apart).enumerate() {
            let [low, at, high] = players.each_ref().map(|p| p.distribution(&turn.values));
            let slope = |j: usize| {
                let slope = (high.ln_probability(j) - low.ln_probability(j)) / apart;
                if slope.is_finite() { slope } else { 0.0 }
            };
            let information = |(j, p): (usize, &f64)| p * slope(j) * slope(j);
            found.ln_likelihood[place] = at.ln_probability(turn.chosen);
            found.slope[place] = slope(turn.chosen);
            let terms = at.probabilities().iter().enumerate().map(information);
            found.information[place] = terms.sum();
        }
        found
    }

    /// The evidence of no decision.
    pub fn nothing(&self) -> RatingEvidence {
        let zeros = || vec![0.0; self.points.len()];
        RatingEvidence { ln_likelihood: zeros(), slope: zeros(), information: zeros() }
    }

    /// The rating under which the turns of these sums are likeliest, with what was thought beforehand;
    /// `None` where they do not tell.
    pub fn rate(&self, scale: &RatingScale, sums: &RatingSums, turns: usize) -> Option<Rating> {
        let RatingSums { ln_likelihood, slope, information, squared_slope } = sums;
        if turns == 0 || sums.lengths() != [self.points.len(); 4] {
            return None;
        }
        let (low, high) = (self.points[0], self.points[self.points.len() - 1]);
        let middle = (low + high) / 2.0;
        let (mean, spread) = scale.beforehand.unwrap_or((middle, f64::INFINITY));
        let ln_posterior = |elo: f64| {
            self.between(ln_likelihood, slope, elo) - ((elo - mean) / spread).powi(2) / 2.0
        };
        let steps = PLACES * (self.points.len() - 1);
        let width = (high - low) / steps as f64;
        let places = (0..=steps).map(|step| low + width * step as f64);
        let better = |a: &f64, b: &f64| ln_posterior(*a).total_cmp(&ln_posterior(*b));
        let best = places.max_by(better).unwrap_or(middle);
        let likeliest = highest((best - width).max(low), (best + width).min(high), ln_posterior);
        // The turns' own part of what is known, as if their likelihood were a normal distribution.
        let before = (UNIT / spread).powi(2);
        let information = self.along(information, likeliest);
        if information < LEAST_INFORMATION && before == 0.0 {
            return None;
        }
        let own = information.max(LEAST_INFORMATION);
        let alone = mean + (likeliest - mean) * (1.0 + before / own);
        let sampling = UNIT / own.sqrt();
        let by_games = UNIT * self.along(squared_slope, likeliest).max(0.0).sqrt() / own;
        // Players of one rating differ, so much as turns say less of theirs than of how they play.
        let known = 1.0
            / ((scale.dispersion * sampling).powi(2)
                + scale.between_players * scale.between_players);
        let thought = 1.0 / (spread * spread);
        let together = known + thought;
        let elo = (known * alone + thought * mean) / together;
        let (elo, deviation) = (elo.clamp(low, high), 1.0 / together.sqrt());
        Some(Rating { elo, deviation, alone, sampling, by_games, turns })
    }

    /// The grid point below a rating, and how far it is to the next.
    fn place(&self, elo: f64) -> (usize, f64) {
        let step = self.points[1] - self.points[0];
        let place = (elo - self.points[0]) / step;
        let below = (place as usize).min(self.points.len() - 2);
        (below, place - below as f64)
    }

    /// A sum between the points, on a straight line.
    fn along(&self, sums: &FineCurve<2>, elo: f64) -> f64 {
        let (below, part) = self.place(elo);
        sums.at(below) * (1.0 - part) + sums.at(below + 1) * part
    }

    /// A sum between the points by its slopes there, on a cubic.
    fn between(&self, sums: &FineCurve<3>, slopes: &FineCurve<3>, elo: f64) -> f64 {
        let (below, t) = self.place(elo);
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

/// Where a function with one peak between two places is highest.
fn highest(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        let (one, other) = (low + third, high - third);
        if of(one) < of(other) { low = one } else { high = other }
    }
    (low + high) / 2.0
}
