//! Measures how well the policy network and the curve `human` predict human moves.
//!
//! ```sh
//! cargo bench -p stopdown-lab --bench figures -- NAME...
//! ```
//!
//! `STOPDOWN_DATA` names the folder with the games. If its data is missing, a measurement says so
//! and ends.

#![expect(clippy::print_stdout, reason = "prints what it measures")]

#[path = "../../../../tests/common/mod.rs"]
mod common;
mod human;
#[path = "../../../../tests/common/measure.rs"]
mod measure;
mod policy;

use measure::{run_named, setting};

/// The measurements, by name.
const FIGURES: [(&str, fn()); 3] = [
    ("human_choices", human::choices),
    ("human_openings", human::openings),
    ("policy", policy::on_training_and_test_choices),
];

/// Runs the named measurements.
fn main() {
    run_named("cargo bench -p stopdown-lab --bench figures", &FIGURES);
}
