//! Ten thousand games, hostile input and full disks: nothing is lost.
//!
//! The tests run for seconds by default and for hours on request. `tuning/studies/trust/README.md`
//! explains how, with results.

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
