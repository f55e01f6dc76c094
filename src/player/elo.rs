//! Ratings on the Elo scale.

use std::fmt;

/// A rating.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Elo(pub f64);

impl Elo {
    /// How much stronger one must be to expect this score: 0.5 gives 0, 0.75 about 191.
    pub fn advantage_for_score(score: f64) -> f64 {
        let score = score.clamp(0.001, 0.999);
        400.0 * (score / (1.0 - score)).log10()
    }
}

impl fmt::Display for Elo {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{:.0}", self.0))
    }
}
