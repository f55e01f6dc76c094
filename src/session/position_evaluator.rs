//! Evaluates positions of a game on request, for example to show which moves are likely.

use std::sync::{Mutex, PoisonError};

use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::player::Engine;
use crate::search::{Controls, EvaluationRequest, Observer};
use crate::value::Depth;

/// The size of the hash table in MiB.
const HASH: usize = 16;

/// The engine that evaluates positions of one game. It is loaded for the first request. Only the latest request
/// matters, so a new one stops the previous one.
#[derive(Debug, Default)]
pub struct PositionEvaluator {
    engine: Mutex<Option<Engine>>,
    /// The controls of the latest request.
    controls: Mutex<Controls>,
}

impl PositionEvaluator {
    /// Stops the previous request, and returns the controls for a new one.
    pub fn new_request(&self) -> Controls {
        let controls = Controls::new();
        let mut latest = self.controls.lock().unwrap_or_else(PoisonError::into_inner);
        std::mem::replace(&mut *latest, controls.clone()).stop();
        controls
    }

    /// Evaluates a position in the caller's thread. Returns `None` if the request was stopped.
    pub fn evaluate(
        &self,
        game: &Game,
        depth: Depth,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> Option<RootEvaluation> {
        let mut engine = self.engine.lock().unwrap_or_else(PoisonError::into_inner);
        if controls.is_stopped() {
            return None;
        }
        let engine = engine.get_or_insert_with(|| Engine::built_in(HASH));
        let request = EvaluationRequest::depth(depth);
        let evaluation = engine.evaluate(game, &request, controls, observer);
        (!controls.is_stopped()).then_some(evaluation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::NoObserver;

    #[test]
    fn only_the_latest_request_is_evaluated() {
        let (evaluator, game) = (PositionEvaluator::default(), Game::default());
        let [earlier, latest] = [evaluator.new_request(), evaluator.new_request()];
        assert!(evaluator.evaluate(&game, 2, &earlier, &mut NoObserver).is_none());
        let evaluation = evaluator.evaluate(&game, 2, &latest, &mut NoObserver);
        assert_eq!(evaluation.map(|evaluation| evaluation.depth), Some(2));
    }
}
