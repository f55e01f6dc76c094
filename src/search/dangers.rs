//! Where lesser men of the opponent would take a piece: what the order of quiet moves minds.

use crate::board::{Bitboard, Move, Position, Role, attacks};

/// The squares that enemy men of less worth attack, by the worth of what would stand there.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dangers {
    minors: Bitboard,
    rooks: Bitboard,
    queens: Bitboard,
}

impl Dangers {
    pub fn of(position: &Position) -> Dangers {
        let them = !position.turn();
        let occupied = position.occupied();
        let theirs = |role: Role| position.pieces(them, role);
        let mut minors = Bitboard::EMPTY;
        for square in theirs(Role::Pawn) {
            minors |= attacks::pawn_attacks(them, square);
        }
        let mut rooks = minors;
        for square in theirs(Role::Knight) {
            rooks |= attacks::knight_attacks(square);
        }
        for square in theirs(Role::Bishop) {
            rooks |= attacks::bishop_attacks(square, occupied);
        }
        let mut queens = rooks;
        for square in theirs(Role::Rook) {
            queens |= attacks::rook_attacks(square, occupied);
        }
        Dangers { minors, rooks, queens }
    }

    /// How many units of danger a move leaves behind, less those it goes into: the larger the piece, the more.
    pub fn escaped(&self, m: Move) -> i32 {
        let (squares, weight) = match m.role() {
            Role::Knight | Role::Bishop => (self.minors, 2),
            Role::Rook => (self.rooks, 3),
            Role::Queen => (self.queens, 4),
            Role::Pawn | Role::King => return 0,
        };
        let at = |square| i32::from(squares.contains(square));
        weight * (at(m.from()) - at(m.to()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn escaped(fen: &str, uci: &str) -> i32 {
        let position = Position::from_fen(fen, false).expect(fen);
        let moves = position.legal_moves();
        let m = moves.iter().copied().find(|&m| position.uci(m) == uci).expect(uci);
        Dangers::of(&position).escaped(m)
    }

    #[test]
    fn a_piece_minds_lesser_men_alone() {
        // The pawn attacks d4 and f4, the knight d5 and f5 among others, the rook the a-file.
        let fen = "r5k1/8/8/4p3/5Nn1/8/8/Q3R1K1 w - - 0 1";
        for (uci, units) in [
            ("f4g2", 2),  // a knight out of a pawn's attack
            ("e1e3", -3), // a rook into a knight's
            ("e1d1", 0),
            ("a1d1", 4), // a queen out of a rook's
            ("a1d4", 0), // and into a pawn's
            ("g1h1", 0),
        ] {
            assert_eq!(escaped(fen, uci), units, "{uci}");
        }
    }
}
