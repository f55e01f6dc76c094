//! The normal distribution and Student's, as far as intervals need them.

use std::f64::consts::{FRAC_2_PI, PI, SQRT_2};

use super::root;

/// The mean of the absolute value of a standard normal number: the root of 2 / pi.
pub const MEAN_OF_HALF_NORMAL: f64 = 0.797_884_560_802_865_4;

/// The probability that a standard normal variable is below `x`.
pub fn normal(x: f64) -> f64 {
    libm::erfc(-x / SQRT_2) / 2.0
}

/// A standard normal variable is above `x` once in so many times.
pub fn one_in(x: f64) -> f64 {
    2.0 / libm::erfc(x / SQRT_2)
}

/// The density of the standard normal distribution.
pub fn normal_density(x: f64) -> f64 {
    libm::exp(-x * x / 2.0) / (2.0 * PI).sqrt()
}

/// The point below which a standard normal variable lies with this probability; infinite at 0
/// and 1, NaN outside them.
pub fn normal_quantile(probability: f64) -> f64 {
    match probability {
        p if !(0.0..=1.0).contains(&p) => f64::NAN,
        0.0 => f64::NEG_INFINITY,
        1.0 => f64::INFINITY,
        // The upper half is mirrored, for the lower tail keeps its digits down to the smallest.
        p if p > 0.5 => -normal_quantile(1.0 - p),
        p => root(-39.0, 0.0, |x| normal(x) - p),
    }
}

/// Half the width of a central interval of Student's distribution, in standard errors.
pub fn student_reach(level: f64, degrees_of_freedom: usize) -> f64 {
    let mut high = 1.0;
    while student_central(high, degrees_of_freedom) < level {
        high *= 2.0;
    }
    root(0.0, high, |t| student_central(t, degrees_of_freedom) - level)
}

/// The probability between -t and t: the finite sums of Abramowitz and Stegun, 26.7.3 and 26.7.4.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_quantile_undoes_the_distribution() {
        for x in [-30.0, -6.0, -1.959_963_984_540_054, -0.1, 0.0, 0.7, 3.0] {
            let back = normal_quantile(normal(x));
            assert!((back - x).abs() < 1e-12, "{x} became {back}");
        }
        assert_eq!(normal_quantile(0.0), f64::NEG_INFINITY);
        assert!(normal_quantile(1.1).is_nan());
    }

    #[test]
    fn printed_tables_of_students_distribution() {
        let cases = [(1, 12.706_2), (2, 4.302_65), (7, 2.364_62), (8, 2.306_00), (13, 2.160_37)];
        for (degrees, printed) in cases {
            let found = student_reach(0.95, degrees);
            assert!((found - printed).abs() < 1e-4 * printed, "{degrees}: {found}");
        }
        assert!((student_reach(0.95, 100_000) - 1.959_98).abs() < 1e-4);
    }
}
