//! Newton's method for the most likely parameters of logistic models: an expected score is a
//! logistic function of a sum of parameters.
//!
//! The log-likelihood has a single maximum, where its gradient is zero. Newton's method
//! approximates the log-likelihood by a parabola around the current parameters, and moves to the
//! top of this parabola. The step is the solution of a linear system. Its matrix contains the
//! second derivatives, with the opposite sign (the Fisher information), and its right-hand side is
//! the gradient. A step that makes the results less likely is shortened.

use crate::math::cholesky::Cholesky;
use crate::math::exact::{exp, logistic};

/// Parameters beyond this count as infinite: they correspond to odds of 10²¹ to one.
const BOUND: f64 = 50.0;
const MAX_STEPS: usize = 200;
/// The longest step. Far from the solution, a full step overshoots.
const LONGEST_STEP: f64 = 2.0;
const CLOSE_ENOUGH: f64 = 1e-11;

/// Indices of parameters with their weights in a sum.
type LinearForm = Vec<(usize, f64)>;

/// Games with the same expected score.
#[derive(Clone, Debug)]
pub struct EqualPairings {
    /// The expected score is a logistic function of this sum of parameters plus a known number.
    pub parts: LinearForm,
    /// The known part of the sum.
    pub known: f64,
    /// The points that were scored.
    pub points: f64,
    /// The number of games.
    pub games: f64,
    /// The weight of each game.
    pub weight: f64,
}

/// A normal prior for a sum of parameters.
#[derive(Clone, Debug)]
pub struct NormalPrior {
    /// The sum of parameters.
    pub parts: LinearForm,
    /// The expected value of the sum.
    pub mean: f64,
    /// One over the variance.
    pub precision: f64,
}

/// The equations: for every parameter, observed points equal expected points.
#[derive(Clone, Debug)]
pub struct Equations {
    /// The results.
    pub comparisons: Vec<EqualPairings>,
    /// The prior knowledge.
    pub priors: Vec<NormalPrior>,
    /// The starting point of the iteration, and in the end the solution.
    pub values: Vec<f64>,
}

impl Equations {
    /// Returns the equations with the solution in `values`. `None` if there is no finite solution, or no unique one.
    pub fn solve(mut self) -> Option<Equations> {
        for _ in 0..MAX_STEPS {
            let size = self.values.len();
            let step = Cholesky::new(&self.information(), size)?.solve(&self.gradient());
            let longest = step.iter().fold(0.0f64, |longest, x| longest.max(x.abs()));
            self.advance(&step, (LONGEST_STEP / longest).min(1.0));
            if !self.values.iter().all(|value| value.abs() < BOUND) {
                return None;
            }
            if longest < CLOSE_ENOUGH {
                return Some(self);
            }
        }
        None
    }

    /// Takes a step, shortened if necessary so that the results do not become less likely.
    fn advance(&mut self, step: &[f64], mut share: f64) {
        let values = self.values.clone();
        let before = self.ln_likelihood();
        for _ in 0..30 {
            let moved = values.iter().zip(step).map(|(value, step)| value + share * step);
            self.values = moved.collect();
            // At the solution, the likelihood changes only by rounding errors, so a tiny decrease
            // is accepted.
            if self.ln_likelihood() >= before - 1e-9 * before.abs() {
                return;
            }
            share /= 2.0;
        }
    }

    fn ln_likelihood(&self) -> f64 {
        let softplus = |x: f64| x.max(0.0) + libm::log1p(exp(-x.abs()));
        let of_games = self.comparisons.iter().map(|met| {
            let x = self.argument(met);
            met.weight * (-met.points * softplus(-x) - (met.games - met.points) * softplus(x))
        });
        let of_priors = self.priors.iter().map(|prior| {
            let off = self.sum(&prior.parts) - prior.mean;
            -prior.precision * off * off / 2.0
        });
        of_games.chain(of_priors).sum()
    }

    fn sum(&self, parts: &[(usize, f64)]) -> f64 {
        parts.iter().map(|&(unknown, weight)| weight * self.values[unknown]).sum()
    }

    fn argument(&self, met: &EqualPairings) -> f64 {
        met.known + self.sum(&met.parts)
    }

    /// The expected score of a game.
    pub fn expected(&self, met: &EqualPairings) -> f64 {
        logistic(self.argument(met))
    }

    /// The observed points minus the expected points, for every parameter.
    fn gradient(&self) -> Vec<f64> {
        let of_games = self.comparisons.iter().map(|met| {
            let expected = met.games * self.expected(met);
            (&met.parts, met.weight * (met.points - expected))
        });
        let of_priors = self
            .priors
            .iter()
            .map(|prior| (&prior.parts, prior.precision * (prior.mean - self.sum(&prior.parts))));
        let mut gradient = vec![0.0; self.values.len()];
        for (parts, pull) in of_games.chain(of_priors) {
            parts.iter().for_each(|&(unknown, weight)| gradient[unknown] += weight * pull);
        }
        gradient
    }

    /// The Fisher information: how fast the expected points change with the parameters.
    pub fn information(&self) -> Vec<f64> {
        let mut matrix = self.weighted(|score| score * (1.0 - score));
        for prior in &self.priors {
            self.add_square(&mut matrix, &prior.parts, prior.precision);
        }
        matrix
    }

    /// A matrix summed over all games. Each game adds a weight, which depends on its expected score, for every pair of
    /// its parameters.
    pub(crate) fn weighted(&self, weight: impl Fn(f64) -> f64) -> Vec<f64> {
        let mut matrix = vec![0.0; self.values.len() * self.values.len()];
        for met in &self.comparisons {
            let weight = met.weight * met.games * weight(self.expected(met));
            self.add_square(&mut matrix, &met.parts, weight);
        }
        matrix
    }

    fn add_square(&self, matrix: &mut [f64], parts: &[(usize, f64)], factor: f64) {
        for &(row, weight) in parts {
            for &(column, other) in parts {
                matrix[row * self.values.len() + column] += weight * other * factor;
            }
        }
    }
}
