//! Where lower-valued pieces of the opponent would take a piece: what the order of quiet moves minds.

use crate::board::{Move, Position, Role};
use crate::eval::Reach;

/// What the opponent attacks with lower-valued pieces.
#[derive(Clone, Copy, Debug)]
pub(super) struct Dangers(Reach);

impl Dangers {
    pub fn of(position: &Position) -> Dangers {
        let them = !position.turn();
        Dangers(Reach::of(them, position.occupied(), |role| position.pieces(them, role)))
    }

    /// How many units of danger a move leaves behind, less those it goes into: the larger the piece, the more.
    pub fn escaped(&self, m: Move) -> i32 {
        let (squares, weight) = match m.role() {
            Role::Knight | Role::Bishop => (self.0.pawns, 2),
            Role::Rook => (self.0.minors, 3),
            Role::Queen => (self.0.rooks, 4),
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
    fn a_piece_minds_lower_valued_attackers_alone() {
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
