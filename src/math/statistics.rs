//! Descriptive statistics of samples, how far apart two distributions are, and Regan's percentile
//! statistic: do the predicted probabilities come true at every height?
//!
//! For the last every observation has the interval of cumulative probability that was predicted for what
//! then happened. If the predictions are right, a fraction q of the observations lies below q, for every
//! q (Regan 2011, section 6).

use super::exact::ln;

/// The arithmetic mean; NaN of nothing.
pub fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

/// The unbiased standard deviation; NaN of fewer than two.
pub fn standard_deviation(sample: &[f64]) -> f64 {
    let centre = mean(sample);
    let squares: f64 = sample.iter().map(|x| (x - centre) * (x - centre)).sum();
    if sample.len() < 2 { f64::NAN } else { (squares / (sample.len() as f64 - 1.0)).sqrt() }
}

/// The value below which a fraction of the sample lies, interpolated between neighbours; NaN of
/// nothing.
pub fn quantile(sample: &[f64], fraction: f64) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = fraction.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

pub fn median(sample: &[f64]) -> f64 {
    quantile(sample, 0.5)
}

/// The Jensen-Shannon distance: the square root of how many bits, on average, a draw from one of
/// the two says about which it came from. 0 for equal ones, 1 for those without anything in
/// common, and a distance in the strict sense. Both must be over the same outcomes.
pub fn jensen_shannon(one: &[f64], other: &[f64]) -> f64 {
    let towards_mean = |p: f64, mean: f64| if p > 0.0 { p * ln(p / mean) } else { 0.0 };
    let terms = one.iter().zip(other).map(|(&p, &q)| {
        let mean = (p + q) / 2.0;
        towards_mean(p, mean) + towards_mean(q, mean)
    });
    (terms.sum::<f64>() / (2.0 * std::f64::consts::LN_2)).clamp(0.0, 1.0).sqrt()
}

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_samples_by_hand() {
        let sample = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(mean(&sample), 2.5);
        assert!((standard_deviation(&sample) - (5.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(median(&sample), 2.5);
        assert_eq!(quantile(&sample, 1.0), 4.0);
        assert!(mean(&[]).is_nan() && standard_deviation(&[1.0]).is_nan() && median(&[]).is_nan());
    }

    #[test]
    fn values_by_hand() {
        assert_eq!(jensen_shannon(&[0.3, 0.7], &[0.3, 0.7]), 0.0);
        assert!((jensen_shannon(&[1.0, 0.0], &[0.0, 1.0]) - 1.0).abs() < 1e-12);
        // One half of certainty against a coin: h(3/4) - h(1/2)/2 bits, squared.
        let expected = (0.811_278_124_459_132_8 - 0.5f64).sqrt();
        assert!((jensen_shannon(&[1.0, 0.0], &[0.5, 0.5]) - expected).abs() < 1e-12);
        let (a, b, c) = ([0.2, 0.8], [0.6, 0.4], [0.9, 0.1]);
        assert_eq!(jensen_shannon(&a, &b), jensen_shannon(&b, &a));
        assert!(jensen_shannon(&a, &c) <= jensen_shannon(&a, &b) + jensen_shannon(&b, &c));
    }

    #[test]
    fn the_published_example_is_a_third_up() {
        // "one clearly-best move given probability 0.9 that is played. For q = 0.30 the tuple will
        // count as one-third up, two-thirds down."
        let interval = predicted_interval(&[0.9, 0.1], 0);
        assert!((part_below(interval, 0.3) - 1.0 / 3.0).abs() < 1e-15);
    }
}
