//! What the arena asks of a player, whoever he is.

use std::time::Duration;

use super::spec::ContestantSpec;
use super::time_control::{MoveLimits, PlayerClock, TimeControl};
use crate::board::{Colour, Game, Move};
use crate::external::Fault;
use crate::player;
use crate::search::{Clock, Limits};
use crate::selector::Curve;
use crate::value::Value;

/// Somebody who can be asked for moves. A player who has failed is asked to begin again before the
/// next game, and mends himself then.
pub trait Contestant {
    fn card(&self) -> PlayerCard;

    /// The game of this number begins; nothing of earlier ones may count.
    fn begin(&mut self, game: &Game, number: u64) -> Result<(), Fault>;

    /// What he plays in this game, if it is less than he could.
    fn handicap(&self) -> Option<String> {
        None
    }

    /// The player to move makes up his mind. Whether the move was in time is for the caller to say;
    /// only a player who has not moved when his time is long over answers [`Fault::Overtime`].
    fn choose(&mut self, request: &Request<'_>) -> Result<PlayedMove, Fault>;

    /// Asked for his opinion outside of any game, he says what he would play.
    fn consult(&mut self, game: &Game, limits: MoveLimits) -> Result<PlayedMove, Fault> {
        let clock = PlayerClock::new(limits.time);
        let margin = Duration::ZERO;
        self.choose(&Request { game, limits, white: clock, black: clock, margin })
    }

    /// How likely each move is to be his, where that is known beforehand.
    fn distribution(&mut self, _game: &Game, _limits: MoveLimits) -> Option<Vec<(Move, f64)>> {
        None
    }
}

/// What a player says about himself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerCard {
    /// What plays under that name, exactly enough to tell two versions apart.
    pub identity: String,
    pub name: String,
    pub threads: Option<String>,
    /// In MiB.
    pub hash: Option<String>,
}

/// A move is wanted.
#[derive(Debug)]
pub struct Request<'a> {
    pub game: &'a Game,
    pub limits: MoveLimits,
    pub white: PlayerClock,
    pub black: PlayerClock,
    /// What the clock forgives.
    pub margin: Duration,
}

impl<'a> Request<'a> {
    /// As from a player whom no clock hurries.
    pub fn without_clock(game: &'a Game, player: &ContestantSpec) -> Request<'a> {
        let clock = PlayerClock::new(None);
        Request { game, limits: player.limits, white: clock, black: clock, margin: player.margin }
    }

    pub fn own_clock(&self) -> &PlayerClock {
        match self.game.position().turn() {
            Colour::White => &self.white,
            Colour::Black => &self.black,
        }
    }

    /// The same as a search takes it, whose clock is so much slower than the player.
    pub fn search_limits(&self, overhead: Duration) -> Limits {
        let (own, other) = match self.game.position().turn() {
            Colour::White => (&self.white, &self.black),
            Colour::Black => (&self.black, &self.white),
        };
        let other = match other.control() {
            Some(TimeControl::Clock { increment, .. }) => other.allowance().zip(Some(increment)),
            _ => None,
        };
        let clock = match own.control() {
            None => Clock::default(),
            Some(TimeControl::PerMove(time)) => Clock { move_time: Some(time), ..Clock::default() },
            Some(TimeControl::Clock { increment, .. }) => Clock {
                remaining: own.allowance(),
                increment,
                opponents: other.map(|(time, _)| time),
                opponents_increment: other.map(|(_, increment)| increment).unwrap_or_default(),
                moves_to_go: own.moves_to_go(),
                ..Clock::default()
            },
        };
        let clock = Clock { overhead, ..clock };
        Limits { depth: self.limits.depth, nodes: self.limits.nodes, clock, ..Limits::default() }
    }
}

/// A move with what its player thinks of it.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove {
    pub mv: Move,
    /// From the mover's side; `None` when the player did not say.
    pub value: Option<Value>,
    pub depth: u32,
    pub nodes: u64,
    pub elapsed: Duration,
    pub draw: Option<RandomChoice>,
}

/// How a move came up that was left to chance.
#[derive(Clone, Copy, Debug)]
pub struct RandomChoice {
    /// Of this move, among all.
    pub probability: f64,
    /// How open the choice was, in bits.
    pub entropy: f64,
    /// What gave the moves their probabilities.
    pub curve: Curve,
    pub seed: u64,
}

impl RandomChoice {
    /// How a player who draws with this seed came to a choice.
    pub fn of(choice: &player::Choice, seed: u64) -> RandomChoice {
        let probability = choice.distribution.probability(choice.index);
        let entropy = choice.distribution.entropy();
        RandomChoice { probability, entropy, curve: choice.curve, seed }
    }
}
