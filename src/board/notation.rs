//! Reads FENs, and defines the errors for invalid FENs and moves.
//!
//! Many programs write slightly wrong FENs: castling rights without the rook, an en passant square where no pawn can
//! capture, one or two missing fields. These are corrected, as in other programs. Positions that break the rules of
//! chess are rejected with a reason. Examples are a missing king, a check against the side that is not to move, and
//! more pieces than promotion allows.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, PositionError, PositionErrorKinds};

/// The starting position of standard chess.
pub const STARTING_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// The reason for rejecting a FEN, including its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    /// The text is not a FEN.
    #[error("\"{0}\" is not a FEN: {1}")]
    Syntax(String, String),
    /// The position cannot occur in a game.
    #[error("\"{0}\" is not a legal chess position: {1}")]
    Illegal(String, String),
}

/// The reason for rejecting a move, including its text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    /// The text is not a move in UCI notation.
    #[error("\"{0}\" is not a move (write e2e4, e7e8q or e1g1)")]
    Syntax(String),
    /// The text is not a move in standard algebraic notation.
    #[error("\"{0}\" is not a move (write e4, Nf3 or O-O)")]
    San(String),
    /// The move is not legal.
    #[error("\"{0}\" is not legal in {1}")]
    Illegal(String, String),
    /// More than one piece can make the move.
    #[error("\"{0}\" is ambiguous: add the file or rank of the piece")]
    Ambiguous(String),
}

/// Reads a FEN; see [`Position::from_fen`](super::Position::from_fen).
pub(super) fn parse_fen(text: &str, chess960: bool) -> Result<Chess, FenError> {
    let quoted = || shorten(text);
    let fen: Fen = text.trim().parse().map_err(|e| FenError::Syntax(quoted(), format!("{e}")))?;
    let setup = fen.into_setup();
    let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
    setup
        .position::<Chess>(mode)
        .or_else(PositionError::ignore_invalid_castling_rights)
        .or_else(PositionError::ignore_invalid_ep_square)
        .or_else(PositionError::ignore_impossible_check)
        .map_err(|e| FenError::Illegal(quoted(), reason(e.kinds())))
}

/// Shortens untrusted text to at most 80 characters, and replaces control characters.
pub fn shorten(text: &str) -> String {
    let rest = if text.chars().count() <= 80 { "" } else { "..." };
    let quoted = text.chars().take(80 - rest.len());
    let harmless = quoted.map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    harmless.chain(rest.chars()).collect()
}

/// The reason, in words that a chess player understands.
fn reason(kinds: PositionErrorKinds) -> String {
    let known = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn is on the first or last rank"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side that is not to move is in check"),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, "there are more pieces than promotion allows"),
    ];
    let found: Vec<&str> =
        known.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, words)| *words).collect();
    if found.is_empty() { format!("{kinds:?}") } else { found.join(", ") }
}
