//! A position as the mover sees it, with their own side at the bottom.
//!
//! A view contains the pieces, castling rights, en passant and the last moves, because players pay attention to recent
//! moves. It also contains facts that an engine computes at no cost, but that a network would have to learn from
//! millions of games. These are the pieces that attack each square, the material that each move wins or loses in
//! exchanges, and whether it gives check.

use crate::board::{
    Bitboard, Checks, Colour, Game, Move, Position, Role, Square, attacks, see_at_least,
};

/// The number of earlier moves in a view.
pub const EARLIER_MOVES: usize = 7;

/// The number of bits that [`RelativeBoard::attacks`] uses for each square.
pub const ATTACK_BITS: usize = KINDS + 2;

/// The number of classes that [`RelativeMove::class`] distinguishes.
pub const MOVE_CLASSES: usize = 16;

/// The number of kinds of pieces: six of the mover's and six of the opponent's.
pub const KINDS: usize = 12;

/// The letters of the pieces in FEN, with an empty square first.
const LETTERS: &str = ".PNBRQKpnbrqk";

/// The position as the mover sees it. Squares are numbered from the mover's left corner.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelativeBoard {
    /// 0 for an empty square, 1 (pawn) to 6 (king) for the mover's pieces, and 7 to 12 for the opponent's.
    pub pieces: [u8; 64],
    /// The squares of rooks with castling rights, as bits.
    pub castling: u64,
    /// The square behind a pawn that can be captured en passant.
    pub en_passant: Option<u8>,
    /// The from-squares and to-squares of the last moves, latest first.
    pub trail: [Option<(u8, u8)>; EARLIER_MOVES],
}

/// A move as the mover sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct RelativeMove {
    /// The square that the piece leaves.
    pub from: u8,
    /// The square that the piece enters. For castling, the king's target square.
    pub to: u8,
    /// The piece that a pawn becomes.
    pub promotion: Option<Role>,
    /// The class of the gain from exchanges on the target square: one of eight, from a large loss to a large gain. If
    /// the move gives check, 8 is added.
    pub class: u8,
}

impl RelativeBoard {
    /// The view of the last position of a game.
    pub fn of(game: &Game) -> RelativeBoard {
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
            *place = Some(squares(mv, us));
        }
        RelativeBoard {
            pieces,
            castling: rooks.fold(0, |bits, rook| bits | 1 << seen(rook, us)),
            en_passant: position.en_passant().map(|square| seen(square, us)),
            trail,
        }
    }

    /// The pieces that attack each square, as bits. There is a bit for each of the mover's six kinds of pieces, and one
    /// for each of the opponent's. Two more bits tell whether several of the mover's pieces, or several of the
    /// opponent's, attack the square. Pins are ignored.
    pub fn attacks(&self) -> [u16; 64] {
        let occupied = self.pieces.iter().enumerate().filter(|&(_, &piece)| piece != 0);
        let occupied: Bitboard = occupied.map(|(square, _)| Square::new(square as u32)).collect();
        let mut found = [0u16; 64];
        for square in occupied {
            let piece = self.pieces[usize::from(square)] - 1;
            let (kind, is_own) = (usize::from(piece) % 6, piece < 6);
            let colour = if is_own { Colour::White } else { Colour::Black };
            let several = if is_own { KINDS } else { KINDS + 1 };
            let of_side = if is_own { 0x3f } else { 0xfc0 };
            for target in attacks::attacks(square, Role::ALL[kind].of(colour), occupied) {
                let bits = &mut found[usize::from(target)];
                *bits |= u16::from(*bits & of_side != 0) << several;
                *bits |= 1 << piece;
            }
        }
        found
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

impl RelativeMove {
    /// Moves of a position as its mover sees them.
    pub fn each(position: &Position, moves: impl IntoIterator<Item = Move>) -> Vec<RelativeMove> {
        let (us, checks) = (position.turn(), Checks::of(position));
        let see = |mv| {
            let (from, to) = squares(mv, us);
            let class = exchange_class(position, mv) + 8 * u8::from(checks.gives(mv));
            RelativeMove { from, to, promotion: mv.promoted(), class }
        };
        moves.into_iter().map(see).collect()
    }

    /// All legal moves of a position, in the order of [`Position::legal_moves`].
    pub fn all(position: &Position) -> Vec<RelativeMove> {
        RelativeMove::each(position, position.legal_moves().iter().copied())
    }

    /// Whether two moves are the same. Their classes may still differ, because a class can depend on the order in which
    /// identical pieces capture.
    pub fn is(&self, other: &RelativeMove) -> bool {
        (self.from, self.to, self.promotion) == (other.from, other.to, other.promotion)
    }
}

/// The class of a move by its gain from exchanges:
///
/// * 0 to 2 for a loss of more than four pawns, more than one and a half, or less
/// * 3 for quiet moves and 4 for captures that gain and lose nothing
/// * 5 to 7 for a gain of up to two pawns, up to four and a half, or more
fn exchange_class(position: &Position, mv: Move) -> u8 {
    let gains = |centipawns| see_at_least(position, mv, centipawns);
    let reached = |steps: [i32; 2]| steps.into_iter().filter(|&step| gains(step)).count() as u8;
    match (gains(0), gains(50)) {
        (false, _) => reached([-400, -150]),
        (true, false) => 3 + u8::from(mv.captured().is_some()),
        (true, true) => 5 + reached([200, 450]),
    }
}

/// The from-square and the to-square of a move, as a side sees them.
fn squares(mv: Move, us: Colour) -> (u8, u8) {
    let from = seen(mv.from(), us);
    let to = seen(mv.to(), us);
    let to = match mv.is_castle() {
        // The king ends up on the g- or c-file of its rank.
        true => from / 8 * 8 + if to > from { 6 } else { 2 },
        false => to,
    };
    (from, to)
}

/// The index of a square, numbered from a side's left corner.
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
        let white = RelativeBoard::of(&game(None, &["e2e4", "e7e5"]));
        let black = RelativeBoard::of(&game(
            Some("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 0 1"),
            &["e7e5", "e2e4"],
        ));
        assert_eq!(white, black);
        assert_eq!(white.pieces[..8], [4, 2, 3, 5, 6, 3, 2, 4]);
        assert_eq!(white.pieces[56..], [10, 8, 9, 11, 12, 9, 8, 10]);
        assert_eq!(white.castling, 1 | 1 << 7 | 1 << 56 | 1 << 63);
        assert_eq!(white.trail[..3], [Some((52, 36)), Some((12, 28)), None]);
    }

    #[test]
    fn a_view_can_be_turned_back_into_the_position() {
        for (fen, moves) in [
            (None, &["e2e4", "e7e5", "g1f3"][..]),
            (Some("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1"), &["h8h7"]),
            (Some("rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"), &[]),
        ] {
            let game = game(fen, moves);
            let view = RelativeBoard::of(&game);
            let position = view.position().expect("it is legal");
            let alone = RelativeBoard { trail: [None; EARLIER_MOVES], ..view };
            assert_eq!(RelativeBoard::of(&Game::new(position)), alone);
        }
    }

    #[test]
    fn castling_is_seen_as_the_move_of_the_king() {
        let fen = Some("r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1");
        let steps = RelativeMove::all(game(fen, &[]).position());
        for to in [2, 6] {
            let castles = |step: &RelativeMove| (step.from, step.to) == (4, to);
            assert!(steps.iter().any(castles), "{to}");
        }
        let castled = RelativeBoard::of(&game(fen, &["e8c8"]));
        assert_eq!(castled.trail[0], Some((60, 58)));
    }

    #[test]
    fn attacks_name_the_attackers_of_each_square() {
        let view = RelativeBoard::of(&game(Some("4k3/8/8/3p4/8/2N5/3PP3/3RK3 w - - 0 1"), &[]));
        let attacks = view.attacks();
        // Only the knight on c3 attacks the pawn on d5.
        assert_eq!(attacks[35], 1 << 1);
        // The knight itself is attacked by the pawn on d2. The square e4 is attacked by the knight and the black pawn.
        assert_eq!(attacks[18], 1);
        assert_eq!(attacks[28], 1 << 1 | 1 << 6);
        // Two white pieces attack d2, and two attack e2.
        assert_eq!(attacks[11], 1 << 3 | 1 << 5 | 1 << 12);
        assert_eq!(attacks[12], 1 << 1 | 1 << 5 | 1 << 12);
    }

    #[test]
    fn classes_tell_gains_losses_and_checks_apart() {
        let fen = "3qk3/8/2p5/3p4/4P3/8/8/Q2RK3 w - - 0 1";
        let steps = RelativeMove::all(game(Some(fen), &[]).position());
        let class = |from, to| {
            let step = steps.iter().find(|step| (step.from, step.to) == (from, to));
            step.expect("it is legal").class
        };
        assert_eq!(class(28, 35), 4, "a pawn for a pawn");
        assert_eq!(class(3, 35), 1, "a rook for a pawn");
        assert_eq!(class(0, 8), 3, "a quiet move");
        assert_eq!(class(0, 32), 0, "a queen for nothing");
        assert_eq!(class(0, 63), 3 + 8, "a check");
    }
}
