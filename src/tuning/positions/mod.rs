//! Files of positions with what the search saw and how the game ended, 32 bytes each: what networks
//! are learnt from.

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
pub use text::{Conversion, convert};
pub use writer::{MOST_POSITIONS, Writer};
