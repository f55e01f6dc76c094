//! Evaluations that are already known, so that no position is evaluated twice.

use std::collections::HashMap;
use std::path::Path;

use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::games::{CacheError, EvaluationCache, EvaluationKey, EvaluatorIdentity};
use crate::player::Engine;
use crate::search::{Controls, EvaluationRequest, NoObserver};
use crate::value::Depth;

/// The known evaluations by one evaluator.
#[derive(Debug)]
pub struct KnownEvaluations {
    evaluator: EvaluatorIdentity,
    place: Place,
    found: u64,
    added: u64,
}

/// The place where evaluations are kept.
#[derive(Debug)]
enum Place {
    File(EvaluationCache),
    /// Only early positions, which games often share.
    Memory(HashMap<EvaluationKey, RootEvaluation>),
}

/// The limits on the positions that are kept in memory: the ply in the game, and their number.
const EARLY_PLIES: usize = 24;
const MAX_EARLY_POSITIONS: usize = 4096;

impl KnownEvaluations {
    /// Opens a cache file, or creates it if it does not exist. Without a file, evaluations of early
    /// positions are kept in memory.
    pub fn open(
        file: Option<&Path>,
        evaluator: EvaluatorIdentity,
    ) -> Result<KnownEvaluations, CacheError> {
        let place = match file {
            Some(path) => Place::File(EvaluationCache::open(path)?),
            None => Place::Memory(HashMap::new()),
        };
        Ok(KnownEvaluations { evaluator, place, found: 0, added: 0 })
    }

    /// Returns the known evaluation, or evaluates the position and adds the result.
    pub fn evaluate(
        &mut self,
        engine: &mut Engine,
        game: &Game,
        request: &EvaluationRequest,
    ) -> Result<RootEvaluation, CacheError> {
        let key = self.key(game, request.depth);
        if let Some(known) = self.find(key, game, true)? {
            return Ok(known);
        }
        let evaluation = engine.evaluate(game, request, &Controls::new(), &mut NoObserver);
        if let Some(key) = key.filter(|_| !engine.has_failed()) {
            self.put(key, &evaluation)?;
        }
        Ok(evaluation)
    }

    /// The number of evaluations that were known when they were needed, and the number of new ones.
    pub(crate) fn found_and_added(&self) -> (u64, u64) {
        (self.found, self.added)
    }

    /// Writes waiting evaluations to the file.
    pub fn commit(&mut self) -> Result<(), CacheError> {
        match &mut self.place {
            Place::File(cache) => cache.commit(),
            Place::Memory(_) => Ok(()),
        }
    }

    /// The key of the game's position, if its evaluation can be kept.
    pub(super) fn key(&self, game: &Game, depth: Depth) -> Option<EvaluationKey> {
        let is_kept = game.ply() < EARLY_PLIES || matches!(self.place, Place::File(_));
        is_kept.then(|| EvaluationKey::new(game, &self.evaluator, depth)).flatten()
    }

    /// Returns the known evaluation of the game's position. From a file, it is much faster without
    /// the lines of the moves, which are then left empty.
    pub(super) fn find(
        &mut self,
        key: Option<EvaluationKey>,
        game: &Game,
        needs_lines: bool,
    ) -> Result<Option<RootEvaluation>, CacheError> {
        let Some(key) = key else { return Ok(None) };
        let known = match &self.place {
            Place::File(cache) if needs_lines => cache.find(&key, game)?,
            Place::File(cache) => cache.find_values(&key, game)?,
            Place::Memory(early) => early.get(&key).cloned(),
        };
        self.found += u64::from(known.is_some());
        Ok(known)
    }

    /// Adds an evaluation.
    pub(super) fn put(
        &mut self,
        key: EvaluationKey,
        evaluation: &RootEvaluation,
    ) -> Result<(), CacheError> {
        self.added += 1;
        match &mut self.place {
            Place::File(cache) => cache.put(key, &self.evaluator, evaluation)?,
            Place::Memory(early) if early.len() < MAX_EARLY_POSITIONS => {
                early.insert(key, evaluation.clone());
            }
            Place::Memory(_) => {}
        }
        Ok(())
    }
}
