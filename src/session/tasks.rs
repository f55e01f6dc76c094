//! The tasks of the two threads of a session.

use super::casual_game::CasualGame;
use super::rating_estimator::Thoroughness;
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
pub(super) struct RatingTask {
    pub game: Game,
    /// The number of the game in its session.
    pub game_number: u64,
    pub side: Colour,
    pub player: RatedPlayer,
    /// How to estimate the rating from the moves of the game. `None` to evaluate the legal moves while a person thinks,
    /// so that the next estimate is quick.
    pub estimate: Option<Thoroughness>,
}

/// Whose rating a task is about.
#[derive(Debug)]
pub(super) enum RatedPlayer {
    /// The person in a game against an engine.
    Person,
    /// One of two people or of two engines. The first one plays the side in [`CasualGame::human`].
    OneOfTwo { engines: Box<[Option<ContestantSpec>; 2]>, index: usize },
}

impl RatedPlayer {
    /// The player of a side. The engines are those of White and Black.
    pub fn of(
        side: Colour,
        casual: &CasualGame,
        engines: &[Option<ContestantSpec>; 2],
    ) -> RatedPlayer {
        if casual.has_one_person() {
            return RatedPlayer::Person;
        }
        let mut engines = Box::new(engines.clone());
        if casual.human == Colour::Black {
            engines.reverse();
        }
        RatedPlayer::OneOfTwo { engines, index: usize::from(side != casual.human) }
    }
}
