//! Results as text and JSON.

pub mod chart;
mod depth;
pub mod endgame;
pub mod endgame_charts;
mod ladder;
mod matches;

pub use depth::{depth_json, depth_tables};
pub use ladder::{rating_json, rating_table};
pub use matches::{match_json, match_summary};
