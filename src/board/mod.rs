//! The rules of chess: positions, moves, games and their notation.
//!
//! This is the only module that uses `shakmaty`. The rest of the program uses [`Position`], the four-byte [`Move`] and
//! [`Game`], a position with the history that repetitions need. Each move is played on a copy of the position, so moves
//! need not be taken back. shakmaty reads FEN and SAN and checks input for legality. Move generation for the search,
//! static exchange and incremental keys are our own.

mod attackers;
mod checks;
mod complete;
mod exchange;
mod game;
mod generate;
mod keys;
mod moves;
mod notation;
mod packed;
mod perft;
mod phase;
mod position;
#[cfg(test)]
mod random_games;
mod reversible;
mod syzygy;

pub(crate) use checks::Checks;
pub(crate) use exchange::EXCHANGE_VALUES;
pub use exchange::see_at_least;
pub use game::{Game, GameEnd, GameError};
pub use generate::{MoveList, Selection};
pub use keys::colour_index;
pub use moves::{Move, PackedMove};
pub use notation::{FenError, MoveError};
pub(crate) use notation::{STARTING_FEN, shorten};
pub use packed::PackedPosition;
pub(crate) use perft::divide;
pub use perft::perft;
pub use phase::Phase;
pub use position::Position;
pub(crate) use reversible::reversible_move;
pub use syzygy::{Distance, FiftyMoveResult, LookupError, SyzygyFiles};

pub(crate) use shakmaty::attacks;
pub use shakmaty::{Bitboard, Color as Colour, File, Rank, Role, Square};
