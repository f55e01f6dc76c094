//! The search: two of them, on one node function.
//!
//! * [`Searcher::evaluate`] gives every legal move an exact value at every depth up to p. It is a
//!   pure function of the position, its history, p, the weights and the table size.
//! * [`Searcher::best_move`] finds the best move it can on a clock, with every means.
//!
//! Neither prints. What happens on the way is told to an [`Observer`]; the outside ends a search
//! through [`Controls`].

mod accounts;
mod deepening;
mod histories;
mod learning;
mod limits;
mod node;
mod oracle;
mod picker;
mod pruning;
mod quiescence;
mod report;
mod searcher;
mod stack;
mod table;
mod time;
mod whole;
mod worker;

pub use limits::{Clock, Controls, EvaluationRequest, Limits};
pub use oracle::{KnownMoves, Oracle, SharedOracle};
pub use report::{BestMove, Bound, Observer, Report, Silent};
pub use searcher::{HashError, Searcher};

/// The nodes and the digest of values of `stopdown bench`, as a test holds them to be. Other values of
/// moves are another signature: whatever rests on values is named by it.
pub const SIGNATURE: &str = include_str!("../../tests/signature.txt");
