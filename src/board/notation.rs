//! Positions and moves as text: FEN, UCI moves, SAN.
//!
//! Programs write slightly wrong FENs all the time: castling rights without the rook, a stale en
//! passant square, one or two fields missing. Those are mended as every other program mends them.
//! What would break the rules of chess (no king, the side not to move in check, more pieces than
//! promotion can make) is refused with a reason.

use shakmaty::fen::Fen;
use shakmaty::san::{San, SanPlus};
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use shakmaty::{PositionError, PositionErrorKinds};

use super::moves::Move;
use super::position::Position;

/// The position that every game of standard chess begins with.
pub const STARTING_FEN: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Why a FEN was refused; both forms hold the offending text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FenError {
    #[error("\"{0}\" is not a FEN: {1}")]
    Syntax(String, String),
    #[error("\"{0}\" is not a legal chess position: {1}")]
    Illegal(String, String),
}

/// Why a move was refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MoveError {
    #[error("\"{0}\" is not a move (write e2e4, e7e8q or e1g1)")]
    Syntax(String),
    #[error("\"{0}\" is not legal in {1}")]
    Illegal(String, String),
}

impl Position {
    /// Reads a FEN; trailing fields may be missing. Castling is written in the standard way unless
    /// `chess960` is asked for or the rooks and kings stand where only Chess960 has them.
    pub fn from_fen(text: &str, chess960: bool) -> Result<Position, FenError> {
        let quoted = || shorten(text);
        let fen: Fen =
            text.trim().parse().map_err(|e| FenError::Syntax(quoted(), format!("{e}")))?;
        let setup = fen.into_setup();
        let mode = if chess960 { CastlingMode::Chess960 } else { CastlingMode::detect(&setup) };
        setup
            .position::<Chess>(mode)
            .or_else(PositionError::ignore_invalid_castling_rights)
            .or_else(PositionError::ignore_invalid_ep_square)
            .or_else(PositionError::ignore_impossible_check)
            .map(Position::from_chess)
            .map_err(|e| FenError::Illegal(quoted(), reason(e.kinds())))
    }

    /// The position as FEN, all six fields. En passant is given where the capture is legal.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// Reads a move as UCI writes it. Both forms of castling are understood.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax(shorten(text));
        let illegal = || MoveError::Illegal(shorten(text), self.fen());
        let uci = UciMove::from_ascii(text.as_bytes()).map_err(|_| syntax())?;
        let m = uci.to_move(&self.chess).map_err(|_| illegal())?;
        Ok(Move::from_shakmaty(m))
    }

    /// A move as UCI writes it: `e1g1` in standard chess, `e1h1` in Chess960.
    pub fn uci(&self, m: Move) -> String {
        m.to_shakmaty().to_uci(self.chess.castles().mode()).to_string()
    }

    /// What stands before a move: `12.` before one of White's, `12...` before one of Black's.
    pub fn move_number(&self) -> String {
        let dots = if self.turn().is_white() { "." } else { "..." };
        format!("{}{dots}", self.fullmoves())
    }

    /// Reads a move in standard algebraic notation.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let san =
            SanPlus::from_ascii(text.as_bytes()).map_err(|_| MoveError::Syntax(shorten(text)))?.san;
        let m =
            san.to_move(&self.chess).map_err(|_| MoveError::Illegal(shorten(text), self.fen()))?;
        Ok(Move::from_shakmaty(m))
    }

    /// A legal move in standard algebraic notation, with check and mate signs.
    pub fn san(&self, m: Move) -> String {
        SanPlus::from_move(self.chess.clone(), m.to_shakmaty()).to_string()
    }

    /// [`Position::san`] without the signs, at a fraction of the cost.
    pub fn plain_san(&self, m: Move) -> String {
        San::from_move(&self.chess, m.to_shakmaty()).to_string()
    }
}

/// Quotes at most 80 characters of somebody else's text, without any that a terminal would obey.
pub fn shorten(text: &str) -> String {
    let rest = if text.chars().count() <= 80 { "" } else { "..." };
    let quoted = text.chars().take(80 - rest.len());
    let harmless = quoted.map(|c| if c.is_control() { char::REPLACEMENT_CHARACTER } else { c });
    harmless.chain(rest.chars()).collect()
}

/// Says what is wrong in words that a chess player knows.
fn reason(kinds: PositionErrorKinds) -> String {
    let known = [
        (PositionErrorKinds::EMPTY_BOARD, "the board is empty"),
        (PositionErrorKinds::MISSING_KING, "a king is missing"),
        (PositionErrorKinds::TOO_MANY_KINGS, "a side has more than one king"),
        (PositionErrorKinds::PAWNS_ON_BACKRANK, "a pawn stands on the first or last rank"),
        (PositionErrorKinds::OPPOSITE_CHECK, "the side that is not to move is in check"),
        (PositionErrorKinds::TOO_MUCH_MATERIAL, "more pieces than promotion can make"),
    ];
    let found: Vec<&str> =
        known.iter().filter(|(kind, _)| kinds.contains(*kind)).map(|(_, words)| *words).collect();
    if found.is_empty() { format!("{kinds:?}") } else { found.join(", ") }
}
