//! Which moves give check, found without playing them.

use shakmaty::attacks;
use shakmaty::{Bitboard, File, Role, Square};

use super::moves::Move;
use super::position::Position;

/// The squares from which each role would attack the enemy king, and the pieces that hide another.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    king: Square,
    /// By role number; a king never gives check by itself.
    from: [Bitboard; 7],
    /// Pieces of the side to move that stand between a slider of its own and the enemy king.
    hiding: Bitboard,
    occupied: Bitboard,
    /// The sliders of the side to move.
    straight: Bitboard,
    diagonal: Bitboard,
}

impl Checks {
    #[inline]
    pub fn of(position: &Position) -> Checks {
        let us = position.turn();
        let king = position.king(!us);
        let occupied = position.occupied();
        let bishop = attacks::bishop_attacks(king, occupied);
        let rook = attacks::rook_attacks(king, occupied);
        let mut from = [Bitboard::EMPTY; 7];
        from[Role::Pawn as usize] = attacks::pawn_attacks(!us, king);
        from[Role::Knight as usize] = attacks::knight_attacks(king);
        from[Role::Bishop as usize] = bishop;
        from[Role::Rook as usize] = rook;
        from[Role::Queen as usize] = bishop | rook;
        let (own, queens) = (position.of_colour(us), position.of_role(Role::Queen));
        Checks {
            king,
            from,
            hiding: position.shields(us, king, us),
            occupied,
            straight: own & (position.of_role(Role::Rook) | queens),
            diagonal: own & (position.of_role(Role::Bishop) | queens),
        }
    }

    /// Does this legal move give check?
    #[inline]
    pub fn gives(&self, m: Move) -> bool {
        if !m.is_plain() {
            return self.gives_by_rare(m);
        }
        self.from[m.role() as usize].contains(m.to())
            || (self.hiding.contains(m.from()) && !attacks::aligned(m.from(), m.to(), self.king))
    }

    /// The same for moves that do more than carry a piece from one square to another.
    #[cold]
    fn gives_by_rare(&self, m: Move) -> bool {
        let (from, to) = (m.from(), m.to());
        let mut occupied = self.occupied.without(from).with(to);
        let (mut straight, mut diagonal) = (self.straight, self.diagonal);
        let mut is_direct = false;
        if m.is_castle() {
            let is_short = to.file() > from.file();
            let files = if is_short { (File::G, File::F) } else { (File::C, File::D) };
            let king = Square::from_coords(files.0, from.rank());
            let rook = Square::from_coords(files.1, from.rank());
            occupied = occupied.without(to).with(king).with(rook);
            straight = straight.without(to).with(rook);
        } else if m.is_en_passant() {
            occupied = occupied.without(Square::from_coords(to.file(), from.rank()));
            is_direct = self.from[Role::Pawn as usize].contains(to);
        } else {
            match m.promoted() {
                Some(Role::Rook) => straight = straight.with(to),
                Some(Role::Bishop) => diagonal = diagonal.with(to),
                Some(Role::Queen) => {
                    (straight, diagonal) = (straight.with(to), diagonal.with(to));
                }
                _ => is_direct = self.from[Role::Knight as usize].contains(to),
            }
        }
        is_direct
            || (attacks::rook_attacks(self.king, occupied) & straight).any()
            || (attacks::bishop_attacks(self.king, occupied) & diagonal).any()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::wandering::wander;

    #[test]
    fn a_move_is_said_to_give_check_when_it_does() {
        // Castling, en passant, promotions, other moves that check from behind, and all others.
        let mut kinds = [0; 5];
        wander(600, |position| {
            let checks = Checks::of(position);
            for &m in &position.legal_moves() {
                let after = position.after(m);
                let gives = after.in_check();
                assert_eq!(checks.gives(m), gives, "{m:?} in {}", position.fen());
                if gives {
                    let is_direct = after.checkers().contains(m.to());
                    let kind = match m {
                        _ if m.is_castle() => 0,
                        _ if m.is_en_passant() && !is_direct => 1,
                        _ if m.promoted().is_some() => 2,
                        _ if !is_direct => 3,
                        _ => 4,
                    };
                    kinds[kind] += 1;
                }
            }
        });
        assert!(kinds.iter().all(|&count| count > 0), "{kinds:?}");
    }

    #[test]
    fn checks_that_come_with_more_than_a_piece_on_its_square_are_seen() {
        for (fen, text) in [
            // The rook checks after castling, in both kinds of chess.
            ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
            ("8/8/8/8/8/8/8/RK5k w A - 0 1", "b1a1"),
            // Both pawns leave the line: a rank, a file, diagonals.
            ("8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", "e5d6"),
            ("8/6k1/8/3pP3/8/8/1B6/4K3 w - d6 0 1", "e5d6"),
            ("8/8/2k5/3pP3/8/5B2/8/4K3 w - d6 0 1", "e5d6"),
            // What the pawn has become looks back over the square that it came from.
            ("3n4/4P3/5k2/8/8/8/8/4K3 w - - 0 1", "e7d8b"),
            ("8/4P3/8/4k3/8/8/8/4K3 w - - 0 1", "e7e8r"),
        ] {
            let position = Position::from_fen(fen, false).expect(fen);
            let m = position.parse_uci(text).expect(text);
            assert!(position.after(m).in_check(), "{fen}");
            assert!(Checks::of(&position).gives(m), "{text} in {fen}");
        }
    }
}
