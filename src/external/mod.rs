//! External engines: UCI programs that run in separate processes.
//!
//! A [`UciClient`] starts an engine and talks to it. An [`ExternalEvaluator`] uses a client to
//! evaluate all moves in a position at all depths, as our own search does. So any engine can be
//! weakened, and any engine can be used to rate players (Haworth 2007, section 4.1: c is
//! "applicable to all engines E").
//!
//! External programs crash and stall, so every wait has a deadline. An engine that fails is killed,
//! and started again when it is next needed.
//!
//! These are the files, from the process up to the evaluation:
//!
//! - `process.rs`: a child process, with a thread that reads its output.
//! - `client.rs` and `wire.rs`: the UCI handshake, options, and the text of commands and `info`
//!   lines.
//! - `search.rs` and `wait.rs`: one search from `go` to `bestmove`, and the conditions that end a
//!   wait.
//! - `all_moves.rs` and `worksheet.rs`: several searches that together evaluate all moves.
//! - `evaluator.rs`: an engine that takes the place of our own search.

mod all_moves;
mod client;
mod evaluator;
mod process;
mod search;
mod spec;
mod wait;
mod wire;
mod worksheet;

pub(crate) use client::PATIENCE;
pub use client::{Fault, UciClient};
pub use evaluator::ExternalEvaluator;
pub use process::{GUARD_COMMAND, guard_program};
pub(crate) use process::{become_program, evaluates_for_stopdown};
pub(crate) use search::EngineSearch;
pub(crate) use spec::split_words;
pub use spec::{CommandError, ExternalSpec};
pub(crate) use wait::Wait;
pub use wire::{DepthProgress, Info, UciOption};
