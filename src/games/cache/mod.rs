//! The evaluation cache: one SQLite file with evaluations of positions, so that no position is
//! searched twice. Each covers all legal moves. (Haworth 2007, section 4.1, calls them "deposits".)
//!
//! The key of an evaluation is everything that its values depend on: the position with its move
//! counter, the earlier positions that could be repeated, the engine with its settings, and the
//! requested depth. Entries are never changed. A second evaluation under the same key is ignored.
//!
//! Evaluations are written in transactions of [`BATCH`], or after `LONGEST_WAIT`. Several
//! processes may share a file, because a writer locks it only during a transaction. A file of
//! another program or version is never changed.
//!
//! The tables and columns keep the names of the first version of the file: `deposits` has the
//! evaluations, `assessors` the evaluators.

mod encoding;
mod evaluation_cache;
mod file;
mod key;

pub use evaluation_cache::{BATCH, CacheContents, CachedEvaluation, EvaluationCache};
pub use file::CacheError;
pub use key::{EvaluationKey, EvaluatorIdentity};
