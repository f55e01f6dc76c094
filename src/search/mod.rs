//! The search. Two searches share one recursive function:
//!
//! * [`Searcher::evaluate`] gives every legal move an exact value at every depth up to a maximum p. The result depends
//!   only on the position, its history, p, the weights and the table size.
//! * [`Searcher::best_move`] finds the best move within given limits, with any number of threads.
//!
//! The search never prints. It reports progress to an [`Observer`], and [`Controls`] stop it.

mod all_moves;
mod alpha_beta;
mod aspiration;
mod controls;
mod counters;
mod deepening;
mod histories;
mod history_updates;
mod limits;
mod mate;
mod node;
mod oracle;
mod picker;
mod pruning;
mod quiescence;
mod reductions;
mod report;
mod searcher;
mod stack;
mod table;
mod time;
mod worker;

pub use controls::Controls;
pub use limits::{EvaluationRequest, Limits};
pub use oracle::KnownMoves;
pub(crate) use oracle::{Oracle, SharedOracle};
pub(crate) use report::Bound;
pub use report::{BestMove, NoObserver, Observer, Report};
pub(crate) use searcher::HashError;
pub use searcher::Searcher;
pub use time::Clock;

/// The numbers that `stopdown bench` prints: a node count for searches for the best move, and a digest of the values
/// from evaluations of all moves. A test checks them.
pub const SIGNATURE: &str = include_str!("../../tests/signature.txt");

/// The second number of the [`SIGNATURE`], as text. It changes when the values of moves change, so stored results use
/// it to identify the values that they depend on.
pub fn values_digest() -> &'static str {
    SIGNATURE.split_whitespace().last().unwrap_or_default()
}
