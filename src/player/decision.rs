//! A request for a move, and the decision that answers it.

use std::time::{Duration, Instant};

use super::choice::Choice;
use crate::board::Game;
use crate::search::{BestMove, Controls, Limits};

/// Everything that a player is told when it has to move.
#[derive(Clone, Copy, Debug)]
pub struct MoveRequest<'a> {
    pub game: &'a Game,
    pub limits: &'a Limits,
    pub controls: &'a Controls,
}

/// The move of a player, with how it came about.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    pub best: BestMove,
    /// `None` where nothing was left to chance.
    pub choice: Option<Choice>,
}

impl Decision {
    /// How open the choice was, in bits.
    pub fn entropy(&self) -> Option<f64> {
        self.choice.as_ref().map(|choice| choice.distribution.entropy())
    }
}

/// How much of a player's own time has passed since `start`: none while the opponent's clock runs.
pub fn own_time(start: Instant, controls: &Controls) -> Duration {
    controls.clock_start(start).map_or(Duration::ZERO, |start| start.elapsed())
}
