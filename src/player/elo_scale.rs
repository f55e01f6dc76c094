//! Whose ratings are meant: those of FIDE over the board, or those that people have on Lichess.
//!
//! The same people have other numbers there, and the difference is not the same for all: who has 1450 of
//! FIDE has 30 less in blitz on Lichess, who has 2200 has 160 more. A survey of profiles says which
//! ratings go together (chessgoals.com, July 2025); between its rows they lie on lines, and beyond them
//! the difference is that of the last row.

use std::fmt;

use crate::policy::GameKind;
use crate::selector::Family;

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
            Some(GameKind::Board | GameKind::Classical) | None => EloScale::Fide,
            Some(GameKind::Rapid) => EloScale::LichessRapid,
            Some(GameKind::Blitz | GameKind::Bullet) => EloScale::LichessBlitz,
        }
    }

    /// The games in which people have these ratings.
    pub fn pool(self) -> GameKind {
        match self {
            EloScale::Fide => GameKind::Board,
            EloScale::LichessBlitz => GameKind::Blitz,
            EloScale::LichessRapid => GameKind::Rapid,
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
