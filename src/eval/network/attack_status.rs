//! The attack status of pieces, which is part of the network's inputs.
//!
//! A network can hardly learn attacks from the squares of the pieces alone. Yet attacks are most of what a search sees and a
//! static evaluation misses. So every piece has four inputs: one if it is not attacked, one if it is attacked and
//! defended, one if it hangs (attacked and not defended), and one if a piece of lower value attacks it.

use crate::board::{Bitboard, Colour, PackedPosition, Position, Role, Square, attacks};
use crate::eval::geometry::Reach;

/// The number of statuses: not attacked, attacked and defended, hanging, attacked by a piece of lower value.
pub const ATTACK_STATUSES: usize = 4;

/// A piece on its square, with its attack status.
pub type PlacedPiece = (Colour, Role, Square, usize);

/// All pieces of a board with their attack statuses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttackStatuses {
    /// The pieces by colour, and below by role.
    pieces: [Bitboard; 2],
    roles: [Bitboard; 7],
    /// The low and the high bit of every piece's attack status.
    bits: [Bitboard; 2],
}

/// A board without pieces.
pub const EMPTY_BOARD: AttackStatuses = AttackStatuses {
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
        attack_statuses.find_statuses();
        attack_statuses
    }

    /// The statuses of a packed position, which need not be legal.
    pub fn of_packed(position: &PackedPosition) -> AttackStatuses {
        let mut attack_statuses = AttackStatuses::default();
        for (colour, role, square) in position.pieces() {
            attack_statuses.pieces[colour as usize].add(square);
            attack_statuses.roles[role as usize].add(square);
        }
        attack_statuses.find_statuses();
        attack_statuses
    }

    #[inline(always)]
    fn find_statuses(&mut self) {
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

    /// The squares that a side attacks with pieces of lower value, and with any piece.
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
        self.unlike(&EMPTY_BOARD)
    }

    /// The pieces that the other board does not have on this square with this status.
    #[inline(always)]
    pub fn unlike(&self, other: &AttackStatuses) -> impl Iterator<Item = PlacedPiece> + '_ {
        let mut unlike = Bitboard::EMPTY;
        for (own, other) in self.sets().into_iter().zip(other.sets()) {
            unlike |= own ^ other;
        }
        (unlike & (self.pieces[0] | self.pieces[1])).into_iter().map(|square| self.piece(square))
    }

    /// All sets in which two boards can differ.
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
        // A sum is faster than a search, whose branches the processor cannot predict.
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
    fn the_attack_status_of_every_piece_is_found() {
        // White's knight is attacked by a pawn. The rook is attacked by the queen and the pawn on e4 by the knight, and
        // the bishop defends both. The queen is attacked by a rook.
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
