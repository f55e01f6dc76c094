//! Endings that no evaluation has to guess at: what is won against a bare king and how, and what
//! is drawn for all its material. Every evaluator asks here first.

mod mating;
mod scale;

pub use mating::{KNOWN_WIN, against_bare_king};
pub use scale::{FULL, scale, without_hope};
