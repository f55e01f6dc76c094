//! Observes the building of tables, and can stop it.

use super::outcome::TableKey;

/// Receives the progress of a build.
pub trait BuildObserver: Sync {
    /// Job `number` of `total` starts.
    fn begins(&self, _job: TableKey, _number: usize, _total: usize) {}

    /// A round has ended, and `decided` of `positions` positions are decided.
    fn round(&self, _plies: u16, _decided: u64, _positions: u64) {}

    /// Returns whether to stop.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Ignores progress and never stops.
impl BuildObserver for () {}

/// The observer has stopped the build.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the table was solved")]
pub struct Stopped;
