//! Endgames under fallible play (Haworth 2002): the difficulty of an endgame, the best move against
//! a fallible opponent, and the competence of a player.
//!
//! [`study`] averages over all positions with a material signature and plays out games. [`Walk`]
//! follows every position exactly. [`Comparison`] compares moves, [`profile()`] infers a player's
//! competence, and [`against_syzygy`] checks our tables.

mod agreement;
mod comparison;
mod difficulty;
mod markov;
mod profile;
mod walk;

pub use agreement::{TableAgreement, against_syzygy};
pub use comparison::{Comparison, Crossing, LARGEST_COMPETENCE, Preference, candidates};
pub use difficulty::{
    Average, EndgamePlan, Matrices, MeanEstimate, Study, Trial, TrialGames, TrialResult, choose,
    study,
};
pub use markov::{Endgame, expected_depths, expected_moves, infallible, product, step};
pub use profile::{EndgameProfile, ProfiledMove, profile};
pub use walk::{Course, Walk};
