//! Zobrist keys of positions, updated incrementally.
//!
//! A key is the XOR of one random number for each feature of the position: each piece on its square, the side to move,
//! castling rights and en passant. A move changes only a few features, so an update takes a few operations. The random
//! numbers are the ones that `shakmaty` and Polyglot books use. shakmaty cannot update the key for the one move
//! in five that changes castling rights or en passant. The update here handles them too. En passant counts only if the
//! capture is legal, as the repetition rule demands.
//!
//! There are also separate keys for the pawns and for each side's pieces, which correction history uses.

use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Board, Castles, CastlingSide, Chess, Color, EnPassantMode, Piece, Position as _};
use shakmaty::{Role, Square};

use super::moves::Move;

/// The keys of one position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    /// Everything that the repetition rule compares.
    pub whole: u64,
    /// Pawns of both sides.
    pub pawns: u64,
    /// Pieces other than pawns, by colour (white, black).
    pub pieces: [u64; 2],
}

impl Keys {
    /// Computes the keys from scratch. This is slow, so it is used only to set up positions and to check updates.
    pub fn of(chess: &Chess) -> Keys {
        let mut keys = Keys {
            whole: chess.zobrist_hash::<Zobrist64>(EnPassantMode::Legal).0,
            pawns: 0,
            pieces: [0; 2],
        };
        let board: &Board = chess.board();
        for (square, piece) in board {
            keys.toggle_part(piece, piece_key(piece, square));
        }
        keys
    }

    #[inline]
    fn toggle_part(&mut self, piece: Piece, key: u64) {
        if piece.role == Role::Pawn {
            self.pawns ^= key;
        } else {
            self.pieces[colour_index(piece.color)] ^= key;
        }
    }

    #[inline]
    fn toggle(&mut self, piece: Piece, square: Square) {
        let key = piece_key(piece, square);
        self.whole ^= key;
        self.toggle_part(piece, key);
    }

    /// Updates the keys for a move, given the positions before and after it.
    #[inline]
    pub fn follow(&mut self, before: &Chess, m: Move, after: &Chess) {
        let us = before.turn();
        let (from, to) = (m.from(), m.to());
        if m.is_castle() {
            let side = CastlingSide::from_king_side(to > from);
            self.toggle(Role::King.of(us), from);
            self.toggle(Role::Rook.of(us), to);
            self.toggle(Role::King.of(us), side.king_to(us));
            self.toggle(Role::Rook.of(us), side.rook_to(us));
        } else {
            if let Some(captured) = m.captured() {
                let square = if m.is_en_passant() {
                    Square::from_coords(to.file(), from.rank())
                } else {
                    to
                };
                self.toggle(captured.of(!us), square);
            }
            self.toggle(m.role().of(us), from);
            self.toggle(m.promoted().unwrap_or(m.role()).of(us), to);
        }
        self.whole ^= castling_difference(before.castles(), after.castles())
            ^ en_passant_key(before)
            ^ en_passant_key(after)
            ^ Zobrist64::zobrist_for_white_turn().0;
    }

    /// The whole key after a move, ignoring the effects of castling, en passant and castling rights.
    #[inline]
    pub fn hint_after(&self, us: Color, m: Move) -> u64 {
        let landed = m.promoted().unwrap_or(m.role());
        let taken = m.captured().map_or(0, |role| piece_key(role.of(!us), m.to()));
        let moved = piece_key(m.role().of(us), m.from()) ^ piece_key(landed.of(us), m.to());
        self.whole ^ taken ^ moved ^ Zobrist64::zobrist_for_white_turn().0
    }

    /// Updates the keys for a null move.
    #[inline]
    pub fn follow_null_move(&mut self, before: &Chess) {
        self.whole ^= en_passant_key(before) ^ Zobrist64::zobrist_for_white_turn().0;
    }
}

/// The index of a side in a pair in which White comes first.
#[inline]
pub const fn colour_index(colour: Color) -> usize {
    match colour {
        Color::White => 0,
        Color::Black => 1,
    }
}

#[inline]
pub(super) fn piece_key(piece: Piece, square: Square) -> u64 {
    Zobrist64::zobrist_for_piece(square, piece).0
}

#[inline]
fn castling_difference(before: &Castles, after: &Castles) -> u64 {
    if before.castling_rights() == after.castling_rights() {
        return 0;
    }
    let mut key = 0;
    for colour in Color::ALL {
        for side in CastlingSide::ALL {
            if before.has(colour, side) != after.has(colour, side) {
                key ^= Zobrist64::zobrist_for_castling_right(colour, side).0;
            }
        }
    }
    key
}

#[inline]
fn en_passant_key(chess: &Chess) -> u64 {
    if chess.maybe_ep_square().is_none() {
        return 0;
    }
    match chess.legal_ep_square() {
        Some(square) => Zobrist64::zobrist_for_en_passant_file(square.file()).0,
        None => 0,
    }
}
