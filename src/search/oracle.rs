//! Who knows the result of a position without searching: tables, as the search sees them.
//!
//! The search does not know what a table is; whoever owns some answers through [`Oracle`].

use std::sync::Arc;

use crate::board::{Move, Position};
use crate::value::Value;

/// Answers what is certain, however often and by however many threads it is asked.
pub trait Oracle: std::fmt::Debug + Send + Sync {
    /// [`Value::TABLE`], its negative or a draw, for the side to move, right after a capture or
    /// pawn move; `None` where nothing is known.
    fn result(&self, position: &Position) -> Option<Value>;

    /// Pieces of the largest position that may be known.
    fn most_pieces(&self) -> usize;

    /// Tells one set of answers from another: what was found with its help states it.
    fn fingerprint(&self) -> u64;
}

/// An oracle that several may ask.
pub type SharedOracle = Arc<dyn Oracle>;

/// Moves at the root that are known to come to the same, and to what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KnownMoves {
    pub moves: Vec<Move>,
    pub value: Value,
}

impl KnownMoves {
    /// What a move is worth whose search found `found`: only a mate can say more than is known.
    pub(super) fn overrule(&self, found: Value) -> Value {
        let agrees = found.raw().signum() == self.value.raw().signum();
        if found.is_mate() && agrees { found } else { self.value }
    }
}
