//! The evaluation of a position: the value of every legal move at every depth.
//!
//! [`RootEvaluation`] connects the code that evaluates moves with the code that chooses among them. Our search and
//! external engines produce it. Players, the imitator and studies use it and need not know where it came from.

use crate::board::Move;
use crate::value::{Depth, Value};

/// The value of one move at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DepthValue {
    /// The value for the side to move.
    pub value: Value,
    /// False if the value is only an upper bound. This happens if the request has a cap, or if an external engine
    /// reports only a bound for the move or nothing at all.
    pub exact: bool,
}

/// The evaluation of one legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveEvaluation {
    /// The move.
    pub mv: Move,
    /// `by_depth[d - 1]` is the value at depth d.
    pub by_depth: Vec<DepthValue>,
    /// The principal variation at the deepest depth, starting with this move.
    pub line: Vec<Move>,
}

impl MoveEvaluation {
    /// The value at the deepest completed depth, and whether it is exact.
    pub fn last(&self) -> DepthValue {
        *self.by_depth.last().expect("every move is evaluated at depth 1")
    }

    /// The value at the deepest completed depth.
    pub fn value(&self) -> Value {
        self.last().value
    }
}

/// All legal moves of a position, best first, each at every completed depth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootEvaluation {
    /// The deepest completed depth. Zero if there is no legal move, or if no depth was completed.
    pub depth: Depth,
    /// Empty at depth zero.
    pub moves: Vec<MoveEvaluation>,
    /// The number of positions that were searched.
    pub nodes: u64,
    /// The fingerprint of the oracle, if one was used. The values depend on it.
    pub oracle: Option<u64>,
}

impl RootEvaluation {
    /// The best move, or `None` if there are no legal moves.
    pub fn best(&self) -> Option<&MoveEvaluation> {
        self.moves.first()
    }

    /// The evaluation of a move.
    pub fn find(&self, m: Move) -> Option<&MoveEvaluation> {
        self.moves.iter().find(|evaluation| evaluation.mv == m)
    }

    /// Sorts the moves by their deepest value, best first. Ties are broken by the next shallower depth and so on. Moves
    /// that are equal at every depth keep their order.
    pub fn sort(&mut self) {
        self.moves.sort_by(|a, b| {
            let values = |m: &MoveEvaluation| {
                m.by_depth.iter().rev().map(|a| a.value).collect::<Vec<Value>>()
            };
            values(b).cmp(&values(a))
        });
    }
}
