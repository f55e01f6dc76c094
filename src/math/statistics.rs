//! Statistics of samples, the normal distribution, and the intervals of Student's distribution.
//!
//! Regan's percentile statistic tests whether predicted probabilities are right at every level. For every observation,
//! the prediction assigns an interval of cumulative probability to its outcome. If the predictions are right, then for
//! every q, a fraction q of the observations is below q (Regan 2011, section 6).

use std::f64::consts::{FRAC_2_PI, PI, SQRT_2};

use super::exact::ln;
use super::root;

/// The arithmetic mean. NaN for an empty sample.
pub fn mean(sample: &[f64]) -> f64 {
    sample.iter().sum::<f64>() / sample.len() as f64
}

/// The unbiased standard deviation. NaN if there are fewer than two numbers.
pub fn standard_deviation(sample: &[f64]) -> f64 {
    let centre = mean(sample);
    let squares: f64 = sample.iter().map(|x| (x - centre) * (x - centre)).sum();
    if sample.len() < 2 { f64::NAN } else { (squares / (sample.len() as f64 - 1.0)).sqrt() }
}

/// The quantile of a sample, interpolated between neighbours. NaN for an empty sample.
pub fn quantile(sample: &[f64], fraction: f64) -> f64 {
    let mut sorted = sample.to_vec();
    sorted.sort_by(f64::total_cmp);
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = fraction.clamp(0.0, 1.0) * last as f64;
    let (below, above) = (sorted[place.floor() as usize], sorted[place.ceil() as usize]);
    below + (above - below) * place.fract()
}

/// The median of a sample. NaN for an empty sample.
pub fn median(sample: &[f64]) -> f64 {
    quantile(sample, 0.5)
}

/// The Jensen-Shannon distance between two distributions over the same outcomes.
///
/// The distance is a metric. It is 0 for equal distributions and 1 for distributions without common outcomes. Its
/// square is the average information, in bits, that a sample from one of the two distributions gives about its origin.
pub fn jensen_shannon(one: &[f64], other: &[f64]) -> f64 {
    let towards_mean = |p: f64, mean: f64| if p > 0.0 { p * ln(p / mean) } else { 0.0 };
    let terms = one.iter().zip(other).map(|(&p, &q)| {
        let mean = (p + q) / 2.0;
        towards_mean(p, mean) + towards_mean(q, mean)
    });
    (terms.sum::<f64>() / (2.0 * std::f64::consts::LN_2)).clamp(0.0, 1.0).sqrt()
}

/// The interval of cumulative probability that belongs to an outcome, with the outcomes in the order of the list.
pub fn predicted_interval(probabilities: &[f64], outcome: usize) -> (f64, f64) {
    let below: f64 = probabilities[..outcome].iter().sum();
    (below, below + probabilities[outcome])
}

/// The fraction of an observation that is below q. If q is inside the interval, only a part of the observation counts.
pub fn part_below((low, high): (f64, f64), q: f64) -> f64 {
    if high > low { ((q - low) / (high - low)).clamp(0.0, 1.0) } else { 0.0 }
}

/// The probability that a standard normal variable is below `x`.
pub fn normal(x: f64) -> f64 {
    libm::erfc(-x / SQRT_2) / 2.0
}

/// The density of the standard normal distribution.
pub fn normal_density(x: f64) -> f64 {
    libm::exp(-x * x / 2.0) / (2.0 * PI).sqrt()
}

/// The quantile of the standard normal distribution. Infinite for 0 and 1, and NaN outside this range.
pub fn normal_quantile(probability: f64) -> f64 {
    match probability {
        p if !(0.0..=1.0).contains(&p) => f64::NAN,
        0.0 => f64::NEG_INFINITY,
        1.0 => f64::INFINITY,
        // The upper half is mirrored, because the lower tail is accurate down to the smallest numbers.
        p if p > 0.5 => -normal_quantile(1.0 - p),
        p => root(-39.0, 0.0, |x| normal(x) - p),
    }
}

/// The interval around the mean of a normal distribution that has this probability.
pub fn normal_interval(mean: f64, deviation: f64, probability: f64) -> (f64, f64) {
    let reach = normal_quantile((1.0 + probability) / 2.0) * deviation;
    (mean - reach, mean + reach)
}

/// Half the width of a central interval of Student's distribution, in standard errors.
pub fn student_reach(level: f64, degrees_of_freedom: usize) -> f64 {
    let mut high = 1.0;
    while student_central(high, degrees_of_freedom) < level {
        high *= 2.0;
    }
    root(0.0, high, |t| student_central(t, degrees_of_freedom) - level)
}

/// The probability between -t and t, by the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4.
fn student_central(t: f64, degrees_of_freedom: usize) -> f64 {
    let n = degrees_of_freedom as f64;
    let angle = libm::atan(t / n.sqrt());
    let (sine, cosine) = (libm::sin(angle), libm::cos(angle));
    let is_odd = degrees_of_freedom % 2 == 1;
    let mut term = if is_odd { cosine } else { 1.0 };
    let mut k = if is_odd { 1.0 } else { 0.0 };
    let mut sum = 0.0;
    while k + 1.0 < n {
        sum += term;
        term *= cosine * cosine * (k + 1.0) / (k + 2.0);
        k += 2.0;
    }
    if is_odd { FRAC_2_PI * (angle + sine * sum) } else { sine * sum }
}

/// The standard deviation of the difference between two performances in Elo's original model: 200√2 (Ferreira, "The
/// Impact of Search Depth on Chess Playing Strength", section 3.1).
pub const ELO_UNIT: f64 = 200.0 * SQRT_2;

/// The confidence level of the interval in [`mean_with_reach`].
pub const REACH_LEVEL: f64 = 0.95;

/// The rating difference at which this score is expected in Elo's original model (equation 2 of the same paper).
pub fn elo_difference(score: f64) -> f64 {
    ELO_UNIT * normal_quantile(score)
}

/// The mean of a sample, and half the width of its confidence interval.
pub fn mean_with_reach(sample: &[f64]) -> (f64, f64) {
    let error = standard_deviation(sample) / (sample.len() as f64).sqrt();
    let reach = match sample.len() {
        0 | 1 => f64::NAN,
        more => student_reach(REACH_LEVEL, more - 1) * error,
    };
    (mean(sample), reach)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elo_differences_agree_with_published_points() {
        assert!((elo_difference(0.760_249_94) - 200.0).abs() < 1e-5);
        assert!((elo_difference(0.078_649_6) + 400.0).abs() < 1e-3);
    }

    #[test]
    fn statistics_of_small_samples_are_right() {
        let sample = [4.0, 1.0, 3.0, 2.0];
        assert_eq!(mean(&sample), 2.5);
        assert!((standard_deviation(&sample) - (5.0f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!(median(&sample), 2.5);
        assert_eq!(quantile(&sample, 1.0), 4.0);
        assert!(mean(&[]).is_nan() && standard_deviation(&[1.0]).is_nan() && median(&[]).is_nan());
    }

    #[test]
    fn jensen_shannon_distances_are_right() {
        assert_eq!(jensen_shannon(&[0.3, 0.7], &[0.3, 0.7]), 0.0);
        assert!((jensen_shannon(&[1.0, 0.0], &[0.0, 1.0]) - 1.0).abs() < 1e-12);
        // A certain outcome against a fair coin: the square is h(3/4) - h(1/2)/2 bits.
        let expected = (0.811_278_124_459_132_8 - 0.5f64).sqrt();
        assert!((jensen_shannon(&[1.0, 0.0], &[0.5, 0.5]) - expected).abs() < 1e-12);
        let (a, b, c) = ([0.2, 0.8], [0.6, 0.4], [0.9, 0.1]);
        assert_eq!(jensen_shannon(&a, &b), jensen_shannon(&b, &a));
        assert!(jensen_shannon(&a, &c) <= jensen_shannon(&a, &b) + jensen_shannon(&b, &c));
    }

    #[test]
    fn the_published_example_is_one_third_below() {
        // "one clearly-best move given probability 0.9 that is played. For q = 0.30 the tuple will
        // count as one-third up, two-thirds down."
        let interval = predicted_interval(&[0.9, 0.1], 0);
        assert!((part_below(interval, 0.3) - 1.0 / 3.0).abs() < 1e-15);
    }

    #[test]
    fn the_quantile_inverts_the_distribution() {
        for x in [-30.0, -6.0, -1.959_963_984_540_054, -0.1, 0.0, 0.7, 3.0] {
            let back = normal_quantile(normal(x));
            assert!((back - x).abs() < 1e-12, "{x} became {back}");
        }
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert!(normal_quantile(1.1).is_nan());
    }

    #[test]
    fn students_distribution_agrees_with_printed_tables() {
        let cases = [(1, 12.706_2), (2, 4.302_65), (7, 2.364_62), (8, 2.306_00), (13, 2.160_37)];
        for (degrees, printed) in cases {
            let found = student_reach(0.95, degrees);
            assert!((found - printed).abs() < 1e-4 * printed, "{degrees}: {found}");
        }
        assert!((student_reach(0.95, 100_000) - 1.959_98).abs() < 1e-4);
    }
}
