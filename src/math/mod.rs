//! Mathematics that does not depend on chess: random streams, statistics, posteriors and fits.

use std::borrow::Borrow;

pub mod cholesky;
pub mod exact;
pub mod grid;
pub(crate) mod interpolation;
pub mod minimise;
pub mod outcomes;
pub mod paired;
pub(crate) mod power_law;
pub(crate) mod sprt;
pub mod statistics;
pub mod streams;
pub(crate) mod sums;

/// The FNV-1a hash, which is the same on every machine and in every version.
pub fn fingerprint(bytes: impl IntoIterator<Item = impl Borrow<u8>>) -> u64 {
    continue_fingerprint(0xcbf2_9ce4_8422_2325, bytes)
}

/// The [`fingerprint`] of some bytes and the bytes that follow them, from the fingerprint of the first.
pub(crate) fn continue_fingerprint(
    fingerprint: u64,
    bytes: impl IntoIterator<Item = impl Borrow<u8>>,
) -> u64 {
    bytes.into_iter().fold(fingerprint, |hash, byte| {
        (hash ^ u64::from(*byte.borrow())).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The largest of some numbers. Minus infinity if there are none.
#[inline]
pub(crate) fn largest(numbers: &[f64]) -> f64 {
    numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// The zero of an increasing function between `low` and `high`, by bisection to the last bit.
pub fn root(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    loop {
        let middle = low + (high - low) / 2.0;
        if middle <= low || middle >= high {
            return middle;
        }
        if of(middle) < 0.0 { low = middle } else { high = middle }
    }
}
