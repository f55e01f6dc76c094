//! Rating scales: FIDE over the board, and Lichess blitz and rapid.
//!
//! The same players have different ratings on each scale, and the difference depends on their
//! strength. A player with a FIDE rating of 1450 is rated 30 points lower in blitz on Lichess, a
//! player with 2200 is rated 160 points higher. The conversion interpolates linearly in a survey of
//! player profiles (chessgoals.com, July 2025). Outside its range, the difference is that of the
//! nearest row.

use std::fmt;

use crate::policy::GameKind;
use crate::selector::Family;

/// A rating scale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum EloScale {
    /// FIDE ratings, over the board.
    #[default]
    Fide,
    /// Blitz ratings on Lichess.
    LichessBlitz,
    /// Rapid ratings on Lichess.
    LichessRapid,
}

/// Ratings of the same players on each scale, in the order of [`EloScale`].
const EQUIVALENT_RATINGS: [[f64; 3]; 15] = [
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

    /// The scale of the ratings that a human curve was fitted to, or FIDE for all other curves.
    pub fn of(family: Family) -> EloScale {
        match family.pool() {
            Some(GameKind::Board | GameKind::Classical) | None => EloScale::Fide,
            Some(GameKind::Rapid) => EloScale::LichessRapid,
            Some(GameKind::Blitz | GameKind::Bullet) => EloScale::LichessBlitz,
        }
    }

    /// The kind of games that these ratings come from.
    pub fn pool(self) -> GameKind {
        match self {
            EloScale::Fide => GameKind::Board,
            EloScale::LichessBlitz => GameKind::Blitz,
            EloScale::LichessRapid => GameKind::Rapid,
        }
    }

    /// Finds a scale by its name or word, in any case.
    pub fn of_name(text: &str) -> Option<EloScale> {
        let text = text.trim();
        let has_name = |scale: &EloScale| {
            [scale.name(), scale.word()].iter().any(|name| name.eq_ignore_ascii_case(text))
        };
        EloScale::ALL.into_iter().find(has_name)
    }

    pub const fn name(self) -> &'static str {
        match self {
            EloScale::Fide => "FIDE",
            EloScale::LichessBlitz => "Lichess Blitz",
            EloScale::LichessRapid => "Lichess Rapid",
        }
    }

    /// The name as one word. `lichess` means blitz for compatibility: it was once the only Lichess
    /// scale.
    pub const fn word(self) -> &'static str {
        match self {
            EloScale::Fide => "fide",
            EloScale::LichessBlitz => "lichess",
            EloScale::LichessRapid => "lichess-rapid",
        }
    }

    /// Converts a rating on this scale to another scale.
    pub fn on(self, other: EloScale, elo: f64) -> f64 {
        if self == other {
            return elo;
        }
        let [from, to] = [self as usize, other as usize];
        let after = EQUIVALENT_RATINGS.partition_point(|row| row[from] < elo);
        let [Some(above), Some(below)] = [
            EQUIVALENT_RATINGS.get(after),
            after.checked_sub(1).map(|before| &EQUIVALENT_RATINGS[before]),
        ] else {
            let last = EQUIVALENT_RATINGS[after.min(EQUIVALENT_RATINGS.len() - 1)];
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
    fn conversions_are_monotonic_and_invertible() {
        for (from, to) in [(0, 1), (1, 0), (0, 2), (2, 1)] {
            let [one, other] = [from, to].map(|index| EloScale::ALL[index]);
            for row in EQUIVALENT_RATINGS {
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
    fn scales_are_found_by_name_and_by_word() {
        for scale in EloScale::ALL {
            assert_eq!(EloScale::of_name(&scale.to_string()), Some(scale));
            assert_eq!(EloScale::of_name(scale.word()), Some(scale));
        }
        assert_eq!(EloScale::of_name("Lichess"), Some(EloScale::LichessBlitz));
        assert_eq!(EloScale::of_name("USCF"), None);
    }
}
