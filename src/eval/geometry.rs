//! Squares ahead of and beside a set of squares, and the squares that a side attacks, by the value
//! of the attackers.

use crate::board::{Bitboard, Colour, Position, Role, attacks};

const NOT_A_FILE: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H_FILE: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The squares one rank ahead of the given squares.
#[inline]
pub const fn ahead(colour: Colour, squares: Bitboard) -> Bitboard {
    match colour {
        Colour::White => Bitboard(squares.0 << 8),
        Colour::Black => Bitboard(squares.0 >> 8),
    }
}

/// The squares next to the given squares on the same rank.
#[inline]
pub const fn beside(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 & NOT_H_FILE) << 1 | (squares.0 & NOT_A_FILE) >> 1)
}

/// The squares that a set of pawns attacks.
#[inline]
pub const fn pawn_attacks(colour: Colour, pawns: Bitboard) -> Bitboard {
    beside(ahead(colour, pawns))
}

/// The squares that a side attacks with its pawns, with pawns and minor pieces, and with rooks as well.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub pawns: Bitboard,
    pub minors: Bitboard,
    pub rooks: Bitboard,
}

impl Reach {
    /// The attacks of a side in a position.
    #[inline]
    pub fn in_position(position: &Position, us: Colour) -> Reach {
        Reach::of(us, position.occupied(), |role| position.pieces(us, role))
    }

    /// The attacks of a side. `ours` returns its pieces of a role.
    #[inline(always)]
    pub fn of(us: Colour, occupied: Bitboard, ours: impl Fn(Role) -> Bitboard) -> Reach {
        let pawns = pawn_attacks(us, ours(Role::Pawn));
        let mut minors = pawns;
        for square in ours(Role::Knight) {
            minors |= attacks::knight_attacks(square);
        }
        for square in ours(Role::Bishop) {
            minors |= attacks::bishop_attacks(square, occupied);
        }
        let mut rooks = minors;
        for square in ours(Role::Rook) {
            rooks |= attacks::rook_attacks(square, occupied);
        }
        Reach { pawns, minors, rooks }
    }
}

/// All squares that a side attacks, given its reach.
pub fn attacks_of(position: &Position, us: Colour, reach: Reach) -> Bitboard {
    let mut all = reach.rooks | attacks::king_attacks(position.king(us));
    for square in position.pieces(us, Role::Queen) {
        all |= attacks::queen_attacks(square, position.occupied());
    }
    all
}
