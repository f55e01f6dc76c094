//! Converts the values of a curve, which Regan calls proxies, into move probabilities.
//!
//! The plain conversion gives each move its share of the sum of the proxies. In Regan's conversion, the logarithm of a
//! move's probability is the logarithm of the best move's probability divided by the move's proxy. A move with a proxy
//! of 1/2 has the square of the best move's probability. The probabilities must add up to 1. This is an equation for
//! the probability of the best move, which is solved numerically.

use std::f64::consts::E;

use crate::math::exact::{exp, exp_m1, ln};
use crate::math::largest;
use crate::selector::Distribution;

/// A rule for turning proxies into probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Conversion {
    /// `p_j = y_j / Σ y`.
    Share,
    /// Regan 2011, section 3: `y_j = r(p_j) / r(p_1)` with `r(p) = 1 / ln(1/p)`. This means that `p_j = p_1^(1/y_j)`,
    /// where the p_j add up to 1.
    LogLog,
}

/// The smallest proxy. Smaller proxies are raised to it. This affects only probabilities below about 1e-28, and limits
/// the work of the solver.
const MIN_PROXY: f64 = 1e-30;

/// The maximum number of iterations, far more than are ever needed.
const MAX_STEPS: usize = 200;

/// `e` to the power of minus this number is so small that adding it to 1 changes nothing.
const NEGLIGIBLE: f64 = 40.0;

impl Conversion {
    /// Turns the logarithms of proxies into probabilities. A proxy of zero means an impossible move.
    pub(super) fn apply(self, ln_proxies: Vec<f64>) -> Distribution {
        match self {
            Conversion::Share => Distribution::from_ln(ln_proxies),
            Conversion::LogLog => Distribution::from_ln(log_log(&ln_proxies)),
        }
    }
}

/// The logarithms of `p_1^(1/y)`. Only the ratios of the proxies matter, so the largest is scaled to 1.
fn log_log(ln_proxies: &[f64]) -> Vec<f64> {
    let top = largest(ln_proxies);
    let inverse: Vec<f64> = ln_proxies
        .iter()
        .filter(|&&l| l > f64::NEG_INFINITY)
        .map(|&l| 1.0 / exp(l - top).max(MIN_PROXY))
        .collect();
    let exponent = solve(&inverse);
    let mut possible = inverse.into_iter();
    ln_proxies
        .iter()
        .map(|&l| match l > f64::NEG_INFINITY {
            true => possible.next().map_or(l, |y| -exponent * y),
            false => l,
        })
        .collect()
}

/// The L at which `Σ exp(-L/y) = 1`, by Halley's method from the left of the root.
///
/// The sum is convex and falls with L, so Newton's method never overshoots. Halley's method may, but its next step
/// corrects this. For 40 moves, it takes about four steps.
fn solve(inverse_proxies: &[f64]) -> f64 {
    let mut inverses = inverse_proxies.to_vec();
    inverses.sort_unstable_by(f64::total_cmp);
    let mut exponent = start(&inverses);
    // Together, all moves except the best have a probability of at most L. Moves with a far smaller probability do not
    // change the sum.
    let least = NEGLIGIBLE - ln(exponent).min(0.0);
    let visible = inverses.partition_point(|&inverse| exponent * inverse < least);
    for _ in 0..MAX_STEPS {
        // The largest term minus 1, in one operation. If the other terms are tiny, so is L, and subtracting 1 from
        // `exp(-L)` would lose all digits.
        let mut excess = exp_m1(-exponent);
        let mut slope = 1.0 + excess;
        let mut curvature = slope;
        for &inverse in inverses[..visible].iter().skip(1) {
            let probability = exp(-exponent * inverse);
            let fall = probability * inverse;
            excess += probability;
            slope += fall;
            curvature += fall * inverse;
        }
        let newton = excess / slope;
        let correction = (0.5 * newton * curvature / slope).min(0.5);
        let step = newton / (1.0 - correction);
        exponent += step;
        // The remaining error is proportional to the cube of the step.
        if step.abs() <= exponent * 1e-6 {
            break;
        }
    }
    exponent
}

/// Returns a lower bound near the root.
///
/// The sum over the k largest proxies is at least `k exp(-L a)`, where a is the mean of their inverses, so the root is
/// at least `ln k / a`. If the other proxies are far below the largest one, another bound is closer. For this bound, a
/// is the mean without the largest proxy. Since `1 - exp(-L) <= L`, the root is at least x / a, where x solves `x
/// exp(x) = z = (k - 1) a`. This x is at least `ln z - ln ln z`.
fn start(inverses: &[f64]) -> f64 {
    let mut best: f64 = 0.0;
    let mut sum = 0.0;
    for (index, &inverse) in inverses.iter().enumerate().skip(1) {
        sum += inverse;
        // It is enough to compute bounds for k = 2, 3, 5, 9 and so on, and for all moves.
        if (index & (index - 1)) != 0 && index + 1 != inverses.len() {
            continue;
        }
        let (others, count) = (index as f64, index as f64 + 1.0);
        best = best.max(ln(count) * count / (1.0 + sum));
        if sum > E {
            let ln_sum = ln(sum);
            best = best.max((ln_sum - ln(ln_sum)) * others / sum);
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_proxies_are_equally_likely_and_impossible_moves_stay_impossible() {
        for conversion in [Conversion::Share, Conversion::LogLog] {
            let distribution = conversion.apply(vec![-700.0, f64::NEG_INFINITY, -700.0]);
            assert!((distribution.probability(0) - 0.5).abs() < 1e-15);
            assert_eq!(distribution.probability(1), 0.0);
            assert_eq!(distribution.probability(0), distribution.probability(2));
        }
    }

    #[test]
    fn the_solver_converges_for_proxies_far_apart() {
        let distribution = Conversion::LogLog.apply(vec![0.0, -1e300, -20.0, -60.0]);
        assert!((distribution.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(distribution.probability(0) > 0.999_999_9);
        assert!(distribution.probability(1) < 1e-28 && distribution.ln_probability(1).is_finite());
        // Two moves: p = y ln(1/p) at y = 1e-30. The reference value was computed independently by iteration.
        let small = Conversion::LogLog.apply(vec![0.0, -1e300]).ln_probability(1);
        assert!((small + 64.904_633_77).abs() < 1e-6, "{small}");
    }

    #[test]
    fn one_move_is_certain() {
        assert_eq!(Conversion::LogLog.apply(vec![-3.0]).probabilities(), [1.0]);
    }
}
