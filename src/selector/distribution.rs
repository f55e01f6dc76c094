//! One probability per legal move: the second hub of the program.

use crate::math::exact::{exp, ln, ln_sum_exp};
use crate::math::largest;

/// Probabilities of the moves, in the order in which the values were given. They add up to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Distribution {
    probabilities: Vec<f64>,
    ln_probabilities: Vec<f64>,
}

impl Distribution {
    /// From logarithms of anything proportional to the probabilities. When none of them is above
    /// minus infinity there is nothing to tell the moves apart, and all are equally likely.
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

    /// The mixture of several, which plays as each of them with its share of the weight
    /// (Haworth 2007, section 1). All must be over the same moves.
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

    /// The same choice with only some of the moves allowed. When none of these was possible, all
    /// of them become equally likely.
    #[must_use]
    pub fn among(&self, allowed: impl Fn(usize) -> bool) -> Distribution {
        let kept = |j: usize| if allowed(j) { self.ln_probabilities[j] } else { f64::NEG_INFINITY };
        let ln_probabilities: Vec<f64> = (0..self.len()).map(kept).collect();
        if ln_probabilities.iter().any(|&l| l > f64::NEG_INFINITY) {
            return Distribution::from_ln(ln_probabilities);
        }
        let even = |j| if allowed(j) { 0.0 } else { f64::NEG_INFINITY };
        Distribution::from_ln((0..self.len()).map(even).collect())
    }

    /// The choice of somebody who is known to have chosen each move so often before, and else would choose
    /// like this: the known choices count as one each, and this distribution as `weight` of them.
    #[must_use]
    pub fn after_choices(&self, times: &[u64], weight: f64) -> Distribution {
        debug_assert_eq!(times.len(), self.len());
        let ln_weight = ln(weight);
        let sum = |(j, &times): (usize, &u64)| match times {
            0 => ln_weight + self.ln_probabilities[j],
            times => ln(times as f64 + weight * self.probabilities[j]),
        };
        Distribution::from_ln(times.iter().enumerate().map(sum).collect())
    }

    pub fn len(&self) -> usize {
        self.probabilities.len()
    }

    pub fn is_empty(&self) -> bool {
        self.probabilities.is_empty()
    }

    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    pub fn probability(&self, index: usize) -> f64 {
        self.probabilities[index]
    }

    /// Natural logarithm; far more exact than the probability where that is tiny.
    pub fn ln_probability(&self, index: usize) -> f64 {
        self.ln_probabilities[index]
    }

    /// How open the choice is, in bits: 0 when it is certain, 3 for eight equal moves.
    pub fn entropy(&self) -> f64 {
        let terms = self.probabilities.iter().zip(&self.ln_probabilities);
        let nats: f64 = terms.filter(|(p, _)| **p > 0.0).map(|(p, l)| -p * l).sum();
        nats.max(0.0) / std::f64::consts::LN_2
    }

    /// The mean of one number per move, such as its value.
    pub fn expected(&self, numbers: &[f64]) -> f64 {
        debug_assert_eq!(numbers.len(), self.len());
        let terms = self.probabilities.iter().zip(numbers);
        terms.filter(|(p, _)| **p > 0.0).map(|(p, x)| p * x).sum()
    }

    /// 1 for the likeliest move; equally likely ones share a rank.
    pub fn rank(&self, index: usize) -> usize {
        let own = self.probabilities[index];
        1 + self.probabilities.iter().filter(|&&p| p > own).count()
    }

    /// How unexpected a move is, in bits: 1 for a coin's toss, 10 for one in a thousand.
    pub fn surprise(&self, index: usize) -> f64 {
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
    fn entropy_rank_and_surprise_by_hand() {
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
    fn known_choices_and_the_rest_are_weighed_by_their_numbers() {
        let found = halves().after_choices(&[3, 0, 1, 0], 2.0);
        for (p, expected) in found.probabilities().iter().zip([4.0, 0.5, 1.5, 0.0]) {
            assert!((p - expected / 6.0).abs() < 1e-12, "{found:?}");
        }
        let same = halves().after_choices(&[0; 4], 2.0);
        assert!((same.probability(0) - 0.5).abs() < 1e-12);
    }

    #[test]
    fn nothing_to_tell_apart_is_uniform() {
        let distribution = Distribution::from_ln(vec![f64::NEG_INFINITY; 4]);
        assert_eq!(distribution.probabilities(), [0.25; 4]);
    }
}
