//! PGN: games as text, in and out.

mod game;
mod open;
mod read;
mod results;
mod stream;
mod tags;
mod write;

pub use game::{PgnError, PgnGame};
pub use open::{BYTE_ORDER_MARK, open_text, unpacked};
pub use read::read_pgn;
pub use results::{ResultOfGame, read_results};
pub use stream::{PgnStream, StreamError};
pub use tags::decoded;
pub use write::PgnWriter;
