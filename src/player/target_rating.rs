//! The dial: a rating that a user sets, and the player who has it by the table of levels.
//!
//! It says how strongly somebody plays, whatever the curve.

use std::fmt;
use std::ops::RangeInclusive;

use super::{Elo, EloScale, Levels};
use crate::selector::{Curve, Family};
use crate::value::Depth;

/// A rating and the family of players who are to have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TargetRating {
    /// As it was set.
    pub elo: Elo,
    pub family: Family,
    pub scale: EloScale,
}

impl TargetRating {
    /// Where no curve is named it is that of people whose ratings the scale is about.
    pub fn new(elo: Elo, curve: Option<Family>, scale: EloScale) -> TargetRating {
        TargetRating { elo, family: curve.unwrap_or(TargetRating::usual(scale)), scale }
    }

    /// The people whose ratings a scale is about.
    pub fn usual(scale: EloScale) -> Family {
        Family::human(scale.pool())
    }

    /// Is there a player of exactly this rating?
    pub fn is_met(&self) -> bool {
        Levels::built_in().range(self.family, self.scale).contains(&self.elo.0)
    }

    /// The whole numbers for which there is one.
    pub fn range(&self) -> RangeInclusive<f64> {
        let (low, high) = Levels::built_in().range(self.family, self.scale).into_inner();
        low.ceil()..=high.floor()
    }

    /// The rating, or the nearest that there is.
    pub fn nearest(&self) -> Elo {
        let (low, high) = self.range().into_inner();
        if self.is_met() { self.elo } else { Elo(self.elo.0.clamp(low, high)) }
    }

    pub fn curve(&self) -> Curve {
        Levels::built_in().curve(self.family, self.nearest(), self.scale)
    }

    /// What is to be said of one who looks so far ahead, if the level is of players who do not.
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
    fn whatever_is_set_is_brought_into_the_range_of_the_curve() {
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
    fn a_level_is_said_in_a_players_words() {
        let said = |scale| TargetRating::new(Elo(1200.0), None, scale).to_string();
        assert_eq!(said(EloScale::Fide), "like a person rated about 1200 (FIDE)");
        assert_eq!(said(EloScale::LichessRapid), "like a person rated about 1200 (Lichess Rapid)");
    }
}
