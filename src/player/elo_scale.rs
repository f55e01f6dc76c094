//! Rating scales: FIDE over the board, and Lichess blitz, rapid and bullet.
//!
//! The same players have different ratings on each scale, and the difference depends on their
//! strength. A player with a FIDE rating of 1450 is rated 30 points lower in blitz on Lichess, a
//! player with 2200 is rated 160 points higher. The conversion interpolates linearly in a survey of
//! player profiles (chessgoals.com, July 2025). Outside its range, the difference is that of the
//! nearest row. The survey has no column for bullet, so bullet ratings are converted as blitz
//! ratings.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::board::shorten;
use crate::policy::GameKind;
use crate::selector::Family;
use crate::suggest;

/// A rating scale. Its names are the same on every front end and in every file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "&'static str", try_from = "String")]
pub enum EloScale {
    /// FIDE ratings, over the board.
    #[default]
    Fide,
    /// Blitz ratings on Lichess.
    LichessBlitz,
    /// Rapid ratings on Lichess.
    LichessRapid,
    /// Bullet ratings on Lichess.
    LichessBullet,
}

/// An unknown name of a rating scale.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rating scale \"{shown}\"{hint}", shown = shorten(.0), hint = suggest::hint(.0, EloScale::names(), "levels"))]
pub struct UnknownScale(pub String);

/// Earlier names, which are still accepted: users have them in files. `Lichess` was once the only
/// Lichess scale. The others are the kinds of games of `rate` and `analyse`.
const OLD_NAMES: [(&str, EloScale); 8] = [
    ("Lichess Blitz", EloScale::LichessBlitz),
    ("Lichess Rapid", EloScale::LichessRapid),
    ("Lichess Bullet", EloScale::LichessBullet),
    ("Lichess", EloScale::LichessBlitz),
    ("Board", EloScale::Fide),
    ("Blitz", EloScale::LichessBlitz),
    ("Rapid", EloScale::LichessRapid),
    ("Bullet", EloScale::LichessBullet),
];

/// Ratings of the same players on each scale, by column: FIDE, Lichess blitz, Lichess rapid.
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
    pub const ALL: [EloScale; 4] =
        [EloScale::Fide, EloScale::LichessBlitz, EloScale::LichessRapid, EloScale::LichessBullet];

    /// The scale of the ratings that a human curve was fitted to, or FIDE for all other curves.
    pub fn of(family: Family) -> EloScale {
        match family.pool() {
            Some(GameKind::Board | GameKind::Classical) | None => EloScale::Fide,
            Some(GameKind::Rapid) => EloScale::LichessRapid,
            Some(GameKind::Blitz) => EloScale::LichessBlitz,
            Some(GameKind::Bullet) => EloScale::LichessBullet,
        }
    }

    /// The kind of games that these ratings come from.
    pub fn pool(self) -> GameKind {
        match self {
            EloScale::Fide => GameKind::Board,
            EloScale::LichessBlitz => GameKind::Blitz,
            EloScale::LichessRapid => GameKind::Rapid,
            EloScale::LichessBullet => GameKind::Bullet,
        }
    }

    /// The name. It has no spaces, because some programs cannot set UCI options to values with
    /// spaces.
    pub const fn name(self) -> &'static str {
        match self {
            EloScale::Fide => "FIDE",
            EloScale::LichessBlitz => "Lichess-Blitz",
            EloScale::LichessRapid => "Lichess-Rapid",
            EloScale::LichessBullet => "Lichess-Bullet",
        }
    }

    pub fn names() -> [&'static str; 4] {
        EloScale::ALL.map(EloScale::name)
    }

    /// Earlier names of this scale.
    pub fn old_names(self) -> impl Iterator<Item = &'static str> {
        OLD_NAMES.iter().filter(move |(_, scale)| *scale == self).map(|(name, _)| *name)
    }

    /// The column of the survey that has the ratings of this scale.
    fn column(self) -> usize {
        match self {
            EloScale::Fide => 0,
            EloScale::LichessBlitz | EloScale::LichessBullet => 1,
            EloScale::LichessRapid => 2,
        }
    }

    /// Converts a rating on this scale to another scale.
    pub fn on(self, other: EloScale, elo: f64) -> f64 {
        let [from, to] = [self.column(), other.column()];
        if from == to {
            return elo;
        }
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

impl FromStr for EloScale {
    type Err = UnknownScale;

    /// Reads a name in any case.
    fn from_str(text: &str) -> Result<EloScale, UnknownScale> {
        let name = text.split_whitespace().collect::<Vec<&str>>().join(" ");
        let current = EloScale::ALL.map(|scale| (scale.name(), scale));
        let found = current.iter().chain(&OLD_NAMES).find(|(n, _)| n.eq_ignore_ascii_case(&name));
        found.map(|(_, scale)| *scale).ok_or_else(|| UnknownScale(text.trim().to_owned()))
    }
}

impl From<EloScale> for &'static str {
    fn from(scale: EloScale) -> &'static str {
        scale.name()
    }
}

impl TryFrom<String> for EloScale {
    type Error = UnknownScale;

    fn try_from(text: String) -> Result<EloScale, UnknownScale> {
        text.parse()
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
    fn bullet_ratings_are_converted_as_blitz_ratings() {
        for elo in [700.0, 1777.0, 2900.0] {
            let [blitz, bullet] = [EloScale::LichessBlitz, EloScale::LichessBullet];
            assert_eq!(EloScale::Fide.on(bullet, elo), EloScale::Fide.on(blitz, elo));
            assert_eq!(blitz.on(bullet, elo), elo);
        }
    }

    #[test]
    fn scales_are_read_in_any_case_and_by_their_old_names() {
        for scale in EloScale::ALL {
            assert_eq!(scale.name().to_lowercase().parse(), Ok(scale));
        }
        for (old, scale) in OLD_NAMES {
            assert_eq!(old.to_lowercase().parse(), Ok(scale));
        }
    }

    #[test]
    fn an_unknown_scale_is_answered_with_a_suggestion() {
        for (text, expected) in [
            (
                "Lichess-Blits",
                "unknown rating scale \"Lichess-Blits\"; did you mean \"Lichess-Blitz\"?",
            ),
            (
                "USCF",
                "unknown rating scale \"USCF\"; use FIDE, Lichess-Blitz, Lichess-Rapid or Lichess-Bullet",
            ),
        ] {
            let refused = text.parse::<EloScale>().expect_err(text);
            assert_eq!(refused.to_string(), expected);
        }
    }
}
