//! What values moves for the players: our own search, with either evaluation, or another engine.
//!
//! The search is compiled for each evaluation, so that it knows its evaluator; which of them is
//! wanted is asked here, once a search.

use std::path::PathBuf;
use std::sync::Arc;

use crate::board::Game;
use crate::eval::{Evaluator, Handcrafted, Network, NetworkError};
use crate::evaluation::RootEvaluation;
use crate::external::{Analyst, Fault};
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

/// What values are for, where nobody says what is to judge positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Purpose {
    /// The best move: the stronger evaluation serves it.
    #[default]
    Strength,
    /// Players below full strength, and what moves tell of people: levels and curves mean something with
    /// the evaluation that they were measured with.
    Levels,
}

/// The names of the evaluations, after that of the one that depends on the purpose.
pub const EVALUATIONS: [&str; 3] = ["Auto", "Handcrafted", "Network"];

/// Why there is no engine.
#[derive(Debug, thiserror::Error)]
pub enum EngineError {
    #[error("there is no evaluation \"{0}\"; there are: {known}", known = EVALUATIONS.join(", "))]
    Unknown(String),
    #[error("{0} is the file of a network, and another evaluation is asked for")]
    NotRead(String),
    #[error(transparent)]
    Network(#[from] NetworkError),
}

impl Evaluation {
    pub fn name(&self) -> &'static str {
        match self {
            Evaluation::Handcrafted => EVALUATIONS[1],
            Evaluation::Network(_) => EVALUATIONS[2],
        }
    }

    /// By its name, if one is given; else a network if its file is given; else what serves the purpose.
    pub fn asked_for(
        name: Option<&str>,
        file: &str,
        purpose: Purpose,
    ) -> Result<Evaluation, EngineError> {
        let usual = if file.is_empty() { EVALUATIONS[0] } else { EVALUATIONS[2] };
        Evaluation::named(name.unwrap_or(usual), file, purpose)
    }

    /// By its name; the file counts where it is a network, and may be empty.
    pub fn named(name: &str, file: &str, purpose: Purpose) -> Result<Evaluation, EngineError> {
        let network = || Evaluation::Network((!file.is_empty()).then(|| file.into()));
        match (EVALUATIONS.iter().position(|known| known.eq_ignore_ascii_case(name)), purpose) {
            (Some(0), Purpose::Levels) | (Some(1), _) => Ok(Evaluation::Handcrafted),
            (Some(_), _) => Ok(network()),
            (None, _) => Err(EngineError::Unknown(crate::board::shorten(name))),
        }
    }
}

#[derive(Debug)]
pub enum Engine {
    Handcrafted(Searcher<Handcrafted>),
    Network(Searcher<Network>),
    /// Somebody else's. Its values are repeatable as far as it is.
    External(Box<Analyst>),
}

/// Does the same with either searcher, and something else with another engine.
macro_rules! with {
    ($engine:expr, $searcher:ident => $what:expr, $analyst:ident => $other:expr) => {
        match $engine {
            Engine::Handcrafted($searcher) => $what,
            Engine::Network($searcher) => $what,
            Engine::External($analyst) => $other,
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
        with!(self, searcher => searcher.set_hash(hash), analyst => {
            analyst.set("Hash", &hash.to_string());
            Ok(())
        })
    }

    /// How many threads share the work. No value depends on it.
    pub fn set_threads(&mut self, threads: usize) {
        with!(self, searcher => searcher.set_threads(threads), analyst => {
            analyst.set("Threads", &threads.to_string());
        });
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        with!(self, searcher => searcher.clear(), analyst => analyst.clear());
    }

    /// Of the evaluator, or of who another engine is: changes whenever values change.
    pub fn fingerprint(&self) -> u64 {
        let of_other = |analyst: &Analyst| analyst.fingerprint();
        with!(self, searcher => searcher.evaluator().fingerprint(), analyst => of_other(analyst))
    }

    /// Which engine it is, exactly enough to tell two versions apart.
    pub fn identity(&self) -> String {
        match self {
            Engine::External(analyst) => analyst.identity(),
            _ => {
                let weights = self.fingerprint();
                format!("Stopdown {} with weights {weights:016x}", env!("CARGO_PKG_VERSION"))
            }
        }
    }

    /// Sets an option that another engine has and we do not.
    pub fn set_option(&mut self, name: &str, value: &str) {
        if let Engine::External(analyst) = self {
            analyst.set(name, value);
        }
    }

    /// What has happened to another engine that the user should know.
    pub fn take_notices(&mut self) -> Vec<String> {
        match self {
            Engine::External(analyst) => analyst.take_notices(),
            _ => Vec::new(),
        }
    }

    /// Has another engine failed to give a result?
    pub fn has_failed(&self) -> bool {
        matches!(self, Engine::External(analyst) if analyst.has_failed())
    }

    /// Why the last search had no result, where another engine is to blame.
    pub fn take_fault(&mut self) -> Option<Fault> {
        match self {
            Engine::External(analyst) => analyst.take_fault(),
            _ => None,
        }
    }

    /// What the search asks about positions with few men. See [`Searcher::set_oracle`]. Another
    /// engine has its own tables.
    pub fn set_oracle(&mut self, oracle: Option<SharedOracle>) {
        with!(self, searcher => searcher.set_oracle(oracle), _analyst => {});
    }

    /// See [`Searcher::best_move`].
    pub fn best_move(
        &mut self,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> BestMove {
        with!(
            self,
            searcher => searcher.best_move(game, limits, controls, observer),
            analyst => analyst.best_move(game, limits, controls, observer)
        )
    }

    /// See [`Searcher::evaluate`].
    pub fn evaluate(
        &mut self,
        game: &Game,
        request: &EvaluationRequest,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> RootEvaluation {
        with!(
            self,
            searcher => searcher.evaluate(game, request, controls, observer),
            analyst => analyst.evaluate(game, request, controls, observer)
        )
    }
}
