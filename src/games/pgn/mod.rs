//! Reads and writes PGN, the standard text format for chess games.
//!
//! Real PGN files are large and often malformed. [`PgnStream`] cuts a file into games line by line,
//! so that only one game is in memory. An error in one game does not affect the next. [`read_pgn`]
//! splits the text of a game into tags and moves. [`PgnGame::replay`] turns the moves into a
//! [`crate::board::Game`]. [`PgnWriter`] writes games in the export format of the PGN standard.

mod at_line;
mod game;
mod open;
mod read;
mod results;
mod scales;
mod stream;
mod tag;
mod write;

pub use at_line::AtLine;
pub use game::{PgnError, PgnFault, PgnGame, Server};
pub(crate) use game::{RATING_SCALE_TAG, parse_move};
pub(crate) use open::{BYTE_ORDER_MARK, is_packed, open_text_later};
pub use open::{open_text, unpacked};
pub use read::read_pgn;
pub use results::{PlayersAndResult, read_results};
pub(crate) use scales::{count_scales, most_common_scale};
pub use stream::{PgnStream, StreamFault};
pub(crate) use stream::{PgnText, StreamError};
pub(crate) use tag::decoded;
pub use write::PgnWriter;
