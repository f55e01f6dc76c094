//! Results of a search: the lines that it reports while it runs, its result, and the state of its root.

use std::time::Duration;

use crate::board::Move;
use crate::evaluation::RootEvaluation;
use crate::value::{Depth, Value};

/// The relation between the reported value and the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Bound {
    /// The value itself.
    Exact,
    /// The true value is at least this.
    Lower,
    /// The true value is at most this.
    Upper,
}

/// One line of one iteration.
#[derive(Clone, Debug)]
pub struct Report {
    /// The depth of the search, in plies.
    pub depth: Depth,
    /// The depth of the longest line, in plies.
    pub selective_depth: Depth,
    /// 1 for the best line, 2 for the next one and so on.
    pub line_number: usize,
    /// The value of the best move.
    pub value: Value,
    /// Whether the value is exact.
    pub(crate) bound: Bound,
    /// The number of nodes searched so far.
    pub nodes: u64,
    /// The time taken so far.
    pub elapsed: Duration,
    /// How full the transposition table is, in thousandths.
    pub hash_full: u32,
    /// The number of positions found in tablebases so far.
    pub table_hits: u64,
    /// The principal variation, never empty.
    pub line: Vec<Move>,
}

/// The result of a search for the best move.
#[derive(Clone, Debug, Default)]
pub struct BestMove {
    /// `None` when there is no legal move.
    pub mv: Option<Move>,
    /// The expected reply.
    pub ponder: Option<Move>,
    /// The value of the best move.
    pub value: Value,
    /// The depth of the search, in plies.
    pub depth: Depth,
    /// The number of nodes searched.
    pub nodes: u64,
}

/// Follows a search. By default all methods do nothing.
pub trait Observer {
    /// Receives a line of an iteration.
    fn line(&mut self, _report: &Report) {}

    /// Receives a line of text from an external engine that searches for us.
    fn external_line(&mut self, _line: &str) {}

    /// Receives a message for the user.
    fn remark(&mut self, _text: &str) {}

    /// Receives an evaluation that has completed another depth.
    fn depth_completed(&mut self, _evaluation: &RootEvaluation, _elapsed: Duration) {}
}

/// An observer that ignores everything.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// A principal variation with its value.
#[derive(Clone, Debug)]
pub(super) struct Variation {
    pub value: Value,
    /// Whether the value is exact, or a bound because it is outside the aspiration window.
    pub bound: Bound,
    /// Never empty.
    pub moves: Vec<Move>,
    pub selective_depth: usize,
}

/// The root of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Root {
    /// The depth of the current iteration.
    pub depth: i32,
    /// The moves that are searched.
    pub moves: Vec<Move>,
    /// Some legal moves are left out, so the result must not go into the transposition table.
    pub restricted: bool,
    /// The best move so far, with its line.
    pub best: Option<Variation>,
    /// Whether the nodes below each move are counted.
    pub counts_nodes: bool,
    /// The number of nodes below each move.
    nodes: Vec<(Move, u64)>,
}

impl Root {
    /// Adds to the number of nodes below a move.
    pub fn add_nodes(&mut self, m: Move, nodes: u64) {
        match self.nodes.iter_mut().find(|(other, _)| *other == m) {
            Some((_, total)) => *total += nodes,
            None => self.nodes.push((m, nodes)),
        }
    }

    /// The share of all nodes that are below a move.
    pub fn share_of_nodes(&self, m: Move) -> f64 {
        let total: u64 = self.nodes.iter().map(|(_, nodes)| nodes).sum();
        let own = self.nodes.iter().find(|(other, _)| *other == m).map_or(0, |(_, nodes)| *nodes);
        if total == 0 { 0.0 } else { own as f64 / total as f64 }
    }
}
