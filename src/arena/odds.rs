//! Odds games: the first player plays White in every game, with one piece fewer.

use super::openings::Opening;
use crate::board::{FenError, Game, Position};

/// The piece that is missing from White's side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Odds {
    /// The f-pawn.
    Pawn,
    /// The queen's knight.
    Knight,
    /// The queen's rook.
    Rook,
    /// The queen.
    Queen,
}

impl Odds {
    /// The starting position without this piece.
    pub fn opening(self) -> Result<Opening, FenError> {
        let (name, ranks, castling) = match self {
            Odds::Pawn => ("pawn odds", "PPPPP1PP/RNBQKBNR", "KQkq"),
            Odds::Knight => ("knight odds", "PPPPPPPP/R1BQKBNR", "KQkq"),
            Odds::Rook => ("rook odds", "PPPPPPPP/1NBQKBNR", "Kkq"),
            Odds::Queen => ("queen odds", "PPPPPPPP/RNB1KBNR", "KQkq"),
        };
        let fen = format!("rnbqkbnr/pppppppp/8/8/8/8/{ranks} w {castling} - 0 1");
        let game = Game::new(Position::from_fen(&fen, false)?);
        Ok(Opening { name: name.to_owned(), game })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Colour;

    #[test]
    fn white_starts_without_one_piece() {
        for odds in [Odds::Pawn, Odds::Knight, Odds::Rook, Odds::Queen] {
            let game = odds.opening().expect("a position").game;
            let count = |colour| game.position().of_colour(colour).count();
            assert_eq!((count(Colour::White), count(Colour::Black)), (15, 16), "{odds:?}");
        }
    }
}
