//! The contents of a cache, for reports.

use super::key::EvaluatorIdentity;
use crate::board::Position;
use crate::evaluation::RootEvaluation;
use crate::value::Depth;

/// A cached evaluation with its position and its key.
#[derive(Clone, Debug, PartialEq)]
pub struct CachedEvaluation {
    /// The evaluated position.
    pub position: Position,
    /// A hash of the earlier positions that could recur, or zero if there are none.
    pub history: u64,
    /// The fingerprint of the [`EvaluatorIdentity`].
    pub evaluator: u64,
    /// The requested depth.
    pub depth: Depth,
    /// The evaluation of the position's moves.
    pub evaluation: RootEvaluation,
}

/// The number of evaluations by one evaluator in the cache, and their depths.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CacheContents {
    /// The engine and its settings.
    pub evaluator: EvaluatorIdentity,
    /// The number of evaluations.
    pub evaluations: u64,
    /// The smallest requested depth, in plies.
    pub least: Depth,
    /// The largest requested depth, in plies.
    pub deepest: Depth,
}
