//! The evaluation cache: an SQLite file with evaluations of positions, so that no position is
//! searched twice. Each evaluation covers all legal moves. (Haworth 2007, section 4.1, calls them
//! "deposits".)
//!
//! The key of an evaluation contains everything that its values depend on. This is the position
//! with its move counter, the earlier positions that could recur, the engine with its settings, and
//! the requested depth. Entries are never changed. If there is already an evaluation with the same
//! key, a second one is ignored.
//!
//! Evaluations are written in transactions: as soon as [`BATCH`] of them are waiting, or with the
//! first one that is added after `LONGEST_WAIT`. Several processes can share a file, because a
//! writer locks it only during a transaction. A file that belongs to another program or version is
//! never changed.
//!
//! The tables and columns have kept their names from the first version of the file: `deposits`
//! contains the evaluations, and `assessors` the evaluators.

#[cfg(not(feature = "program"))]
mod absent;
mod contents;
#[cfg(feature = "program")]
mod encoding;
#[cfg(feature = "program")]
mod evaluation_cache;
#[cfg(feature = "program")]
mod file;
mod key;

pub use contents::{CacheContents, CachedEvaluation};

#[cfg(not(feature = "program"))]
pub use absent::{CacheError, EvaluationCache};
#[cfg(feature = "program")]
pub use evaluation_cache::{BATCH, EvaluationCache};
#[cfg(feature = "program")]
pub use file::CacheError;
pub use key::{EvaluationKey, EvaluatorIdentity};
