//! The searcher that the program plays with, for either evaluation.
//!
//! The search is compiled for each, so that it knows its evaluator; which of the two is wanted is
//! asked here, once a search.

use std::path::PathBuf;
use std::sync::Arc;

use crate::board::Game;
use crate::eval::{Evaluator, Handcrafted, Network, NetworkError};
use crate::evaluation::RootEvaluation;
use crate::search::{
    BestMove, Controls, EvaluationRequest, HashError, Limits, Observer, Searcher, SharedOracle,
};

/// What positions are judged by.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Evaluation {
    #[default]
    Handcrafted,
    /// The network of this file, or the one that is built in.
    Network(Option<PathBuf>),
}

/// The names of the evaluations.
pub const EVALUATIONS: [&str; 2] = ["Handcrafted", "Network"];

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("there is no evaluation \"{0}\"; there are: {known}", known = EVALUATIONS.join(", "))]
    Unknown(String),
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Evaluation {
    pub fn name(&self) -> &'static str {
        match self {
            Evaluation::Handcrafted => EVALUATIONS[0],
            Evaluation::Network(_) => EVALUATIONS[1],
        }
    }

    /// By its name, if one is given; else a network if its file is given; else the usual one.
    pub fn asked_for(name: Option<&str>, file: &str) -> Result<Evaluation, EngineError> {
        match name {
            Some(name) => Evaluation::named(name, file),
            None if !file.is_empty() => Ok(Evaluation::Network(Some(file.into()))),
            None => Ok(Evaluation::default()),
        }
    }

    /// By its name; the file counts where it is a network, and may be empty.
    pub fn named(name: &str, file: &str) -> Result<Evaluation, EngineError> {
        match EVALUATIONS.iter().position(|known| known.eq_ignore_ascii_case(name)) {
            Some(0) => Ok(Evaluation::Handcrafted),
            Some(_) => Ok(Evaluation::Network((!file.is_empty()).then(|| file.into()))),
            None => Err(EngineError::Unknown(crate::board::shorten(name))),
        }
    }
}

#[derive(Debug)]
pub enum Engine {
    Handcrafted(Searcher<Handcrafted>),
    Network(Searcher<Network>),
}

/// Does the same with either searcher.
macro_rules! with {
    ($engine:expr, $searcher:ident => $what:expr) => {
        match $engine {
            Engine::Handcrafted($searcher) => $what,
            Engine::Network($searcher) => $what,
        }
    };
}

impl Engine {
    /// An engine with a table of `hash` MiB, on one thread.
    pub fn new(evaluation: &Evaluation, hash: usize) -> Result<Engine, EngineError> {
        let network = match evaluation {
            Evaluation::Handcrafted => return Ok(Engine::handcrafted(hash)),
            Evaluation::Network(None) => Network::embedded(),
            Evaluation::Network(Some(path)) => Network::load(path)?,
        };
        Ok(Engine::Network(Searcher::new(Arc::new(network), hash)))
    }

    /// The engine that cannot fail.
    pub fn handcrafted(hash: usize) -> Engine {
        Engine::Handcrafted(Searcher::new(Arc::new(Handcrafted::new()), hash))
    }

    /// Changes the size of the table, which is emptied. On failure the old one stays.
    pub fn set_hash(&mut self, hash: usize) -> Result<(), HashError> {
        with!(self, searcher => searcher.set_hash(hash))
    }

    /// How many threads share the work. No value depends on it.
    pub fn set_threads(&mut self, threads: usize) {
        with!(self, searcher => searcher.set_threads(threads));
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        with!(self, searcher => searcher.clear());
    }

    /// Of the evaluator: changes whenever values change.
    pub fn fingerprint(&self) -> u64 {
        with!(self, searcher => searcher.evaluator().fingerprint())
    }

    /// What the search asks about positions with few men. See [`Searcher::set_oracle`].
    pub fn set_oracle(&mut self, oracle: Option<SharedOracle>) {
        with!(self, searcher => searcher.set_oracle(oracle));
    }

    /// See [`Searcher::best_move`].
    pub fn best_move(
        &mut self,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> BestMove {
        with!(self, searcher => searcher.best_move(game, limits, controls, observer))
    }

    /// See [`Searcher::evaluate`].
    pub fn evaluate(
        &mut self,
        game: &Game,
        request: &EvaluationRequest,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> RootEvaluation {
        with!(self, searcher => searcher.evaluate(game, request, controls, observer))
    }
}
