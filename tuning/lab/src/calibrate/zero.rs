//! Defines the zero of playing strengths, because games measure only differences.
//!
//! The zero is chosen so that, from 1500 to 2400, players with the curve `human` have on average the
//! FIDE rating of the humans to whose moves the curve was fitted. Most humans and most games used
//! for the fit are in this range.

use std::ops::Range;

use stopdown::policy::GameKind;
use stopdown::selector::Family;

/// The family whose ratings match human ratings on average.
pub const FAMILY: Family = Family::human(GameKind::Board);

/// The range of ratings over which the average is taken.
pub const RATINGS: Range<u32> = 1500..2400;

/// The mean rating in the range.
pub fn middle() -> f64 {
    f64::from(RATINGS.start + RATINGS.end) / 2.0
}

/// The weights of places, in ascending order, that define the zero. The weighted sum of the ratings
/// at the places is the mean over [`RATINGS`] of the interpolated ratings, and should equal
/// [`middle`].
pub fn shares(places: &[f64]) -> Vec<f64> {
    if places.len() < 2 {
        return vec![1.0; places.len()];
    }
    let mut shares = vec![0.0; places.len()];
    let points = RATINGS.len() as f64;
    for rating in RATINGS {
        let place = f64::from(rating) + 0.5;
        let above = places.partition_point(|&other| other < place).clamp(1, places.len() - 1);
        let part = (place - places[above - 1]) / (places[above] - places[above - 1]);
        let part = part.clamp(0.0, 1.0);
        shares[above - 1] += (1.0 - part) / points;
        shares[above] += part / points;
    }
    shares
}

/// The weighted mean of the ratings.
pub fn mean(shares: &[f64], ratings: &[f64]) -> f64 {
    shares.iter().zip(ratings).map(|(share, rating)| share * rating).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_places_has_its_mean_in_the_middle() {
        let places = [0.0, 1000.0, 1700.0, 2000.0, 3200.0];
        let shares = shares(&places);
        assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        let line = places.map(|place| 3.0 * place - 7.0);
        assert!((mean(&shares, &line) - (3.0 * 1950.0 - 7.0)).abs() < 1e-9);
        assert_eq!(middle(), 1950.0);
        assert_eq!(shares[0], 0.0);
    }
}
