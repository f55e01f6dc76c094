//! The phases of a game: opening, middlegame and endgame.
//!
//! Players are not equally strong in all phases. Both game analysis and players that imitate a person use this
//! definition.

use std::fmt;

use super::{Colour, Position, Role};

/// A phase of the game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Phase {
    /// The first moves.
    Opening,
    /// Neither the opening nor an endgame.
    Middlegame,
    /// Few pieces are left.
    Endgame,
}

/// The last move number that counts as the opening.
const OPENING: usize = 12;
/// The maximum total of both sides' knights, bishops, rooks and queens in an endgame.
const PIECES: usize = 6;

impl Phase {
    /// All phases, in the order of a game.
    pub const ALL: [Phase; 3] = [Phase::Opening, Phase::Middlegame, Phase::Endgame];

    /// The phase of a position, by its move number and its number of knights, bishops, rooks and queens.
    pub(crate) fn of(position: &Position) -> Phase {
        let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen];
        let of = |colour| roles.map(|role| position.pieces(colour, role).count()).iter().sum();
        let pieces: usize = Colour::ALL.map(of).iter().sum();
        match position.plies() / 2 + 1 {
            _ if pieces <= PIECES => Phase::Endgame,
            early if early <= OPENING => Phase::Opening,
            _ => Phase::Middlegame,
        }
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Phase::Opening => "opening",
            Phase::Middlegame => "middlegame",
            Phase::Endgame => "endgame",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::STARTING_FEN;

    #[test]
    fn the_phase_depends_on_the_pieces_and_the_move_number() {
        let of = |fen: &str| Phase::of(&Position::from_fen(fen, false).expect("legal"));
        let start = |number| STARTING_FEN.replace("0 1", &format!("0 {number}"));
        assert_eq!(of(&start(12)), Phase::Opening);
        assert_eq!(of(&start(13)), Phase::Middlegame);
        // Six pieces other than kings and pawns make an endgame at any move number. Seven do not.
        assert_eq!(of("r1b1k3/p7/8/8/8/8/P7/RNB1KN2 w - - 0 5"), Phase::Endgame);
        assert_eq!(of("r1b1k3/p7/8/8/8/8/P7/RNBQKN2 w - - 0 30"), Phase::Middlegame);
    }
}
