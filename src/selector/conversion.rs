//! From proxies to probabilities.

use crate::math::exact::{exp, exp_m1};
use crate::selector::Distribution;

/// How proxies become probabilities.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Conversion {
    /// `p_j = y_j / Σ y`.
    Share,
    /// Regan 2011, section 3: `y_j = r(p_j) / r(p_1)` with `r(p) = 1 / ln(1/p)`, which is
    /// `p_j = p_1^(1/y_j)` with the p_j adding up to 1.
    LogLog,
}

/// Proxies below this are taken for this much. Probabilities under some 1e-28 are all that it
/// changes, and it bounds the work of the solver.
const LEAST_PROXY: f64 = 1e-30;

/// More than any proxies need: while it passes one of size y the climb takes steps of size y, of
/// which `ln(1/y)` are enough.
const MOST_STEPS: usize = 200;

impl Conversion {
    /// Probabilities from the logarithms of proxies. A proxy of zero is an impossible move.
    pub(super) fn apply(self, ln_proxies: Vec<f64>) -> Distribution {
        match self {
            Conversion::Share => Distribution::from_ln(ln_proxies),
            Conversion::LogLog => Distribution::from_ln(log_log(&ln_proxies)),
        }
    }
}

/// The logarithms of `p_1^(1/y)`. Only the ratios of the proxies matter, so they are scaled to a
/// largest of 1.
fn log_log(ln_proxies: &[f64]) -> Vec<f64> {
    let top = ln_proxies.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let inverse: Vec<f64> = ln_proxies
        .iter()
        .filter(|&&l| l > f64::NEG_INFINITY)
        .map(|&l| 1.0 / exp(l - top).max(LEAST_PROXY))
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

/// The L at which `Σ exp(-L/y) = 1`, by Newton's method from L = 0. The sum is convex and falling in
/// L, so every step stays on the left of the root and none overshoots.
fn solve(inverse_proxies: &[f64]) -> f64 {
    // One of the largest proxies is taken with the 1: when the others are tiny so is L, and
    // `exp(-L) - 1` would lose all of it.
    let first = inverse_proxies.iter().position(|&inverse| inverse == 1.0);
    let mut exponent = 0.0;
    for _ in 0..MOST_STEPS {
        let (mut excess, mut slope) = (exp_m1(-exponent), exp(-exponent));
        for (j, &inverse) in inverse_proxies.iter().enumerate() {
            if Some(j) != first {
                let probability = exp(-exponent * inverse);
                excess += probability;
                slope += probability * inverse;
            }
        }
        let step = excess / slope;
        // Rounding ends the climb: a step that no longer rises, or no longer shows.
        if step <= exponent * 1e-15 {
            break;
        }
        exponent += step;
    }
    exponent
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_proxies_share_equally_and_the_impossible_stays_so() {
        for conversion in [Conversion::Share, Conversion::LogLog] {
            let distribution = conversion.apply(vec![-700.0, f64::NEG_INFINITY, -700.0]);
            assert!((distribution.probability(0) - 0.5).abs() < 1e-15);
            assert_eq!(distribution.probability(1), 0.0);
            assert_eq!(distribution.probability(0), distribution.probability(2));
        }
    }

    #[test]
    fn proxies_far_apart_are_solved() {
        let distribution = Conversion::LogLog.apply(vec![0.0, -1e300, -20.0, -60.0]);
        assert!((distribution.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(distribution.probability(0) > 0.999_999_9);
        assert!(distribution.probability(1) < 1e-28 && distribution.ln_probability(1).is_finite());
        // Two moves: p = y ln(1/p) at y = 1e-30, solved by iteration elsewhere.
        let small = Conversion::LogLog.apply(vec![0.0, -1e300]).ln_probability(1);
        assert!((small + 64.904_633_77).abs() < 1e-6, "{small}");
    }

    #[test]
    fn one_move_is_certain() {
        assert_eq!(Conversion::LogLog.apply(vec![-3.0]).probabilities(), [1.0]);
    }
}
