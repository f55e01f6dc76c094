//! Apparent competence: what moves let one believe of c (Haworth 2007, sections 3 and 4.3).

use crate::math::grid::Posterior;

/// What is believed of a player by his turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Apparent {
    /// The composite profile E_P, for it is the weight of each player of the scale.
    pub posterior: Posterior,
    /// Turns that told something.
    pub informative: usize,
}

/// The most players that a composite profile is made of.
const PARTS: usize = 12;
/// How much of a belief the intervals hold.
pub const HELD: f64 = 0.9;

impl Apparent {
    /// The profile that plays as he does: players of the scale with their weights, leaving out
    /// those that have less than this part of the largest. Neighbours are put together until there
    /// are few.
    pub fn composite(&self, least: f64) -> Vec<(f64, f64)> {
        let weights = self.posterior.weights();
        let top = weights.iter().copied().fold(0.0, f64::max);
        let parts = self.posterior.points().iter().copied().zip(weights);
        let kept: Vec<(f64, f64)> = parts.filter(|(_, weight)| *weight >= least * top).collect();
        let sum: f64 = kept.iter().map(|(_, weight)| weight).sum();
        let together = |part: &[(f64, f64)]| {
            let weight: f64 = part.iter().map(|(_, weight)| weight).sum();
            let mean = part.iter().map(|(c, weight)| c * weight).sum::<f64>() / weight;
            ((1000.0 * mean).round() / 1000.0, weight / sum)
        };
        kept.chunks(kept.len().div_ceil(PARTS).max(1)).map(together).collect()
    }
}
