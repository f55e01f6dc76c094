//! Reviews, which evaluate a set of games and summarise the players' moves.
//!
//! A `ReviewJob` evaluates the positions on several threads, with an evaluation cache. The
//! command line, the web page and each process of a cluster run the same job. It reports its
//! progress to an observer, which can also stop it. It never prints anything.

mod evaluate_games;
mod job;
mod known_evaluations;
mod player_profile;

pub use evaluate_games::{
    EvaluationObserver, GamesError, GamesEvaluator, PositionCounts, evaluate_games,
};
pub(crate) use job::{ReviewCounts, ReviewJob};
pub use known_evaluations::KnownEvaluations;
pub(crate) use player_profile::PlayerFindings;
