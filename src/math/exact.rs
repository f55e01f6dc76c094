//! Logarithms, exponentials and similar functions whose results are the same to the last bit on every machine.
//!
//! The standard library uses the functions of the platform, which differ in the last digit. A seeded choice must be
//! repeatable everywhere, so everything that it depends on is computed with the functions in this file.

use std::f64::consts::LOG2_E;

/// Natural logarithm.
#[inline]
pub fn ln(x: f64) -> f64 {
    libm::log(x)
}

/// `e^x`.
///
/// The choice of a move needs about a thousand exponentials, and libm's function takes three times as long.
#[inline]
pub fn exp(x: f64) -> f64 {
    if x.abs() > 700.0 || x.is_nan() {
        return libm::exp(x);
    }
    // 1. Split x = k ln 2 + r with |r| <= ln 2 / 2. The first part of ln 2 has few digits, so its multiples are exact.
    let shifted = x * LOG2_E + ROUNDER;
    let k = shifted - ROUNDER;
    let r = (x - k * LN_2_SHORT) - k * LN_2_REST;
    // 2. Compute e^r by its series up to the 13th power, in an order that lets the processor work on several terms at
    // once.
    let pair = |n: usize| INVERSE_FACTORIALS[n] + INVERSE_FACTORIALS[n + 1] * r;
    let (r2, r4) = (r * r, (r * r) * (r * r));
    let low = pair(0) + pair(2) * r2;
    let middle = pair(4) + pair(6) * r2;
    let high = pair(8) + pair(10) * r2;
    let series = 1.0 + (r + r2 * (low + (middle + high * r4) * r4));
    // 3. Multiply by 2^k. The low bits of the shifted number are k.
    f64::from_bits(series.to_bits().wrapping_add(shifted.to_bits() << 52))
}

/// `1 / (1 + e^-x)`.
#[inline]
pub fn logistic(x: f64) -> f64 {
    1.0 / (1.0 + exp(-x))
}

/// 1.5 * 2^52. Adding a number to it rounds that number to an integer.
const ROUNDER: f64 = 6_755_399_441_055_744.0;
/// ln 2 to 32 binary digits, and the remainder.
const LN_2_SHORT: f64 = 0.693_147_180_369_123_8;
const LN_2_REST: f64 = 1.908_214_929_270_587_7e-10;
/// 1/2!, 1/3!, ..., 1/13!
const INVERSE_FACTORIALS: [f64; 12] = {
    let mut inverses = [0.5; 12];
    let mut factorial = 2.0;
    let mut n = 1;
    while n < 12 {
        factorial *= (n + 2) as f64;
        inverses[n] = 1.0 / factorial;
        n += 1;
    }
    inverses
};

/// Cosine.
#[inline]
pub fn cos(x: f64) -> f64 {
    libm::cos(x)
}

/// `e^x - 1`, accurate for small x.
#[inline]
pub(crate) fn exp_m1(x: f64) -> f64 {
    libm::expm1(x)
}

/// `ln Σ e^x`, without overflow, for terms that are finite or minus infinity. Minus infinity if there are no terms.
pub(crate) fn ln_sum_exp(terms: &[f64]) -> f64 {
    let top = super::largest(terms);
    if top == f64::NEG_INFINITY {
        return top;
    }
    top + ln(terms.iter().map(|&x| exp(x - top)).sum())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn our_exponential_agrees_with_libm() {
        for step in -80_000..80_000 {
            let x = f64::from(step) * 0.009_3 + f64::from(step % 7) * 1e-9;
            let (own, library) = (exp(x), libm::exp(x));
            let close = (own - library).abs() <= 2.0 * f64::EPSILON * library;
            assert!(close || own == library, "{x}: {own} and {library}");
        }
        assert_eq!([exp(0.0), exp(-0.0), exp(f64::NEG_INFINITY)], [1.0, 1.0, 0.0]);
        assert!(exp(f64::NAN).is_nan() && exp(1e300) == f64::INFINITY && exp(-1e300) == 0.0);
    }

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
