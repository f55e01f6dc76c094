//! Measures how well the policy network and the curve `human` predict human moves.
//!
//! ```sh
//! cargo test --release -p stopdown-lab --test figures -- --ignored --nocapture --test-threads 1 \
//!     [NAME]
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

/// Reads a number from the environment.
fn setting<T: FromStr>(name: &str, default: T) -> T {
    let Ok(text) = env::var(name) else { return default };
    text.parse().unwrap_or_else(|_| panic!("{name}={text} is not a number"))
}
