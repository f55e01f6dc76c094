//! Players: what turns knowledge of a position into a move.
//!
//! At full strength it is the best move that the search finds in the time given. Players of lesser
//! strength value all moves and choose among them.

mod bare_king;
mod choice;
mod elo;
mod exploit;
mod full_strength;
mod hypotheses;
mod imitator;
mod library;
mod profile;
pub mod provisional;
mod roster;
mod stopped_down;
mod strength;
mod zone;

use std::fmt;
use std::sync::Arc;

use crate::board::Game;
use crate::eval::{Evaluator, Handcrafted};
use crate::search::{BestMove, Controls, Limits, Observer, Searcher};

pub use choice::{Choice, choose, distribution, draw, expectation};
pub use elo::Elo;
pub use exploit::Exploit;
pub use hypotheses::Hypotheses;
pub use imitator::{Aim, Estimate, Imitator, Observation};
pub use library::{Library, Place, Sources};
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
        library: &mut Library,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> BestMove {
        library.prepare(game.position());
        match self {
            Player::FullStrength => {
                full_strength::decide(searcher, library, game, limits, controls, observer)
            }
            Player::StoppedDown(player) => {
                player.decide(searcher, library, game, limits, controls, observer)
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
