//! External engines: UCI programs that run in processes of their own.
//!
//! A [`UciClient`] starts an engine and talks to it. Every wait has a deadline, and an engine that
//! crashes or stalls is killed and can be started again. An [`Analyst`] makes such an engine evaluate
//! all moves of a position at all depths, as our own search does. Any engine can therefore be
//! weakened or used to rate players (Haworth 2007, section 4.1: c is "applicable to all engines E").

mod all_moves;
mod analyst;
mod client;
mod process;
mod search;
mod spec;
mod wait;
mod wire;
mod worksheet;

pub use analyst::Analyst;
pub use client::{Fault, PATIENCE, UciClient};
pub use process::{GUARD_COMMAND, become_program, evaluates_for_stopdown, guard_program};
pub use search::{ChosenMove, EngineSearch};
pub use spec::{CommandError, ExternalSpec, split_words};
pub use wait::Wait;
pub use wire::{Declared, Info, Pulse};
