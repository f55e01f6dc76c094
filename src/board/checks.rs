//! Which moves give check, found without playing them.

use shakmaty::attacks;
use shakmaty::{Bitboard, Role, Square};

use super::moves::Move;
use super::position::Position;

/// The squares from which each role would attack the enemy king, and the pieces that hide another.
#[derive(Clone, Copy, Debug)]
pub struct Checks {
    king: Square,
    /// By role number; a king never gives check by itself.
    from: [Bitboard; 7],
    /// Pieces of the mover that stand between his own slider and the enemy king.
    hiding: Bitboard,
}

impl Checks {
    pub(super) fn of(position: &Position) -> Checks {
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
        Checks { king, from, hiding: position.shields(us, king, us) }
    }

    /// Does this legal move give check? Castling and en passant are answered as if the rook and
    /// the captured pawn were of no account.
    #[inline]
    pub fn gives(&self, m: Move) -> bool {
        let role = m.promoted().unwrap_or(m.role());
        self.from[role as usize].contains(m.to())
            || (self.hiding.contains(m.from()) && !attacks::aligned(m.from(), m.to(), self.king))
    }
}
