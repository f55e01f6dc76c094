//! Reversible moves: finds the single move that leads from one position to another, given their keys.
//!
//! Two positions that differ only by one piece's move have keys with the same XOR, whatever else is on the board. There
//! are 3,668 such differences. A cuckoo hash table (van Kervinck 2013) gives each of them two possible places, so a
//! look-up takes two comparisons.

use once_cell::sync::Lazy;
use shakmaty::zobrist::{Zobrist64, ZobristValue};
use shakmaty::{Bitboard, Color, Piece, Role, Square, attacks};

use super::keys::piece_key;

const PLACES: usize = 8192;

static MOVES: Lazy<ReversibleMoves> = Lazy::new(ReversibleMoves::new);

/// The reversible moves by the difference that they make to a key.
struct ReversibleMoves(Vec<(u64, [Square; 2])>);

/// Returns the two squares of the reversible move that makes this difference to a key. The move may go either way, and
/// may be blocked. The difference is never zero, since the side to move differs.
#[inline]
pub(crate) fn reversible_move(difference: u64) -> Option<[Square; 2]> {
    let at = |place: usize| MOVES.0[place];
    let found = places(difference).map(at).into_iter().find(|(key, _)| *key == difference);
    found.map(|(_, squares)| squares)
}

#[inline]
fn places(key: u64) -> [usize; 2] {
    [key as usize % PLACES, (key >> 16) as usize % PLACES]
}

impl ReversibleMoves {
    fn new() -> ReversibleMoves {
        let mut moves = ReversibleMoves(vec![(0, [Square::A1; 2]); PLACES]);
        let roles = [Role::Knight, Role::Bishop, Role::Rook, Role::Queen, Role::King];
        for (color, role) in
            Color::ALL.into_iter().flat_map(|color| roles.map(|role| (color, role)))
        {
            let piece = Piece { color, role };
            for from in Square::ALL {
                for to in attacks::attacks(from, piece, Bitboard::EMPTY)
                    .into_iter()
                    .filter(|&to| from < to)
                {
                    let key = piece_key(piece, from) ^ piece_key(piece, to);
                    moves.insert((key ^ Zobrist64::zobrist_for_white_turn().0, [from, to]));
                }
            }
        }
        moves
    }

    /// Puts a move into its first place. A move that was there goes to its other place, and so on.
    fn insert(&mut self, mut entry: (u64, [Square; 2])) {
        let mut place = places(entry.0)[0];
        loop {
            std::mem::swap(&mut self.0[place], &mut entry);
            if entry.0 == 0 {
                return;
            }
            let [first, second] = places(entry.0);
            place = if place == first { second } else { first };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;

    #[test]
    fn a_quiet_move_of_a_piece_is_found_and_others_are_not() {
        let position =
            Position::from_fen("r3k2r/p1p2p2/1n6/4P3/8/8/P4PPP/R3K1NR w KQkq - 0 1", false);
        let position = position.expect("valid");
        for (uci, is_reversible) in
            [("g1e2", true), ("g1h3", true), ("e5e6", false), ("e1c1", false)]
        {
            let m = position.parse_uci(uci).expect(uci);
            let difference = position.key() ^ position.after(m).key();
            let found = reversible_move(difference);
            let mut squares = [m.from(), m.to()];
            squares.sort();
            assert_eq!(found, is_reversible.then_some(squares), "{uci}");
        }
    }

    #[test]
    fn every_reversible_move_has_a_place() {
        assert_eq!(MOVES.0.iter().filter(|(key, _)| *key != 0).count(), 3668);
    }
}
