//! SIMD instructions, and other requests to the processor and the operating system that Rust has no safe functions for.
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
    #[cfg(target_arch = "aarch64")]
    // SAFETY: as above.
    unsafe {
        std::arch::asm!(
            "prfm pldl1keep, [{0}]",
            in(reg) std::ptr::from_ref(value),
            options(nostack, preserves_flags, readonly)
        );
    }
    #[cfg(not(any(target_arch = "x86_64", target_arch = "aarch64")))]
    let _ = value;
}

/// Asks the system to use large pages for memory that is accessed at random. With fewer pages, the processor translates
/// addresses faster. This has no other effect, and no effect at all on systems without large pages.
pub(crate) fn prefer_large_pages<T>(memory: &mut [T]) {
    #[cfg(target_os = "linux")]
    {
        use rustix::mm::{Advice, madvise};
        /// The size of a large page on Linux.
        const LARGE: usize = 2 << 20;
        let start = memory.as_mut_ptr().cast::<u8>();
        let first = start.align_offset(LARGE);
        let whole = size_of_val(memory).saturating_sub(first) / LARGE * LARGE;
        if whole > 0 {
            // SAFETY: the pages that start at the first boundary of a large page are in this memory, and the advice
            // does not change their contents.
            let _refused =
                unsafe { madvise(start.add(first).cast(), whole, Advice::LinuxHugepage) };
        }
    }
    #[cfg(not(target_os = "linux"))]
    let _ = memory;
}

/// Milliseconds since the start of 1970, by the clock of the program that runs this WebAssembly module.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub fn milliseconds() -> f64 {
    #[link(wasm_import_module = "stopdown")]
    unsafe extern "C" {
        /// `performance.timeOrigin + performance.now()` in JavaScript.
        safe fn milliseconds() -> f64;
    }
    milliseconds()
}

/// Sends a text to the program that runs this WebAssembly module.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub fn send(text: &str) {
    #[link(wasm_import_module = "stopdown")]
    unsafe extern "C" {
        /// Reads the text with this address and length.
        safe fn send(address: *const u8, length: usize);
    }
    send(text.as_ptr(), text.len());
}

/// A random number from 0 to 1, from the program that runs this WebAssembly module.
#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub fn random() -> f64 {
    #[link(wasm_import_module = "stopdown")]
    unsafe extern "C" {
        /// `Math.random()` in JavaScript.
        safe fn random() -> f64;
    }
    random()
}

/// Processes that are killed together: when this value is dropped, and also when our own process ends, however it ends.
#[cfg(windows)]
#[derive(Debug)]
pub struct ProcessGroup {
    /// The job object. The system kills its processes when its last handle is closed.
    _job: std::os::windows::io::OwnedHandle,
}

#[cfg(windows)]
impl ProcessGroup {
    /// The group of `process` and of all processes that it starts from now on.
    pub fn of(process: &std::process::Child) -> std::io::Result<ProcessGroup> {
        use std::io::Error;
        use std::os::windows::io::{AsRawHandle, FromRawHandle, OwnedHandle};
        use std::ptr::null;
        use windows_sys::Win32::System::JobObjects::{
            AssignProcessToJobObject, CreateJobObjectW, JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE,
            JOBOBJECT_EXTENDED_LIMIT_INFORMATION, JobObjectExtendedLimitInformation,
            SetInformationJobObject,
        };

        // SAFETY: a job needs neither attributes nor a name.
        let job = unsafe { CreateJobObjectW(null(), null()) };
        if job.is_null() {
            return Err(Error::last_os_error());
        }
        // SAFETY: the handle is open, and nothing else closes it.
        let job = unsafe { OwnedHandle::from_raw_handle(job) };
        let mut limits = JOBOBJECT_EXTENDED_LIMIT_INFORMATION::default();
        limits.BasicLimitInformation.LimitFlags = JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE;
        // SAFETY: both handles are open, and the address and the size are those of the struct.
        let done = unsafe {
            SetInformationJobObject(
                job.as_raw_handle(),
                JobObjectExtendedLimitInformation,
                std::ptr::from_ref(&limits).cast(),
                size_of_val(&limits) as u32,
            ) != 0
                && AssignProcessToJobObject(job.as_raw_handle(), process.as_raw_handle()) != 0
        };
        if done { Ok(ProcessGroup { _job: job }) } else { Err(Error::last_os_error()) }
    }
}

/// How many bytes this process can still allocate without swapping. `None` on systems other than Windows.
pub(crate) fn free_memory() -> Option<u64> {
    #[cfg(windows)]
    {
        use windows_sys::Win32::System::SystemInformation::{GlobalMemoryStatusEx, MEMORYSTATUSEX};
        let length = size_of::<MEMORYSTATUSEX>() as u32;
        let mut status = MEMORYSTATUSEX { dwLength: length, ..MEMORYSTATUSEX::default() };
        // SAFETY: the struct is ours and states its own size.
        let done = unsafe { GlobalMemoryStatusEx(&mut status) } != 0;
        done.then(|| status.ullAvailPhys.min(status.ullAvailPageFile))
    }
    #[cfg(not(windows))]
    None
}

/// Lowers the priority of this thread, so that others run first. If this fails, the thread runs at normal priority.
#[cfg(windows)]
pub fn lower_thread_priority() {
    use windows_sys::Win32::System::Threading::{
        GetCurrentThread, SetThreadPriority, THREAD_PRIORITY_BELOW_NORMAL,
    };
    // SAFETY: the handle of the current thread is always valid.
    let _refused = unsafe { SetThreadPriority(GetCurrentThread(), THREAD_PRIORITY_BELOW_NORMAL) };
}

/// Multiplies 32 pairs of numbers, and adds two of the products to each of the 16 sums: two that follow each other,
/// except on AArch64, which has no instruction for this. The compiler does not use such instructions for a plain loop.
#[inline(always)]
pub(crate) fn add_products(
    instructions: Instructions,
    sums: &mut [i32; 16],
    left: &[i16; 32],
    right: &[i16; 32],
) {
    #[cfg(target_arch = "x86_64")]
    // SAFETY: the processor has the instructions, since a value of their set exists. Each `transmute` is between types
    // of the same size, for which all bit patterns are valid.
    unsafe {
        use std::arch::x86_64::*;
        use std::mem::transmute;
        match instructions.0 {
            Set::Plain => {
                let mut parts: [__m128i; 4] = transmute(*sums);
                let left: [__m128i; 4] = transmute(*left);
                let right: [__m128i; 4] = transmute(*right);
                for (part, sum) in parts.iter_mut().enumerate() {
                    *sum = _mm_add_epi32(*sum, _mm_madd_epi16(left[part], right[part]));
                }
                *sums = transmute::<[__m128i; 4], [i32; 16]>(parts);
            }
            Set::Avx2 => {
                let [lower, upper]: [__m256i; 2] = transmute(*sums);
                let left: [__m256i; 2] = transmute(*left);
                let right: [__m256i; 2] = transmute(*right);
                let lower = _mm256_add_epi32(lower, _mm256_madd_epi16(left[0], right[0]));
                let upper = _mm256_add_epi32(upper, _mm256_madd_epi16(left[1], right[1]));
                *sums = transmute::<[__m256i; 2], [i32; 16]>([lower, upper]);
            }
            Set::Avx512 => {
                let sum: __m512i = transmute(*sums);
                let left: __m512i = transmute(*left);
                let right: __m512i = transmute(*right);
                let sum = _mm512_add_epi32(sum, _mm512_madd_epi16(left, right));
                *sums = transmute::<__m512i, [i32; 16]>(sum);
            }
        }
    }
    #[cfg(target_arch = "aarch64")]
    // SAFETY: each access is to 16 bytes of a live reference.
    unsafe {
        use std::arch::aarch64::{
            vget_low_s16, vld1q_s16, vld1q_s32, vmlal_high_s16, vmlal_s16, vst1q_s32,
        };
        let Instructions(Set::Plain) = instructions;
        for part in 0..4 {
            let sums = sums.as_mut_ptr().add(4 * part);
            let left = vld1q_s16(left.as_ptr().add(8 * part));
            let right = vld1q_s16(right.as_ptr().add(8 * part));
            let lower = vmlal_s16(vld1q_s32(sums), vget_low_s16(left), vget_low_s16(right));
            vst1q_s32(sums, vmlal_high_s16(lower, left, right));
        }
    }
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    // SAFETY: each `transmute` is between types of the same size, for which all bit patterns are valid.
    unsafe {
        use std::arch::wasm32::{i32x4_add, i32x4_dot_i16x8, v128};
        use std::mem::transmute;
        let Instructions(Set::Plain) = instructions;
        let mut parts: [v128; 4] = transmute(*sums);
        let left: [v128; 4] = transmute(*left);
        let right: [v128; 4] = transmute(*right);
        for (part, sum) in parts.iter_mut().enumerate() {
            *sum = i32x4_add(*sum, i32x4_dot_i16x8(left[part], right[part]));
        }
        *sums = transmute::<[v128; 4], [i32; 16]>(parts);
    }
    #[cfg(not(any(
        target_arch = "x86_64",
        target_arch = "aarch64",
        all(target_arch = "wasm32", target_feature = "simd128")
    )))]
    {
        let Instructions(Set::Plain) = instructions;
        for (place, sum) in sums.iter_mut().enumerate() {
            let product = |at: usize| i32::from(left[at]).wrapping_mul(right[at].into());
            *sum = sum.wrapping_add(product(2 * place).wrapping_add(product(2 * place + 1)));
        }
    }
}

/// Multiplies each of 16 pairs, element by element, by one pair, and adds both products to the sum with the same index.
#[inline(always)]
pub(crate) fn add_products_with_pair(
    instructions: Instructions,
    sums: &mut [i32; 16],
    pair: [i16; 2],
    pairs: &[i16; 32],
) {
    #[cfg(target_arch = "aarch64")]
    // SAFETY: each access is to 16 bytes of a live reference.
    unsafe {
        use std::arch::aarch64::{vld1q_s32, vld2_s16, vmlal_n_s16, vst1q_s32};
        let Instructions(Set::Plain) = instructions;
        for part in 0..4 {
            let sums = sums.as_mut_ptr().add(4 * part);
            let pairs = vld2_s16(pairs.as_ptr().add(8 * part));
            let sum = vmlal_n_s16(vld1q_s32(sums), pairs.0, pair[0]);
            vst1q_s32(sums, vmlal_n_s16(sum, pairs.1, pair[1]));
        }
    }
    #[cfg(not(target_arch = "aarch64"))]
    {
        let mut left = [0; 32];
        left.as_chunks_mut().0.fill(pair);
        add_products(instructions, sums, &left, pairs);
    }
}

/// A computation on rows of numbers, written as plain loops and calls of functions in this file. It is compiled for every
/// instruction set, with the same results to the last bit. The compiler may process more numbers at a time, but it does
/// not reorder or fuse floating-point operations.
pub trait Kernel {
    /// The result of the computation.
    type Output;

    /// Carries out the computation, compiled for these instructions. This method must be `#[inline(always)]`, and so
    /// must all functions that it calls.
    fn run(self, instructions: Instructions) -> Self::Output;
}

/// An instruction set: either the one that every processor has, or a larger one. A value for a larger set exists only
/// if the processor has it.
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

    /// The best instruction set of this processor.
    pub fn best() -> Instructions {
        Instructions::available().last().copied().unwrap_or(Instructions(Set::Plain))
    }

    /// Runs a computation that is compiled for this instruction set.
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
    fn products_are_added_without_overflow() {
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
                    let before_all: i64 = before.map(i64::from).iter().sum();
                    let wanted = before_all + (0..32).map(product).sum::<i64>();
                    let mut sums = before;
                    add_products(instructions, &mut sums, left, right);
                    let found: i64 = sums.map(i64::from).iter().sum();
                    assert_eq!(found, wanted, "{instructions:?} {left:?} {right:?}");
                }
            }
        }
    }

    #[test]
    fn each_sum_gets_the_products_of_its_own_pair() {
        let pairs: [i16; 32] =
            std::array::from_fn(|at| [3, -5, 255, i16::MIN, 1, i16::MAX, -300][at % 7]);
        for instructions in Instructions::available() {
            for pair in [[7, -11], [i16::MAX, 0], [-1, i16::MAX]] {
                let before: [i32; 16] = std::array::from_fn(|at| 3 - at as i32 * 70_000);
                let mut sums = before;
                add_products_with_pair(instructions, &mut sums, pair, &pairs);
                let product = |at: usize| i32::from(pair[at % 2]) * i32::from(pairs[at]);
                let wanted = |at: usize| {
                    before[at].wrapping_add(product(2 * at).wrapping_add(product(2 * at + 1)))
                };
                assert_eq!(sums, std::array::from_fn(wanted), "{instructions:?} {pair:?}");
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
