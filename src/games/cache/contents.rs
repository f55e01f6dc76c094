//! The contents of a cache, for reports.

use super::key::EvaluatorIdentity;
use crate::board::Position;
use crate::evaluation::RootEvaluation;
use crate::value::Depth;

/// A cached evaluation with its position and its key.
#[derive(Clone, Debug, PartialEq)]
pub struct CachedEvaluation {
    pub position: Position,
    /// A hash of the earlier positions that could recur, or zero if there are none.
    pub history: u64,
    /// The fingerprint of the [`EvaluatorIdentity`].
    pub evaluator: u64,
    /// The requested depth.
    pub depth: Depth,
    pub evaluation: RootEvaluation,
}

/// The number of evaluations by one evaluator in the cache, and their depths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheContents {
    pub evaluator: EvaluatorIdentity,
    pub evaluations: u64,
    pub least: Depth,
    pub deepest: Depth,
}
