//! Distributions: a probability for every legal move. All players choose from a distribution, and all estimates of
//! skill use one.

use crate::math::exact::{exp, ln, ln_sum_exp};
use crate::math::{largest, root};

/// The scale of the power law in [`Distribution::tilted`]: a typical loss scale of the human curve.
const LOSS_SCALE: f64 = 0.3;
/// The largest change to the exponent of that power law.
const MAX_PRICE: f64 = 10.0;

/// Probabilities of the moves, in the order of the values. They add up to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    probabilities: Vec<f64>,
    ln_probabilities: Vec<f64>,
}

impl Distribution {
    /// Makes a distribution from the logarithms of numbers. The probabilities are proportional to these numbers. If all
    /// logarithms are minus infinity, all moves are equally likely.
    pub fn from_ln(mut ln_probabilities: Vec<f64>) -> Distribution {
        let top = largest(&ln_probabilities);
        if top == f64::NEG_INFINITY {
            ln_probabilities.fill(0.0);
        } else {
            ln_probabilities.iter_mut().for_each(|l| *l -= top);
        }
        let mut probabilities: Vec<f64> = ln_probabilities.iter().map(|&l| exp(l)).collect();
        let sum: f64 = probabilities.iter().sum();
        probabilities.iter_mut().for_each(|p| *p /= sum);
        let ln_sum = ln(sum);
        ln_probabilities.iter_mut().for_each(|l| *l -= ln_sum);
        Distribution { probabilities, ln_probabilities }
    }

    /// The weighted mixture of distributions over the same moves: a player who plays like each of them in proportion to
    /// its weight (Haworth 2007, section 1).
    pub fn mixture(parts: &[(f64, Distribution)]) -> Distribution {
        let Some((_, first)) = parts.first() else { return Distribution::default() };
        let ln_weights: Vec<f64> = parts.iter().map(|(weight, _)| ln(*weight)).collect();
        let column = |j: usize| -> Vec<f64> {
            let of = |(ln_weight, (_, part)): (&f64, &(f64, Distribution))| {
                ln_weight + part.ln_probability(j)
            };
            ln_weights.iter().zip(parts).map(of).collect()
        };
        Distribution::from_ln((0..first.len()).map(|j| ln_sum_exp(&column(j))).collect())
    }

    /// The distribution if only some of the moves are allowed. If all of these were impossible, they become equally
    /// likely.
    #[must_use]
    pub(crate) fn among(&self, allowed: impl Fn(usize) -> bool) -> Distribution {
        let kept = |j: usize| if allowed(j) { self.ln_probabilities[j] } else { f64::NEG_INFINITY };
        let ln_probabilities: Vec<f64> = (0..self.len()).map(kept).collect();
        if ln_probabilities.iter().any(|&l| l > f64::NEG_INFINITY) {
            return Distribution::from_ln(ln_probabilities);
        }
        let even = |j| if allowed(j) { 0.0 } else { f64::NEG_INFINITY };
        Distribution::from_ln((0..self.len()).map(even).collect())
    }

    /// The distribution of a player who has already chosen move i `times[i]` times. Each earlier choice counts as one,
    /// and this distribution counts as `weight` choices.
    #[must_use]
    pub(crate) fn after_choices(&self, times: &[u64], weight: f64) -> Distribution {
        debug_assert_eq!(times.len(), self.len());
        let ln_weight = ln(weight);
        let sum = |(j, &times): (usize, &u64)| match times {
            0 => ln_weight + self.ln_probabilities[j],
            times => ln(times as f64 + weight * self.probabilities[j]),
        };
        Distribution::from_ln(times.iter().enumerate().map(sum).collect())
    }

    /// The distribution of a player who is just as strong, but prefers moves with high scores. The odds are multiplied
    /// by `e^score`, and by a power of the loss that keeps the expected loss the same.
    #[must_use]
    pub fn tilted(&self, scores: &[f64], losses: &[f64]) -> Distribution {
        debug_assert!(scores.len() == self.len() && losses.len() == self.len());
        if scores.windows(2).all(|pair| pair[0] == pair[1]) {
            return self.clone();
        }
        let costs: Vec<f64> = losses.iter().map(|loss| ln(1.0 + loss / LOSS_SCALE)).collect();
        let at = |price: f64| {
            let terms = self.ln_probabilities.iter().zip(scores).zip(&costs);
            Distribution::from_ln(
                terms.map(|((l, score), cost)| l + score - price * cost).collect(),
            )
        };
        let target = self.expected(losses);
        // The expected loss falls as the price rises.
        at(root(-MAX_PRICE, MAX_PRICE, |price| target - at(price).expected(losses)))
    }

    /// The number of moves.
    pub fn len(&self) -> usize {
        self.probabilities.len()
    }

    /// Whether the distribution is empty.
    pub fn is_empty(&self) -> bool {
        self.probabilities.is_empty()
    }

    /// The probability of every move.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The probability of a move.
    pub fn probability(&self, index: usize) -> f64 {
        self.probabilities[index]
    }

    /// The natural logarithm of the probability, which is more accurate for tiny probabilities.
    pub fn ln_probability(&self, index: usize) -> f64 {
        self.ln_probabilities[index]
    }

    /// The entropy in bits: 0 if the choice is certain, 3 for eight equally likely moves.
    pub fn entropy(&self) -> f64 {
        let terms = self.probabilities.iter().zip(&self.ln_probabilities);
        let nats: f64 = terms.filter(|(p, _)| **p > 0.0).map(|(p, l)| -p * l).sum();
        nats.max(0.0) / std::f64::consts::LN_2
    }

    /// The expected value, given a number for each move.
    pub fn expected(&self, numbers: &[f64]) -> f64 {
        debug_assert_eq!(numbers.len(), self.len());
        let terms = self.probabilities.iter().zip(numbers);
        terms.filter(|(p, _)| **p > 0.0).map(|(p, x)| p * x).sum()
    }

    /// The rank of a move. The likeliest move has rank 1. Equally likely moves have the same rank.
    pub(crate) fn rank(&self, index: usize) -> usize {
        let own = self.probabilities[index];
        1 + self.probabilities.iter().filter(|&&p| p > own).count()
    }

    /// How surprising a move is, in bits: 1 for a probability of 1/2, about 10 for 1/1000.
    pub(crate) fn surprise(&self, index: usize) -> f64 {
        (-self.ln_probabilities[index]).max(0.0) / std::f64::consts::LN_2
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn halves() -> Distribution {
        Distribution::from_ln([0.5f64, 0.25, 0.25, 0.0].iter().map(|p| p.ln()).collect())
    }

    #[test]
    fn entropy_rank_and_surprise_agree_with_their_definitions() {
        let distribution = halves();
        assert!((distribution.entropy() - 1.5).abs() < 1e-12);
        assert_eq!([0, 1, 2, 3].map(|j| distribution.rank(j)), [1, 2, 2, 4]);
        assert!((distribution.surprise(1) - 2.0).abs() < 1e-12);
        assert_eq!(distribution.surprise(3), f64::INFINITY);
        assert!((distribution.expected(&[4.0, 2.0, -2.0, 9.0]) - 2.0).abs() < 1e-12);
    }

    #[test]
    fn a_mixture_is_the_weighted_mean() {
        let certain = Distribution::from_ln(vec![f64::NEG_INFINITY, 0.0, f64::NEG_INFINITY, -3e9]);
        let mixed = Distribution::mixture(&[(3.0, halves()), (1.0, certain)]);
        for (p, expected) in mixed.probabilities().iter().zip([0.375, 0.4375, 0.1875, 0.0]) {
            assert!((p - expected).abs() < 1e-12);
        }
    }

    #[test]
    fn earlier_choices_count_as_one_each() {
        let found = halves().after_choices(&[3, 0, 1, 0], 2.0);
        for (p, expected) in found.probabilities().iter().zip([4.0, 0.5, 1.5, 0.0]) {
            assert!((p - expected / 6.0).abs() < 1e-12, "{found:?}");
        }
        let same = halves().after_choices(&[0; 4], 2.0);
        assert!((same.probability(0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn a_tilt_keeps_the_expected_loss_and_raises_the_expected_score() {
        let ln = |probabilities: [f64; 4]| probabilities.iter().map(|p| p.ln()).collect();
        let before = Distribution::from_ln(ln([0.6, 0.2, 0.15, 0.05]));
        let losses = [0.0, 0.1, 0.5, 2.0];
        for scores in [[0.0, 1.0, 0.0, 0.0], [-1.0, 0.0, 0.5, 1.5], [2.0, 0.0, 0.0, 0.0]] {
            let after = before.tilted(&scores, &losses);
            assert!((after.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
            assert!((after.expected(&losses) - before.expected(&losses)).abs() < 1e-9);
            assert!(after.expected(&scores) > before.expected(&scores));
        }
        assert_eq!(before.tilted(&[0.3; 4], &losses), before);
        let certain = Distribution::from_ln(ln([1.0, 0.0, 0.0, 0.0]));
        assert_eq!(certain.tilted(&[0.0, 3.0, 1.0, 0.0], &losses).probability(0), 1.0);
    }

    #[test]
    fn moves_that_are_all_impossible_are_equally_likely() {
        let distribution = Distribution::from_ln(vec![f64::NEG_INFINITY; 4]);
        assert_eq!(distribution.probabilities(), [0.25; 4]);
    }
}
