//! Games as files: PGN in and out, positions as EPD, and the store of their evaluations.

mod epd;
pub mod pgn;
mod store;

use std::fmt;
use std::time::{SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use crate::board::Colour;

pub use epd::{epd_to_position, position_text, read_position_line};
pub use store::{
    BATCH, EvaluationKey, EvaluatorIdentity, LONGEST_WAIT, Store, StoreError, StoreSummary,
    StoredEvaluation,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum GameResult {
    #[serde(rename = "1-0")]
    WhiteWins,
    #[serde(rename = "0-1")]
    BlackWins,
    #[serde(rename = "1/2-1/2")]
    Draw,
}

impl GameResult {
    /// `None` for `*` and whatever else is no result.
    pub fn parse(text: &str) -> Option<GameResult> {
        let all = [GameResult::WhiteWins, GameResult::BlackWins, GameResult::Draw];
        all.into_iter().find(|result| result.to_string() == text.trim())
    }

    pub fn won_by(winner: Colour) -> GameResult {
        match winner {
            Colour::White => GameResult::WhiteWins,
            Colour::Black => GameResult::BlackWins,
        }
    }

    /// The result by White's points, in halves.
    pub fn of_half_points(points: usize) -> Option<GameResult> {
        [GameResult::BlackWins, GameResult::Draw, GameResult::WhiteWins].get(points).copied()
    }

    /// White's share of the point.
    pub fn score(self) -> f64 {
        self.half_points(Colour::White) as f64 / 2.0
    }

    /// The points of one side, in halves: 0, 1 or 2.
    pub fn half_points(self, colour: Colour) -> usize {
        match self {
            GameResult::Draw => 1,
            _ if self == GameResult::won_by(colour) => 2,
            _ => 0,
        }
    }
}

impl fmt::Display for GameResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            GameResult::WhiteWins => "1-0",
            GameResult::BlackWins => "0-1",
            GameResult::Draw => "1/2-1/2",
        })
    }
}

/// `2024.03.01`, for the tag `Date`.
pub fn utc_date(time: SystemTime) -> String {
    let (year, month, day) = civil(seconds(time) / 86_400);
    format!("{year:04}.{month:02}.{day:02}")
}

/// `2024-03-01T18:05:09Z`.
pub fn utc_timestamp(time: SystemTime) -> String {
    let seconds = seconds(time);
    let (year, month, day) = civil(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// The date so many days after 1 January 1970. Years are counted from March, so that the leap day
/// is the last of its year; 400 of them have 146,097 days.
fn civil(days: u64) -> (u64, u64, u64) {
    let days = days + 719_468; // from 1 March of the year 0
    let (era, day_of_era) = (days / 146_097, days % 146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (era * 400 + year_of_era + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn known_moments() {
        let cases = [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_709_316_309, "2024-03-01T18:05:09Z"),
            (4_107_542_399, "2100-02-28T23:59:59Z"),
            (4_107_542_400, "2100-03-01T00:00:00Z"),
        ];
        for (seconds, text) in cases {
            assert_eq!(utc_timestamp(UNIX_EPOCH + Duration::from_secs(seconds)), text);
        }
        assert_eq!(utc_date(UNIX_EPOCH), "1970.01.01");
    }
}
