//! How much a player sees at each depth.
//!
//! A weak human does not see the deep truth and then throw it away: he sees what is shallow. Mixing
//! proxies over depths (Regan 2011, section 8) says so.

/// Weights of the depths 1, 2, ..., adding up to 1.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct DepthWeights {
    /// Empty: all weight on the deepest completed depth, whichever that is.
    weights: Vec<f64>,
}

/// Why depth weights were refused.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum WeightsError {
    #[error("the weight of depth {depth} is {weight}; weights must be finite and not negative")]
    Bad { depth: usize, weight: f64 },
    #[error("the depth weights add up to zero; at least one must be positive")]
    ZeroSum,
    #[error("\"{0}\" is not a depth weight (write numbers with commas between: 0.5,0,0,0.5)")]
    Syntax(String),
}

impl DepthWeights {
    /// Only the deepest depth counts: the single-depth model of both papers.
    pub fn deepest() -> DepthWeights {
        DepthWeights::default()
    }

    /// Weights of depth 1, 2, ... in any scale.
    pub fn new(weights: &[f64]) -> Result<DepthWeights, WeightsError> {
        if let Some(i) = weights.iter().position(|w| !w.is_finite() || *w < 0.0) {
            return Err(WeightsError::Bad { depth: i + 1, weight: weights[i] });
        }
        let top = weights.iter().copied().fold(0.0, f64::max);
        if top == 0.0 {
            return Err(WeightsError::ZeroSum);
        }
        // The largest first, so that weights near the end of the range cannot overflow the sum.
        let sum: f64 = weights.iter().map(|w| w / top).sum();
        Ok(DepthWeights { weights: weights.iter().map(|w| w / top / sum).collect() })
    }

    /// Reads weights with commas between.
    pub fn parse(text: &str) -> Result<DepthWeights, WeightsError> {
        let weights: Result<Vec<f64>, WeightsError> = text
            .split(',')
            .map(|w| w.trim().parse().map_err(|_| WeightsError::Syntax(w.trim().to_owned())))
            .collect();
        DepthWeights::new(&weights?)
    }

    /// The depths that carry weight, counted from 0, when so many are known. The weight of depths
    /// that were not reached goes to the deepest that was: he saw as deep as there was time for.
    pub(super) fn over(&self, depths: usize) -> Vec<(usize, f64)> {
        let deepest = depths.saturating_sub(1);
        if self.weights.is_empty() {
            return vec![(deepest, 1.0)];
        }
        let reached = self.weights.len().min(deepest);
        let beyond: f64 = self.weights[reached..].iter().sum();
        let known = self.weights[..reached].iter().copied().enumerate();
        known.chain([(reached, beyond)]).filter(|&(_, weight)| weight > 0.0).collect()
    }

    /// The weights of depth 1, 2, ...; `None` when the deepest depth has it all.
    pub fn explicit(&self) -> Option<&[f64]> {
        (!self.weights.is_empty()).then_some(&self.weights)
    }

    /// The same for people to read: they were made to add up to 1, which leaves a trace in the last digits.
    pub fn rounded(&self) -> Option<Vec<f64>> {
        let round = |weight: &f64| (weight * 1e12).round() / 1e12;
        Some(self.explicit()?.iter().map(round).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weight_of_unreached_depths_goes_to_the_deepest_reached() {
        let weights = DepthWeights::parse("2, 0, 1, 1").expect("valid");
        assert_eq!(weights.over(4), [(0, 0.5), (2, 0.25), (3, 0.25)]);
        assert_eq!(weights.over(6), [(0, 0.5), (2, 0.25), (3, 0.25)]);
        assert_eq!(weights.over(2), [(0, 0.5), (1, 0.5)]);
        assert_eq!(weights.over(1), [(0, 1.0)]);
        assert_eq!(DepthWeights::deepest().over(7), [(6, 1.0)]);
    }

    #[test]
    fn bad_weights_are_refused() {
        assert!(matches!(DepthWeights::parse("1,-1"), Err(WeightsError::Bad { depth: 2, .. })));
        assert!(matches!(DepthWeights::parse("nan"), Err(WeightsError::Bad { depth: 1, .. })));
        assert!(matches!(DepthWeights::parse("inf"), Err(WeightsError::Bad { .. })));
        assert_eq!(DepthWeights::parse("0,0"), Err(WeightsError::ZeroSum));
        assert_eq!(DepthWeights::new(&[]), Err(WeightsError::ZeroSum));
        assert_eq!(DepthWeights::parse("1,x"), Err(WeightsError::Syntax("x".to_owned())));
    }
}
