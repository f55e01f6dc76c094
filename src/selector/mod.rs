//! The selector: the probability that a player with a given skill chooses each move.
//!
//! It turns the values of all moves at all depths into one probability for each move, in three steps:
//!
//! 1. A *curve* turns each value into a *proxy* for the move's probability, separately at each depth ([`Family`],
//!    [`Curve`]).
//! 2. *Depth weights* mix the proxies of a move over the depths ([`DepthWeights`]).
//! 3. A *conversion* turns the proxies into probabilities (`Conversion`).
//!
//! Human curves have a formula for all depths at once in place of the first two steps ([`human`]).
//!
//! The selector does not need to know where the values come from, and uses no random numbers. It computes everything in
//! logarithms and with [`crate::math::exact`], so nothing overflows and every machine gets the same result.

mod conversion;
mod curve;
mod distribution;
mod families;
pub mod human;
mod values;

pub(crate) use conversion::Conversion;
pub use curve::{Competence, Curve, CurveError};
pub use distribution::Distribution;
pub use families::{Family, UnknownFamily};
pub(crate) use values::PolicyShares;
pub use values::{DepthWeights, Values, ValuesError, WeightsError};

use crate::math::exact::{exp, ln, ln_sum_exp};
use crate::math::largest;
use curve::power;
use human::Human;

/// Sums below this have lost digits, because their terms are near the smallest floating-point numbers.
const MIN_SUM: f64 = 1e-280;

/// A player's way of choosing: a curve and depth weights.
#[derive(Clone, Debug, PartialEq)]
pub struct Selector {
    /// The curve that turns values into proxies.
    pub curve: Curve,
    /// The weight of the values at each depth.
    pub weights: DepthWeights,
}

impl Selector {
    /// A selector that uses only the values at the deepest depth.
    pub fn new(curve: Curve) -> Selector {
        Selector { curve, weights: DepthWeights::deepest() }
    }

    /// The probability of every move. Regan 2011, sections 3 and 8: `y_j = Σ_d w_d g(δ_{j,d})`.
    ///
    /// At each depth, the proxies are scaled so that the largest is 1. For curves that prefer good moves, this is
    /// Regan's `g(0) = 1`. For curves that prefer bad moves, it keeps the mixture meaningful.
    pub fn distribution(&self, values: &Values) -> Distribution {
        let moves = values.moves();
        if moves == 0 {
            return Distribution::default();
        }
        if let Some(losses) = self.human_losses(values) {
            let ln_proxies = match self.curve.competence().get() {
                c if c.is_finite() => losses.iter().map(|&loss| power(c, loss)).collect(),
                _ => self.curve.extreme(&losses.iter().map(|loss| -loss).collect::<Vec<_>>()),
            };
            return self.curve.family().conversion.apply(ln_proxies);
        }
        let weights = self.weights.over(values.depths());
        if let [(depth, _)] = weights[..] {
            let proxies = self.curve.ln_proxies(values.at_depth(depth));
            return self.curve.family().conversion.apply(proxies);
        }
        let proxies = self
            .mixed(values, &weights)
            .unwrap_or_else(|| self.mixed_by_logarithms(values, &weights));
        self.curve.family().conversion.apply(proxies)
    }

    /// Returns the logarithm of the probability of the move `chosen` with each of these exponents instead of the
    /// selector's own. This is faster than using one selector for each exponent.
    pub fn ln_likelihoods(&self, values: &Values, chosen: usize, exponents: &[f64]) -> Vec<f64> {
        let bases = match self.weights.over(values.depths())[..] {
            _ if self.curve.family().pool().is_some() => self.human_losses(values),
            [(depth, _)] if self.curve.family().conversion == Conversion::Share => {
                self.curve.ln_bases(values.at_depth(depth))
            }
            _ => None,
        };
        let largest = bases.iter().flatten().copied().fold(0.0, f64::max);
        let one_by_one = |c: f64| {
            let curve = Competence::new(c).map(|c| self.curve.with_competence(c));
            let selector = curve.map(|curve| Selector { curve, ..self.clone() });
            selector.map_or(f64::NAN, |s| s.distribution(values).ln_probability(chosen))
        };
        let ln_likelihood = |&c: &f64| match &bases {
            Some(bases) if c.is_finite() => {
                let top = if c < 0.0 { power(c, largest) } else { 0.0 };
                let sum: f64 = bases.iter().map(|&base| exp(power(c, base) - top)).sum();
                power(c, bases[chosen]) - top - ln(sum)
            }
            _ => one_by_one(c),
        };
        exponents.iter().map(ln_likelihood).collect()
    }

    /// For human curves, the logarithm of how many times less likely each move is than the likeliest one, for an
    /// exponent of 1. `None` for other curves.
    fn human_losses(&self, values: &Values) -> Option<Vec<f64>> {
        let pool = self.curve.family().pool()?;
        let scores = Human::built_in().scores(values, pool, self.curve.scale());
        let top = largest(&scores);
        Some(scores.into_iter().map(|score| top - score).collect())
    }

    /// The logarithms of `Σ_d w_d g(δ_{j,d})`. `None` if a sum is too small to be accurate, or if the exponent is not
    /// positive and finite.
    fn mixed(&self, values: &Values, weights: &[(usize, f64)]) -> Option<Vec<f64>> {
        let mut sums = vec![0.0; values.moves()];
        for &(depth, weight) in weights {
            let proxies = self.curve.proxies(values.at_depth(depth))?;
            sums.iter_mut().zip(proxies).for_each(|(sum, proxy)| *sum += weight * proxy);
        }
        let is_accurate = sums.iter().all(|&sum| sum > MIN_SUM);
        is_accurate.then(|| sums.into_iter().map(ln).collect())
    }

    /// Like [`Selector::mixed`], but in logarithms. This is slower, but works for all proxies.
    fn mixed_by_logarithms(&self, values: &Values, weights: &[(usize, f64)]) -> Vec<f64> {
        // `terms[j * weights + d]` is the logarithm of w_d g(δ_{j,d}).
        let mut terms = vec![0.0; values.moves() * weights.len()];
        for (column, &(depth, weight)) in weights.iter().enumerate() {
            let proxies = self.curve.ln_proxies(values.at_depth(depth));
            let ln_weight = ln(weight);
            for (j, proxy) in proxies.into_iter().enumerate() {
                terms[j * weights.len() + column] = ln_weight + proxy;
            }
        }
        terms.chunks_exact(weights.len()).map(ln_sum_exp).collect()
    }

    /// The Fisher information about c from one choice among these values: `Σ p (d ln p / dc)²`.
    ///
    /// The standard deviation of an estimate of c after many choices is at least one over the square root of their
    /// total information (Cramér-Rao bound). A position with only one legal move gives no information.
    pub fn information(&self, values: &Values) -> f64 {
        let c = self.curve.competence().get();
        if c.is_infinite() {
            return 0.0;
        }
        let step = 1e-4 * c.abs().max(1.0);
        let near = |c: f64| match Competence::new(c) {
            Ok(c) => Selector { curve: self.curve.with_competence(c), ..self.clone() }
                .distribution(values),
            Err(_) => Distribution::default(),
        };
        let (below, here, above) = (near(c - step), self.distribution(values), near(c + step));
        (0..here.len())
            .filter(|&j| here.probability(j) > 0.0)
            .map(|j| {
                let slope = (above.ln_probability(j) - below.ln_probability(j)) / (2.0 * step);
                here.probability(j) * slope * slope
            })
            .filter(|term| term.is_finite())
            .sum()
    }
}
