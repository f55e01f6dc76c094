//! Moves are chosen as curves, profiles and the imitator say, and their inference finds what was put in.

mod choose;
#[path = "../common/mod.rs"]
mod common;
mod curves;
mod imitator;
mod imitator_match;
mod person;
mod profiles;
mod published_figures;
mod recovery;
#[path = "../synthetic/mod.rs"]
mod synthetic;
