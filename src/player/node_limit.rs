//! The levels above all human ratings: each plays the best move of a search at full strength with a limited number of
//! nodes.
//!
//! A node limit gives the same move on every machine, and the strength rises evenly with the logarithm of the limit.
//! `tuning/calibration/nodes.py` plays games to measure how many nodes a level needs.

use once_cell::sync::Lazy;

use crate::math::interpolation::log_linear;

/// The built-in limits.
static BUILT_IN: Lazy<NodeLimits> = Lazy::new(|| {
    let text = include_str!("../../tuning/calibration/nodes.toml");
    toml::from_str(text).expect("a test parses the built-in limits")
});

/// The node limits of the levels.
#[derive(Clone, Debug, PartialEq, serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct NodeLimits {
    /// Pairs of a FIDE rating and a number of nodes, both in increasing order. Between two pairs, the logarithm of the
    /// number is linear in the rating.
    nodes: Vec<[f64; 2]>,
}

impl NodeLimits {
    pub fn built_in() -> &'static NodeLimits {
        &BUILT_IN
    }

    /// The number of nodes that a level with this rating searches.
    pub fn nodes(&self, rating: f64) -> u64 {
        log_linear(&self.nodes, rating).map_or(1, |nodes| nodes.round() as u64)
    }
}
