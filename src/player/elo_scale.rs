//! Rating scales: FIDE over the board, Lichess blitz, rapid and bullet, and chess.com blitz and rapid.
//!
//! A player's rating differs from scale to scale, and the difference depends on the player's strength. A player with a
//! FIDE rating of 1450 is rated 30 points lower in blitz on Lichess. A player with a FIDE rating of 2200 is rated 160
//! points higher there. The conversion interpolates linearly between the rows of a survey of player profiles
//! (chessgoals.com, July 2025). Outside the range of the survey, the difference in the nearest row applies. Lichess
//! bullet ratings are converted like blitz ratings.
//!
//! No curve was fitted to chess.com ratings. They are converted to Lichess ratings for the same kind of game. A
//! conversion is right only on average. Among chess.com accounts with any given blitz rating, half had rapid ratings
//! more than 100 points from the median rapid rating for that blitz rating (1,894 accounts, September 2022).

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::board::shorten;
use crate::policy::GameKind;
use crate::selector::Family;
use crate::suggest;

/// A rating scale. Its names are the same in every front end and every file.
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
    /// Blitz ratings on chess.com.
    ChesscomBlitz,
    /// Rapid ratings on chess.com.
    ChesscomRapid,
}

/// The error for an unknown rating scale.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown rating scale \"{shown}\"{hint}", shown = shorten(.0), hint = suggest::hint(.0, EloScale::names(), "levels"))]
pub struct UnknownScale(pub String);

/// Earlier names, still accepted because users have them in files. `Lichess` was once the only Lichess scale. The names
/// from `Board` on are kinds of games in `rate` and `analyse`.
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

/// Blitz ratings of the same players on chess.com and on Lichess, from the same survey.
const CHESSCOM_BLITZ: [[f64; 2]; 19] = [
    [500.0, 1030.0],
    [600.0, 1075.0],
    [700.0, 1145.0],
    [800.0, 1200.0],
    [900.0, 1335.0],
    [1000.0, 1420.0],
    [1100.0, 1475.0],
    [1200.0, 1565.0],
    [1300.0, 1635.0],
    [1400.0, 1705.0],
    [1500.0, 1780.0],
    [1600.0, 1850.0],
    [1800.0, 1970.0],
    [2000.0, 2100.0],
    [2200.0, 2235.0],
    [2400.0, 2370.0],
    [2600.0, 2560.0],
    [2800.0, 2695.0],
    [3000.0, 2850.0],
];

/// Rapid ratings of the same players on chess.com and on Lichess, from the same survey. The
/// survey ends at 2625. We added the last row, from which the two scales agree.
const CHESSCOM_RAPID: [[f64; 2]; 20] = [
    [735.0, 1205.0],
    [835.0, 1270.0],
    [945.0, 1340.0],
    [1035.0, 1400.0],
    [1130.0, 1515.0],
    [1230.0, 1615.0],
    [1320.0, 1690.0],
    [1405.0, 1765.0],
    [1500.0, 1825.0],
    [1575.0, 1880.0],
    [1655.0, 1930.0],
    [1730.0, 1990.0],
    [1890.0, 2085.0],
    [2035.0, 2185.0],
    [2135.0, 2285.0],
    [2235.0, 2380.0],
    [2355.0, 2510.0],
    [2480.0, 2630.0],
    [2625.0, 2735.0],
    [2950.0, 2950.0],
];

impl EloScale {
    /// All scales, in the order in which they are offered.
    pub const ALL: [EloScale; 6] = [
        EloScale::Fide,
        EloScale::LichessBlitz,
        EloScale::LichessRapid,
        EloScale::LichessBullet,
        EloScale::ChesscomBlitz,
        EloScale::ChesscomRapid,
    ];

    /// The scale of the ratings that a human curve was fitted to. All other curves use FIDE.
    pub fn of(family: Family) -> EloScale {
        match family.pool() {
            Some(GameKind::Board | GameKind::Classical) | None => EloScale::Fide,
            Some(GameKind::Rapid) => EloScale::LichessRapid,
            Some(GameKind::Blitz) => EloScale::LichessBlitz,
            Some(GameKind::Bullet) => EloScale::LichessBullet,
        }
    }

    /// The scale of the human curve that players on this scale use. There is no curve for
    /// chess.com.
    pub(crate) fn native(self) -> EloScale {
        match self {
            EloScale::ChesscomBlitz => EloScale::LichessBlitz,
            EloScale::ChesscomRapid => EloScale::LichessRapid,
            scale => scale,
        }
    }

    /// The kind of games that these ratings come from.
    pub(crate) fn pool(self) -> GameKind {
        match self {
            EloScale::Fide => GameKind::Board,
            EloScale::LichessBlitz | EloScale::ChesscomBlitz => GameKind::Blitz,
            EloScale::LichessRapid | EloScale::ChesscomRapid => GameKind::Rapid,
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
            EloScale::ChesscomBlitz => "Chesscom-Blitz",
            EloScale::ChesscomRapid => "Chesscom-Rapid",
        }
    }

    /// The names of all scales.
    pub fn names() -> [&'static str; EloScale::ALL.len()] {
        EloScale::ALL.map(EloScale::name)
    }

    /// Earlier names of this scale.
    pub(crate) fn old_names(self) -> impl Iterator<Item = &'static str> {
        OLD_NAMES.iter().filter(move |(_, scale)| *scale == self).map(|(name, _)| *name)
    }

    /// Converts a rating on this scale to another scale.
    pub(crate) fn on(self, other: EloScale, elo: f64) -> f64 {
        if self == other {
            return elo;
        }
        let native = self.chesscom_rows().map_or(elo, |rows| converted(rows, [0, 1], elo));
        let columns = [self.native().column(), other.native().column()];
        let native = converted(&EQUIVALENT_RATINGS, columns, native);
        other.chesscom_rows().map_or(native, |rows| converted(rows, [1, 0], native))
    }

    /// The column of the survey for a scale that has its own curve.
    fn column(self) -> usize {
        match self {
            EloScale::Fide => 0,
            EloScale::LichessRapid | EloScale::ChesscomRapid => 2,
            EloScale::LichessBlitz | EloScale::LichessBullet | EloScale::ChesscomBlitz => 1,
        }
    }

    /// The table of chess.com ratings and the corresponding Lichess ratings, or `None` if this is
    /// not a chess.com scale.
    fn chesscom_rows(self) -> Option<&'static [[f64; 2]]> {
        match self {
            EloScale::ChesscomBlitz => Some(&CHESSCOM_BLITZ),
            EloScale::ChesscomRapid => Some(&CHESSCOM_RAPID),
            _ => None,
        }
    }
}

/// Converts a rating from one column of a table to another. Between rows it interpolates linearly. Outside the table,
/// the difference in the nearest row applies.
fn converted<const N: usize>(rows: &[[f64; N]], [from, to]: [usize; 2], elo: f64) -> f64 {
    let after = rows.partition_point(|row| row[from] < elo);
    let below = after.checked_sub(1).map(|before| &rows[before]);
    match (below, rows.get(after)) {
        _ if from == to => elo,
        (Some(below), Some(above)) => {
            below[to] + (above[to] - below[to]) * (elo - below[from]) / (above[from] - below[from])
        }
        (Some(row), None) | (None, Some(row)) => elo + row[to] - row[from],
        (None, None) => elo,
    }
}

impl fmt::Display for EloScale {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

impl FromStr for EloScale {
    type Err = UnknownScale;

    /// Parses a name, ignoring case.
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
        for (one, other) in all_pairs() {
            let mut last = f64::NEG_INFINITY;
            for elo in (-500..3500).step_by(7).map(f64::from) {
                let there = one.on(other, elo);
                assert!(there > last, "{one} {other} {elo}");
                assert!((other.on(one, there) - elo).abs() < 1e-6, "{one} {other} {elo}");
                last = there;
            }
        }
    }

    fn all_pairs() -> impl Iterator<Item = (EloScale, EloScale)> {
        EloScale::ALL.into_iter().flat_map(|one| EloScale::ALL.map(|other| (one, other)))
    }

    #[test]
    fn conversions_agree_with_the_survey() {
        for (one, other, from, to) in [
            (EloScale::Fide, EloScale::LichessBlitz, 2210.0, 2370.0),
            (EloScale::LichessRapid, EloScale::Fide, 1615.0, 1450.0),
            (EloScale::LichessRapid, EloScale::LichessBlitz, 2735.0, 2850.0),
            (EloScale::ChesscomBlitz, EloScale::LichessBlitz, 500.0, 1030.0),
            (EloScale::ChesscomBlitz, EloScale::Fide, 1500.0, 1710.0),
            (EloScale::Fide, EloScale::ChesscomBlitz, 2210.0, 2400.0),
            (EloScale::ChesscomRapid, EloScale::LichessRapid, 1035.0, 1400.0),
            // Beyond the range of the survey.
            (EloScale::Fide, EloScale::LichessRapid, 1000.0, 1165.0),
            (EloScale::Fide, EloScale::LichessBlitz, 2700.0, 2960.0),
            (EloScale::ChesscomBlitz, EloScale::LichessBlitz, 400.0, 930.0),
        ] {
            let found = one.on(other, from);
            assert!((found - to).abs() < 1e-9, "{from} {one} is {found} {other}, not {to}");
        }
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
                "unknown rating scale \"USCF\"; use FIDE, Lichess-Blitz, Lichess-Rapid, Lichess-Bullet, Chesscom-Blitz or Chesscom-Rapid",
            ),
        ] {
            let refused = text.parse::<EloScale>().expect_err(text);
            assert_eq!(refused.to_string(), expected);
        }
    }
}
