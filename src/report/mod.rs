//! Results as text and JSON.

mod depth;
mod matches;

pub use depth::{depth_json, depth_tables};
pub use matches::{match_json, match_summary};
