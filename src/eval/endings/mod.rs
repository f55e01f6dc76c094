//! Endings that no evaluation has to guess at: what is won against a bare king and how, and what
//! is drawn for all its material. This stands above the network, which need not learn it.

mod drawn;
mod mating;

pub use drawn::without_hope;
pub use mating::{KNOWN_WIN, against_bare_king};
