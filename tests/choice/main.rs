//! Curves, profiles and the imitator choose moves as specified, and inference recovers known
//! players.

mod choose;
mod clock;
#[path = "../common/mod.rs"]
mod common;
mod curves;
#[allow(dead_code, reason = "the laboratory uses more of it")]
#[path = "../../tuning/lab/src/calibrate/people/fit.rs"]
mod fit;
mod imitator;
mod imitator_match;
mod likely_moves;
mod opponents;
mod person;
mod profiles;
mod published_figures;
mod recovery;
mod styles;
#[path = "../synthetic/mod.rs"]
mod synthetic;
