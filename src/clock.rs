//! `Instant` and the time of day, also for WebAssembly, where the standard library's clocks panic.
//!
//! A WebAssembly module has no clock of its own. The program that runs the module provides one.

use std::time::SystemTime;

#[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
pub use std::time::Instant;

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
pub use wasm_clock::Instant;

/// The date and the time of day.
pub(crate) fn system_time() -> SystemTime {
    #[cfg(not(all(target_family = "wasm", target_os = "unknown")))]
    return SystemTime::now();
    #[cfg(all(target_family = "wasm", target_os = "unknown"))]
    return wasm_clock::system_time();
}

#[cfg(all(target_family = "wasm", target_os = "unknown"))]
mod wasm_clock {
    use std::ops::{Add, Sub};
    use std::time::{Duration, SystemTime, UNIX_EPOCH};

    use crate::simd::milliseconds;

    /// The part of the standard library's `Instant` that the engine uses.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
    pub struct Instant(Duration);

    impl Instant {
        /// The current moment.
        pub fn now() -> Instant {
            Instant(since_1970())
        }

        /// The time since this moment.
        pub fn elapsed(self) -> Duration {
            Instant::now() - self
        }

        /// The time since an earlier moment, or zero if it is later.
        pub fn saturating_duration_since(self, earlier: Instant) -> Duration {
            self.0.saturating_sub(earlier.0)
        }
    }

    fn since_1970() -> Duration {
        Duration::try_from_secs_f64(milliseconds() / 1000.0).unwrap_or_default()
    }

    pub fn system_time() -> SystemTime {
        UNIX_EPOCH + since_1970()
    }

    impl Add<Duration> for Instant {
        type Output = Instant;

        fn add(self, time: Duration) -> Instant {
            Instant(self.0.saturating_add(time))
        }
    }

    impl Sub for Instant {
        type Output = Duration;

        fn sub(self, earlier: Instant) -> Duration {
            self.saturating_duration_since(earlier)
        }
    }
}
