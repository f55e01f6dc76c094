//! A position: the rules library's board with keys and checkers kept beside it.
//!
//! Positions are copied and played; there is no taking back. A copy costs some 10 ns, less than
//! the book-keeping that undoing would need.

use shakmaty::attacks;
use shakmaty::{Bitboard, CastlingMode, Chess, Color, Position as _, Role, Square};

use super::generate::{self, MoveList, Selection};
use super::keys::Keys;
use super::moves::{Move, PackedMove};

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

    /// The position with the other side to move, or `None` where that is not legal.
    #[must_use]
    pub fn after_pass(&self) -> Option<Position> {
        if self.in_check() {
            return None;
        }
        let mut keys = self.keys;
        keys.follow_pass(&self.chess);
        let chess = self.chess.clone().swap_turn().ok()?;
        debug_assert_eq!(keys, Keys::of(&chess), "keys after a pass");
        Some(Position { chess, keys, checkers: Bitboard::EMPTY })
    }

    #[inline]
    pub fn key(&self) -> u64 {
        self.keys.whole
    }

    #[inline]
    pub fn keys(&self) -> &Keys {
        &self.keys
    }

    /// The key that the position after `m` will have, nearly: castling rights and en passant are
    /// left out. Good enough to fetch a table entry early.
    #[inline]
    pub fn key_hint_after(&self, m: Move) -> u64 {
        self.keys.hint_after(self.turn(), m)
    }

    #[inline]
    pub fn turn(&self) -> Color {
        self.chess.turn()
    }

    #[inline]
    pub fn checkers(&self) -> Bitboard {
        self.checkers
    }

    #[inline]
    pub fn in_check(&self) -> bool {
        self.checkers.any()
    }

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
    pub fn of_role(&self, role: Role) -> Bitboard {
        self.chess.board().by_role(role)
    }

    #[inline]
    pub fn pieces(&self, colour: Color, role: Role) -> Bitboard {
        self.of_colour(colour) & self.of_role(role)
    }

    /// The king's square. Every position that can be built has both kings.
    #[inline]
    pub fn king(&self, colour: Color) -> Square {
        self.chess.board().king_of(colour).expect("positions without a king are refused on entry")
    }

    #[inline]
    pub fn role_at(&self, square: Square) -> Option<Role> {
        self.chess.board().role_at(square)
    }

    #[inline]
    pub fn colour_at(&self, square: Square) -> Option<Color> {
        self.chess.board().color_at(square)
    }

    /// The square passed over by a pawn that may legally be captured en passant now.
    pub fn en_passant(&self) -> Option<Square> {
        self.chess.legal_ep_square()
    }

    /// Plies since the last capture or pawn move.
    #[inline]
    pub fn halfmoves(&self) -> u32 {
        self.chess.halfmoves()
    }

    #[inline]
    pub fn fullmoves(&self) -> u32 {
        self.chess.fullmoves().get()
    }

    /// Plies played before, by the move number.
    pub fn plies(&self) -> usize {
        2 * (self.fullmoves() as usize - 1) + usize::from(self.turn().is_black())
    }

    /// Does this side have more than king and pawns?
    #[inline]
    pub fn has_pieces(&self, colour: Color) -> bool {
        let board = self.chess.board();
        (board.by_color(colour) & !board.pawns() & !board.kings()).any()
    }

    /// Rooks that may still castle.
    #[inline]
    pub fn castling_rooks(&self) -> Bitboard {
        self.chess.castles().castling_rights()
    }

    /// Is this a position of Chess960 (and to be written so)?
    pub fn is_chess960(&self) -> bool {
        self.chess.castles().mode() == CastlingMode::Chess960
    }

    /// Neither side can be mated by any sequence of moves, by material alone.
    #[inline]
    pub fn is_insufficient_material(&self) -> bool {
        self.chess.is_insufficient_material()
    }

    /// The attackers of a square, of both colours, through the given occupancy.
    #[inline]
    pub fn attackers(&self, square: Square, occupied: Bitboard) -> Bitboard {
        let board = self.chess.board();
        (attacks::rook_attacks(square, occupied) & board.rooks_and_queens())
            | (attacks::bishop_attacks(square, occupied) & board.bishops_and_queens())
            | (attacks::knight_attacks(square) & board.knights())
            | (attacks::king_attacks(square) & board.kings())
            | (attacks::pawn_attacks(Color::Black, square) & board.pawns() & board.white())
            | (attacks::pawn_attacks(Color::White, square) & board.pawns() & board.black())
    }

    /// Pieces of `colour` that shield their own king from a slider.
    #[inline]
    pub fn pinned(&self, colour: Color) -> Bitboard {
        self.shields(colour, self.king(colour), !colour)
    }

    /// Pieces of `colour` that stand alone between a slider of `sliders` and a square.
    #[inline]
    pub(super) fn shields(&self, colour: Color, square: Square, sliders: Color) -> Bitboard {
        let board = self.chess.board();
        let snipers = board.by_color(sliders)
            & ((attacks::rook_attacks(square, Bitboard::EMPTY) & board.rooks_and_queens())
                | (attacks::bishop_attacks(square, Bitboard::EMPTY) & board.bishops_and_queens()));
        let mut shields = Bitboard::EMPTY;
        for sniper in snipers {
            let between = attacks::between(square, sniper) & board.occupied();
            if !between.more_than_one() {
                shields |= between & board.by_color(colour);
            }
        }
        shields
    }

    /// All legal moves, captures first.
    pub fn legal_moves(&self) -> MoveList {
        let mut moves = MoveList::new();
        self.generate(Selection::Noisy, &mut moves);
        self.generate(Selection::Quiet, &mut moves);
        moves
    }

    /// Appends the legal moves of a selection.
    #[inline]
    pub fn generate(&self, selection: Selection, moves: &mut MoveList) {
        generate::generate(self, selection, Bitboard::FULL, moves);
    }

    /// The legal move that a packed one stands for in this position.
    #[inline]
    pub fn complete(&self, packed: PackedMove) -> Option<Move> {
        if packed.is_none() || !self.of_colour(self.turn()).contains(packed.from()) {
            return None;
        }
        let mut moves = MoveList::new();
        let from = Bitboard::from_square(packed.from());
        generate::generate(self, Selection::Noisy, from, &mut moves);
        generate::generate(self, Selection::Quiet, from, &mut moves);
        moves.iter().copied().find(|m| m.packed() == packed)
    }

    /// Does the side to move have a legal move at all?
    pub fn has_legal_move(&self) -> bool {
        !self.legal_moves().is_empty()
    }
}
