//! Static judgement of a position.
//!
//! The search knows one thing about evaluation: the trait [`Evaluator`]. An evaluator keeps a
//! small state per position that it can carry from a position to its successor (piece-square
//! sums, a network's accumulators), and a cache per thread that only ever saves work.

pub mod handcrafted;
pub mod network;
mod simple;

use crate::board::{Move, Position};
use crate::value::Value;

pub use handcrafted::{Handcrafted, Weights, WeightsError};
pub use simple::Simple;

/// Judges positions from the side to move's view.
///
/// Values must be a pure function of the position: the state must be the same however the position
/// was reached, and the cache must not change a value.
pub trait Evaluator: Send + Sync {
    /// What is carried from a position to the next.
    type State: Clone + Send;
    /// What one thread remembers between evaluations.
    type Cache: Send;

    /// A cache with nothing in it.
    fn new_cache(&self) -> Self::Cache;

    /// The state of a position from scratch.
    fn refresh(&self, position: &Position) -> Self::State;

    /// The state of `after`, which is `before` with `m` played, from the state of `before`.
    fn follow(
        &self,
        state: &Self::State,
        before: &Position,
        m: Move,
        after: &Position,
    ) -> Self::State;

    /// The value of a position that is not in check.
    fn evaluate(&self, position: &Position, state: &Self::State, cache: &mut Self::Cache) -> Value;

    /// Changes whenever values change: part of every saved result's fingerprint.
    fn fingerprint(&self) -> u64;
}
