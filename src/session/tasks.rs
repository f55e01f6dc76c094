//! The tasks of the two threads of a session.

use super::strength_reader::Thoroughness;
use crate::arena::ContestantSpec;
use crate::board::{Colour, Game};

/// The next task of the player thread.
#[derive(Debug)]
pub(super) enum PlayerTask {
    /// Set up the engines of a new game.
    SetUp(Box<[Option<ContestantSpec>; 2]>),
    /// Change the strength of the only engine.
    ChangeOpponent(Box<ContestantSpec>),
    /// Play a move for the engine whose turn it is.
    Move,
    /// Accept or decline a draw in this game.
    AnswerOffer(Box<Game>),
    /// Find the best move in this game, as a hint.
    Advise(Box<Game>),
}

/// The next task of the rating thread.
#[derive(Debug)]
pub(super) enum RatingTask {
    /// Estimate the rating of a side from its moves in this game.
    Read(Colour, Game, Thoroughness),
    /// Evaluate the legal moves while a person thinks, so that the next estimate is quick.
    EvaluateAhead(Game),
}
