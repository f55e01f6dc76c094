//! How pieces stand with the attacks on them.
//!
//! What attacks what is hard to learn from the squares of pieces alone, and is most of what a search
//! sees and the static evaluation does not. So a piece is another input when he is attacked and defended, when he
//! hangs, and when a lower-valued piece attacks him.

use crate::board::{Bitboard, Colour, PackedPosition, Position, Role, Square, attacks};
use crate::eval::geometry::Reach;

/// Untouched, attacked and defended, hanging, attacked by a lower-valued piece.
pub const ATTACK_STATUSES: usize = 4;

/// A piece, and how he stands.
pub type PlacedPiece = (Colour, Role, Square, usize);

/// All pieces of a board.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttackStatuses {
    /// By the numbers of colours and roles.
    pieces: [Bitboard; 2],
    roles: [Bitboard; 7],
    /// The bits of every piece's attack status, the lower first.
    bits: [Bitboard; 2],
}

/// A board without pieces.
pub const NOBODY: AttackStatuses = AttackStatuses {
    pieces: [Bitboard::EMPTY; 2],
    roles: [Bitboard::EMPTY; 7],
    bits: [Bitboard::EMPTY; 2],
};

impl AttackStatuses {
    #[inline]
    pub fn of(position: &Position) -> AttackStatuses {
        let mut attack_statuses = AttackStatuses::default();
        for colour in Colour::ALL {
            attack_statuses.pieces[colour as usize] = position.of_colour(colour);
        }
        for role in Role::ALL {
            attack_statuses.roles[role as usize] = position.of_role(role);
        }
        attack_statuses.judge();
        attack_statuses
    }

    /// Those of a packed position, which may mean nothing.
    pub fn of_packed(position: &PackedPosition) -> AttackStatuses {
        let mut attack_statuses = AttackStatuses::default();
        for (colour, role, square) in position.pieces() {
            attack_statuses.pieces[colour as usize].add(square);
            attack_statuses.roles[role as usize].add(square);
        }
        attack_statuses.judge();
        attack_statuses
    }

    #[inline(always)]
    fn judge(&mut self) {
        let reach = [self.reach(Colour::Black), self.reach(Colour::White)];
        let role = |role: Role| self.roles[role as usize];
        for us in Colour::ALL {
            let ((_, own), (their, their_all)) = (&reach[us as usize], &reach[!us as usize]);
            let minors = role(Role::Knight) | role(Role::Bishop);
            let by_lesser = (minors & their.pawns)
                | (role(Role::Rook) & their.minors)
                | (role(Role::Queen) & their.rooks);
            let pieces = self.pieces[us as usize];
            let (lesser, attacked) = (pieces & by_lesser, pieces & *their_all & !by_lesser);
            self.bits[0] |= lesser | (attacked & *own);
            self.bits[1] |= lesser | (attacked & !*own);
        }
    }

    /// What a side attacks with lower-valued pieces, and with any.
    #[inline(always)]
    fn reach(&self, us: Colour) -> (Reach, Bitboard) {
        let occupied = self.pieces[0] | self.pieces[1];
        let ours = |role: Role| self.pieces[us as usize] & self.roles[role as usize];
        let reach = Reach::of(us, occupied, ours);
        let mut all = reach.rooks;
        for square in ours(Role::Queen) {
            all |= attacks::queen_attacks(square, occupied);
        }
        for square in ours(Role::King) {
            all |= attacks::king_attacks(square);
        }
        (reach, all)
    }

    #[inline(always)]
    pub fn attack_status(&self, square: Square) -> usize {
        let bit = |bits: Bitboard| usize::from(bits.contains(square));
        bit(self.bits[0]) + 2 * bit(self.bits[1])
    }

    /// The king, or the first of several.
    pub fn king(&self, colour: Colour) -> Option<Square> {
        (self.pieces[colour as usize] & self.roles[Role::King as usize]).first()
    }

    /// All pieces.
    #[inline(always)]
    pub fn pieces(&self) -> impl Iterator<Item = PlacedPiece> + '_ {
        self.unlike(&NOBODY)
    }

    /// The pieces that the other board does not have there, or that stand otherwise on it.
    #[inline(always)]
    pub fn unlike(&self, other: &AttackStatuses) -> impl Iterator<Item = PlacedPiece> + '_ {
        let mut unlike = Bitboard::EMPTY;
        for (own, other) in self.sets().into_iter().zip(other.sets()) {
            unlike |= own ^ other;
        }
        (unlike & (self.pieces[0] | self.pieces[1])).into_iter().map(|square| self.piece(square))
    }

    /// What makes pieces what they are.
    #[inline(always)]
    fn sets(&self) -> [Bitboard; 10] {
        let [black, white] = self.pieces;
        let [_, pawns, knights, bishops, rooks, queens, kings] = self.roles;
        let [lower, upper] = self.bits;
        [black, white, pawns, knights, bishops, rooks, queens, kings, lower, upper]
    }

    #[inline(always)]
    fn piece(&self, square: Square) -> PlacedPiece {
        let colour = Colour::from_white(self.pieces[Colour::White as usize].contains(square));
        // Added up rather than looked for: no processor foretells which role it is.
        let number_if_it_is = |role: Role| {
            (role as usize - 1) * usize::from(self.roles[role as usize].contains(square))
        };
        let number: usize = Role::ALL.map(number_if_it_is).into_iter().sum();
        (colour, Role::ALL[number], square, self.attack_status(square))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attacks_make_a_piece_another() {
        // White's knight is attacked by a pawn; his rook by the queen, his pawn on e4 by the knight,
        // both defended by the bishop. The queen is attacked by a rook.
        let fen = "3q2k1/8/2p2n2/1N6/4P3/5B2/8/3R2K1 w - - 0 1";
        let position = Position::from_fen(fen, false).expect(fen);
        let attack_statuses = AttackStatuses::of(&position);
        let packed = PackedPosition::of(&position).expect("no more pieces than fit");
        assert_eq!(AttackStatuses::of_packed(&packed), attack_statuses);
        let expected = [
            (Square::B5, 3),
            (Square::D1, 1),
            (Square::E4, 1),
            (Square::F3, 0),
            (Square::G1, 0),
            (Square::D8, 3),
            (Square::C6, 0),
            (Square::F6, 0),
        ];
        for (square, attack_status) in expected {
            assert_eq!(attack_statuses.attack_status(square), attack_status, "{square}");
        }
        let taken = Position::from_fen("6k1/8/2p2n2/1N6/4P3/5B2/8/3q2K1 w - - 0 1", false);
        let taken = AttackStatuses::of(&taken.expect("a position in check"));
        let mut new: Vec<PlacedPiece> = taken.unlike(&attack_statuses).collect();
        new.sort_by_key(|piece| piece.1);
        assert_eq!(
            new,
            [
                (Colour::White, Role::Bishop, Square::F3, 2),
                (Colour::Black, Role::Queen, Square::D1, 3),
                (Colour::White, Role::King, Square::G1, 2),
            ]
        );
        assert_eq!(attack_statuses.pieces().count(), 9);
    }
}
