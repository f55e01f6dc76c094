//! Nothing is lost in ten thousand games, with hostile input, or on full disks.
//!
//! By default, the tests take seconds. They can also run for hours:
//! `tuning/studies/trust/README.md` explains how, and has the results.

#![expect(
    clippy::print_stdout,
    reason = "long runs print their progress, and skipped tests print the reason"
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
