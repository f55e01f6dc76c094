//! The calibration: what a level means, by the moves of people and by games.
//!
//! [`people`] fits curves to games of people whose ratings are known. Then players by these curves play
//! each other: a [`Lineup`] says who plays: the players at some places of every family's
//! [path](stopdown::player::path), and engines of others beside them. They meet in [`Rounds`],
//! each those of nearly his own strength. A [`Ladder`] fits one list of ratings to all games and makes the table
//! [`Levels`](stopdown::player::Levels) of it, by the scale of people. Its games are counted by later ladders.

mod entrants;
mod fit;
mod ladder;
pub mod people;
mod people_scale;
mod rounds;
pub mod zero;

pub use entrants::{Entrant, FamilyPlayers, Lineup};
pub use fit::{BETWEEN_KINDS, Scores};
pub use ladder::{Ladder, Meeting, NotOurs, ReferenceEngine};
pub use people_scale::{FamilyRatings, MeasuredLevel, PeopleScale, UNKNOWN};
pub use rounds::{Rounds, StudyError};
