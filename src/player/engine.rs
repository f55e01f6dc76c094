//! What values moves for the players, our own search or another engine, and what a player sees of these
//! values, for people with the policy.

use std::path::Path;
use std::sync::Arc;

use once_cell::sync::Lazy;

use crate::board::{Bitboard, Colour, Game, Position, Rank, Role};
use crate::eval::{Evaluator, Network, NetworkError};
use crate::evaluation::RootEvaluation;
use crate::external::{Analyst, Fault};
use crate::files::check_regular;
use crate::policy::{MoveView, PolicyNetwork, PolicyView, Setting};
use crate::search::{
    BestMove, Controls, EvaluationRequest, HashError, Limits, Observer, Searcher, SharedOracle,
};
use crate::selector::{Family, PolicyShares, Values, human};
use crate::value::Depth;

/// Read once for all engines: it is large, and nothing ever changes it.
static BUILT_IN: Lazy<Arc<Network>> = Lazy::new(|| Arc::new(Network::embedded()));

/// The largest table that may be asked for, in MiB.
pub const LARGEST_HASH: usize = 1 << 20;

#[derive(Debug)]
pub enum Engine {
    /// Our own.
    Network(Box<Searcher<Network>>),
    /// Somebody else's. Its values are repeatable as far as it is.
    External(Box<Analyst>),
}

/// Does one thing with our searcher, and another with another engine.
macro_rules! with {
    ($engine:expr, $searcher:ident => $what:expr, $analyst:ident => $other:expr) => {
        match $engine {
            Engine::Network($searcher) => $what,
            Engine::External($analyst) => $other,
        }
    };
}

impl Engine {
    /// Our own with a table of `hash` MiB, on one thread, with the network of a file or else the one
    /// that is built in.
    pub fn new(file: Option<&Path>, hash: usize) -> Result<Engine, NetworkError> {
        let Some(file) = file else { return Ok(Engine::built_in(hash)) };
        check_regular(file)
            .map_err(|error| NetworkError::Unreadable { path: file.to_owned(), error })?;
        Ok(Engine::of(Arc::new(Network::load(file)?), hash))
    }

    /// Our own with the network that is built in, which is always there.
    pub fn built_in(hash: usize) -> Engine {
        Engine::of(Arc::clone(&BUILT_IN), hash)
    }

    fn of(network: Arc<Network>, hash: usize) -> Engine {
        Engine::Network(Box::new(Searcher::new(network, hash)))
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

    /// What the search asks about positions with few pieces. See [`Searcher::set_oracle`]. Another
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

/// Ratings at which the policy network is asked where players of many ratings are compared; between them it
/// changes evenly enough.
const STEP: f64 = 275.0;

/// Plies in which a piece is lost: a capture comes as rarely as that.
const PLIES_FOR_A_PIECE: usize = 5;

/// The values of an evaluation at depths up to `depth`, as the players of a family see them who have
/// these ratings.
pub fn seen(
    game: &Game,
    evaluation: &RootEvaluation,
    depth: Depth,
    family: Family,
    ratings: &[f64],
) -> Values {
    let values = Values::of(evaluation, depth);
    let (Some(pool), Some(network)) = (family.pool(), PolicyNetwork::built_in()) else {
        return values;
    };
    if values.moves() < 2 {
        return values;
    }
    let (view, us) = (PolicyView::of(game), game.position().turn());
    let steps: Vec<MoveView> = evaluation.moves.iter().map(|m| MoveView::of(m.mv, us)).collect();
    let shares = |&rating: &f64| {
        let known = rating.clamp(human::LOWEST, human::HIGHEST);
        let ln_shares = network.judge(&view, &steps, Setting { rating: known, pool });
        PolicyShares { rating, ln_shares }
    };
    values.with_policy(plies(game), ratings.iter().map(shares).collect())
}

/// Plies that were played before. Positions that are set up often say that they are the first ones; how
/// many pieces have left their places, and how many the board, says more. What people know by heart is
/// no such position.
fn plies(game: &Game) -> usize {
    let start = game.start();
    let gone = 32usize.saturating_sub(start.occupied().count());
    let out = Colour::ALL.map(|colour| out_of_place(start, colour)).iter().sum();
    game.plies().max(usize::max(PLIES_FOR_A_PIECE * gone, out) + game.ply())
}

/// Pieces of a colour that do not stand in the row they come from.
fn out_of_place(position: &Position, colour: Colour) -> usize {
    let all = position.of_colour(colour);
    let pawns = position.pieces(colour, Role::Pawn);
    let (back, front) = match colour {
        Colour::White => (Rank::First, Rank::Second),
        Colour::Black => (Rank::Eighth, Rank::Seventh),
    };
    (all & !pawns & !Bitboard::from_rank(back)).count()
        + (pawns & !Bitboard::from_rank(front)).count()
}

/// The ratings at which to ask where all of them count.
pub fn all_ratings() -> Vec<f64> {
    let steps = ((human::HIGHEST - human::LOWEST) / STEP) as usize;
    (0..=steps).map(|step| human::LOWEST + STEP * step as f64).collect()
}
