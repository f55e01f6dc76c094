//! A rating estimate as users see it.
//!
//! All reports follow two rules. An estimate from few moves mostly reflects the prior, so it is not
//! shown. The model has no data beyond the ends of its scale, so an estimate there is shown as a
//! bound, such as "below 600".

use std::fmt;
use std::ops::RangeInclusive;

use serde::Serialize;

use crate::selector::human;
use crate::words::counted;

/// A rating from fewer moves than this is not shown.
pub(crate) const MIN_RATED_MOVES: usize = 20;

/// The ratings of the players whose games the human model was fitted to, on every scale.
pub(crate) const RATED_RANGE: RangeInclusive<f64> = human::LOWEST..=human::HIGHEST;

/// A rating estimate within the range of its scale.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ShownRating {
    /// The estimate, limited to the range.
    pub elo: f64,
    /// The ends of its interval, limited to the range.
    pub interval: (f64, f64),
    /// The end of the scale beyond which the estimate lies, if any.
    pub bound: Option<RatingBound>,
    range: (f64, f64),
}

/// The direction in which a rating lies outside the range of its scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum RatingBound {
    /// Below the lowest rating.
    Below,
    /// Above the highest rating.
    Above,
}

impl ShownRating {
    /// An estimate from `moves` moves, or `None` if there are too few moves to show one.
    pub fn new(
        moves: usize,
        elo: f64,
        interval: (f64, f64),
        range: &RangeInclusive<f64>,
    ) -> Option<ShownRating> {
        (moves >= MIN_RATED_MOVES).then(|| ShownRating::limited(elo, interval, range))
    }

    /// An estimate within the range. It is shown even if it comes from few moves.
    pub fn limited(elo: f64, (low, high): (f64, f64), range: &RangeInclusive<f64>) -> ShownRating {
        let (first, last) = (*range.start(), *range.end());
        let bound = match elo {
            elo if elo <= first => Some(RatingBound::Below),
            elo if elo >= last => Some(RatingBound::Above),
            _ => None,
        };
        let limited = |elo: f64| elo.clamp(first, last);
        ShownRating {
            elo: limited(elo),
            interval: (limited(low), limited(high)),
            bound,
            range: (first, last),
        }
    }

    /// The same estimate, rounded to the nearest ten, for use in a sentence.
    pub fn in_tens(&self) -> ShownRating {
        let tens = |elo: f64| 10.0 * (elo / 10.0).round();
        let (low, high) = self.interval;
        ShownRating { elo: tens(self.elo), interval: (tens(low), tens(high)), ..self.clone() }
    }

    /// The interval in words: "1060 to 1490", or "900 or lower" at the end of the scale.
    pub fn interval_text(&self) -> String {
        let ((low, high), (first, last)) = (self.interval, self.range);
        match (low <= first, high >= last) {
            (false, false) => format!("{low:.0} to {high:.0}"),
            (true, false) => format!("{high:.0} or lower"),
            (false, true) => format!("{low:.0} or higher"),
            (true, true) => "any rating".to_owned(),
        }
    }

    /// The estimate of a player's rating during a game: "a player rated about 1640 (FIDE); probably
    /// between 1200 and 2000". The ends of the interval are imprecise, so they are rounded to multiples of
    /// fifty.
    pub fn so_far(&self, scale: &str) -> String {
        let rounded = self.in_tens();
        let about = if self.bound.is_none() { "about " } else { "" };
        let fifties = |elo: f64| 50.0 * (elo / 50.0).round();
        let ((low, high), (first, last)) = (self.interval, self.range);
        let (low, high) = (fifties(low), fifties(high));
        let range = match (low <= first, high >= last) {
            (false, false) => format!("probably between {low:.0} and {high:.0}"),
            (true, false) => format!("probably at most {high:.0}"),
            (false, true) => format!("probably at least {low:.0}"),
            (true, true) => "any rating is possible".to_owned(),
        };
        format!("a player rated {about}{rounded} ({scale}); {range}")
    }

    /// The estimate with its scale and interval, rounded to the nearest ten: "1270 FIDE (80% range: 1060 to 1490)".
    pub fn described(&self, scale: &str, percent: u32) -> String {
        let rounded = self.in_tens();
        format!("{rounded} {scale} ({percent}% range: {})", rounded.interval_text())
    }
}

impl fmt::Display for ShownRating {
    /// `1272`, or `below 600` at the end of the scale.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let direction = match self.bound {
            None => "",
            Some(RatingBound::Below) => "below ",
            Some(RatingBound::Above) => "above ",
        };
        f.pad(&format!("{direction}{:.0}", self.elo))
    }
}

/// The number of moves that a rating is based on, with its noun: `1 informative move`.
pub(crate) fn informative_moves(count: usize) -> String {
    counted(count, "informative move")
}

/// The text shown instead of a rating if there are too few moves. `whose` is "a" or "your".
pub(crate) fn not_enough_moves(whose: &str, moves: usize) -> String {
    format!("not enough moves to estimate {whose} rating ({moves} of the {MIN_RATED_MOVES} needed)")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_rating_is_shown_for_fewer_than_twenty_moves() {
        let shown = |moves| ShownRating::new(moves, 1500.0, (1400.0, 1600.0), &RATED_RANGE);
        assert_eq!(shown(19), None);
        assert_eq!(shown(20).map(|rating| rating.to_string()), Some("1500".to_owned()));
        assert_eq!(
            not_enough_moves("a", 3),
            "not enough moves to estimate a rating (3 of the 20 needed)"
        );
    }

    #[test]
    fn no_rating_beyond_the_data_is_shown() {
        for (elo, interval, rating, range) in [
            (1272.0, (1059.0, 1485.0), "1272", "1059 to 1485"),
            (56.0, (-346.0, 483.0), "below 600", "600 or lower"),
            (600.0, (400.0, 820.0), "below 600", "820 or lower"),
            (2790.0, (2630.0, 2950.0), "2790", "2630 or higher"),
            (2958.0, (2910.0, 3000.0), "above 2800", "2800 or higher"),
            (1700.0, (500.0, 2900.0), "1700", "any rating"),
        ] {
            let shown = ShownRating::new(50, elo, interval, &RATED_RANGE).expect("enough moves");
            assert_eq!((&*shown.to_string(), &*shown.interval_text()), (rating, range));
        }
    }

    #[test]
    fn a_rating_so_far_is_described_in_plain_words() {
        for (elo, interval, text) in [
            (
                1642.0,
                (1210.0, 1990.0),
                "a player rated about 1640 (FIDE); probably between 1200 and 2000",
            ),
            (560.0, (300.0, 880.0), "a player rated below 600 (FIDE); probably at most 900"),
            (2950.0, (2590.0, 3000.0), "a player rated above 2800 (FIDE); probably at least 2600"),
            (1700.0, (500.0, 2900.0), "a player rated about 1700 (FIDE); any rating is possible"),
        ] {
            assert_eq!(ShownRating::limited(elo, interval, &RATED_RANGE).so_far("FIDE"), text);
        }
    }

    #[test]
    fn sentences_have_the_scale_and_round_to_tens() {
        let shown = ShownRating::new(50, 1272.0, (1059.0, 1485.0), &RATED_RANGE);
        let text = shown.expect("enough moves").described("FIDE", 80);
        assert_eq!(text, "1270 FIDE (80% range: 1060 to 1490)");
    }
}
