//! How an engine fails.

use std::time::Duration;

/// In words that follow the name of who failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    #[error("{0}")]
    Unusable(String),
    #[error("disconnects ({0})")]
    Crashed(String),
    #[error("stalls (no answer within {} s)", .0.as_secs_f64())]
    Stalled(Duration),
    #[error("loses on time")]
    Overtime,
    #[error("makes an illegal move: {0}")]
    Illegal(String),
}
