//! Results as text and JSON.

pub mod chart;
pub mod endgame;
pub mod endgame_charts;
mod matches;

pub use matches::{match_json, match_summary};
