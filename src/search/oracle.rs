//! Results that are known without a search, such as tablebase results.
//!
//! The search does not depend on tablebases. It asks an [`Oracle`], which is implemented by the code that owns the
//! tablebases.

use std::sync::Arc;

use crate::board::{Move, Position};
use crate::value::Value;

/// Gives results that are certain. Any number of threads may ask, and answers never change.
pub(crate) trait Oracle: std::fmt::Debug + Send + Sync {
    /// Returns [`Value::TABLE`], its negative or a draw, from the side to move's point of view. `None` if the result is
    /// not known. The last move must have been a capture or a pawn move.
    fn result(&self, position: &Position) -> Option<Value>;

    /// The maximum number of pieces in a position whose result may be known.
    fn most_pieces(&self) -> usize;

    /// Identifies the set of answers. It is stored with results that depend on them.
    fn fingerprint(&self) -> u64;
}

/// An oracle that several threads may ask.
pub type SharedOracle = Arc<dyn Oracle>;

/// Root moves that are known to have the same value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMoves {
    /// The moves of this value.
    pub(crate) moves: Vec<Move>,
    /// Their value.
    pub(crate) value: Value,
}

impl KnownMoves {
    /// The value of a known move for which a search found `found`. The known value stands, unless the search found a
    /// mate for the winning side, which is more precise.
    pub(super) fn overrule(&self, found: Value) -> Value {
        let agrees = found.raw().signum() == self.value.raw().signum();
        if found.is_mate() && agrees { found } else { self.value }
    }
}
