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
mod policy;

use std::env;
use std::str::FromStr;

/// The measurements, by name.
const FIGURES: [(&str, fn()); 3] = [
    ("human_choices", human::choices),
    ("human_openings", human::openings),
    ("policy", policy::on_training_and_test_choices),
];

/// Runs the named measurements.
fn main() {
    // Cargo adds the option --bench.
    let names: Vec<String> = env::args().skip(1).filter(|word| !word.starts_with('-')).collect();
    let chosen = FIGURES.iter().filter(|(known, _)| names.iter().any(|name| name == known));
    if chosen.clone().count() != names.len() || names.is_empty() {
        println!("Name the figures to measure: {}", FIGURES.map(|(name, _)| name).join(", "));
        return;
    }
    chosen.for_each(|(_, measure)| measure());
}

/// Reads a number from the environment.
fn setting<T: FromStr>(name: &str, default: T) -> T {
    let Ok(text) = env::var(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number"))
}
