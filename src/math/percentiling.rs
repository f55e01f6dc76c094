//! Regan's percentile statistic: do the predicted probabilities come true at every height?
//!
//! Every observation has the interval of cumulative probability that was predicted for what then
//! happened. If the predictions are right, a fraction q of the observations lies below q, for
//! every q (Regan 2011, section 6).

/// The interval of an outcome: the probabilities before it in the order of the list, and those with
/// its own.
pub fn predicted_interval(probabilities: &[f64], outcome: usize) -> (f64, f64) {
    let below: f64 = probabilities[..outcome].iter().sum();
    (below, below + probabilities[outcome])
}

/// How much of an observation lies below q; one that straddles q counts in part.
pub fn part_below((low, high): (f64, f64), q: f64) -> f64 {
    if high > low { ((q - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
}

/// The fraction of observations that lie below q.
pub fn fraction_below(intervals: &[(f64, f64)], q: f64) -> f64 {
    intervals.iter().map(|&interval| part_below(interval, q)).sum::<f64>() / intervals.len() as f64
}

/// The sum of the squared misses over a grid of percentiles: small for a good fit.
pub fn misfit(intervals: &[(f64, f64)], percentiles: &[f64]) -> f64 {
    percentiles.iter().map(|&q| (fraction_below(intervals, q) - q).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_example_is_a_third_up() {
        // "one clearly-best move given probability 0.9 that is played. For q = 0.30 the tuple will
        // count as one-third up, two-thirds down."
        let interval = predicted_interval(&[0.9, 0.1], 0);
        assert!((part_below(interval, 0.3) - 1.0 / 3.0).abs() < 1e-15);
    }
}
