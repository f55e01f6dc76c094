//! Move generation for table positions, forwards and backwards.
//!
//! The table generator visits hundreds of millions of positions. [`crate::board::Position`] is too
//! slow for that, because it handles castling, move counters and keys. So here a position is an
//! array of squares.

use crate::board::{Bitboard, Colour, Rank, Role, Square, attacks, colour_index};

use super::layout::{Layout, Squares};
use super::material::PROMOTIONS;

/// A table position.
#[derive(Clone, Copy, Debug)]
pub struct Pieces<'a> {
    layout: &'a Layout,
    pub squares: Squares,
    occupied: Bitboard,
    /// The squares occupied by each colour.
    sides: [Bitboard; 2],
}

/// A legal move in a table position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PieceMove {
    pub slot: usize,
    pub to: Square,
    /// The slot of the captured piece.
    pub captured: Option<usize>,
    pub promotion: Option<Role>,
    /// Whether a pawn moves two squares.
    pub double: bool,
}

impl<'a> Pieces<'a> {
    #[inline]
    pub fn new(layout: &'a Layout, squares: Squares) -> Pieces<'a> {
        let mut sides = [Bitboard::EMPTY; 2];
        for (piece, &square) in layout.pieces.iter().zip(&squares) {
            sides[piece.side as usize] |= Bitboard::from_square(square);
        }
        Pieces { layout, squares, occupied: sides[0] | sides[1], sides }
    }

    /// The squares after one piece has moved.
    #[inline]
    pub fn moved(&self, slot: usize, to: Square) -> Squares {
        let mut squares = self.squares;
        squares[slot] = to;
        squares
    }

    #[inline]
    fn king(&self, side: Colour) -> Square {
        self.squares[colour_index(side)]
    }

    /// The slots, roles and squares of the pieces of one side.
    #[inline]
    fn of(&self, side: Colour) -> impl Iterator<Item = (usize, Role, Square)> + '_ {
        let pieces = self.layout.pieces.iter().enumerate();
        pieces
            .filter(move |(_, piece)| piece.side == side)
            .map(|(slot, piece)| (slot, piece.role, self.squares[slot]))
    }

    /// Returns whether a piece of `side` on one of the squares `standing` attacks `square`.
    #[inline]
    fn is_attacked(
        &self,
        square: Square,
        side: Colour,
        standing: Bitboard,
        occupied: Bitboard,
    ) -> bool {
        self.of(side).any(|(_, role, from)| {
            standing.contains(from) && reach(role, side, from, occupied).contains(square)
        })
    }

    pub fn in_check(&self, side: Colour) -> bool {
        self.is_attacked(self.king(side), !side, self.occupied, self.occupied)
    }

    /// Calls `found` with each legal move except en passant captures, until it returns false.
    #[inline]
    pub fn moves(&self, side: Colour, mut found: impl FnMut(PieceMove) -> bool) {
        let in_check = self.in_check(side);
        let theirs = self.sides[!side as usize];
        for (slot, role, from) in self.of(side) {
            let without = self.occupied.without(from);
            // Only a move of the king, a move of a pinned piece or a move while in check can leave
            // the king in check.
            let free = role != Role::King
                && !in_check
                && !self.is_attacked(self.king(side), !side, without, without);
            let targets = match role {
                Role::Pawn => self.pawn_targets(side, from),
                _ => reach(role, side, from, self.occupied) & !self.sides[side as usize],
            };
            for to in targets {
                if !free {
                    let king = if role == Role::King { to } else { self.king(side) };
                    if self.is_attacked(king, !side, without.without(to), without.with(to)) {
                        continue;
                    }
                }
                let captured = theirs.contains(to).then(|| self.slot_at(to));
                let plain = PieceMove { slot, to, captured, promotion: None, double: false };
                let go_on = match role {
                    Role::Pawn if matches!(to.rank(), Rank::First | Rank::Eighth) => PROMOTIONS
                        .iter()
                        .all(|&role| found(PieceMove { promotion: Some(role), ..plain })),
                    Role::Pawn => found(PieceMove { double: from.distance(to) == 2, ..plain }),
                    _ => found(plain),
                };
                if !go_on {
                    return;
                }
            }
        }
    }

    fn slot_at(&self, square: Square) -> usize {
        let slots = self.squares[..self.layout.pieces.len()].iter();
        slots.into_iter().position(|&other| other == square).expect("the square is occupied")
    }

    #[inline]
    fn pawn_targets(&self, side: Colour, from: Square) -> Bitboard {
        let captures = attacks::pawn_attacks(side, from) & self.sides[!side as usize];
        let Some(one) = from.offset(forward(side)) else { return captures };
        if self.occupied.contains(one) {
            return captures;
        }
        let mut targets = captures.with(one);
        if from.rank() == (if side == Colour::White { Rank::Second } else { Rank::Seventh })
            && let Some(two) = one.offset(forward(side))
            && !self.occupied.contains(two)
        {
            targets = targets.with(two);
        }
        targets
    }

    /// Returns whether the side has a legal move other than en passant.
    pub fn has_move(&self, side: Colour) -> bool {
        let mut any = false;
        self.moves(side, |_| {
            any = true;
            false
        });
        any
    }

    /// The legal en passant captures by `side` of the pawn that has just moved to `target`.
    pub fn en_passant(&self, side: Colour, target: Square) -> impl Iterator<Item = PieceMove> + '_ {
        let passed = target.offset(forward(side)).expect("a pawn passed over this square");
        let takers = attacks::pawn_attacks(!side, passed) & self.sides[side as usize];
        let legal = move |&(_, role, from): &(usize, Role, Square)| {
            let after = self.occupied.without(from).without(target);
            role == Role::Pawn
                && takers.contains(from)
                && !self.is_attacked(self.king(side), !side, after, after.with(passed))
        };
        self.of(side).filter(legal).map(move |(slot, _, _)| PieceMove {
            slot,
            to: passed,
            captured: Some(self.slot_at(target)),
            promotion: None,
            double: false,
        })
    }

    /// Calls `found` with each move that `side` could take back. The field `to` is the square that
    /// the piece came from. Captures and promotions are left out. The caller must check that the
    /// earlier position was legal. `double` is set if a pawn moved two squares.
    #[inline]
    pub fn unmoves(&self, side: Colour, pawns: bool, mut found: impl FnMut(PieceMove)) {
        for (slot, role, from) in self.of(side) {
            let plain =
                PieceMove { slot, to: from, captured: None, promotion: None, double: false };
            if role != Role::Pawn {
                for to in reach(role, side, from, self.occupied) & !self.occupied {
                    found(PieceMove { to, ..plain });
                }
            } else if pawns {
                self.pawn_unmoves(side, from, |to, double| {
                    found(PieceMove { to, double, ..plain })
                });
            }
        }
    }

    #[inline]
    fn pawn_unmoves(&self, side: Colour, from: Square, mut found: impl FnMut(Square, bool)) {
        let (home, landing) = match side {
            Colour::White => (Rank::Second, Rank::Fourth),
            Colour::Black => (Rank::Seventh, Rank::Fifth),
        };
        let free = |square: &Square| !self.occupied.contains(*square);
        if from.rank() == home {
            return;
        }
        let Some(one) = from.offset(-forward(side)).filter(free) else { return };
        found(one, false);
        if from.rank() == landing
            && let Some(two) = one.offset(-forward(side)).filter(free)
        {
            found(two, true);
        }
    }
}

/// The change in the square number when a pawn moves one square.
#[inline]
fn forward(side: Colour) -> i32 {
    if side == Colour::White { 8 } else { -8 }
}

/// The squares that a piece attacks.
#[inline]
fn reach(role: Role, side: Colour, from: Square, occupied: Bitboard) -> Bitboard {
    match role {
        Role::Pawn => attacks::pawn_attacks(side, from),
        Role::Knight => attacks::knight_attacks(from),
        Role::Bishop => attacks::bishop_attacks(from, occupied),
        Role::Rook => attacks::rook_attacks(from, occupied),
        Role::Queen => attacks::queen_attacks(from, occupied),
        Role::King => attacks::king_attacks(from),
    }
}
