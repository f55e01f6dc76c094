//! Logarithms, exponentials and their like that agree to the last bit on every machine.
//!
//! The standard library hands these to the platform, whose last digit differs between systems. A
//! seeded choice must be replayable anywhere, so whatever leads to one is computed with these.

/// Natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `e^x`.
#[inline]
pub fn exp(x: f64) -> f64 {
    libm::exp(x)
}

/// Cosine.
#[inline]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// `e^x - 1` without loss for small x.
#[inline]
pub fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// `ln Σ e^x`, safe for any finite or infinite terms; minus infinity for none.
pub fn ln_sum_exp(terms: &[f64]) -> f64 {
    let top = terms.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + ln(terms.iter().map(|&x| exp(x - top)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_extreme_terms_neither_overflow_nor_vanish() {
        assert!((ln_sum_exp(&[1000.0, 1000.0]) - (1000.0 + 2f64.ln())).abs() < 1e-12);
        assert!(
            (ln_sum_exp(&[-2000.0, -2000.0, f64::NEG_INFINITY]) + 2000.0 - 2f64.ln()).abs() < 1e-12
        );
        assert_eq!(ln_sum_exp(&[]), f64::NEG_INFINITY);
        assert_eq!(ln_sum_exp(&[f64::NEG_INFINITY; 2]), f64::NEG_INFINITY);
    }
}
