//! Stands in for the evaluation cache in builds without SQLite. The type has no values, because no
//! cache can be opened.

use std::path::Path;

use super::key::{EvaluationKey, EvaluatorIdentity};
use crate::board::Game;
use crate::evaluation::RootEvaluation;

/// An open cache file, which cannot exist in this build.
#[derive(Debug)]
pub enum EvaluationCache {}

/// Why there is no evaluation cache.
#[derive(Debug, thiserror::Error)]
#[error("this build has no evaluation cache")]
pub struct CacheError;

impl EvaluationCache {
    /// Always fails.
    pub fn open(_path: &Path) -> Result<EvaluationCache, CacheError> {
        Err(CacheError)
    }

    /// Cannot be called.
    pub fn commit(&mut self) -> Result<(), CacheError> {
        match *self {}
    }

    /// Cannot be called.
    pub fn put(
        &mut self,
        _key: EvaluationKey,
        _evaluator: &EvaluatorIdentity,
        _evaluation: &RootEvaluation,
    ) -> Result<(), CacheError> {
        match *self {}
    }

    /// Cannot be called.
    pub fn find(
        &self,
        _key: &EvaluationKey,
        _game: &Game,
    ) -> Result<Option<RootEvaluation>, CacheError> {
        match *self {}
    }

    /// Cannot be called.
    pub fn find_values(
        &self,
        _key: &EvaluationKey,
        _game: &Game,
    ) -> Result<Option<RootEvaluation>, CacheError> {
        match *self {}
    }
}
