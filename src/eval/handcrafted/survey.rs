//! Who attacks what: looked up once, used by every term.

use crate::board::{Bitboard, Colour, File, Position, Rank, Role, Square, attacks};
use crate::eval::geometry::{ahead, behind, pawn_attacks, pawn_double_attacks, rank_of};

/// Colours in the order of their numbers, for arrays indexed by colour.
const SIDES: [Colour; 2] = [Colour::Black, Colour::White];

/// Attacks of both sides. Pawns and kings are in it from the start; the piece terms put in the
/// others as they go over them.
#[derive(Clone, Debug)]
pub struct Survey {
    pub occupied: Bitboard,
    pub pawns: [Bitboard; 2],
    pub kings: [Square; 2],
    /// By colour, then by role.
    pub by_role: [[Bitboard; 7]; 2],
    /// Attacked at all.
    pub all: [Bitboard; 2],
    /// Attacked at least twice.
    pub twice: [Bitboard; 2],
    /// The surroundings of each king, less what two of his pawns guard.
    pub ring: [Bitboard; 2],
    /// Squares that count for mobility: not stuck own pawns, the own king, nor those that enemy
    /// pawns guard.
    pub area: [Bitboard; 2],
    /// How many pieces bear on each king's ring.
    pub attackers: [i32; 2],
}

impl Survey {
    #[inline]
    pub fn new(position: &Position) -> Survey {
        let mut survey = Survey {
            occupied: position.occupied(),
            pawns: SIDES.map(|colour| position.pieces(colour, Role::Pawn)),
            kings: SIDES.map(|colour| position.king(colour)),
            by_role: [[Bitboard::EMPTY; 7]; 2],
            all: [Bitboard::EMPTY; 2],
            twice: [Bitboard::EMPTY; 2],
            ring: [Bitboard::EMPTY; 2],
            area: [Bitboard::EMPTY; 2],
            attackers: [0; 2],
        };
        survey.begin(Colour::White);
        survey.begin(Colour::Black);
        survey
    }

    #[inline(always)]
    fn begin(&mut self, us: Colour) {
        let them = !us;
        let king = self.kings[us as usize];
        let pawns = self.pawns[us as usize];
        let stuck = pawns & behind(us, self.occupied);
        let their_pawns = pawn_attacks(them, self.pawns[them as usize]);
        let guarded_twice = pawn_double_attacks(us, pawns);
        self.area[us as usize] = !(stuck | Bitboard::from_square(king) | their_pawns);
        self.ring[us as usize] = surroundings(king) & !guarded_twice;
        self.twice[us as usize] = guarded_twice;
        self.enter(us, Role::Pawn, pawn_attacks(us, pawns));
        self.enter(us, Role::King, attacks::king_attacks(king));
    }

    /// Puts in what one piece (or all pawns) of a side attacks.
    #[inline(always)]
    pub fn enter(&mut self, us: Colour, role: Role, attacked: Bitboard) {
        let us = us as usize;
        self.twice[us] |= self.all[us] & attacked;
        self.all[us] |= attacked;
        self.by_role[us][role as usize] |= attacked;
    }

    #[inline(always)]
    pub fn by(&self, colour: Colour, role: Role) -> Bitboard {
        self.by_role[colour as usize][role as usize]
    }

    #[inline(always)]
    pub fn all(&self, colour: Colour) -> Bitboard {
        self.all[colour as usize]
    }

    #[inline(always)]
    pub fn twice(&self, colour: Colour) -> Bitboard {
        self.twice[colour as usize]
    }

    #[inline(always)]
    pub fn pawns(&self, colour: Colour) -> Bitboard {
        self.pawns[colour as usize]
    }

    #[inline(always)]
    pub fn king(&self, colour: Colour) -> Square {
        self.kings[colour as usize]
    }

    /// Squares that a side guards so well that attacking them gains nothing.
    #[inline(always)]
    pub fn strongly_guarded(&self, colour: Colour) -> Bitboard {
        self.by(colour, Role::Pawn) | (self.twice(colour) & !self.twice(!colour))
    }

    /// Pawns that can step ahead now, and where to.
    #[inline(always)]
    pub fn pawn_steps(&self, us: Colour) -> Bitboard {
        let empty = !self.occupied;
        let single = ahead(us, self.pawns(us)) & empty;
        single | (ahead(us, single & rank_of(us, 2)) & empty)
    }
}

/// The nine squares around a king; a king at the edge is seen as one step away from it.
#[inline]
fn surroundings(king: Square) -> Bitboard {
    let file = File::new((king.file() as u32).clamp(1, 6));
    let rank = Rank::new((king.rank() as u32).clamp(1, 6));
    let middle = Square::from_coords(file, rank);
    attacks::king_attacks(middle) | Bitboard::from_square(middle)
}
