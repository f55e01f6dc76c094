//! Nothing is lost in ten thousand games, with hostile input, or on full disks.
//!
//! By default the tests run for seconds, and on request for hours. `tuning/studies/trust/README.md`
//! explains how, and has the results.

#![expect(
    clippy::print_stdout,
    reason = "long runs print their progress, skipped tests the reason"
)]

mod campaign;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod hostile;
mod machines;
mod mutator;
mod soak;
mod targets;
