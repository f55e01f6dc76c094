//! Players: what turns knowledge of a position into a move.
//!
//! At full strength it is the best move that the search finds in the time given. Players of lesser
//! strength value all moves and choose among them.

mod choice;
mod elo;
mod hypotheses;
mod imitator;
mod profile;
pub mod provisional;
mod roster;
mod stopped_down;
mod strength;

use std::fmt;
use std::sync::Arc;

use crate::board::{Game, Move};
use crate::eval::{Evaluator, Handcrafted};
use crate::search::{BestMove, Controls, EvaluationRequest, Limits, Observer, Searcher, Silent};

pub use choice::{Choice, choose, distribution, draw, expectation};
pub use elo::Elo;
pub use hypotheses::Hypotheses;
pub use imitator::{Aim, Estimate, Imitator, Observation};
pub use profile::{Draw, EndgameRule, Pace, Profile, Skill};
pub use roster::{ProfileError, Roster, RosterError, UnknownProfile};
pub use stopped_down::StoppedDown;
pub use strength::{Strength, Wishes};

/// The searcher that the program plays with: the one place that names its evaluator.
pub type Engine = Searcher<Handcrafted>;

/// An engine with a table of `hash` MiB, on one thread.
pub fn engine(hash: usize) -> Engine {
    Searcher::new(Arc::new(Handcrafted::new()), hash)
}

/// Who decides on the move.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Player {
    #[default]
    FullStrength,
    StoppedDown(Box<StoppedDown>),
}

impl Player {
    /// The move this player makes.
    pub fn decide<E: Evaluator>(
        &self,
        searcher: &mut Searcher<E>,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> BestMove {
        match self {
            Player::FullStrength => searcher.best_move(game, limits, controls, observer),
            Player::StoppedDown(player) => {
                player.decide(searcher, game, limits, controls, observer)
            }
        }
    }

    /// How likely each move is to be this player's, when he looks so deep.
    pub fn distribution<E: Evaluator>(
        &self,
        searcher: &mut Searcher<E>,
        game: &Game,
        limits: &Limits,
    ) -> Vec<(Move, f64)> {
        let controls = Controls::new();
        match self {
            Player::FullStrength => {
                let best = searcher.best_move(game, limits, &controls, &mut Silent);
                best.mv.map(|mv| (mv, 1.0)).into_iter().collect()
            }
            Player::StoppedDown(player) => {
                let depth = player.profile.depth();
                let depth = limits.depth.map_or(depth, |limit| limit.min(depth));
                let request = EvaluationRequest::depth(depth);
                let evaluation = searcher.evaluate(game, &request, &controls, &mut Silent);
                let distribution = expectation(&evaluation, &player.profile);
                let moves = evaluation.moves.iter().map(|m| m.mv);
                moves.zip(distribution.probabilities().iter().copied()).collect()
            }
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Player::FullStrength => f.write_str("full strength"),
            Player::StoppedDown(player) => player.fmt(f),
        }
    }
}
