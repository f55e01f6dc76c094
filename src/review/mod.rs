//! Reviews of games: games and a plan go in, results come out as plain structs.
//!
//! [`ReviewJob`] evaluates the positions of games on several threads, uses a store of evaluations, and
//! summarises what the players did. The command line, the web page and each partition of a cluster run the
//! same job. It reports progress to an observer, which may also stop it; it never prints.

mod evaluate_games;
mod job;
mod shard;

pub use evaluate_games::{EvaluationObserver, GamesError, PositionCounts, evaluate_games};
pub use job::{ReviewCounts, ReviewJob};
pub use shard::Shard;
