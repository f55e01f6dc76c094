//! Bayesian inference about a number: a posterior that gives a probability for each point of a grid.
//!
//! The posterior is proportional to the prior times the product of the likelihoods (Haworth 2007, section 3).
//! Probabilities are stored as logarithms. The product then becomes a sum, which does not underflow even after
//! thousands of moves.

use serde::Serialize;

use super::exact::{exp, ln, ln_sum_exp};

/// Why a grid or prior was rejected.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum GridError {
    /// The grid is empty.
    #[error("a grid needs at least one point")]
    Empty,
    /// Two neighbouring points are not in ascending order.
    #[error("grid points must be finite and ascending, but {1} follows {0}")]
    NotRising(f64, f64),
    /// The numbers of points and weights differ.
    #[error("the prior has {weights} weights for {points} grid points")]
    Length {
        /// The number of points.
        points: usize,
        /// The number of weights.
        weights: usize,
    },
    /// A weight is negative or not finite, or all weights are zero.
    #[error("prior weights must be finite, not negative, and not all zero; found {0}")]
    Weight(f64),
}

/// At least two evenly spaced points from `first` to `last`, both included.
pub fn evenly_spaced(first: f64, last: f64, count: usize) -> Vec<f64> {
    let steps = count.max(2) - 1;
    (0..=steps).map(|i| first + (last - first) * i as f64 / steps as f64).collect()
}

/// Points from 0 to `last`, both included, which are denser near 0: the distance between neighbours is proportional to
/// the point plus `knee`. The points are rounded to thousandths.
pub(crate) fn denser_near_zero(last: f64, knee: f64, count: usize) -> Vec<f64> {
    let steps = count.max(2) - 1;
    let whole = ln(1.0 + last / knee);
    let point = |i: usize| knee * (exp(whole * i as f64 / steps as f64) - 1.0);
    (0..=steps).map(|i| (1000.0 * point(i)).round() / 1000.0).collect()
}

/// The posterior distribution of a number.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Posterior {
    points: Vec<f64>,
    /// The logarithms of the probabilities, normalised.
    ln_weights: Vec<f64>,
}

impl Posterior {
    /// A prior with these weights, which need not add up to 1.
    pub(crate) fn new(points: Vec<f64>, prior: &[f64]) -> Result<Posterior, GridError> {
        let first = *points.first().ok_or(GridError::Empty)?;
        if !first.is_finite() {
            return Err(GridError::NotRising(first, first));
        }
        if let Some(w) = points.windows(2).find(|w| w[0] >= w[1] || !w[1].is_finite()) {
            return Err(GridError::NotRising(w[0], w[1]));
        }
        if points.len() != prior.len() {
            return Err(GridError::Length { points: points.len(), weights: prior.len() });
        }
        if let Some(&bad) = prior.iter().find(|w| !w.is_finite() || **w < 0.0) {
            return Err(GridError::Weight(bad));
        }
        if prior.iter().all(|&w| w == 0.0) {
            return Err(GridError::Weight(0.0));
        }
        let ln_weights = prior.iter().map(|&w| ln(w)).collect();
        let mut posterior = Posterior { points, ln_weights };
        posterior.normalise();
        Ok(posterior)
    }

    /// A prior in which all points are equally likely.
    pub fn uniform(points: Vec<f64>) -> Result<Posterior, GridError> {
        let prior = vec![1.0; points.len()];
        Posterior::new(points, &prior)
    }

    /// A prior with a constant density between the first and the last point, regardless of how the points are spaced.
    /// Each point represents the numbers that are nearest to it.
    pub(crate) fn flat(points: Vec<f64>) -> Result<Posterior, GridError> {
        let last = points.len().saturating_sub(1);
        let reach = |i: usize| points[(i + 1).min(last)] - points[i.saturating_sub(1)];
        let prior: Vec<f64> = match last {
            0 => vec![1.0; points.len()],
            _ => (0..=last).map(reach).map(|width| width.max(0.0)).collect(),
        };
        Posterior::new(points, &prior)
    }

    /// A normal prior, cut off at the ends of the grid.
    pub(crate) fn normal(
        points: Vec<f64>,
        mean: f64,
        deviation: f64,
    ) -> Result<Posterior, GridError> {
        let ln_density = |x: f64| -0.5 * ((x - mean) / deviation).powi(2);
        let top = points.iter().map(|&x| ln_density(x)).fold(f64::NEG_INFINITY, f64::max);
        let prior: Vec<f64> = points.iter().map(|&x| exp(ln_density(x) - top)).collect();
        Posterior::new(points, &prior)
    }

    /// The points of the grid, in ascending order.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// The probability of each point.
    pub fn weights(&self) -> Vec<f64> {
        self.ln_weights.iter().map(|&w| exp(w)).collect()
    }

    /// Updates the posterior with an observation, given its log-likelihood at each point. Returns whether the
    /// observation counted.
    ///
    /// If an observation is impossible at all points that are still possible, it is ignored, because it does not
    /// distinguish between them.
    pub fn update(&mut self, ln_likelihoods: &[f64]) -> bool {
        debug_assert_eq!(ln_likelihoods.len(), self.points.len());
        let sums: Vec<f64> =
            self.ln_weights.iter().zip(ln_likelihoods).map(|(w, l)| w + l).collect();
        let possible = ln_sum_exp(&sums).is_finite();
        if possible {
            self.ln_weights = sums;
            self.normalise();
        }
        possible
    }

    /// The mean of the distribution.
    pub fn mean(&self) -> f64 {
        self.average(|x| x)
    }

    /// The median.
    pub fn median(&self) -> f64 {
        self.quantile(0.5)
    }

    /// The standard deviation of the distribution.
    pub fn standard_deviation(&self) -> f64 {
        let centre = self.mean();
        self.average(|x| (x - centre) * (x - centre)).sqrt()
    }

    /// The expected value of a function of the number.
    pub(crate) fn average(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.points.iter().zip(&self.ln_weights).map(|(&x, &w)| exp(w) * f(x)).sum()
    }

    /// The distribution of this number plus a normal error.
    #[must_use]
    pub(crate) fn widened(&self, deviation: f64) -> Posterior {
        let weights = self.weights();
        let spread = |&to: &f64| -> f64 {
            let near = |from: f64| exp(-0.5 * ((to - from) / deviation).powi(2));
            self.points.iter().zip(&weights).map(|(&from, weight)| weight * near(from)).sum()
        };
        let spread: Vec<f64> = self.points.iter().map(spread).collect();
        Posterior::new(self.points.clone(), &spread).unwrap_or_else(|_| self.clone())
    }

    /// The central interval with this probability. For example, 0.9 gives the range from the 5% quantile to the 95%
    /// quantile.
    pub fn interval(&self, probability: f64) -> (f64, f64) {
        let tail = (1.0 - probability) / 2.0;
        (self.quantile(tail), self.quantile(1.0 - tail))
    }

    /// The quantile for this fraction. The probability of each point is spread evenly over its cell, which reaches
    /// halfway to the neighbouring points.
    pub(crate) fn quantile(&self, fraction: f64) -> f64 {
        let last = self.points.len() - 1;
        let mut sum = 0.0;
        for (i, &w) in self.ln_weights.iter().enumerate() {
            let weight = exp(w);
            if sum + weight >= fraction && weight > 0.0 || i == last {
                let x = self.points[i];
                let left = if i == 0 { x } else { (self.points[i - 1] + x) / 2.0 };
                let right = if i == last { x } else { (x + self.points[i + 1]) / 2.0 };
                let share = if weight > 0.0 { (fraction - sum) / weight } else { 1.0 };
                return left + (right - left) * share.clamp(0.0, 1.0);
            }
            sum += weight;
        }
        self.points[last]
    }

    fn normalise(&mut self) {
        let total = ln_sum_exp(&self.ln_weights);
        self.ln_weights.iter_mut().for_each(|w| *w -= total);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_grid_is_refused_with_the_reason() {
        assert_eq!(Posterior::uniform(vec![]), Err(GridError::Empty));
        assert!(Posterior::uniform(vec![1.0, 1.0]).is_err());
        assert!(Posterior::uniform(vec![0.0, f64::INFINITY]).is_err());
        assert!(Posterior::uniform(vec![f64::NAN]).is_err());
        assert!(Posterior::new(vec![0.0, 1.0], &[1.0]).is_err());
        assert!(Posterior::new(vec![0.0, 1.0], &[1.0, -1.0]).is_err());
        assert!(Posterior::new(vec![0.0, 1.0], &[0.0, 0.0]).is_err());
    }

    #[test]
    fn a_normal_prior_has_its_mean_deviation_and_interval() {
        let posterior =
            Posterior::normal(evenly_spaced(-10.0, 10.0, 401), 1.0, 1.5).expect("valid");
        assert!((posterior.mean() - 1.0).abs() < 1e-6);
        assert!((posterior.standard_deviation() - 1.5).abs() < 1e-6);
        let (low, high) = posterior.interval(0.9);
        assert!(
            (low - (1.0 - 1.6449 * 1.5)).abs() < 0.01 && (high - (1.0 + 1.6449 * 1.5)).abs() < 0.01
        );
    }

    #[test]
    fn variances_of_errors_add_up() {
        let posterior =
            Posterior::normal(evenly_spaced(-20.0, 20.0, 801), 1.0, 1.5).expect("valid");
        let wide = posterior.widened(2.0);
        assert!((wide.mean() - 1.0).abs() < 1e-6);
        assert!((wide.standard_deviation() - 2.5).abs() < 1e-6);
    }

    #[test]
    fn a_flat_prior_does_not_depend_on_the_spacing_of_its_points() {
        let posterior = Posterior::flat(denser_near_zero(60.0, 2.0, 361)).expect("valid");
        assert_eq!((posterior.points()[0], posterior.points()[360]), (0.0, 60.0));
        assert!((posterior.mean() - 30.0).abs() < 0.01);
        let (low, high) = posterior.interval(0.9);
        assert!((low - 3.0).abs() < 0.1 && (high - 57.0).abs() < 0.3);
        assert_eq!(Posterior::flat(vec![7.0]).expect("valid").mean(), 7.0);
        assert!(Posterior::flat(vec![]).is_err() && Posterior::flat(vec![2.0, 1.0]).is_err());
    }

    #[test]
    fn the_order_of_observations_does_not_matter() {
        let start = Posterior::uniform(evenly_spaced(0.0, 4.0, 5)).expect("valid");
        let observations = [[-1.0, -900.0, -3.0, -2.0, -1e5], [-5000.0, -0.1, -0.2, -7.0, 0.0]];
        let (mut forth, mut back) = (start.clone(), start);
        observations.iter().for_each(|o| assert!(forth.update(o)));
        observations.iter().rev().for_each(|o| assert!(back.update(o)));
        for (a, b) in forth.weights().iter().zip(back.weights()) {
            assert!((a - b).abs() < 1e-12);
        }
        assert!((forth.weights().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }

    #[test]
    fn an_impossible_observation_is_ignored() {
        let mut posterior = Posterior::uniform(vec![1.0, 2.0]).expect("valid");
        let before = posterior.clone();
        assert!(!posterior.update(&[f64::NEG_INFINITY; 2]));
        assert_eq!(posterior, before);
        assert!(posterior.update(&[f64::NEG_INFINITY, -1.0]));
        assert_eq!(posterior.weights(), [0.0, 1.0]);
        let (low, high) = posterior.interval(0.9);
        assert!((low - 1.525).abs() < 1e-12 && (high - 1.975).abs() < 1e-12);
    }
}
