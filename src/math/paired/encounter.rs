//! Results between two players, and the strength that the fit finds for a player.

use crate::math::outcomes::Trinomial;

/// The results between two players, one of whom always moves first. They are counted from that
/// player's point of view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encounter {
    /// The player who moves first.
    pub first: usize,
    /// The other player.
    pub second: usize,
    /// The losses, draws and wins of the first player.
    pub outcomes: Trinomial,
}

impl Encounter {
    /// The number of games.
    pub fn games(&self) -> f64 {
        self.outcomes.total() as f64
    }

    /// The points of the first player.
    pub fn points(&self) -> f64 {
        let [_, draws, wins] = self.outcomes.0;
        wins as f64 + draws as f64 / 2.0
    }
}

/// The strength of a player in a fit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strength {
    /// The player has not played.
    Unknown,
    /// The strength was given.
    Fixed(f64),
    /// The strength was estimated from the results.
    Estimated(f64),
    /// The player has won every game. The bound is the strength that would have followed from one
    /// draw instead of a win.
    AtLeast(f64),
    /// The player has lost every game. The bound is the strength that would have followed from one
    /// draw instead of a loss.
    AtMost(f64),
}

impl Strength {
    /// The strength or its bound.
    pub fn value(self) -> Option<f64> {
        match self {
            Strength::Unknown => None,
            Strength::Fixed(value)
            | Strength::Estimated(value)
            | Strength::AtLeast(value)
            | Strength::AtMost(value) => Some(value),
        }
    }

    /// The strength on another scale.
    #[must_use]
    pub(crate) fn map(self, to: impl Fn(f64) -> f64) -> Strength {
        match self {
            Strength::Unknown => Strength::Unknown,
            Strength::Fixed(value) => Strength::Fixed(to(value)),
            Strength::Estimated(value) => Strength::Estimated(to(value)),
            Strength::AtLeast(value) => Strength::AtLeast(to(value)),
            Strength::AtMost(value) => Strength::AtMost(to(value)),
        }
    }

    /// Whether the strength is fixed or estimated, rather than unknown or only bounded.
    pub(crate) fn is_placed(self) -> bool {
        matches!(self, Strength::Fixed(_) | Strength::Estimated(_))
    }
}

/// The reason why no fit was found.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// No games were given.
    #[error("there are no games")]
    NoGames,
    /// The players fall into groups, given by index. Of any two groups, at least one has not scored
    /// against the other.
    #[error("the players fall into {} groups that have not both won and lost points against each other", .0.len())]
    Disconnected(Vec<Vec<usize>>),
    /// The results do not determine finite strengths.
    #[error("no finite strengths can be determined from these results")]
    Unbounded,
}
