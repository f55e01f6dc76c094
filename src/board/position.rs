//! A position: shakmaty's board with its keys and checkers.
//!
//! Moves are played on a copy (copy-make) and not taken back. A copy takes about 10 ns, which is less than undoing a
//! move would take.

use shakmaty::fen::Fen;
use shakmaty::san::{San, SanError, SanPlus};
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, CastlingMode, Chess, Color, EnPassantMode, Position as _, Role, Square};

use super::attackers::{attackers, king};
use super::complete::complete;
use super::generate::{MoveList, Selection, Wanted, generate};
use super::keys::Keys;
use super::moves::{Move, PackedMove};
use super::notation::{FenError, MoveError, parse_fen, shorten};

/// A legal chess position with its key.
#[derive(Clone, Debug)]
pub struct Position {
    pub(super) chess: Chess,
    keys: Keys,
    checkers: Bitboard,
}

impl Default for Position {
    fn default() -> Position {
        Position::from_chess(Chess::new())
    }
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.chess == other.chess
    }
}

impl Eq for Position {}

impl Position {
    pub(super) fn from_chess(chess: Chess) -> Position {
        let keys = Keys::of(&chess);
        let checkers = chess.checkers();
        Position { chess, keys, checkers }
    }

    /// Plays a legal move in place.
    #[inline]
    pub fn play(&mut self, m: Move) {
        *self = self.after(m);
    }

    /// The position after a legal move.
    #[inline]
    #[must_use]
    pub fn after(&self, m: Move) -> Position {
        let mut next = self.chess.clone();
        next.play_unchecked(m.to_shakmaty());
        let mut keys = self.keys;
        keys.follow(&self.chess, m, &next);
        let checkers = next.checkers();
        debug_assert_eq!(keys, Keys::of(&next), "keys after {m:?}");
        Position { chess: next, keys, checkers }
    }

    /// The position after a null move: the other side is to move. `None` if that is not legal.
    #[must_use]
    pub fn after_null_move(&self) -> Option<Position> {
        if self.in_check() {
            return None;
        }
        let mut keys = self.keys;
        keys.follow_null_move(&self.chess);
        let chess = self.chess.clone().swap_turn().ok()?;
        debug_assert_eq!(keys, Keys::of(&chess), "keys after a null move");
        Some(Position { chess, keys, checkers: Bitboard::EMPTY })
    }

    /// The Zobrist key.
    #[inline]
    pub fn key(&self) -> u64 {
        self.keys.whole
    }

    /// The Zobrist keys of the position and of its parts.
    #[inline]
    pub(crate) fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The key of the position after `m`, ignoring changes to castling rights and en passant. It is good enough to
    /// prefetch a table entry.
    #[inline]
    pub(crate) fn key_hint_after(&self, m: Move) -> u64 {
        self.keys.hint_after(self.turn(), m)
    }

    /// The side to move.
    #[inline]
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    /// The pieces that give check.
    #[cfg(test)]
    pub(super) fn checkers(&self) -> Bitboard {
        self.checkers
    }

    /// Whether the side to move is in check.
    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

    /// The occupied squares.
    #[inline]
    pub fn occupied(&self) -> Bitboard {
        self.chess.board().occupied()
    }

    /// Pieces of one colour.
    #[inline]
    pub fn of_colour(&self, colour: Color) -> Bitboard {
        self.chess.board().by_color(colour)
    }

    /// Pieces of one role, both colours.
    #[inline]
    pub(crate) fn of_role(&self, role: Role) -> Bitboard {
        self.chess.board().by_role(role)
    }

    /// Pieces of one colour and role.
    #[inline]
    pub(crate) fn pieces(&self, colour: Color, role: Role) -> Bitboard {
        self.of_colour(colour) & self.of_role(role)
    }

    /// The king's square. Every position that can be set up has both kings.
    #[inline]
    pub(crate) fn king(&self, colour: Color) -> Square {
        king(self.chess.board(), colour)
    }

    #[inline]
    pub(crate) fn role_at(&self, square: Square) -> Option<Role> {
        self.chess.board().role_at(square)
    }

    #[inline]
    pub(crate) fn colour_at(&self, square: Square) -> Option<Color> {
        self.chess.board().color_at(square)
    }

    /// The target square of a legal en passant capture.
    pub fn en_passant(&self) -> Option<Square> {
        self.chess.legal_ep_square()
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    #[inline]
    pub(crate) fn fullmoves(&self) -> u32 {
        self.chess.fullmoves().get()
    }

    /// Plies played since the start of the game, according to the move number.
    pub fn plies(&self) -> usize {
        2 * (self.fullmoves() as usize - 1) + usize::from(self.turn().is_black())
    }

    /// Whether this side has any piece other than its king and pawns.
    #[inline]
    pub(crate) fn has_pieces(&self, colour: Color) -> bool {
        let board = self.chess.board();
        (board.by_color(colour) & !board.pawns() & !board.kings()).any()
    }

    /// Rooks that may still castle.
    #[inline]
    pub(crate) fn castling_rooks(&self) -> Bitboard {
        self.chess.castles().castling_rights()
    }

    /// Whether this is a Chess960 position, which affects how castling is written.
    pub fn is_chess960(&self) -> bool {
        self.chess.castles().mode() == CastlingMode::Chess960
    }

    /// Whether neither side has the material to mate by any sequence of moves.
    #[inline]
    pub fn is_insufficient_material(&self) -> bool {
        self.chess.is_insufficient_material()
    }

    /// Whether this side has more than a king. A bare king cannot win, not even on time.
    pub fn can_win(&self, colour: Color) -> bool {
        self.of_colour(colour).count() > 1
    }

    /// The pieces of both colours that attack a square, given the occupied squares.
    #[inline]
    pub(crate) fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        attackers(self.chess.board(), square, occupied)
    }

    /// All legal moves, captures first.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate(Selection::Noisy, &mut moves);
        self.generate(Selection::Quiet, &mut moves);
        moves
    }

    /// Appends the legal moves of the selected kinds.
    #[inline]
    pub fn generate(&self, selection: Selection, moves: &mut MoveList) {
        let wanted = Wanted { selection, from: Bitboard::FULL };
        generate(&self.chess, self.checkers, wanted, moves);
    }

    /// The legal move that a packed move represents in this position, if there is one.
    #[inline]
    pub(crate) fn complete(&self, packed: PackedMove) -> Option<Move> {
        if packed.is_none() { None } else { complete(&self.chess, self.checkers, packed) }
    }

    /// Whether the side to move has a legal move.
    pub fn has_legal_move(&self) -> bool {
        !self.legal_moves().is_empty()
    }

    /// Reads a FEN. Trailing fields may be missing. The position counts as Chess960 if `chess960` is set, or if kings
    /// and rooks with castling rights are on squares that are possible only in Chess960.
    pub fn from_fen(text: &str, chess960: bool) -> Result<Position, FenError> {
        parse_fen(text, chess960).map(Position::from_chess)
    }

    /// The position as a FEN with all six fields. The en passant square is given only if the capture is legal.
    pub fn fen(&self) -> String {
        Fen::from_position(&self.chess, EnPassantMode::Legal).to_string()
    }

    /// Reads a move in UCI notation. Castling may be written as `e1g1` or `e1h1`.
    pub fn parse_uci(&self, text: &str) -> Result<Move, MoveError> {
        let syntax = || MoveError::Syntax(shorten(text));
        let illegal = || MoveError::Illegal(shorten(text), self.fen());
        let uci = UciMove::from_ascii(text.as_bytes()).map_err(|_| syntax())?;
        let m = uci.to_move(&self.chess).map_err(|_| illegal())?;
        Ok(Move::from_shakmaty(m))
    }

    /// A move in UCI notation. Castling is `e1g1` in standard chess and `e1h1` in Chess960.
    pub fn uci(&self, m: Move) -> String {
        m.to_shakmaty().to_uci(self.chess.castles().mode()).to_string()
    }

    /// The move number as PGN writes it: `12.` before White's moves, `12...` before Black's.
    pub fn move_number(&self) -> String {
        let dots = if self.turn().is_white() { "." } else { "..." };
        format!("{}{dots}", self.fullmoves())
    }

    /// Reads a move in standard algebraic notation.
    pub fn parse_san(&self, text: &str) -> Result<Move, MoveError> {
        let san =
            SanPlus::from_ascii(text.as_bytes()).map_err(|_| MoveError::San(shorten(text)))?.san;
        let m = san.to_move(&self.chess).map_err(|error| match error {
            SanError::AmbiguousSan => MoveError::Ambiguous(shorten(text)),
            SanError::IllegalSan => MoveError::Illegal(shorten(text), self.fen()),
        })?;
        Ok(Move::from_shakmaty(m))
    }

    /// A legal move in standard algebraic notation, with check and mate signs.
    pub fn san(&self, m: Move) -> String {
        SanPlus::from_move(self.chess.clone(), m.to_shakmaty()).to_string()
    }

    /// [`Position::san`] without the check and mate signs, which are the slowest part to work out.
    pub(crate) fn plain_san(&self, m: Move) -> String {
        San::from_move(&self.chess, m.to_shakmaty()).to_string()
    }
}
