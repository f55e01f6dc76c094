//! Players: what turns knowledge of a position into a move.
//!
//! At full strength it is the best move that the search finds in the time given. Players of lesser
//! strength value all moves and choose among them.

mod choice;
mod elo;
mod hypotheses;
mod imitating;
mod imitator;
mod memory;
pub mod pace;
mod profile;
pub mod provisional;
mod roster;
mod stopped_down;
mod strength;

use std::fmt;
use std::sync::Arc;

use crate::board::Game;
use crate::eval::{Evaluator, Handcrafted};
use crate::search::{BestMove, Controls, Limits, Observer, Searcher};

pub use choice::{Choice, choose, distribution, draw, expectation};
pub use elo::Elo;
pub use hypotheses::Hypotheses;
pub use imitating::{Imitating, Manner};
pub use imitator::{Aim, Estimate, Imitator, Observation};
pub use memory::{Lesson, Memory, MemoryError};
pub use profile::{Draw, EndgameRule, Pace, Profile, Skill};
pub use roster::{ProfileError, Roster, RosterError, UnknownProfile};
pub use stopped_down::StoppedDown;
pub use strength::{Strength, Who, Wishes};

/// The searcher that the program plays with: the one place that names its evaluator.
pub type Engine = Searcher<Handcrafted>;

/// An engine with a table of `hash` MiB, on one thread.
pub fn engine(hash: usize) -> Engine {
    Searcher::new(Arc::new(Handcrafted::new()), hash)
}

/// What a player has decided on.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    pub best: BestMove,
    /// How open the choice was, in bits; `None` where nothing was left to chance.
    pub entropy: Option<f64>,
}

/// Who decides on the move.
#[derive(Clone, Debug, Default)]
pub enum Player {
    #[default]
    FullStrength,
    StoppedDown(Box<StoppedDown>),
    Imitating(Box<Imitating>),
}

impl Player {
    /// How long this player takes over a move.
    pub fn pace(&self) -> Pace {
        match self {
            Player::FullStrength | Player::Imitating(_) => Pace::Instant,
            Player::StoppedDown(player) => player.profile.pace,
        }
    }

    /// The move this player makes.
    pub fn decide<E: Evaluator>(
        &mut self,
        searcher: &mut Searcher<E>,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> Decision {
        match self {
            Player::FullStrength => {
                let best = searcher.best_move(game, limits, controls, observer);
                Decision { best, entropy: None }
            }
            Player::StoppedDown(player) => {
                player.decide(searcher, game, limits, controls, observer)
            }
            Player::Imitating(player) => player.decide(searcher, game, limits, controls, observer),
        }
    }

    /// Uses the time of the opponent, whose turn it is, until stopped or there is nothing more to
    /// find out.
    pub fn watch<E: Evaluator>(
        &mut self,
        searcher: &mut Searcher<E>,
        game: &Game,
        controls: &Controls,
    ) {
        if let Player::Imitating(player) = self {
            player.watch(searcher, game, controls);
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Player::FullStrength => f.write_str("full strength"),
            Player::StoppedDown(player) => player.fmt(f),
            Player::Imitating(player) => player.fmt(f),
        }
    }
}
