//! Ten thousand games, hostile neighbours, full disks: nothing is lost.
//!
//! What runs here in seconds can be run for hours; `tuning/studies/trust/README.md` tells how, and what
//! came of it.

mod campaign;
#[path = "../common/mod.rs"]
mod common;
mod faults;
mod hostile;
mod machines;
mod mutator;
mod soak;
mod supply;
mod targets;
