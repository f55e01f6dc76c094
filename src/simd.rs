//! SIMD instructions and other requests to the processor and the system that Rust has no safe functions for.
//!
//! This is the only file that may contain `unsafe`.
#![allow(unsafe_code)]

/// Asks the processor to load a value into its cache. It has no other effect.
#[inline(always)]
pub fn prefetch<T>(value: &T) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: a prefetch never faults and has no visible effect. The address is that of a live reference.
    unsafe {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        _mm_prefetch::<_MM_HINT_T0>(std::ptr::from_ref(value).cast());
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = value;
}

/// Asks the system to use large pages for memory with random access, since the processor finds addresses in few large pages
/// faster. It has no other effect, and none at all on systems without large pages.
pub fn prefer_large_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        /// The size of a large page on Linux.
        const LARGE: usize = 2 << 20;
        let start = memory.as_mut_ptr().cast::<u8>();
        let first = start.align_offset(LARGE);
        let whole = size_of_val(memory).saturating_sub(first) / LARGE * LARGE;
        if whole > 0 {
            // SAFETY: the pages from the first boundary of a large page on are in this memory, and the advice does not
            // change their contents.
            let _refused =
                unsafe { madvise(start.add(first).cast(), whole, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Adds to each of 16 sums the products of the next two pairs of numbers. Every x86-64 processor has an instruction for
/// it, which the compiler does not find.
#[inline(always)]
pub fn add_products(
    instructions: Instructions,
    sums: &mut [i32; 16],
    left: &[i16; 32],
    right: &[i16; 32],
) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has the instructions, since a value of their set exists. Each access is to bytes of a live
    // reference, and needs no alignment.
    unsafe {
        use std::arch::x86_64::*;
        let (sums, left, right) = (sums.as_mut_ptr(), left.as_ptr(), right.as_ptr());
        match instructions.0 {
            Set::Plain => {
                for part in 0..4 {
                    let sums = sums.add(4 * part).cast();
                    let left = _mm_loadu_si128(left.add(8 * part).cast());
                    let right = _mm_loadu_si128(right.add(8 * part).cast());
                    let products = _mm_madd_epi16(left, right);
                    _mm_storeu_si128(sums, _mm_add_epi32(_mm_loadu_si128(sums), products));
                }
            }
            Set::Avx2 => {
                for part in 0..2 {
                    let sums = sums.add(8 * part).cast();
                    let left = _mm256_loadu_si256(left.add(16 * part).cast());
                    let right = _mm256_loadu_si256(right.add(16 * part).cast());
                    let products = _mm256_madd_epi16(left, right);
                    _mm256_storeu_si256(sums, _mm256_add_epi32(_mm256_loadu_si256(sums), products));
                }
            }
            Set::Avx512 => {
                let sums = sums.cast();
                let left = _mm512_loadu_si512(left.cast());
                let right = _mm512_loadu_si512(right.cast());
                let products = _mm512_madd_epi16(left, right);
                _mm512_storeu_si512(sums, _mm512_add_epi32(_mm512_loadu_si512(sums), products));
            }
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    {
        let Instructions(Set::Plain) = instructions;
        for (place, sum) in sums.iter_mut().enumerate() {
            let product = |at: usize| i32::from(left[at]).wrapping_mul(right[at].into());
            *sum = sum.wrapping_add(product(2 * place).wrapping_add(product(2 * place + 1)));
        }
    }
}

/// Work on rows of numbers, written as plain loops. It is compiled for every instruction set, with the same results to the
/// last bit: the compiler may work on more numbers at a time, but does not reorder or fuse operations on floats.
pub trait Kernel {
    /// The result of the computation.
    type Output;

    /// Does the work, compiled for these instructions. It must be `#[inline(always)]`, and so must all functions that it
    /// calls.
    fn run(self, instructions: Instructions) -> Self::Output;
}

/// An instruction set: the one that every processor has, or a larger one. A value of a larger set exists only if the
/// processor has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Instructions(Set);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Set {
    Plain,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    #[cfg(target_arch = "x86_64")]
    Avx512,
}

impl Instructions {
    /// All instruction sets of this processor, the best last.
    pub fn available() -> Vec<Instructions> {
        #[cfg(target_arch = "x86_64")]
        {
            let avx2 = is_x86_feature_detected!("avx2");
            let avx512 = avx2
                && is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl");
            let sets = [(true, Set::Plain), (avx2, Set::Avx2), (avx512, Set::Avx512)];
            sets.into_iter().filter(|set| set.0).map(|set| Instructions(set.1)).collect()
        }
        #[cfg(not(target_arch = "x86_64"))]
        vec![Instructions(Set::Plain)]
    }

    /// The best instructions of this processor.
    pub fn best() -> Instructions {
        Instructions::available().last().copied().unwrap_or(Instructions(Set::Plain))
    }

    /// Runs a computation, compiled for these instructions.
    #[inline(always)]
    pub fn run<K: Kernel>(self, kernel: K) -> K::Output {
        match self.0 {
            Set::Plain => kernel.run(self),
            // SAFETY: `available` returns this set only if the processor has it.
            #[cfg(target_arch = "x86_64")]
            Set::Avx2 => unsafe { run_with_avx2(kernel) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Set::Avx512 => unsafe { run_with_avx512(kernel) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2")]
fn run_with_avx2<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Instructions(Set::Avx2))
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,avx512f,avx512bw,avx512dq,avx512vl")]
fn run_with_avx512<K: Kernel>(kernel: K) -> K::Output {
    kernel.run(Instructions(Set::Avx512))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_added_in_pairs_without_overflow() {
        let mixed = |at: usize| [3, -5, 255, 0, 1, -1, 7, 11, -300][at % 9];
        let numbers: [[i16; 32]; 3] = [
            std::array::from_fn(mixed),
            [i16::MAX; 32],
            std::array::from_fn(|at| if at % 2 == 0 { i16::MAX } else { i16::MIN + 1 }),
        ];
        for instructions in Instructions::available() {
            for left in &numbers {
                for right in &numbers {
                    let before: [i32; 16] = std::array::from_fn(|at| 3 - at as i32 * 70_000);
                    let product = |at: usize| i64::from(left[at]) * i64::from(right[at]);
                    let wanted: [i64; 16] = std::array::from_fn(|at| {
                        i64::from(before[at]) + product(2 * at) + product(2 * at + 1)
                    });
                    let mut sums = before;
                    add_products(instructions, &mut sums, left, right);
                    let sums = sums.map(i64::from);
                    assert_eq!(sums, wanted, "{instructions:?} {left:?} {right:?}");
                }
            }
        }
    }

    #[test]
    fn large_pages_do_not_change_memory() {
        for bytes in [0, 1, 4096, (2 << 20) - 1, 5 << 20] {
            let mut memory: Vec<u8> = (0..bytes).map(|at| at as u8).collect();
            prefer_large_pages(&mut memory);
            assert!(memory.iter().enumerate().all(|(at, &byte)| byte == at as u8), "{bytes}");
        }
    }
}
