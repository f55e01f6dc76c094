//! A request for a move, and the decision that answers it.

use std::time::Duration;

use super::choice::Choice;
use crate::board::Game;
use crate::clock::Instant;
use crate::search::{BestMove, Controls, Limits};

/// The input of a player that has to move.
#[derive(Clone, Copy, Debug)]
pub struct MoveRequest<'a> {
    /// The game up to the position to move in.
    pub game: &'a Game,
    /// The time, nodes or depth that the move may use.
    pub limits: &'a Limits,
    /// Stops the search, and tells it when pondering ends.
    pub controls: &'a Controls,
}

/// A player's move and how it was chosen.
#[derive(Clone, Debug, Default)]
pub struct Decision {
    /// The move with its score and line. The score and the line are the engine's own: the handicap does not affect
    /// them.
    pub best: BestMove,
    /// `None` if the move was not drawn at random.
    pub choice: Option<Choice>,
}

impl Decision {
    /// Returns the entropy of the choice in bits. It is larger if more moves were plausible.
    pub fn entropy(&self) -> Option<f64> {
        self.choice.as_ref().map(|choice| choice.distribution.entropy())
    }
}

/// Returns how much of a player's own time has passed since `start`. Time on the opponent's clock
/// does not count.
pub fn own_time(start: Instant, controls: &Controls) -> Duration {
    controls.clock_start(start).map_or(Duration::ZERO, |start| start.elapsed())
}
