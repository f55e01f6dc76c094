//! The attack status of pieces, which is part of the network's inputs.
//!
//! A network can hardly learn attacks from the squares of the pieces alone. Yet when a search sees more than a static
//! evaluation, the reason is usually an attack. So every piece has four inputs, and exactly one of them is set: not
//! attacked, attacked and defended, hanging (attacked and not defended), or attacked by a piece of lower value.

use crate::board::{Bitboard, Colour, PackedPosition, Position, Role, Square, attacks};
use crate::eval::geometry::Reach;

/// The number of statuses: not attacked, attacked and defended, hanging, attacked by a piece of lower value.
pub const ATTACK_STATUSES: usize = 4;

/// A piece on its square, with its attack status: the square in six bits, the role from 1 to 6 in three bits, a bit for
/// Black, and the attack status in two bits.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct PlacedPiece(u16);

impl PlacedPiece {
    #[cfg(test)]
    pub fn new(colour: Colour, role: Role, square: Square, attack_status: usize) -> PlacedPiece {
        let black = usize::from(colour.is_black());
        let code = attack_status << 4 | black << 3 | role as usize;
        PlacedPiece((code << 6) as u16 | square as u16)
    }

    /// The attack status and the bit for Black.
    #[inline(always)]
    pub fn status_and_colour(self) -> usize {
        usize::from(self.0 >> 9)
    }

    /// The role and the square.
    #[inline(always)]
    pub fn role_and_square(self) -> usize {
        usize::from(self.0 & 0o777)
    }
}

/// All pieces on a board with their attack statuses. Comparing two boards takes only a few operations.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AttackStatuses {
    /// One bitboard for each bit of a piece's code, the lowest bit first: three for the role, one for Black, and two
    /// for the attack status. Empty squares are zero in all of them.
    bits: [Bitboard; 6],
}

impl AttackStatuses {
    /// A board without pieces.
    pub const EMPTY: AttackStatuses = AttackStatuses { bits: [Bitboard::EMPTY; 6] };

    #[inline(always)]
    pub fn of(position: &Position) -> AttackStatuses {
        Pieces {
            colours: [position.of_colour(Colour::Black), position.of_colour(Colour::White)],
            roles: [
                position.of_role(Role::Pawn),
                position.of_role(Role::Knight),
                position.of_role(Role::Bishop),
                position.of_role(Role::Rook),
                position.of_role(Role::Queen),
                position.of_role(Role::King),
            ],
        }
        .attack_statuses()
    }

    /// The statuses of a packed position, which need not be legal.
    pub fn of_packed(position: &PackedPosition) -> AttackStatuses {
        let mut pieces = Pieces::default();
        for (colour, role, square) in position.pieces() {
            pieces.colours[colour as usize].add(square);
            pieces.roles[role as usize - 1].add(square);
        }
        pieces.attack_statuses()
    }

    /// The king's square. If there are several kings, the first.
    pub fn king(&self, colour: Colour) -> Option<Square> {
        let [low, middle, high, black, ..] = self.bits;
        let kings = middle & high & !low;
        (if colour.is_black() { kings & black } else { kings & !black }).first()
    }

    /// All pieces.
    pub fn pieces(&self) -> impl Iterator<Item = PlacedPiece> + '_ {
        self.pieces_on(Bitboard::FULL)
    }

    /// The squares on which another board has a different piece, or the same piece with a different status.
    #[inline(always)]
    pub fn differences(&self, other: &AttackStatuses) -> Bitboard {
        let pairs = self.bits.into_iter().zip(other.bits);
        pairs.fold(Bitboard::EMPTY, |all, (own, other)| all | (own ^ other))
    }

    /// The pieces on the given squares.
    #[inline(always)]
    pub fn pieces_on(&self, squares: Bitboard) -> impl Iterator<Item = PlacedPiece> + '_ {
        let [low, middle, high, ..] = self.bits;
        (squares & (low | middle | high)).into_iter().map(|square| self.piece(square))
    }

    #[inline(always)]
    fn piece(&self, square: Square) -> PlacedPiece {
        let bits = self.bits.iter().rev();
        let code = bits.fold(0, |code, bit| 2 * code + (bit.0 >> square as u32 & 1) as u16);
        PlacedPiece(code << 6 | square as u16)
    }
}

/// The pieces on a board, indexed by colour and role.
#[derive(Clone, Copy, Default)]
struct Pieces {
    colours: [Bitboard; 2],
    roles: [Bitboard; 6],
}

impl Pieces {
    #[inline(always)]
    fn attack_statuses(&self) -> AttackStatuses {
        let reach = [self.reach(Colour::Black), self.reach(Colour::White)];
        let [pawns, knights, bishops, rooks, queens, kings] = self.roles;
        let (mut low, mut high) = (Bitboard::EMPTY, Bitboard::EMPTY);
        for (us, own) in self.colours.into_iter().enumerate() {
            let ((_, our_all), (their, their_all)) = (&reach[us], &reach[1 - us]);
            let by_lesser = ((knights | bishops) & their.pawns)
                | (rooks & their.minors)
                | (queens & their.rooks);
            let (lesser, attacked) = (own & by_lesser, own & *their_all & !by_lesser);
            low |= lesser | (attacked & *our_all);
            high |= lesser | (attacked & !*our_all);
        }
        let black = self.colours[Colour::Black as usize];
        AttackStatuses {
            bits: [
                pawns | bishops | queens,
                knights | bishops | kings,
                rooks | queens | kings,
                black,
                low,
                high,
            ],
        }
    }

    /// The squares that a side attacks with its less valuable pieces, and those that it attacks with any piece.
    #[inline(always)]
    fn reach(&self, us: Colour) -> (Reach, Bitboard) {
        let occupied = self.colours[0] | self.colours[1];
        let ours = |role: Role| self.colours[us as usize] & self.roles[role as usize - 1];
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_attack_status_of_every_piece_is_found() {
        // White's knight is attacked by a pawn. The queen attacks the rook, the knight attacks the pawn on e4, and the
        // bishop defends both. A rook attacks the queen.
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
            let found = attack_statuses.piece(square).status_and_colour() / 2;
            assert_eq!(found, attack_status, "{square}");
        }
        let taken = Position::from_fen("6k1/8/2p2n2/1N6/4P3/5B2/8/3q2K1 w - - 0 1", false);
        let taken = AttackStatuses::of(&taken.expect("a position in check"));
        let different = taken.differences(&attack_statuses);
        let mut new: Vec<PlacedPiece> = taken.pieces_on(different).collect();
        new.sort_by_key(|piece| piece.role_and_square());
        assert_eq!(
            new,
            [
                PlacedPiece::new(Colour::White, Role::Bishop, Square::F3, 2),
                PlacedPiece::new(Colour::Black, Role::Queen, Square::D1, 3),
                PlacedPiece::new(Colour::White, Role::King, Square::G1, 2),
            ]
        );
        assert_eq!(attack_statuses.pieces().count(), 9);
    }
}
