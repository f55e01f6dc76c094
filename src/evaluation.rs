//! The evaluation of a position: what every legal move is worth, at every depth.
//!
//! This is the hub of the program. Searches, tables and other engines produce it; players,
//! imitators and studies consume it and never ask where it came from.

use crate::board::Move;
use crate::value::{Depth, Value};

/// What is known of one move at one depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assessment {
    pub value: Value,
    /// False when a cap was asked for and the move is *at most* worth this.
    pub exact: bool,
}

/// One legal move.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MoveEvaluation {
    pub mv: Move,
    /// `by_depth[d - 1]` is the assessment at depth d.
    pub by_depth: Vec<Assessment>,
    /// The principal variation at the deepest depth, this move first.
    pub line: Vec<Move>,
}

impl MoveEvaluation {
    /// The assessment at the deepest completed depth.
    pub fn last(&self) -> Assessment {
        *self.by_depth.last().expect("every move is assessed at depth 1")
    }

    pub fn value(&self) -> Value {
        self.last().value
    }
}

/// All legal moves of a position, best first, each at every completed depth.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RootEvaluation {
    /// The deepest completed depth; zero when there is no legal move, or none was completed.
    pub depth: Depth,
    /// Empty at depth zero.
    pub moves: Vec<MoveEvaluation>,
    /// Positions visited on the way.
    pub nodes: u64,
    /// Which tables, if any, lent their results: the values depend on them too.
    pub oracle: Option<u64>,
}

impl RootEvaluation {
    pub fn best(&self) -> Option<&MoveEvaluation> {
        self.moves.first()
    }

    pub fn find(&self, m: Move) -> Option<&MoveEvaluation> {
        self.moves.iter().find(|evaluation| evaluation.mv == m)
    }

    /// Best first by the deepest value. Moves of equal value are told apart by the depth before,
    /// and so on down; what is equal at every depth keeps its order.
    pub fn sort(&mut self) {
        self.moves.sort_by(|a, b| {
            let values = |m: &MoveEvaluation| {
                m.by_depth.iter().rev().map(|a| a.value).collect::<Vec<Value>>()
            };
            values(b).cmp(&values(a))
        });
    }
}
