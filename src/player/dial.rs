//! The dial: a rating that a user sets, whose ratings are meant, and the player who has it by the table
//! of levels.
//!
//! It says how strongly somebody plays, whatever the curve. Ratings are those of FIDE over the board, or
//! those that people have on Lichess. The same people have other numbers there, and the difference is
//! not the same for all: who has 1450 of FIDE has 30 less in blitz on Lichess, who has 2200 has 160
//! more. A survey of profiles says which ratings go together (chessgoals.com, July 2025); between its
//! rows they lie on lines, and beyond them the difference is that of the last row.

use std::fmt;
use std::ops::RangeInclusive;

use super::{Elo, Levels};
use crate::policy::Pool;
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

impl fmt::Display for Dial {
    /// `like a person rated about 1640 (FIDE)`
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (elo, scale) = (self.nearest(), self.scale);
        match self.family.pool() {
            Some(_) => write!(f, "like a person rated about {elo} ({scale})"),
            None => write!(f, "at about {elo} ({scale}), by the curve {}", self.family),
        }
    }
}

/// A list of ratings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EloScale {
    /// Of the international federation, over the board.
    #[default]
    Fide,
    /// Of blitz games on Lichess.
    LichessBlitz,
    /// Of rapid games there.
    LichessRapid,
}

/// Ratings that the same people have, by scale.
const SAME_PEOPLE: [[f64; 3]; 15] = [
    [1450.0, 1420.0, 1615.0],
    [1490.0, 1475.0, 1690.0],
    [1540.0, 1525.0, 1730.0],
    [1610.0, 1635.0, 1825.0],
    [1650.0, 1705.0, 1880.0],
    [1710.0, 1780.0, 1930.0],
    [1770.0, 1910.0, 2035.0],
    [1810.0, 1970.0, 2085.0],
    [1880.0, 2050.0, 2135.0],
    [1925.0, 2100.0, 2185.0],
    [2055.0, 2235.0, 2285.0],
    [2210.0, 2370.0, 2380.0],
    [2350.0, 2560.0, 2510.0],
    [2470.0, 2695.0, 2630.0],
    [2590.0, 2850.0, 2735.0],
];

impl EloScale {
    pub const ALL: [EloScale; 3] = [EloScale::Fide, EloScale::LichessBlitz, EloScale::LichessRapid];

    /// The scale of the ratings that a curve of people was fitted to; FIDE's for all others.
    pub fn of(family: Family) -> EloScale {
        match family.pool() {
            Some(Pool::Board | Pool::Classical) | None => EloScale::Fide,
            Some(Pool::Rapid) => EloScale::LichessRapid,
            Some(Pool::Blitz | Pool::Bullet) => EloScale::LichessBlitz,
        }
    }

    /// The games in which people have these ratings.
    pub fn pool(self) -> Pool {
        match self {
            EloScale::Fide => Pool::Board,
            EloScale::LichessBlitz => Pool::Blitz,
            EloScale::LichessRapid => Pool::Rapid,
        }
    }

    /// The scale of that name or word, in whatever case.
    pub fn of_name(text: &str) -> Option<EloScale> {
        let text = text.trim();
        let is_called = |scale: &EloScale| {
            [scale.name(), scale.word()].iter().any(|name| name.eq_ignore_ascii_case(text))
        };
        EloScale::ALL.into_iter().find(is_called)
    }

    pub const fn name(self) -> &'static str {
        match self {
            EloScale::Fide => "FIDE",
            EloScale::LichessBlitz => "Lichess Blitz",
            EloScale::LichessRapid => "Lichess Rapid",
        }
    }

    /// The name as one word. Blitz was the only one of Lichess once.
    pub const fn word(self) -> &'static str {
        match self {
            EloScale::Fide => "fide",
            EloScale::LichessBlitz => "lichess",
            EloScale::LichessRapid => "lichess-rapid",
        }
    }

    /// What the people of a rating on this scale have on another.
    pub fn on(self, other: EloScale, elo: f64) -> f64 {
        if self == other {
            return elo;
        }
        let [from, to] = [self as usize, other as usize];
        let after = SAME_PEOPLE.partition_point(|row| row[from] < elo);
        let [Some(above), Some(below)] =
            [SAME_PEOPLE.get(after), after.checked_sub(1).map(|before| &SAME_PEOPLE[before])]
        else {
            let last = SAME_PEOPLE[after.min(SAME_PEOPLE.len() - 1)];
            return elo + last[to] - last[from];
        };
        below[to] + (above[to] - below[to]) * (elo - below[from]) / (above[from] - below[from])
    }
}

impl fmt::Display for EloScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_is_set_is_brought_into_the_range_of_the_curve() {
        for (_, family) in Family::ALL {
            for scale in EloScale::ALL {
                let at = |elo| Dial::new(Elo(elo), Some(family), scale);
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
        let said = |scale| Dial::new(Elo(1200.0), None, scale).to_string();
        assert_eq!(said(EloScale::Fide), "like a person rated about 1200 (FIDE)");
        assert_eq!(said(EloScale::LichessRapid), "like a person rated about 1200 (Lichess Rapid)");
    }

    #[test]
    fn the_same_people_are_found_on_every_scale() {
        for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 1)] {
            let [one, other] = [from, to].map(|index| EloScale::ALL[index]);
            for row in SAME_PEOPLE {
                assert!((one.on(other, row[from]) - row[to]).abs() < 1e-9);
            }
            let mut last = f64::NEG_INFINITY;
            for elo in (-500..3500).step_by(7).map(f64::from) {
                let there = one.on(other, elo);
                assert!(there > last, "{one} {other} {elo}");
                assert!((other.on(one, there) - elo).abs() < 1e-6, "{one} {other} {elo}");
                last = there;
            }
        }
        assert_eq!(EloScale::Fide.on(EloScale::LichessRapid, 1000.0), 1165.0);
        assert_eq!(EloScale::Fide.on(EloScale::LichessBlitz, 2700.0), 2960.0);
    }

    #[test]
    fn names_come_back_and_the_old_one_too() {
        for scale in EloScale::ALL {
            assert_eq!(EloScale::of_name(&scale.to_string()), Some(scale));
            assert_eq!(EloScale::of_name(scale.word()), Some(scale));
        }
        assert_eq!(EloScale::of_name("Lichess"), Some(EloScale::LichessBlitz));
        assert_eq!(EloScale::of_name("USCF"), None);
    }
}
