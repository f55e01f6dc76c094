//! Files of positions with what the search saw and how the game ended, 32 bytes each: what networks
//! are learnt from.

mod header;
mod reader;
mod record;
mod summary;
mod text;
mod writer;

pub use header::{AROUND, PositionsHeader};
pub use reader::{PlayedGame, PositionsReader};
pub use record::{Mark, RECORD, Sample, WhiteOutcome};
pub use summary::PositionsSummary;
pub use text::{TextImport, convert};
pub use writer::{MOST_POSITIONS, PositionsWriter};
