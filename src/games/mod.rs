//! Games as files: PGN in and out, and positions as EPD.

pub mod pgn;

mod epd;
mod utc;

pub use epd::epd_to_position;
pub use utc::{utc_date, utc_timestamp};
