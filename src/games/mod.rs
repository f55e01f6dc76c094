//! Games and positions in files: PGN, EPD, and the cache of evaluations.

mod cache;
mod dates;
mod epd;
mod filter;
pub mod pgn;
mod result;
mod shard;

#[cfg(feature = "program")]
pub use cache::BATCH;
pub use cache::{
    CacheContents, CacheError, CachedEvaluation, EvaluationCache, EvaluationKey, EvaluatorIdentity,
};
pub(crate) use dates::{utc_date, utc_timestamp};
pub use epd::{epd_to_position, position_text, read_position_line};
pub(crate) use filter::{DateLimit, GameFilter, TimeControlClass};
pub use result::GameResult;
pub use shard::Shard;
