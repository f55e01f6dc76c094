//! Files of positions with what the search saw and how the game ended, 32 bytes each: what weights
//! and networks are learnt from.

mod header;
mod reader;
mod record;
mod summary;
mod text;
mod writer;

pub use header::{AROUND, Header};
pub use reader::{PlayedGame, Reader};
pub use record::{Mark, Outcome, RECORD, Sample};
pub use summary::Summary;
pub use text::{Conversion, convert, games_of_text};
pub use writer::{MOST_POSITIONS, Writer};

use std::io::Read;
use std::path::Path;

use super::TuningError;

/// Is this a file of positions, of whatever version (and not a text)?
pub fn is_file_of_positions(path: &Path) -> Result<bool, TuningError> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path).map_err(TuningError::file("open", path))?;
    let read = file.take(header::HEADER as u64).read_to_end(&mut bytes);
    read.map_err(TuningError::file("read", path))?;
    Ok(Header::is_begun_by(&bytes))
}
