//! Games and positions in files: PGN, EPD, and the cache of evaluations.

mod dates;
mod epd;
pub mod pgn;
mod result;
mod store;

pub use dates::{utc_date, utc_timestamp};
pub use epd::{epd_to_position, position_text, read_position_line};
pub use result::GameResult;
pub use store::{
    BATCH, EvaluationKey, EvaluatorIdentity, LONGEST_WAIT, Store, StoreError, StoreSummary,
    StoredEvaluation,
};
