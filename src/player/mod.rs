//! Players: what turns knowledge of a position into a move.
//!
//! So far there is one, who plays the best move that the search finds in the time given. Players of
//! lesser strength choose among evaluated moves and will stand beside it.

mod choice;
mod elo;
mod hypotheses;
mod imitator;
mod profile;
pub mod provisional;
mod roster;

use std::fmt;
use std::sync::Arc;

use crate::board::Game;
use crate::eval::{Evaluator, Handcrafted};
use crate::search::{BestMove, Controls, Limits, Observer, Searcher};

pub use choice::{Choice, choose, distribution, draw, expectation};
pub use elo::Elo;
pub use hypotheses::Hypotheses;
pub use imitator::{Aim, Estimate, Imitator, Observation};
pub use profile::{Draw, EndgameRule, Pace, Profile, Skill};
pub use roster::{ProfileError, Roster, RosterError, UnknownProfile};

/// The searcher that the program plays with: the one place that names its evaluator.
pub type Engine = Searcher<Handcrafted>;

/// An engine with a table of `hash` MiB, on one thread.
pub fn engine(hash: usize) -> Engine {
    Searcher::new(Arc::new(Handcrafted::new()), hash)
}

/// Who decides on the move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Player {
    #[default]
    FullStrength,
}

impl Player {
    /// The move this player makes.
    pub fn decide<E: Evaluator>(
        self,
        searcher: &mut Searcher<E>,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> BestMove {
        match self {
            Player::FullStrength => searcher.best_move(game, limits, controls, observer),
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Player::FullStrength => f.write_str("full strength"),
        }
    }
}
