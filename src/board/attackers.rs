//! The pieces that attack a square, and the blockers that shield it from sliders.

use shakmaty::attacks;
use shakmaty::{Bitboard, Board, Color, Square};

/// The pieces of both colours that attack a square, given the occupied squares.
#[inline]
pub(super) fn attackers(board: &Board, square: Square, occupied: Bitboard) -> Bitboard {
    (attacks::rook_attacks(square, occupied) & board.rooks_and_queens())
        | (attacks::bishop_attacks(square, occupied) & board.bishops_and_queens())
        | (attacks::knight_attacks(square) & board.knights())
        | (attacks::king_attacks(square) & board.kings())
        | (attacks::pawn_attacks(Color::Black, square) & board.pawns() & board.white())
        | (attacks::pawn_attacks(Color::White, square) & board.pawns() & board.black())
}

/// Pieces of `colour` that are pinned to their king.
#[inline]
pub(super) fn pinned(board: &Board, colour: Color) -> Bitboard {
    shields(board, colour, king(board, colour), !colour)
}

/// Pieces of `colour` that alone shield a square from a slider of the side `sliders`.
#[inline]
pub(super) fn shields(board: &Board, colour: Color, square: Square, sliders: Color) -> Bitboard {
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

/// The king's square. Every position that can be set up has both kings.
#[inline]
pub(super) fn king(board: &Board, colour: Color) -> Square {
    board.king_of(colour).expect("positions without a king are refused on entry")
}
