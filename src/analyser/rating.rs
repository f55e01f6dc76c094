//! The likelihood of turns along a scale of ratings, and the rating that it gives.
//!
//! What the turns say is kept at a row of ratings: the logarithm of the likelihood, its slope, the
//! information, and the squares of the slopes of whole games. All of these add up over games, so that a
//! rating can be made from sums, whoever has added them.

use super::Turn;
use super::scale::{Rating, RatingScale, UNIT};
use crate::math::sums::{FINE, add, units};
use crate::selector::Selector;

/// The ratings at which the likelihood is kept, with the players of each, a little below and above.
#[derive(Clone, Debug)]
pub(super) struct RatingGrid {
    pub points: Vec<f64>,
    players: Vec<[Selector; 3]>,
    /// What the outer two players of each lie apart, in units of the fit.
    apart: Vec<f64>,
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

    /// The logarithm of the likelihood of a turn, its slope and the information, rating by rating.
    pub fn observe(&self, turn: &Turn, sums: &mut [Vec<f64>; 3]) {
        for (place, (players, apart)) in self.players.iter().zip(&self.apart).enumerate() {
            let [low, at, high] = players.each_ref().map(|p| p.distribution(&turn.values));
            let slope = |j: usize| {
                let slope = (high.ln_probability(j) - low.ln_probability(j)) / apart;
                if slope.is_finite() { slope } else { 0.0 }
            };
            let information = |(j, p): (usize, &f64)| p * slope(j) * slope(j);
            sums[0][place] += at.ln_probability(turn.chosen);
            sums[1][place] += slope(turn.chosen);
            sums[2][place] += at.probabilities().iter().enumerate().map(information).sum::<f64>();
        }
    }

    /// Adds what was observed in one game to what is kept.
    pub fn keep(&self, game: &[Vec<f64>; 3], kept: &mut [Vec<i64>]) {
        let in_units = |x: &f64| units(*x, FINE);
        let squares = game[1].iter().map(|slope| units(slope * slope, FINE)).collect();
        let sums = game.iter().map(|sums| sums.iter().map(in_units).collect::<Vec<i64>>());
        sums.chain([squares]).zip(kept).for_each(|(sums, kept)| add(kept, &sums));
    }

    /// The rating under which the turns of these sums are likeliest, with what was thought beforehand;
    /// `None` where they do not tell.
    pub fn rate(&self, scale: &RatingScale, kept: &[Vec<i64>], turns: usize) -> Option<Rating> {
        if turns == 0 || kept.iter().any(|sums| sums.len() != self.points.len()) {
            return None;
        }
        let (low, high) = (self.points[0], self.points[self.points.len() - 1]);
        let middle = (low + high) / 2.0;
        let (mean, spread) = scale.beforehand.unwrap_or((middle, f64::INFINITY));
        let ln_posterior = |elo: f64| {
            self.between(&kept[0], &kept[1], elo) - ((elo - mean) / spread).powi(2) / 2.0
        };
        let steps = PLACES * (self.points.len() - 1);
        let width = (high - low) / steps as f64;
        let places = (0..=steps).map(|step| low + width * step as f64);
        let better = |a: &f64, b: &f64| ln_posterior(*a).total_cmp(&ln_posterior(*b));
        let best = places.max_by(better).unwrap_or(middle);
        let likeliest = highest((best - width).max(low), (best + width).min(high), ln_posterior);
        // The turns' own part of what is known, as if their likelihood were a normal distribution.
        let before = (UNIT / spread).powi(2);
        let information = self.along(&kept[2], likeliest);
        if information < LEAST_INFORMATION && before == 0.0 {
            return None;
        }
        let own = information.max(LEAST_INFORMATION);
        let alone = mean + (likeliest - mean) * (1.0 + before / own);
        let sampling = UNIT / own.sqrt();
        let by_games = UNIT * self.along(&kept[3], likeliest).max(0.0).sqrt() / own;
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
    fn along(&self, sums: &[i64], elo: f64) -> f64 {
        let (below, part) = self.place(elo);
        let at = |index: usize| sums[index] as f64 / FINE;
        at(below) * (1.0 - part) + at(below + 1) * part
    }

    /// A sum between the points by its slopes there, on a cubic.
    fn between(&self, sums: &[i64], slopes: &[i64], elo: f64) -> f64 {
        let (below, t) = self.place(elo);
        let step = (self.points[1] - self.points[0]) / UNIT;
        let value = |index: usize| sums[index] as f64 / FINE;
        let slope = |index: usize| step * slopes[index] as f64 / FINE;
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
