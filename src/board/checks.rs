//! Tests whether moves give check, without playing them.
//!
//! A move gives direct check if its piece attacks the king from the target square. It gives a discovered check if its
//! piece leaves the line between the king and a slider of the same side. The squares and the pieces that matter are
//! found once per position. After that, most moves need only two look-ups.

use shakmaty::attacks;
use shakmaty::{Bitboard, File, Position as _, Role, Square};

use super::attackers::shields;
use super::moves::Move;
use super::position::Position;

/// The squares from which pieces would give check, and the pieces that would discover a check by moving.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    king: Square,
    /// The squares from which a piece would attack the king, by role number. A king cannot give check.
    from: [Bitboard; 7],
    /// Pieces of the side to move that stand alone between one of its sliders and the enemy king.
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
            hiding: shields(position.chess.board(), us, king, us),
            occupied,
            straight: own & (position.of_role(Role::Rook) | queens),
            diagonal: own & (position.of_role(Role::Bishop) | queens),
        }
    }

    /// Whether a legal move gives check.
    #[inline]
    pub fn gives(&self, m: Move) -> bool {
        if !m.is_plain() {
            return self.special_move_gives(m);
        }
        self.from[m.role_number()].contains(m.to())
            || (self.hiding.contains(m.from()) && !attacks::aligned(m.from(), m.to(), self.king))
    }

    /// [`Checks::gives`] for castling, en passant and promotions.
    #[cold]
    fn special_move_gives(&self, m: Move) -> bool {
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
    use crate::board::random_games::visit_random_games;

    #[test]
    fn the_moves_that_give_check_are_found() {
        // The number of checks by castling, by en passant, by promotions, by discovery, and by the moved piece.
        let mut kinds = [0; 5];
        visit_random_games(600, |position| {
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
    fn checks_by_castling_en_passant_and_promotion_are_found() {
        for (fen, text) in [
            // The rook checks after castling, in standard chess and Chess960.
            ("5k2/8/8/8/8/8/8/4K2R w K - 0 1", "e1g1"),
            ("8/8/8/8/8/8/8/RK5k w A - 0 1", "b1a1"),
            // En passant removes two pawns from a rank or from a diagonal.
            ("8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", "e5d6"),
            ("8/6k1/8/3pP3/8/8/1B6/4K3 w - d6 0 1", "e5d6"),
            ("8/8/2k5/3pP3/8/5B2/8/4K3 w - d6 0 1", "e5d6"),
            // The promoted piece gives check through the square that the pawn came from.
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
