//! Who knows the result of a position without searching: tables, as the search sees them.
//!
//! The search does not know what a table is; whoever owns some answers through [`Oracle`].

use std::sync::Arc;

use super::Bound;
use super::worker::Worker;
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::value::{MAX_PLY, Value};

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

/// An oracle, asked about positions with no more pieces than this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Consulted<'a> {
    pub oracle: &'a dyn Oracle,
    pub most_pieces: usize,
}

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

/// What is known never changes, so it is kept in the table as if searched this much deeper.
const MORE_PLIES: i32 = 6;

impl<E: Evaluator> Worker<'_, E> {
    /// What the oracle says of an inner node.
    #[inline]
    pub(super) fn ask_oracle(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
    ) -> Option<Value> {
        let Consulted { oracle, most_pieces } = self.oracle?;
        let pieces = position.occupied().count();
        if ply == 0 || position.halfmoves() != 0 || pieces > most_pieces {
            return None;
        }
        let result = oracle.result(position)?;
        self.accounts.oracle_hits += 1;
        let value = result.from_table(ply);
        let depth = (depth + MORE_PLIES).min(MAX_PLY as i32 - 1);
        let (mv, raw) = (Move::NONE.packed(), None);
        self.table.store(position.key(), ply, mv, value, raw, depth, Some(Bound::Exact), false);
        Some(value)
    }
}
