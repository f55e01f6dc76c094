//! Results as text and JSON.

mod matches;

pub use matches::{match_json, match_summary};
