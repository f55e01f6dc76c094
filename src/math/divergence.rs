//! How far apart two distributions are.

use super::exact::ln;

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

#[cfg(test)]
mod tests {
    use super::*;

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
}
