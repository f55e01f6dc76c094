//! Ten thousand games, hostile neighbours, full disks: nothing is lost.
//!
//! What runs here in seconds can be run for hours; `tuning/studies/trust/README.md` tells how, and what
//! came of it.

#![expect(clippy::print_stdout, reason = "a long run tells how far it is, a skipped test why")]

mod campaign;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod hostile;
mod machines;
mod mutator;
mod soak;
mod targets;
