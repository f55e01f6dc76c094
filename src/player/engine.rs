//! The engine that evaluates moves for a player: our own search or an external UCI engine.
//!
//! This module also computes the values that a player perceives. For human curves, they include the
//! move probabilities of the policy network.

use std::path::Path;
use std::sync::Arc;

use once_cell::sync::Lazy;

use crate::board::{Bitboard, Colour, Game, Move, Position, Rank, Role};
use crate::eval::{Evaluator, Network, NetworkError};
use crate::evaluation::RootEvaluation;
use crate::external::{ExternalEvaluator, Fault};
use crate::files::check_regular;
use crate::policy::{PolicyConditions, PolicyNetwork, RelativeBoard, RelativeMove};
use crate::search::{
    BestMove, Controls, EvaluationRequest, HashError, Limits, Observer, Searcher, SharedOracle,
};
use crate::selector::{Family, PolicyShares, Values, human};
use crate::value::Depth;

/// The built-in network is large and never changes, so all engines share one copy.
static BUILT_IN: Lazy<Arc<Network>> = Lazy::new(|| Arc::new(Network::embedded()));

/// The largest hash table that may be requested, in MiB.
pub const MAX_HASH: usize = 1 << 20;

/// The hash size that levels were measured with, in MiB.
const LEVEL_HASH: usize = 16;

/// Evaluates positions: our own search or another UCI engine.
#[derive(Debug)]
pub enum Engine {
    /// Our own search.
    Network(Box<Searcher<Network>>),
    /// Another UCI engine. Its evaluations are only as repeatable as that engine is.
    External(Box<ExternalEvaluator>),
}

/// Runs the first expression for our own searcher and the second for an external engine.
macro_rules! with {
    ($engine:expr, $searcher:ident => $ours:expr, $analyst:ident => $other:expr) => {
        match $engine {
            Engine::Network($searcher) => $ours,
            Engine::External($analyst) => $other,
        }
    };
}

impl Engine {
    /// Creates our own engine with one thread and a hash table of `hash` MiB. It uses the network
    /// in `file`, or the built-in network if there is no file.
    pub(crate) fn new(file: Option<&Path>, hash: usize) -> Result<Engine, NetworkError> {
        let Some(file) = file else { return Ok(Engine::built_in(hash)) };
        check_regular(file)
            .map_err(|error| NetworkError::Unreadable { path: file.to_owned(), error })?;
        Ok(Engine::of(Arc::new(Network::load(file)?), hash))
    }

    /// Creates our own engine with the built-in network, which is always available. `hash` is the size of its hash table
    /// in MiB; if there is not enough memory, it gets 1 MiB.
    pub fn built_in(hash: usize) -> Engine {
        Engine::of(Arc::clone(&BUILT_IN), hash)
    }

    fn of(network: Arc<Network>, hash: usize) -> Engine {
        Engine::Network(Box::new(Searcher::new(network, hash)))
    }

    /// Creates a second engine with the same network, one thread and a hash table of `hash` MiB.
    /// Returns `None` for an external engine.
    pub(super) fn second(&self, hash: usize) -> Option<Engine> {
        match self {
            Engine::Network(searcher) => Some(Engine::of(Arc::clone(searcher.evaluator()), hash)),
            Engine::External(_) => None,
        }
    }

    /// Resizes and clears the hash table. On failure, the old table is kept.
    pub(crate) fn set_hash(&mut self, hash: usize) -> Result<(), HashError> {
        with!(self, searcher => searcher.set_hash(hash), analyst => {
            analyst.set("Hash", &hash.to_string());
            Ok(())
        })
    }

    /// Starts to resize and clear the hash table. See [`Searcher::start_hash`].
    pub(crate) fn start_hash(&mut self, hash: usize) -> Result<(), HashError> {
        match self {
            Engine::Network(searcher) => searcher.start_hash(hash),
            Engine::External(_) => self.set_hash(hash),
        }
    }

    /// Allocates part of the hash table. Returns whether there is more to do.
    pub(crate) fn grow_hash(&mut self) -> bool {
        with!(self, searcher => searcher.grow_hash(), _analyst => false)
    }

    /// Returns whether [`Engine::grow_hash`] has more to do.
    pub(crate) fn is_hash_growing(&self) -> bool {
        with!(self, searcher => searcher.is_hash_growing(), _analyst => false)
    }

    /// Prepares the engine for a weakened player. From now on, evaluations do not depend on the
    /// configured hash size. An external engine manages its own hash table. The policy network is
    /// loaded too, so that the first move of a game does not have to wait for it.
    pub(crate) fn prepare_levels(&mut self) {
        PolicyNetwork::built_in();
        if let Engine::Network(searcher) = self {
            searcher.reserve_evaluation_table(LEVEL_HASH);
        }
    }

    /// Sets the number of search threads. Evaluations do not depend on it.
    pub fn set_threads(&mut self, threads: usize) {
        with!(self, searcher => searcher.set_threads(threads), analyst => {
            analyst.set("Threads", &threads.to_string());
        });
    }

    /// Clears the hash table and all search histories.
    pub fn clear(&mut self) {
        with!(self, searcher => searcher.clear(), analyst => analyst.clear());
    }

    /// A hash that changes whenever evaluations may change. It covers the network, or the identity
    /// of an external engine.
    pub(crate) fn fingerprint(&self) -> u64 {
        with!(
            self,
            searcher => searcher.evaluator().fingerprint(),
            analyst => analyst.fingerprint()
        )
    }

    /// The identity of the engine, precise enough to tell two versions apart.
    pub(crate) fn identity(&self) -> String {
        match self {
            Engine::External(analyst) => analyst.identity(),
            _ => {
                let weights = self.fingerprint();
                format!("Stopdown {} with weights {weights:016x}", env!("CARGO_PKG_VERSION"))
            }
        }
    }

    /// Sets an option of an external engine. Our own engine ignores it.
    pub(crate) fn set_option(&mut self, name: &str, value: &str) {
        if let Engine::External(analyst) = self {
            analyst.set(name, value);
        }
    }

    /// Returns new messages about an external engine that the user should see.
    pub(crate) fn take_notices(&mut self) -> Vec<String> {
        match self {
            Engine::External(analyst) => analyst.take_notices(),
            _ => Vec::new(),
        }
    }

    /// Returns whether an external engine has failed to give a result.
    pub(crate) fn has_failed(&self) -> bool {
        matches!(self, Engine::External(analyst) if analyst.has_failed())
    }

    /// Returns why the last search of an external engine had no result.
    pub(crate) fn take_fault(&mut self) -> Option<Fault> {
        match self {
            Engine::External(analyst) => analyst.take_fault(),
            _ => None,
        }
    }

    /// Turns a fault into a message to the user.
    pub(crate) fn describe(&self, fault: &Fault) -> String {
        match self {
            Engine::External(analyst) => analyst.describe(fault),
            _ => fault.to_string(),
        }
    }

    /// Sets the tablebases that our own search probes; see [`Searcher::set_oracle`]. An external
    /// engine has tablebases of its own.
    pub(crate) fn set_oracle(&mut self, oracle: Option<SharedOracle>) {
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

/// The step between ratings at which the policy network is evaluated when players of many ratings
/// are compared. The network's output changes smoothly enough to interpolate between them.
const RATING_STEP: f64 = 275.0;

/// The assumed number of plies per captured piece.
const PLIES_PER_CAPTURE: usize = 5;

/// How players see a position.
#[derive(Clone, Copy, Debug)]
pub struct Perception<'r> {
    /// The depth in plies up to which evaluations are used.
    pub depth: Depth,
    /// The players' curve.
    pub family: Family,
    /// The players' ratings.
    pub ratings: &'r [f64],
}

impl Perception<'_> {
    /// Returns the values of the moves as these players perceive them.
    pub fn values(&self, game: &Game, evaluation: &RootEvaluation) -> Values {
        let values = Values::of(evaluation, self.depth);
        let (Some(pool), Some(network)) = (self.family.pool(), PolicyNetwork::built_in()) else {
            return values;
        };
        if values.moves() < 2 {
            return values;
        }
        let view = RelativeBoard::of(game);
        let steps = RelativeMove::each(game.position(), evaluation.moves.iter().map(|m| m.mv));
        let known = self.ratings.iter().map(|rating| rating.clamp(human::LOWEST, human::HIGHEST));
        let settings: Vec<_> = known.map(|rating| PolicyConditions { rating, pool }).collect();
        let ln_shares = network.ln_shares_of_view(&view, &steps, &settings);
        let shares = self.ratings.iter().zip(ln_shares);
        let shares = shares.map(|(&rating, ln_shares)| PolicyShares { rating, ln_shares });
        values.with_policy(estimated_plies(game), shares.collect())
    }
}

/// The logarithm of the share of players who would play this move, according to the policy alone,
/// at each of [`all_ratings`]. Empty if the family has no policy.
pub(crate) fn ln_shares_of_move(game: &Game, mv: Move, family: Family) -> Vec<f64> {
    let (Some(pool), Some(network)) = (family.pool(), PolicyNetwork::built_in()) else {
        return Vec::new();
    };
    let Some(played) = game.position().legal_moves().iter().position(|&other| other == mv) else {
        return Vec::new();
    };
    let (view, steps) = (RelativeBoard::of(game), RelativeMove::all(game.position()));
    let settings = all_ratings().into_iter().map(|rating| PolicyConditions { rating, pool });
    let shares = network.ln_shares_of_view(&view, &steps, &settings.collect::<Vec<_>>());
    shares.into_iter().map(|shares| shares[played]).collect()
}

/// Estimates how many plies have been played, including those before the position that the game
/// started from.
///
/// Positions that are set up often claim to be at move 1. The numbers of missing pieces and of
/// pieces off their home ranks give a better estimate. The estimate matters because opening theory
/// affects only the first moves.
fn estimated_plies(game: &Game) -> usize {
    let start = game.start();
    let captured = 32usize.saturating_sub(start.occupied().count());
    let displaced = Colour::ALL.map(|colour| off_home_rank(start, colour)).iter().sum();
    game.plies().max(usize::max(PLIES_PER_CAPTURE * captured, displaced) + game.ply())
}

/// Counts the pieces of a colour that are not on the rank they start from.
fn off_home_rank(position: &Position, colour: Colour) -> usize {
    let all = position.of_colour(colour);
    let pawns = position.pieces(colour, Role::Pawn);
    let (back, front) = match colour {
        Colour::White => (Rank::First, Rank::Second),
        Colour::Black => (Rank::Eighth, Rank::Seventh),
    };
    (all & !pawns & !Bitboard::from_rank(back)).count()
        + (pawns & !Bitboard::from_rank(front)).count()
}

/// The ratings at which to evaluate the policy network when all ratings are compared.
pub fn all_ratings() -> Vec<f64> {
    let steps = ((human::HIGHEST - human::LOWEST) / RATING_STEP) as usize;
    (0..=steps).map(|step| human::LOWEST + RATING_STEP * step as f64).collect()
}
