//! Detects mates in two, even if the first move is quiet.
//!
//! A quiet sacrifice that mates in two looks bad at every low depth, so pruning hides it for dozens of plies. This
//! check evaluates nothing and only plays moves. It costs about as much as a few hundred nodes, because most first
//! moves are refuted by the first reply.

use crate::board::{Checks, Move, Position};

/// Whether one of these moves mates in one or two moves.
pub(super) fn mates_in_two(position: &Position, moves: &[Move]) -> bool {
    moves.iter().any(|&m| {
        let after = position.after(m);
        let replies = after.legal_moves();
        match replies.is_empty() {
            true => after.in_check(),
            false => replies.iter().all(|&reply| has_mate(&after.after(reply))),
        }
    })
}

/// Whether a move mates at once.
fn has_mate(position: &Position) -> bool {
    let checks = Checks::of(position);
    position.legal_moves().iter().any(|&m| {
        checks.gives(m) && {
            let after = position.after(m);
            after.in_check() && !after.has_legal_move()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mates_in_two_are_found_whatever_their_first_move() {
        for (fen, expected) in [
            // A quiet rook sacrifice.
            ("kbK5/pp6/1P6/8/8/8/8/R7 w - - 0 1", true),
            // A mate in one.
            ("6k1/5ppp/8/8/8/8/8/4R1K1 w - - 0 1", true),
            // Two rooks on an open board.
            ("7k/8/8/8/8/8/R7/1R5K w - - 0 1", true),
            // Stalemate is not mate.
            ("7k/8/8/6Q1/8/8/8/K7 w - - 0 1", false),
            ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", false),
        ] {
            let position = Position::from_fen(fen, false).expect(fen);
            assert_eq!(mates_in_two(&position, &position.legal_moves()), expected, "{fen}");
        }
    }
}
