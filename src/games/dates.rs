//! Dates and times in UTC, as text.

use std::time::{SystemTime, UNIX_EPOCH};

/// The date in the format of the tag `Date`: `2024.03.01`.
pub fn utc_date(time: SystemTime) -> String {
    let (year, month, day) = civil_date(seconds(time) / 86_400);
    format!("{year:04}.{month:02}.{day:02}")
}

/// The date and time in ISO 8601: `2024-03-01T18:05:09Z`.
pub fn utc_timestamp(time: SystemTime) -> String {
    let seconds = seconds(time);
    let (year, month, day) = civil_date(seconds / 86_400);
    let (hour, minute, second) = (seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

/// Returns the date that is `days` days after 1 January 1970, as year, month and day.
///
/// In this calculation, years start in March, so that the leap day is the last day of its year. An
/// era of 400 years always has 146,097 days (Howard Hinnant, "chrono-Compatible Low-Level Date
/// Algorithms").
fn civil_date(days: u64) -> (u64, u64, u64) {
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
    fn dates_across_leap_years_are_right() {
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
