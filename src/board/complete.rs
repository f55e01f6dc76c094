//! Restores a move from its packed form, if it is legal.
//!
//! A move from the transposition table may belong to another position with the same key, so it must be checked. Checking
//! one move is faster than generating all moves and looking for it.

use shakmaty::attacks;
use shakmaty::{Bitboard, Chess, Position as _, Rank, Role, Square};

use super::attackers::{attackers, king};
use super::generate::{MoveList, Selection, Wanted, generate};
use super::moves::{Move, PackedMove};

/// The legal move that a packed move represents, if there is one.
pub(super) fn complete(chess: &Chess, checkers: Bitboard, packed: PackedMove) -> Option<Move> {
    let (board, us) = (chess.board(), chess.turn());
    let (from, to) = (packed.from(), packed.to());
    let ours = board.by_color(us);
    let role = board.role_at(from).filter(|_| ours.contains(from))?;
    let captured = board.role_at(to);
    let is_special = match role {
        // En passant.
        Role::Pawn => captured.is_none() && from.file() != to.file(),
        // Castling, which is encoded as the capture of the king's own rook.
        Role::King => ours.contains(to),
        _ => false,
    };
    if is_special {
        return find(chess, checkers, packed);
    }
    let occupied = board.occupied();
    let reached = match role {
        Role::Pawn => pawn_targets(chess, from),
        _ => attacks::attacks(from, role.of(us), occupied) & !ours,
    };
    let last = us.fold_wb(Rank::Eighth, Rank::First);
    let promotes = role == Role::Pawn && to.rank() == last;
    let has_right_promotion = match packed.promoted() {
        None => !promotes,
        Some(Role::Pawn | Role::King) => false,
        Some(_) => promotes,
    };
    if !reached.contains(to) || !has_right_promotion {
        return None;
    }
    let theirs = board.by_color(!us);
    // The opponent's pieces that attack the king after the move.
    let (home, cleared) = match role {
        Role::King => (to, occupied.without(from)),
        _ => (king(board, us), occupied.without(from).with(to)),
    };
    let is_exposed = role == Role::King
        || checkers.any()
        || attacks::queen_attacks(home, Bitboard::EMPTY).contains(from);
    if is_exposed && (attackers(board, home, cleared) & theirs).without(to).any() {
        return None;
    }
    let m = match packed.promoted() {
        Some(into) => Move::promotion(from, to, captured, into),
        None => Move::normal(role, from, to, captured),
    };
    (m.packed() == packed).then_some(m)
}

/// The squares that a pawn may move to, apart from en passant captures, if its king is ignored.
fn pawn_targets(chess: &Chess, from: Square) -> Bitboard {
    let (board, us) = (chess.board(), chess.turn());
    let empty = !board.occupied();
    let (ahead, third) = us.fold_wb((8, Rank::Third), (-8, Rank::Sixth));
    let single = Bitboard::from_square(from).shift(ahead) & empty;
    let double = (single & Bitboard::from_rank(third)).shift(ahead) & empty;
    single | double | (attacks::pawn_attacks(us, from) & board.by_color(!us))
}

/// Finds the move among all legal moves of its piece.
#[cold]
fn find(chess: &Chess, checkers: Bitboard, packed: PackedMove) -> Option<Move> {
    let from = Bitboard::from_square(packed.from());
    let mut moves = MoveList::new();
    for selection in [Selection::Noisy, Selection::Quiet] {
        generate(chess, checkers, Wanted { selection, from }, &mut moves);
    }
    moves.into_iter().find(|m| m.packed() == packed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::random_games::visit_random_games;

    #[test]
    fn exactly_the_legal_moves_are_restored() {
        let (mut visited, mut restored) = (0, 0);
        visit_random_games(60, |position| {
            visited += 1;
            let legal = position.legal_moves();
            // All promotions are tried too, also those to roles that do not exist.
            let packed = (1..=u16::MAX).map(PackedMove);
            let from =
                |packed: &PackedMove| position.of_colour(position.turn()).contains(packed.from());
            for packed in packed.filter(from) {
                let expected = legal.iter().copied().find(|m| m.packed() == packed);
                assert_eq!(position.complete(packed), expected, "{packed:?} in {}", position.fen());
                restored += usize::from(expected.is_some());
            }
        });
        assert!(visited > 1000 && restored > 20 * visited, "{visited} {restored}");
    }
}
