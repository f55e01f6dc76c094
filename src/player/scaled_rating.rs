//! A rating together with its scale.

use std::fmt;

use super::{Elo, EloScale};

/// A rating and the scale that it is on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScaledRating {
    /// The rating.
    pub elo: Elo,
    /// The scale that it is on.
    pub scale: EloScale,
}

impl ScaledRating {
    /// The rating with its scale, unless that is FIDE: `1500`, `1700 Lichess-Blitz`.
    pub(crate) fn brief(self) -> String {
        match self.scale {
            EloScale::Fide => self.elo.to_string(),
            _ => self.to_string(),
        }
    }

    /// The rating of such a player on another scale.
    pub(crate) fn on(self, scale: EloScale) -> Elo {
        Elo(self.scale.on(scale, self.elo.0))
    }
}

impl fmt::Display for ScaledRating {
    /// `1700 Lichess-Blitz`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.elo, self.scale)
    }
}
