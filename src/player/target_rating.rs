//! A target rating that a user sets, and the player who has it according to the table of levels. It
//! describes the strength of a player, whatever the curve.

use std::fmt;
use std::ops::RangeInclusive;

use super::{Elo, EloScale, Levels};
use crate::selector::{Curve, Family};
use crate::value::Depth;

/// A rating and the family of players that should have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetRating {
    /// The rating as the user set it.
    pub elo: Elo,
    pub family: Family,
    pub scale: EloScale,
}

impl TargetRating {
    /// Creates a target. Without a curve, it uses the human curve of the scale.
    pub fn new(elo: Elo, curve: Option<Family>, scale: EloScale) -> TargetRating {
        TargetRating { elo, family: curve.unwrap_or(TargetRating::usual(scale)), scale }
    }

    /// The human curve of a scale.
    pub fn usual(scale: EloScale) -> Family {
        Family::human(scale.pool())
    }

    /// Returns whether there is a player with exactly this rating.
    pub fn is_met(&self) -> bool {
        Levels::built_in().range(self.family, self.scale).contains(&self.elo.0)
    }

    /// The range of available ratings in whole numbers.
    pub fn range(&self) -> RangeInclusive<f64> {
        let (low, high) = Levels::built_in().range(self.family, self.scale).into_inner();
        low.ceil()..=high.floor()
    }

    /// The rating, or the nearest available one.
    pub fn nearest(&self) -> Elo {
        let (low, high) = self.range().into_inner();
        if self.is_met() { self.elo } else { Elo(self.elo.0.clamp(low, high)) }
    }

    pub fn curve(&self) -> Curve {
        Levels::built_in().curve(self.family, self.nearest(), self.scale)
    }

    /// A note for a player whose search depth is not the depth that ratings were measured with.
    pub fn departure(depth: Depth) -> Option<String> {
        let usual = Levels::built_in().depth;
        let otherwise = || format!(" That is for a depth of {usual}; {depth} plays otherwise.");
        (depth != usual).then(otherwise)
    }
}

impl fmt::Display for TargetRating {
    /// `like a person rated about 1640 (FIDE)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elo, scale) = (self.nearest(), self.scale);
        match self.family.pool() {
            Some(_) => write!(f, "like a person rated about {elo} ({scale})"),
            None => write!(f, "at about {elo} ({scale}), by the curve {}", self.family),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_clamped_to_the_range_of_the_curve() {
        for (_, family) in Family::ALL {
            for scale in EloScale::ALL {
                let at = |elo| TargetRating::new(Elo(elo), Some(family), scale);
                let (low, high) = at(0.0).range().into_inner();
                assert!(at(low).is_met() && at(high).is_met());
                for (wanted, nearest) in [(low - 700.0, low), (high + 700.0, high)] {
                    assert_eq!(at(wanted).curve(), at(nearest).curve());
                    assert_eq!(at(wanted).to_string(), at(nearest).to_string());
                }
            }
        }
    }

    #[test]
    fn levels_are_described_in_plain_words() {
        let describe = |scale| TargetRating::new(Elo(1200.0), None, scale).to_string();
        assert_eq!(describe(EloScale::Fide), "like a person rated about 1200 (FIDE)");
        assert_eq!(
            describe(EloScale::LichessRapid),
            "like a person rated about 1200 (Lichess Rapid)"
        );
    }
}
