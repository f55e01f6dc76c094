//! The dial: a rating that a user sets, and the player who has it by the table of levels.
//!
//! It says how strongly somebody plays, whatever the curve. Whose moves his are like is another
//! rating, which the curves of people have besides: both are said.

use std::fmt;
use std::ops::RangeInclusive;

use super::{Elo, EloScale, Levels};
use crate::prior::{Eye, Pool};
use crate::selector::{Curve, Family};
use crate::value::Depth;

/// A rating and the family of players who are to have it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Dial {
    /// As it was set.
    pub elo: Elo,
    pub family: Family,
    pub scale: EloScale,
}

impl Dial {
    /// Where no curve is named it is that of people whose ratings the scale is about.
    pub fn new(elo: Elo, curve: Option<Family>, scale: EloScale) -> Dial {
        Dial { elo, family: curve.unwrap_or(Dial::usual(scale)), scale }
    }

    /// The people whose ratings a scale is about.
    pub fn usual(scale: EloScale) -> Family {
        Family::human(match scale {
            EloScale::Fide => Pool::Board,
            EloScale::Lichess => Pool::Blitz,
        })
    }

    /// The hundreds for which, without a curve, there is a player on one of the scales.
    pub fn hundreds() -> RangeInclusive<i64> {
        let ranges = EloScale::ALL.map(|scale| Levels::built_in().range(Dial::usual(scale), scale));
        let low = ranges.iter().map(|range| *range.start()).fold(f64::INFINITY, f64::min);
        let high = ranges.iter().map(|range| *range.end()).fold(f64::NEG_INFINITY, f64::max);
        100 * (low / 100.0).ceil() as i64..=100 * (high / 100.0).floor() as i64
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

    /// The same player by FIDE's rating.
    #[must_use]
    pub fn on_fide(&self) -> Dial {
        let elo = Elo(self.nearest().0 - Levels::built_in().more(self.scale));
        Dial { elo, scale: EloScale::Fide, ..*self }
    }

    pub fn curve(&self) -> Curve {
        Levels::built_in().curve(self.family, self.nearest(), self.scale)
    }

    /// What is to be said of one who looks so far ahead, if those who were measured did not.
    pub fn departure(depth: Depth) -> Option<String> {
        let measured = Levels::built_in().depth;
        let otherwise = || format!("; that is at p={measured}, and p={depth} plays otherwise");
        (depth != measured).then(otherwise)
    }
}

impl fmt::Display for Dial {
    /// `about 1640 +- 60 FIDE Elo by play (choosing as people of 1470 do)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elo, scale, curve) = (self.nearest(), self.scale, self.curve());
        let error = Levels::built_in().error(self.family, elo, scale);
        write!(f, "about {elo} +- {error:.0} {scale} Elo by play")?;
        if let Some(pool) = self.family.pool() {
            let games = match pool {
                Pool::Board => "",
                Pool::Classical => " in classical games on Lichess",
                Pool::Rapid => " in rapid games on Lichess",
                Pool::Blitz => " in blitz games on Lichess",
                Pool::Bullet => " in bullet games on Lichess",
            };
            match curve.competence().get() {
                1.0 => write!(f, " (choosing as people of {:.0} do{games})", curve.scale())?,
                _ => f.write_str(" (beyond the people that it was fitted to)")?,
            }
            if Eye::built_in().is_none() {
                f.write_str("; measured with the eye, which this program was built without")?;
            }
        }
        let row = Levels::built_in().row(self.family);
        if row != self.family.name() {
            write!(f, "; measured with the curve {row}")?;
        }
        if !self.is_met() {
            let (low, high) = self.range().into_inner();
            let (wanted, family) = (self.elo, self.family);
            write!(f, "; nobody plays {family} at {wanted}, only from {low} to {high}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_set_is_brought_into_the_range_of_the_curve_and_that_is_said() {
        for (_, family) in Family::ALL {
            for scale in EloScale::ALL {
                let at = |elo| Dial::new(Elo(elo), Some(family), scale);
                let (low, high) = at(0.0).range().into_inner();
                assert!(at(low).is_met() && at(high).is_met());
                for (wanted, nearest) in [(low - 700.0, low), (high + 700.0, high)] {
                    let dial = at(wanted);
                    assert_eq!(dial.curve(), at(nearest).curve());
                    let said = format!("at {}, only from {low} to {high}", Elo(wanted));
                    assert!(dial.to_string().ends_with(&said), "{dial}");
                }
                assert!(!at(high).to_string().contains("only from"));
            }
        }
    }

    #[test]
    fn people_are_named_as_far_as_there_are_such() {
        let levels = Levels::built_in();
        for scale in EloScale::ALL {
            let of = |curve: &Curve| {
                let elo = levels.elo(curve, scale);
                Dial::new(elo, Some(curve.family()), scale).to_string()
            };
            let family = Dial::usual(scale);
            let there = of(&super::super::path::curve(family, 1700.0));
            assert!(there.contains(&format!("{scale} Elo by play (choosing as people of 1700 do")));
            for beyond in [400.0, 3000.0] {
                let beyond = of(&super::super::path::curve(family, beyond));
                assert!(beyond.contains("(beyond the people"), "{beyond}");
            }
        }
    }

    #[test]
    fn the_hundreds_lie_within_the_scales() {
        let (low, high) = Dial::hundreds().into_inner();
        let is_met = |elo: i64| {
            let at = |scale| Dial::new(Elo(elo as f64), None, scale);
            EloScale::ALL.into_iter().any(|scale| at(scale).is_met())
        };
        assert!(low < high && is_met(low) && is_met(high));
        assert!(!is_met(low - 100) && !is_met(high + 100));
    }
}
