//! Other people's engines: processes that speak UCI, under supervision.
//!
//! A [`UciClient`] starts an engine and talks to it, whatever that does: every wait has an end, and
//! an engine that fails is ended and can be started afresh. An [`Analyst`] has such an engine value
//! all moves of a position at all depths, as our own search does, so that anything that chooses
//! among valued moves can be had of it (Haworth 2007, 4.1: c is "applicable to all engines E").

mod analyst;
mod client;
mod process;
mod search;
mod sheet;
mod spec;
mod valuing;
mod wire;

pub use analyst::Analyst;
pub use client::{Fault, PATIENCE, UciClient};
pub use process::{GUARD_COMMAND, become_program, guard_program};
pub use search::{ChosenMove, EngineSearch};
pub use spec::{CommandError, ExternalSpec, split_words};
pub use wire::Declared;
