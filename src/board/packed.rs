//! A position in 27 bytes, for training data with millions of positions.
//!
//! | bytes | content |
//! |-------|------|
//! | 0-7   | occupied squares, a1 the lowest bit |
//! | 8-23  | four bits for each occupied square, in the same order, the lower half of a byte first: the role from 1 to 6, or 7 for a rook that may castle; plus 8 for Black |
//! | 24    | 1: Black to move; 2: castling is written as in Chess960 |
//! | 25    | plies since the last capture or pawn move, at most 255 |
//! | 26    | the target square of an en passant capture; 64: none |

use std::num::NonZeroU32;

use shakmaty::{Bitboard, Board, CastlingMode, Chess, Color, PositionError, Role, Setup, Square};

use super::position::Position;

/// A packed position. One that comes from a file may contain anything.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct PackedPosition(pub [u8; PackedPosition::SIZE]);

const BLACK_TO_MOVE: u8 = 1;
const CHESS960: u8 = 2;
const CASTLING_ROOK: u8 = 7;
const BLACK: u8 = 8;
const NO_SQUARE: u8 = 64;
const MAX_PIECES: usize = 32;

impl PackedPosition {
    /// The number of bytes.
    pub const SIZE: usize = 27;

    /// The occupied squares.
    pub fn occupied(&self) -> Bitboard {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.0[..8]);
        Bitboard(u64::from_le_bytes(bytes))
    }

    /// The side to move.
    pub fn turn(&self) -> Color {
        Color::from_white(self.0[24] & BLACK_TO_MOVE == 0)
    }

    /// The pieces by square, up to the first invalid code.
    pub fn pieces(&self) -> impl Iterator<Item = (Color, Role, Square)> + '_ {
        self.codes().map_while(|(square, code)| {
            let role = if code % BLACK == CASTLING_ROOK { Role::Rook } else { role(code)? };
            Some((colour(code), role, square))
        })
    }

    fn codes(&self) -> impl Iterator<Item = (Square, u8)> + '_ {
        let half = |index: usize| self.0[8 + index / 2] >> (4 * (index % 2)) & 15;
        let squares = self.occupied().into_iter().take(MAX_PIECES);
        squares.enumerate().map(move |(index, square)| (square, half(index)))
    }

    /// Packs a position without its move number. `None` if it has more than 32 pieces.
    pub fn of(position: &Position) -> Option<PackedPosition> {
        let occupied = position.occupied();
        if occupied.count() > MAX_PIECES {
            return None;
        }
        let mut bytes = [0; PackedPosition::SIZE];
        bytes[..8].copy_from_slice(&occupied.0.to_le_bytes());
        let castling = position.castling_rooks();
        for (index, square) in occupied.into_iter().enumerate() {
            let role = position.role_at(square)? as u8;
            let code = if castling.contains(square) { CASTLING_ROOK } else { role };
            let colour = if position.of_colour(Color::Black).contains(square) { BLACK } else { 0 };
            bytes[8 + index / 2] |= (code | colour) << (4 * (index % 2));
        }
        let black = if position.turn() == Color::Black { BLACK_TO_MOVE } else { 0 };
        bytes[24] = black | if position.is_chess960() { CHESS960 } else { 0 };
        bytes[25] = position.halfmoves().min(255) as u8;
        bytes[26] = position.en_passant().map_or(NO_SQUARE, |square| square as u8);
        Some(PackedPosition(bytes))
    }

    /// The position, or `None` if the bytes do not describe a legal one.
    pub fn unpack(&self) -> Option<Position> {
        if self.occupied().count() > MAX_PIECES {
            return None;
        }
        let mut board = Board::empty();
        let mut castling_rights = Bitboard::EMPTY;
        for (square, code) in self.codes() {
            if code % BLACK == CASTLING_ROOK {
                castling_rights.add(square);
                board.set_piece_at(square, Role::Rook.of(colour(code)));
            } else {
                board.set_piece_at(square, role(code)?.of(colour(code)));
            }
        }
        let [.., flags, halfmoves, en_passant] = self.0;
        let setup = Setup {
            board,
            turn: self.turn(),
            castling_rights,
            ep_square: (en_passant != NO_SQUARE).then(|| Square::new(u32::from(en_passant & 63))),
            halfmoves: u32::from(halfmoves),
            fullmoves: NonZeroU32::MIN,
            ..Setup::empty()
        };
        let mode = CastlingMode::from_chess960(flags & CHESS960 != 0);
        setup
            .position::<Chess>(mode)
            .or_else(PositionError::ignore_impossible_check)
            .map(Position::from_chess)
            .ok()
    }
}

fn colour(code: u8) -> Color {
    Color::from_white(code & BLACK == 0)
}

fn role(code: u8) -> Option<Role> {
    Role::ALL.get(usize::from(code % BLACK).wrapping_sub(1)).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packing_keeps_everything_except_the_move_number() {
        let fens = [
            "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
            "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b Kq - 7 1",
            "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
            "1r2k1r1/8/8/8/8/8/8/1R2K1R1 w GBgb - 99 1",
            "8/8/4k3/8/8/4K3/8/8 b - - 12 1",
        ];
        for fen in fens {
            let position = Position::from_fen(fen, false).expect(fen);
            let packed = PackedPosition::of(&position).expect(fen);
            assert_eq!(packed.unpack().expect(fen).fen(), position.fen());
            let pieces = packed.pieces().count();
            assert_eq!(pieces, position.occupied().count(), "{fen}");
        }
    }

    #[test]
    fn invalid_bytes_are_refused() {
        for byte in 0..=255 {
            assert_eq!(PackedPosition([byte; PackedPosition::SIZE]).unpack(), None, "{byte}");
        }
    }
}
