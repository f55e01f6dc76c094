//! Descriptive statistics of samples.

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
}
