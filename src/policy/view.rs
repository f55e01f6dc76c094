//! A position as the mover sees it, with their own side at the bottom.
//!
//! A view includes the pieces, castling rights, en passant and the last three moves, since players look where something has
//! just happened.

use crate::board::{Colour, Game, Move, Position, Role, Square};

/// The number of earlier moves in a view.
pub const EARLIER_MOVES: usize = 3;

/// The number of kinds of pieces: six own and six of the opponent.
pub const KINDS: usize = 12;

/// The letters of the pieces in FEN, with an empty square first.
const LETTERS: &str = ".PNBRQKpnbrqk";

/// The position as the mover sees it. Squares are counted from the mover's left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoardAsSeen {
    /// 0 for an empty square, 1 (pawn) to 6 (king) for own pieces, 7 to 12 for the opponent's.
    pub pieces: [u8; 64],
    /// The squares of rooks with castling rights, as bits.
    pub castling: u64,
    /// The square behind a pawn that can be captured en passant.
    pub en_passant: Option<u8>,
    /// The squares that the last moves left and entered, latest first.
    pub trail: [Option<(u8, u8)>; EARLIER_MOVES],
}

/// A move in such a view.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct MoveAsSeen {
    /// The square that the piece leaves.
    pub from: u8,
    /// The king's target square when castling.
    pub to: u8,
    /// The piece that a pawn becomes.
    pub promotion: Option<Role>,
}

impl BoardAsSeen {
    /// The view of the last position of a game.
    pub fn of(game: &Game) -> BoardAsSeen {
        let position = game.position();
        let us = position.turn();
        let mut pieces = [0; 64];
        for square in position.occupied() {
            let role = position.role_at(square).map_or(0, |role| role as u8);
            let other = if position.colour_at(square) == Some(us) { 0 } else { 6 };
            pieces[usize::from(seen(square, us))] = role + other;
        }
        let rooks = position.castling_rooks().into_iter();
        let mut trail = [None; EARLIER_MOVES];
        for (place, &mv) in trail.iter_mut().zip(game.moves().iter().rev()) {
            let step = MoveAsSeen::of(mv, us);
            *place = Some((step.from, step.to));
        }
        BoardAsSeen {
            pieces,
            castling: rooks.fold(0, |bits, rook| bits | 1 << seen(rook, us)),
            en_passant: position.en_passant().map(|square| seen(square, us)),
            trail,
        }
    }

    /// The position of the view, with the mover as White and without the earlier moves. `None` if it is not legal.
    pub fn position(&self) -> Option<Position> {
        let mut board = String::new();
        for rank in (0..8).rev() {
            for file in 0..8 {
                board.push(LETTERS.chars().nth(usize::from(self.pieces[8 * rank + file]))?);
            }
            board.push(if rank > 0 { '/' } else { ' ' });
        }
        let board = board.replace('.', "1");
        let rook = |square: usize| (self.castling >> square & 1 == 1).then_some(square % 8);
        let own = (0..8).filter_map(rook).map(|file| char::from(b'A' + file as u8));
        let other = (56..64).filter_map(rook).map(|file| char::from(b'a' + file as u8));
        let castling: String = own.chain(other).collect();
        let castling = if castling.is_empty() { "-" } else { &castling };
        let passed = self.en_passant.map_or("-".to_owned(), |square| {
            format!("{}{}", char::from(b'a' + square % 8), square / 8 + 1)
        });
        Position::from_fen(&format!("{board}w {castling} {passed} 0 1"), false).ok()
    }
}

impl MoveAsSeen {
    /// A move as a side sees it.
    pub fn of(mv: Move, us: Colour) -> MoveAsSeen {
        let from = seen(mv.from(), us);
        let to = seen(mv.to(), us);
        let to = match mv.is_castle() {
            // The king ends on the g- or the c-file of its rank.
            true => from / 8 * 8 + if to > from { 6 } else { 2 },
            false => to,
        };
        MoveAsSeen { from, to, promotion: mv.promoted() }
    }

    /// All legal moves of a position, in the order of [`Position::legal_moves`].
    pub fn all(position: &Position) -> Vec<MoveAsSeen> {
        let us = position.turn();
        position.legal_moves().iter().map(|&mv| MoveAsSeen::of(mv, us)).collect()
    }
}

/// The number of a square, counted from a side's left corner.
fn seen(square: Square, us: Colour) -> u8 {
    let index = square as u8;
    if us == Colour::White { index } else { index ^ 56 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn game(fen: Option<&str>, moves: &[&str]) -> Game {
        Game::from_uci(fen, moves.iter().copied(), false).expect("legal")
    }

    #[test]
    fn mirrored_positions_have_the_same_view() {
        let white = BoardAsSeen::of(&game(None, &["e2e4", "e7e5"]));
        let black = BoardAsSeen::of(&game(
            Some("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"),
            &["e7e5", "e2e4"],
        ));
        assert_eq!(white, black);
        assert_eq!(white.pieces[..8], [4, 2, 3, 5, 6, 3, 2, 4]);
        assert_eq!(white.pieces[56..], [10, 8, 9, 11, 12, 9, 8, 10]);
        assert_eq!(white.castling, 1 | 1 << 7 | 1 << 56 | 1 << 63);
        assert_eq!(white.trail, [Some((52, 36)), Some((12, 28)), None]);
    }

    #[test]
    fn a_view_can_be_turned_back_into_the_position() {
        for (fen, moves) in [
            (None, &["e2e4", "e7e5", "g1f3"][..]),
            (Some("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"), &["h8h7"]),
            (Some("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"), &[]),
        ] {
            let game = game(fen, moves);
            let view = BoardAsSeen::of(&game);
            let position = view.position().expect("it is legal");
            let alone = BoardAsSeen { trail: [None; EARLIER_MOVES], ..view };
            assert_eq!(BoardAsSeen::of(&Game::new(position)), alone);
        }
    }

    #[test]
    fn castling_is_seen_as_the_move_of_the_king() {
        let fen = Some("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
        let steps = MoveAsSeen::all(game(fen, &[]).position());
        for to in [2, 6] {
            assert!(steps.contains(&MoveAsSeen { from: 4, to, promotion: None }), "{to}");
        }
        let castled = BoardAsSeen::of(&game(fen, &["e8c8"]));
        assert_eq!(castled.trail[0], Some((60, 58)));
    }
}
