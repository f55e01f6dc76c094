//! Where the zero of the scale is: games tell differences only.
//!
//! On FIDE's scale players by the curve `human`, which was fitted to moves of people, have on average
//! over the ratings 1500 to 2400 the rating of these people. On Lichess's scale the same is so of the
//! curve `human-blitz` and the ratings of blitz on Lichess, over 1200 to 2000. Between these
//! ratings are most people and most of the games that the curves were fitted to.

use std::ops::Range;

use crate::player::EloScale;
use crate::prior::Pool;
use crate::selector::Family;

/// Whose ratings are on average those of the people whose moves they play, and over which.
pub fn rule(scale: EloScale) -> (Family, Range<u32>) {
    match scale {
        EloScale::Fide => (Family::human(Pool::Board), 1500..2400),
        EloScale::Lichess => (Family::human(Pool::Blitz), 1200..2000),
    }
}

/// The zero of a scale as a sum over places: with the ratings there, times these shares, which have
/// the sum 1, the line through them has a mean; and the mean that it should have.
pub fn shares(scale: EloScale, places: &[f64]) -> (Vec<f64>, f64) {
    let (_, range) = rule(scale);
    let mut shares = vec![0.0; places.len()];
    let points = range.len() as f64;
    for point in range.clone() {
        let place = f64::from(point) + 0.5;
        let above = places.partition_point(|&other| other < place).clamp(1, places.len() - 1);
        let part = (place - places[above - 1]) / (places[above] - places[above - 1]);
        let part = part.clamp(0.0, 1.0);
        shares[above - 1] += (1.0 - part) / points;
        shares[above] += part / points;
    }
    (shares, f64::from(range.start + range.end) / 2.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_through_places_has_its_mean_in_the_middle() {
        let places = [0.0, 1000.0, 1700.0, 2000.0, 3200.0];
        for (scale, middle) in [(EloScale::Fide, 1950.0), (EloScale::Lichess, 1600.0)] {
            let (shares, found) = shares(scale, &places);
            assert_eq!(found, middle);
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-12);
            let mean = |of: fn(f64) -> f64| -> f64 {
                shares.iter().zip(places).map(|(share, place)| share * of(place)).sum()
            };
            assert!((mean(|place| 3.0 * place - 7.0) - (3.0 * middle - 7.0)).abs() < 1e-9);
        }
        let (shares, _) = shares(EloScale::Fide, &places);
        assert_eq!(shares[0], 0.0);
    }
}
