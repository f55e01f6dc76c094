//! Games as files: PGN in and out, and positions as EPD.

pub mod pgn;

mod epd;
mod result;
mod utc;

pub use epd::epd_to_position;
pub use result::GameResult;
pub use utc::{utc_date, utc_timestamp};
