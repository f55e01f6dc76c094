//! The sequential probability ratio test (SPRT), which ends a match as soon as the result is clear.
//!
//! Wald's test compares the hypotheses "the difference is `elo0`" and "the difference is `elo1`", both in normalised
//! Elo. After every game, it computes how much more likely the results are under one hypothesis than under the other.
//! It stops when the log-likelihood ratio (LLR) leaves an interval that depends on the allowed error rates. The ratio
//! is the generalised one: each hypothesis is represented by the most likely distribution of outcomes with that
//! difference (M. Van den Bergh, "Comments on Normalized Elo", section 4.1).

use super::outcomes::{NORMALISED_UNIT, Outcomes};
use super::{largest, root};

/// The hypotheses and the allowed error rates.
#[derive(Clone, Copy, Debug, PartialEq, serde::Serialize)]
pub struct Sprt {
    pub elo0: f64,
    pub elo1: f64,
    /// The probability that a difference of `elo0` is mistaken for `elo1`.
    pub alpha: f64,
    /// The probability that a difference of `elo1` is mistaken for `elo0`.
    pub beta: f64,
}

/// The state of a test: the hypothesis that it has accepted, if any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Undecided,
    /// The lower hypothesis: the change is not an improvement.
    H0,
    /// The higher hypothesis: the change is an improvement.
    H1,
}

/// Why the settings of a test were rejected.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum SprtError {
    #[error("elo0 ({0}) must be less than elo1 ({1})")]
    Order(f64, f64),
    #[error("elo0 ({0}) and elo1 ({1}) must be between -{MAX_ELO} and {MAX_ELO}")]
    Range(f64, f64),
    #[error("alpha ({0}) and beta ({1}) must be above 0 and add up to less than 1")]
    Rates(f64, f64),
}

/// The largest difference that can be tested, in normalised Elo. It is far beyond any real difference.
const MAX_ELO: f64 = 10_000.0;

/// Replaces counts of zero, so that all logarithms are finite.
const ALMOST_NEVER: f64 = 1e-3;

impl Sprt {
    pub fn new(elo0: f64, elo1: f64, alpha: f64, beta: f64) -> Result<Sprt, SprtError> {
        if elo0.is_nan() || elo1.is_nan() || elo0 >= elo1 {
            return Err(SprtError::Order(elo0, elo1));
        }
        if elo0 < -MAX_ELO || elo1 > MAX_ELO {
            return Err(SprtError::Range(elo0, elo1));
        }
        if !(alpha > 0.0 && beta > 0.0 && alpha + beta < 1.0) {
            return Err(SprtError::Rates(alpha, beta));
        }
        Ok(Sprt { elo0, elo1, alpha, beta })
    }

    /// The log-likelihood ratios at which the lower and the higher hypothesis are accepted.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The log-likelihood ratio of the higher hypothesis against the lower one.
    pub fn ratio<const N: usize>(&self, outcomes: &Outcomes<N>) -> f64 {
        if outcomes.total() == 0 {
            return 0.0;
        }
        let counts = outcomes.0.map(|count| if count == 0 { ALMOST_NEVER } else { count as f64 });
        let total: f64 = counts.iter().sum();
        let observed = counts.map(|count| count / total);
        let deviations = |elo: f64| elo / NORMALISED_UNIT * Outcomes::<N>::GAMES.sqrt();
        let low = most_likely(&observed, deviations(self.elo0));
        let high = most_likely(&observed, deviations(self.elo1));
        (0..N).map(|i| counts[i] * (high[i] / low[i]).ln()).sum()
    }

    pub fn verdict(&self, ratio: f64) -> Verdict {
        let (lower, upper) = self.bounds();
        if ratio >= upper {
            Verdict::H1
        } else if ratio <= lower {
            Verdict::H0
        } else {
            Verdict::Undecided
        }
    }
}

/// Of all distributions whose mean is `deviations` of their own standard deviations above one half, returns the most
/// likely one, given the observed distribution.
///
/// The constraint is not linear in the probabilities. Linearising it at an estimate gives a better estimate (equations
/// 4.7 to 4.9), and a few iterations are enough. Far from the constraint, no distribution may satisfy the linear
/// version, which has a solution only if the gradient has both signs. Then the estimate is first moved onto the
/// constraint.
fn most_likely<const N: usize>(observed: &[f64; N], deviations: f64) -> [f64; N] {
    const ROUNDS: usize = 200;
    const CLOSE_ENOUGH: f64 = 1e-10;
    let mut estimate = [1.0 / N as f64; N];
    for _ in 0..ROUNDS {
        let mut gradient = constraint_gradient(&estimate, deviations);
        if gradient.iter().all(|&slope| slope >= 0.0) || gradient.iter().all(|&slope| slope <= 0.0)
        {
            estimate = onto_constraint(&estimate, deviations);
            gradient = constraint_gradient(&estimate, deviations);
        }
        let theta = multiplier(observed, &gradient);
        let next: [f64; N] = std::array::from_fn(|i| observed[i] / (1.0 + theta * gradient[i]));
        let change = (0..N).map(|i| (next[i] - estimate[i]).abs()).fold(0.0, f64::max);
        estimate = next;
        if change < CLOSE_ENOUGH {
            break;
        }
    }
    estimate
}

/// The mean and the standard deviation of a distribution.
fn moments<const N: usize>(probabilities: &[f64; N]) -> (f64, f64) {
    let share = Outcomes::<N>::share;
    let mean: f64 = (0..N).map(|i| probabilities[i] * share(i)).sum();
    let variance: f64 = (0..N).map(|i| probabilities[i] * (share(i) - mean).powi(2)).sum();
    (mean, variance.sqrt())
}

/// The gradient φ of the constraint, linearised at an estimate (equation 4.8).
fn constraint_gradient<const N: usize>(estimate: &[f64; N], deviations: f64) -> [f64; N] {
    let (mean, sigma) = moments(estimate);
    std::array::from_fn(|i| {
        let share = Outcomes::<N>::share(i);
        let distance = (share - mean) / sigma;
        share - 0.5 - 0.5 * deviations * sigma * (1.0 + distance * distance)
    })
}

/// Moves an estimate towards certain wins or certain losses until it satisfies the constraint.
fn onto_constraint<const N: usize>(estimate: &[f64; N], deviations: f64) -> [f64; N] {
    let excess = |probabilities: &[f64; N]| {
        let (mean, sigma) = moments(probabilities);
        mean - 0.5 - deviations * sigma
    };
    let (certain, sign) = if excess(estimate) < 0.0 { (N - 1, 1.0) } else { (0, -1.0) };
    let mixed = |weight: f64| {
        let mut mixed = estimate.map(|probability| (1.0 - weight) * probability);
        mixed[certain] += weight;
        mixed
    };
    mixed(root(0.0, 1.0, |weight| sign * excess(&mixed(weight))))
}

/// Returns the Lagrange multiplier: the zero of Σ p·φ/(1 + θφ), which falls from +∞ to -∞ between the poles of the
/// largest and the smallest φ.
fn multiplier<const N: usize>(observed: &[f64; N], gradient: &[f64; N]) -> f64 {
    let smallest = -largest(&gradient.map(|slope| -slope));
    root(-1.0 / largest(gradient), -1.0 / smallest, |theta| {
        -(0..N).map(|i| observed[i] * gradient[i] / (1.0 + theta * gradient[i])).sum::<f64>()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close<const N: usize>(elo0: f64, elo1: f64, counts: [u64; N], expected: f64) {
        let sprt = Sprt::new(elo0, elo1, 0.05, 0.05).expect("sound");
        let ratio = sprt.ratio(&Outcomes(counts));
        assert!((ratio - expected).abs() < 0.0051, "{counts:?}: {ratio} instead of {expected}");
    }

    #[test]
    fn pairs_agree_with_reference_values() {
        close(0.0, 2.0, [365, 16618, 36229, 16974, 390], 2.25);
        close(-1.75, 0.25, [127, 4883, 10712, 5150, 104], 3.01);
    }

    #[test]
    fn single_games_agree_with_reference_values() {
        close(0.0, 2.0, [36027, 68692, 36433], 0.92);
        close(-1.75, 0.25, [10650, 20431, 10871], 2.30);
    }

    #[test]
    fn outcomes_that_never_occurred_do_not_break_the_logarithm() {
        // If there are only draws, a score of t standard deviations needs wins with probability t².
        let t = 5.0 / NORMALISED_UNIT;
        close(0.0, 5.0, [0, 16_700, 0], 16_700.0 * (1.0 - t * t).ln() + 0.008);
        // If there are only 2-0 results, both hypotheses divide the probability about evenly between 2-0 and 0-2.
        close(0.0, 5.0, [0, 0, 0, 0, 104], 104.0 * (0.510_16_f64 / 0.5).ln());
    }

    #[test]
    fn large_differences_can_be_tested() {
        for bound in [5.0, 231.0, 300.0, 1_000.0, MAX_ELO] {
            let ahead = Sprt::new(0.0, bound, 0.05, 0.05).expect("sound");
            let behind = Sprt::new(-bound, 0.0, 0.05, 0.05).expect("sound");
            for counts in [[0, 0, 0, 0, 20], [1, 0, 6, 0, 13], [0, 0, 9, 0, 0], [3, 1, 0, 0, 0]] {
                let mut mirrored = counts;
                mirrored.reverse();
                let ratio = ahead.ratio(&Outcomes(counts));
                let sum = ratio + behind.ratio(&Outcomes(mirrored));
                assert!(ratio.is_finite() && sum.abs() < 1e-6 * ratio.abs(), "{bound}: {counts:?}");
            }
        }
        let sprt = Sprt::new(0.0, 300.0, 0.05, 0.05).expect("sound");
        assert_eq!(sprt.verdict(sprt.ratio(&Outcomes([0, 0, 0, 0, 20]))), Verdict::H1);
        assert_eq!(sprt.verdict(sprt.ratio(&Outcomes([20, 0, 0, 0, 0]))), Verdict::H0);
    }

    #[test]
    fn a_large_difference_agrees_with_the_exact_solution() {
        // If all games are won, the most likely distribution has no draws. Its mean p is t standard deviations above
        // one half, so p - ½ = t·√(p(1-p)).
        let t = 500.0 / NORMALISED_UNIT;
        let p = 0.5 + 0.5 * t / (1.0 + t * t).sqrt();
        close(0.0, 500.0, [0, 0, 100], 100.0 * (p / 0.5).ln());
    }

    #[test]
    fn swapping_the_sides_mirrors_the_test() {
        let ahead = Sprt::new(0.0, 5.0, 0.05, 0.05).expect("sound");
        let behind = Sprt::new(-5.0, 0.0, 0.05, 0.05).expect("sound");
        let sum = ahead.ratio(&Outcomes([3, 31, 132, 50, 20]))
            + behind.ratio(&Outcomes([20, 50, 132, 31, 3]));
        assert!(sum.abs() < 1e-6);
    }

    #[test]
    fn invalid_tests_are_refused() {
        assert!(Sprt::new(5.0, 0.0, 0.05, 0.05).is_err());
        assert!(Sprt::new(0.0, f64::NAN, 0.05, 0.05).is_err());
        assert!(Sprt::new(0.0, f64::INFINITY, 0.05, 0.05).is_err());
        assert!(Sprt::new(-2.0 * MAX_ELO, 0.0, 0.05, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.0, 0.05).is_err());
        assert!(Sprt::new(0.0, 5.0, 0.6, 0.5).is_err());
    }
}
