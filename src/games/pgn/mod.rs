//! PGN: games as text, in and out.

mod read;
mod write;

pub use read::{PgnError, PgnGame, read_pgn};
pub use write::PgnWriter;
