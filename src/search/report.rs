//! What a search tells while it runs, and what it ends with.

use std::time::Duration;

use crate::board::Move;
use crate::evaluation::RootEvaluation;
use crate::value::{Depth, Value};

/// How the reported value relates to the true one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bound {
    Exact,
    /// The true value is at least this.
    Lower,
    /// The true value is at most this.
    Upper,
}

/// One line of one iteration.
#[derive(Clone, Debug)]
pub struct Report {
    pub depth: Depth,
    pub selective_depth: Depth,
    /// 1 for the best line, 2 for the next...
    pub line_number: usize,
    pub value: Value,
    pub bound: Bound,
    pub nodes: u64,
    pub elapsed: Duration,
    /// Thousandths of the table in use.
    pub hash_full: u32,
    pub table_hits: u64,
    /// The principal variation, never empty.
    pub line: Vec<Move>,
}

/// The end of a search.
#[derive(Clone, Debug, Default)]
pub struct BestMove {
    /// `None` when there is no legal move.
    pub mv: Option<Move>,
    pub ponder: Option<Move>,
    pub value: Value,
    pub depth: Depth,
    pub nodes: u64,
}

/// Watches a search. All methods do nothing unless told otherwise.
pub trait Observer {
    /// A line of an iteration is known.
    fn line(&mut self, _report: &Report) {}

    /// Something that the user should know.
    fn remark(&mut self, _text: &str) {}

    /// An evaluation has completed another depth.
    fn depth_completed(&mut self, _evaluation: &RootEvaluation, _elapsed: Duration) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Silent;

impl Observer for Silent {}
