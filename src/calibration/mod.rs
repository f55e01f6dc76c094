//! The calibration: what a level means, by the moves of people and by games.
//!
//! [`people`] fits curves to games of people whose ratings are known. Then players by these curves play
//! each other: a [`Lineup`] says who plays: the players at some places of every family's
//! [path](crate::player::path), and engines of others beside them. They meet in [`Rounds`],
//! each those of nearly his own strength. A [`Ladder`] fits one list of ratings to all games and makes the table
//! [`Levels`](crate::player::Levels) of it, by the scale of people. Its games are counted by later ladders.

mod counted;
mod entrants;
mod expectation;
mod fit;
mod ladder;
pub mod people;
mod people_scale;
mod rounds;
pub mod zero;

pub use counted::{Meeting, NotOurs};
pub use entrants::{Entrant, FamilyPlayers, Lineup};
pub use expectation::BETWEEN_KINDS;
pub use fit::Scores;
pub use ladder::{FamilyRatings, Ladder, MeasuredLevel, ReferenceEngine};
pub use people_scale::{PeopleScale, UNKNOWN};
pub use rounds::{Rounds, StudyError};
