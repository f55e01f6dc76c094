//! The rules of chess, as the rest of the program sees them.
//!
//! This is the only home of `shakmaty`. Everything above works with [`Position`] (copied and
//! played, never taken back), the four-byte [`Move`], and [`Game`], a position with the history
//! that repetition needs. Move generation for the search, the exchange evaluator and the
//! incremental keys are ours; legality of input, FEN and SAN are the library's.

mod checks;
mod exchange;
mod game;
mod generate;
mod keys;
mod moves;
mod notation;
mod packed;
mod phase;
mod position;
mod syzygy;
#[cfg(test)]
mod wandering;

pub use checks::Checks;
pub use exchange::{EXCHANGE_VALUES, exchange_at_least};
pub use game::{Ending, Game, GameError};
pub use generate::{MoveList, Selection, divide, perft};
pub use moves::{Move, PackedMove};
pub use notation::{FenError, MoveError, STARTING_FEN, shorten};
pub use packed::PackedPosition;
pub use phase::Phase;
pub use position::Position;
pub use syzygy::{Distance, FiftyMoveResult, LookupError, SyzygyFiles};

pub use shakmaty::attacks;
pub use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Color as Colour, File, Rank, Role, Square,
};

/// Where in a pair a side's part is: White's is the first.
pub fn place_of(colour: Colour) -> usize {
    usize::from(colour == Colour::Black)
}
