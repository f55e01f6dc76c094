//! PGN: games as text, in and out.

mod read;
mod results;
mod write;

pub use read::{PgnError, PgnGame, read_pgn};
pub use results::{PlayedGame, read_results};
pub use write::PgnWriter;
