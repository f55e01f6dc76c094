//! Results as text and JSON.

pub mod endgame;
mod matches;

pub use matches::{match_json, match_summary};
