//! Sets of squares as pawns see them, ahead, beside, attacked, and what lesser men reach.

use crate::board::{Bitboard, Colour, File, Rank, Role, Square, attacks};

const NOT_A_FILE: u64 = 0xfefe_fefe_fefe_fefe;
const NOT_H_FILE: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// The same squares one rank ahead.
#[inline]
pub const fn ahead(colour: Colour, squares: Bitboard) -> Bitboard {
    match colour {
        Colour::White => Bitboard(squares.0 << 8),
        Colour::Black => Bitboard(squares.0 >> 8),
    }
}

/// One rank back.
#[inline]
pub const fn behind(colour: Colour, squares: Bitboard) -> Bitboard {
    match colour {
        Colour::White => Bitboard(squares.0 >> 8),
        Colour::Black => Bitboard(squares.0 << 8),
    }
}

/// The squares and all ahead of them.
#[inline]
pub const fn fill_ahead(colour: Colour, squares: Bitboard) -> Bitboard {
    let mut all = squares.0;
    match colour {
        Colour::White => {
            all |= all << 8;
            all |= all << 16;
            all |= all << 32;
        }
        Colour::Black => {
            all |= all >> 8;
            all |= all >> 16;
            all |= all >> 32;
        }
    }
    Bitboard(all)
}

/// The squares to the left and right.
#[inline]
pub const fn beside(squares: Bitboard) -> Bitboard {
    Bitboard((squares.0 & NOT_H_FILE) << 1 | (squares.0 & NOT_A_FILE) >> 1)
}

/// What a set of pawns attacks.
#[inline]
pub const fn pawn_attacks(colour: Colour, pawns: Bitboard) -> Bitboard {
    beside(ahead(colour, pawns))
}

/// What at least two of the pawns attack.
#[inline]
pub const fn pawn_double_attacks(colour: Colour, pawns: Bitboard) -> Bitboard {
    let ahead = ahead(colour, pawns).0;
    Bitboard((ahead & NOT_H_FILE) << 1 & (ahead & NOT_A_FILE) >> 1)
}

/// The rank counted from a side's own edge, from 0.
#[inline]
pub const fn relative_rank(colour: Colour, square: Square) -> usize {
    let rank = square.rank() as usize;
    match colour {
        Colour::White => rank,
        Colour::Black => 7 - rank,
    }
}

/// The `rank`-th rank counted from a side's own edge, from 0.
#[inline]
pub const fn rank_of(colour: Colour, rank: usize) -> Bitboard {
    Bitboard(match colour {
        Colour::White => 0xff << (8 * rank),
        Colour::Black => 0xff << (56 - 8 * rank),
    })
}

/// The square as the other side would call it, as if the board were turned over.
#[inline]
pub const fn seen_by(colour: Colour, square: Square) -> Square {
    match colour {
        Colour::White => square,
        Colour::Black => square.flip_vertical(),
    }
}

#[inline]
pub const fn file(square: Square) -> Bitboard {
    Bitboard::from_file(square.file())
}

/// The file of a square and its neighbours; at the edge still three files.
#[inline]
pub fn three_files(square: Square) -> Bitboard {
    let middle = Bitboard::from_file(File::new((square.file() as u32).clamp(1, 6)));
    middle | beside(middle)
}

/// The last rank's square on a pawn's file.
#[inline]
pub fn promotion_square(colour: Colour, pawn: Square) -> Square {
    let rank = match colour {
        Colour::White => Rank::Eighth,
        Colour::Black => Rank::First,
    };
    Square::from_coords(pawn.file(), rank)
}

/// What a side attacks with its pawns; with these and its minor pieces; with its rooks, too.
#[derive(Clone, Copy, Debug)]
pub struct Reach {
    pub pawns: Bitboard,
    pub minors: Bitboard,
    pub rooks: Bitboard,
}

impl Reach {
    /// That of the men that a side has, role by role.
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
