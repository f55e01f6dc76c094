//! Players: what turns knowledge of a position into a move.
//!
//! At full strength it is the best move that the search finds in the time given. Players of lesser
//! strength value all moves and choose among them.

mod bare_king;
mod dial;
mod elo_scale;
mod engine;
mod full_strength;
mod hypotheses;
mod imitating;
mod imitator;
mod levels;
mod library;
mod memory;
pub mod pace;
pub mod path;
mod phases;
mod profile;
mod repertoire;
mod roster;
mod spec;
mod stopped_down;
mod zone;

use std::fmt;
use std::time::{Duration, Instant};

use crate::board::{Game, Move};
use crate::search::{BestMove, Controls, EvaluationRequest, Limits, Observer, Silent};

pub use dial::Dial;
pub use elo_scale::EloScale;
pub use engine::{Engine, LARGEST_HASH, all_ratings, seen};
pub use hypotheses::{BETWEEN_PLAYERS, DISPERSION, Hypotheses};
pub use imitating::{Imitating, Manner};
pub use imitator::{Aim, Imitator, LevelEstimate, Observation};
pub use levels::{Elo, Level, Levels, LevelsError, Made};
pub use library::{Exploit, Library, Sources, TableFolder, is_made_unasked};
pub use memory::{Lesson, Memory, MemoryError};
pub use path::People;
pub use phases::PhaseOffsets;
pub use profile::{Draw, EndgameRule, Pace, Profile, Skill, USUAL_DEPTH};
pub use repertoire::{CURVE_GAMES, Repertoire, RepertoireError};
pub use roster::{NO_PROFILE, ProfileError, Roster, RosterError, UnknownProfile};
pub use spec::{PlayerSpec, SpecError, Who};
pub use stopped_down::{Choice, StoppedDown, choose, distribution, draw, expectation};

/// What a player has decided on.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    pub best: BestMove,
    /// How the move was chosen; `None` where nothing was left to chance.
    pub choice: Option<Choice>,
}

impl Decision {
    /// How open the choice was, in bits.
    pub fn entropy(&self) -> Option<f64> {
        self.choice.as_ref().map(|choice| choice.distribution.entropy())
    }
}

/// What has gone of a player's time since then: nothing while the opponent's clock runs.
pub fn own_time(start: Instant, controls: &Controls) -> Duration {
    controls.clock_start(start).map_or(Duration::ZERO, |start| start.elapsed())
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
    /// How long this player takes over a move, as far as it has a pace of its own.
    pub fn pace(&self) -> Pace {
        match self {
            Player::FullStrength => Pace::Instant,
            Player::Imitating(_) => Pace::Auto,
            Player::StoppedDown(player) => player.profile.pace,
        }
    }

    /// Does it play below full strength?
    pub fn is_stopped_down(&self) -> bool {
        !matches!(self, Player::FullStrength)
    }

    /// The move this player makes.
    pub fn decide(
        &mut self,
        engine: &mut Engine,
        library: &mut Library,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> Decision {
        let start = Instant::now();
        library.prepare(game.position(), !self.is_stopped_down());
        bare_king::wait_for_table(library, game.position(), limits, controls);
        let clock = limits.clock.after(own_time(start, controls));
        let limits = &Limits { clock, ..limits.clone() };
        match self {
            Player::FullStrength => {
                let best = full_strength::decide(engine, library, game, limits, controls, observer);
                Decision { best, choice: None }
            }
            Player::StoppedDown(player) => {
                player.decide(engine, library, game, limits, controls, observer)
            }
            Player::Imitating(player) => {
                player.decide(engine, library, game, limits, controls, observer)
            }
        }
    }

    /// Uses the time of the opponent, whose turn it is, until stopped or there is nothing more to
    /// find out.
    pub fn watch(&mut self, engine: &mut Engine, game: &Game, controls: &Controls) {
        if let Player::Imitating(player) = self {
            player.watch(engine, game, controls);
        }
    }

    /// How likely each move is to be this player's, when he looks so deep. `None` where that
    /// depends on the opponent.
    pub fn distribution(
        &self,
        engine: &mut Engine,
        game: &Game,
        limits: &Limits,
    ) -> Option<Vec<(Move, f64)>> {
        let controls = Controls::new();
        match self {
            Player::FullStrength => {
                let best = engine.best_move(game, limits, &controls, &mut Silent);
                Some(best.mv.map(|mv| (mv, 1.0)).into_iter().collect())
            }
            Player::StoppedDown(player) => {
                let depth = player.profile.depth();
                let depth = limits.depth.map_or(depth, |limit| limit.min(depth));
                let request = EvaluationRequest::depth(depth);
                let evaluation = engine.evaluate(game, &request, &controls, &mut Silent);
                let distribution = expectation(game, &evaluation, &player.profile);
                let moves = evaluation.moves.iter().map(|m| m.mv);
                Some(moves.zip(distribution.probabilities().iter().copied()).collect())
            }
            Player::Imitating(_) => None,
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
