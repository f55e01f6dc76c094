//! The limits of a search: depth, nodes, time, moves and mate distance.

use std::time::Duration;

use super::oracle::KnownMoves;
use super::time::Clock;
use crate::board::Move;
use crate::value::Depth;

/// Limits of a search for the best move. Without any, the search goes on until it is stopped.
#[derive(Clone, Debug)]
pub struct Limits {
    /// The maximum depth, in plies.
    pub depth: Option<Depth>,
    /// The maximum number of nodes.
    pub nodes: Option<u64>,
    /// Stop when a mate in this many moves has been found.
    pub mate: Option<u32>,
    /// The times and increments.
    pub clock: Clock,
    /// Search only these moves. Empty means all.
    pub moves: Vec<Move>,
    /// Number of lines to report (MultiPV).
    pub lines: usize,
    /// Root moves whose value is known without a search, best first. The lines that are reported start with these
    /// moves, in this order, and have these values.
    pub known: Vec<KnownMoves>,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits {
            depth: None,
            nodes: None,
            mate: None,
            clock: Clock::default(),
            moves: Vec::new(),
            lines: 1,
            known: Vec::new(),
        }
    }
}

impl Limits {
    /// A search to depth `depth`.
    pub fn depth(depth: Depth) -> Limits {
        Limits { depth: Some(depth), ..Limits::default() }
    }

    /// A search of `nodes` nodes.
    pub fn nodes(nodes: u64) -> Limits {
        Limits { nodes: Some(nodes), ..Limits::default() }
    }

    /// Whether the search ends without being stopped.
    pub(crate) fn are_finite(&self) -> bool {
        let Limits { depth, nodes, mate, clock, .. } = self;
        let has_clock = clock.move_time.is_some() || clock.remaining.is_some();
        depth.is_some() || nodes.is_some() || mate.is_some() || has_clock
    }
}

/// A request for an evaluation of all moves.
#[derive(Clone, Debug)]
pub struct EvaluationRequest {
    /// The maximum depth, in plies.
    pub depth: Depth,
    /// A move that is worse than the best by more than this many centipawns need not be evaluated exactly.
    pub cap: Option<i32>,
    /// Search only these moves. Empty means all.
    pub moves: Vec<Move>,
    /// The maximum time. A depth counts only if it is completed within this limit.
    pub time: Option<Duration>,
    /// The maximum number of nodes. A depth counts only if it is completed within this limit.
    pub nodes: Option<u64>,
    /// Ask the searcher's oracle, if it has one. The values then depend on the oracle too.
    pub oracle: bool,
}

impl EvaluationRequest {
    /// A request to evaluate all moves to this depth.
    pub fn depth(depth: Depth) -> EvaluationRequest {
        EvaluationRequest {
            depth,
            cap: None,
            moves: Vec::new(),
            time: None,
            nodes: None,
            oracle: false,
        }
    }
}
