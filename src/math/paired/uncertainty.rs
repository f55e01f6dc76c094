//! Standard errors of the strengths in a fit.
//!
//! There are two methods. The first uses the slopes at the solution. The variance of a game's points follows from its
//! expected score and draw rate, and small changes in the points change the strengths linearly. The second method is
//! Ordo's. It simulates all games many times with the fitted strengths and fits each simulation. It is slower, but does
//! not assume that errors are small.

use super::{Encounter, Fit, GamePool};
use crate::math::cholesky::Cholesky;
use crate::math::outcomes::Outcomes;
use crate::math::outcomes::{draw_rate, outcome_rates};
use crate::math::statistics::standard_deviation;
use crate::math::streams::{Occasion, Purpose, Stream};

/// Standard errors and covariances.
#[derive(Clone, Debug)]
pub struct Uncertainty {
    /// The covariances of the strengths, row by row. They are zero for fixed strengths.
    covariance: Vec<f64>,
    /// The players whose strength is fixed or estimated. The others have no standard error.
    placed: Vec<bool>,
    /// The standard error of the advantage. `None` if it was given.
    pub advantage: Option<f64>,
    /// The standard error of the draw rate of equal players.
    pub draws: f64,
}

impl Uncertainty {
    /// Estimates the errors from the slopes at the solution.
    pub fn of_slopes(pool: &GamePool, fit: &Fit) -> Option<Uncertainty> {
        let placed: Vec<bool> = fit.strengths.iter().map(|s| s.is_placed()).collect();
        let values: Vec<f64> = fit.strengths.iter().map(|s| s.value().unwrap_or(0.0)).collect();
        let advantage = (fit.advantage, !fit.advantage_found);
        let (equations, unknowns) = pool.equations(&placed, &values, advantage);
        let size = equations.values.len();
        let inverse = Cholesky::new(&equations.information(), size)?.inverse();
        // Even if all games were drawn, the next one may be decisive, so the draw rate must stay below 1.
        let games: f64 = pool.encounters.iter().map(Encounter::games).sum();
        let draws = fit.draws.min(games / (games + 1.0));
        let variance = |score: f64| score * (1.0 - score) - draw_rate(score, draws) / 4.0;
        let points = equations.weighted(variance);
        let covariance = product(&product(&inverse, &points, size), &inverse, size);
        let players = placed.len();
        let between = |place: usize| match (
            unknowns.players[place / players],
            unknowns.players[place % players],
        ) {
            (Some(row), Some(column)) => covariance[row * size + column],
            _ => 0.0,
        };
        let of_advantage = |unknown: usize| covariance[unknown * size + unknown].sqrt();
        Some(Uncertainty {
            covariance: (0..players * players).map(between).collect(),
            placed,
            advantage: unknowns.advantage.map(of_advantage),
            draws: error_of_draws(pool, fit),
        })
    }

    /// Estimates the errors from simulations of all games. A simulation does not count if a player gets no strength in
    /// it.
    pub fn of_simulations(
        pool: &GamePool,
        fit: &Fit,
        count: u64,
        seed: u64,
    ) -> Option<Uncertainty> {
        let placed: Vec<bool> = fit.strengths.iter().map(|s| s.is_placed()).collect();
        let mut strengths: Vec<Vec<f64>> = vec![Vec::new(); placed.len()];
        let (mut advantages, mut draws) = (Vec::new(), Vec::new());
        for game in 0..count {
            let mut stream = Stream::new(Occasion { seed, game, ply: 0 }, Purpose::Simulation);
            let replay = |encounter: &Encounter| replay(encounter, fit, &mut stream);
            let encounters = pool.encounters.iter().filter_map(replay).collect();
            let advantage = (!fit.advantage_found).then_some(fit.advantage);
            let again = GamePool { encounters, advantage, fixed: pool.fixed.clone() }.fit();
            let Ok(again) = again else { continue };
            let values = again.strengths.iter().map(|s| s.value());
            let complete = values.clone().zip(&placed).all(|(v, &placed)| v.is_some() || !placed);
            if complete && again.advantage_found == fit.advantage_found {
                strengths.iter_mut().zip(values).for_each(|(all, v)| all.extend(v));
                advantages.push(again.advantage);
                draws.push(again.draws);
            }
        }
        let players = placed.len();
        let between = |place: usize| {
            let (row, column) = (place / players, place % players);
            let both = placed[row] && placed[column];
            if both { covariance(&strengths[row], &strengths[column]) } else { 0.0 }
        };
        let covariance = (0..players * players).map(between).collect();
        (advantages.len() > 1).then(|| Uncertainty {
            covariance,
            placed,
            advantage: fit.advantage_found.then(|| standard_deviation(&advantages)),
            draws: standard_deviation(&draws),
        })
    }

    /// The standard error of the difference between two players' strengths.
    pub fn of_difference(&self, one: usize, other: usize) -> Option<f64> {
        let both = self.placed[one] && self.placed[other];
        let variance = self.at(one, one) + self.at(other, other) - 2.0 * self.at(one, other);
        both.then(|| variance.max(0.0).sqrt())
    }

    /// The standard error of a player's strength relative to the mean of all strengths.
    pub fn against_mean(&self, one: usize) -> Option<f64> {
        let all: Vec<usize> = (0..self.placed.len()).filter(|&p| self.placed[p]).collect();
        let n = all.len() as f64;
        let with_one: f64 = all.iter().map(|&p| self.at(one, p)).sum();
        let among_all: f64 =
            all.iter().flat_map(|&p| all.iter().map(move |&q| self.at(p, q))).sum();
        let variance = self.at(one, one) - 2.0 * with_one / n + among_all / (n * n);
        self.placed[one].then(|| variance.max(0.0).sqrt())
    }

    /// The standard error of a player's strength, for a fit with fixed strengths.
    pub(crate) fn of_strength(&self, one: usize) -> Option<f64> {
        self.placed[one].then(|| self.at(one, one).max(0.0).sqrt())
    }

    fn at(&self, row: usize, column: usize) -> f64 {
        self.covariance[row * self.placed.len() + column]
    }
}

/// Simulates the games in an encounter, with the odds given by the fit.
fn replay(encounter: &Encounter, fit: &Fit, stream: &mut Stream) -> Option<Encounter> {
    let rates = outcome_rates(fit.expected(encounter)?, fit.draws).map(|rate| rate.max(0.0));
    let mut counts = [0; 3];
    for _ in 0..encounter.outcomes.total() {
        counts[stream.index(&rates)?] += 1;
    }
    Some(Encounter { outcomes: Outcomes(counts), ..*encounter })
}

/// The standard error of the draw rate, from the variance of the number of draws and the slope of its expected value.
fn error_of_draws(pool: &GamePool, fit: &Fit) -> f64 {
    const SMALL: f64 = 1e-6;
    // If no games or all games were drawn, the variance at the estimate itself would be zero.
    let games: f64 = pool.encounters.iter().map(Encounter::games).sum();
    let smoothed = (fit.draws * games + 0.5) / (games + 1.0);
    let around = [(fit.draws - SMALL).max(0.0), (fit.draws + SMALL).min(1.0)];
    let [mut variance, mut slope] = [0.0; 2];
    for encounter in &pool.encounters {
        let Some(score) = fit.expected(encounter) else { continue };
        let draws = draw_rate(score, smoothed);
        variance += encounter.games() * draws * (1.0 - draws);
        let [lower, higher] = around.map(|rate| draw_rate(score, rate));
        slope += encounter.games() * (higher - lower) / (around[1] - around[0]);
    }
    // With few games, the slope is unreliable, but the error of a share cannot exceed this value.
    (variance.sqrt() / slope).min(0.5)
}

fn covariance(one: &[f64], other: &[f64]) -> f64 {
    let n = one.len() as f64;
    let means = [one, other].map(|sample| sample.iter().sum::<f64>() / n);
    let products = one.iter().zip(other).map(|(a, b)| (a - means[0]) * (b - means[1]));
    products.sum::<f64>() / (n - 1.0)
}

/// The product of two square matrices.
fn product(left: &[f64], right: &[f64], size: usize) -> Vec<f64> {
    let mut product = vec![0.0; size * size];
    for row in 0..size {
        for k in 0..size {
            let factor = left[row * size + k];
            for column in 0..size {
                product[row * size + column] += factor * right[k * size + column];
            }
        }
    }
    product
}
