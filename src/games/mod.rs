//! Games as files: PGN in and out, positions as EPD, and the store of their evaluations.

pub mod pgn;

mod epd;
mod result;
mod store;
mod utc;

pub use epd::{epd_to_position, position_text, read_position_line};
pub use result::GameResult;
pub use store::{
    BATCH, EvaluationKey, EvaluatorIdentity, LONGEST_WAIT, Store, StoreError, StoreSummary,
    StoredEvaluation,
};
pub use utc::{utc_date, utc_timestamp};
