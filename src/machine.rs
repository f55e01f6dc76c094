//! Instructions that the language has no safe word for.
//!
//! This is the one file that may contain `unsafe`.
#![allow(unsafe_code)]

/// Asks the processor to bring a value near, for use soon. Has no other effect.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults and changes nothing that a program can see; the address is
    // that of a live reference besides.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}
