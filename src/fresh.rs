//! Numbers that differ from run to run, for seeds and names that need not be secret.

/// Returns a number that differs from run to run.
pub fn fresh_number() -> u64 {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    {
        use std::hash::{BuildHasher, Hasher, RandomState};
        RandomState::new().build_hasher().finish()
    }
    // In WebAssembly, the standard library has no random numbers.
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    {
        (crate::simd::random() * 2f64.powi(52)) as u64
    }
}
