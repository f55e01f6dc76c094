//! Calibration: the meaning of a level, measured from human games and matches.
//!
//! [`people`] fits curves to games of players with known ratings. Players with these curves then play each other. A
//! [`Lineup`] names the participants: players at several points along the [path](stopdown::player::rating_path) of each
//! curve family, and external engines. In [`Rounds`], each meets opponents of about the same strength. A [`Ladder`]
//! fits one rating list to all games and converts it to the human scale, which gives the table of
//! [`Levels`](stopdown::player::Levels). Later ladders reuse its games.

mod entrants;
mod fit;
mod ladder;
pub mod people;
mod people_scale;
mod rising;
mod rounds;
pub mod zero;

pub use entrants::{Entrant, FamilyPlayers, Lineup};
pub use fit::{BETWEEN_KINDS, Scores};
pub use ladder::{Ladder, LadderMismatch, Meeting, ReferenceEngine};
pub use people_scale::{FamilyRatings, HUMAN_ERROR, MeasuredLevel, PeopleScale};
pub use rounds::{Rounds, StudyError};
