//! Counting the leaves of the move tree: the customary check of a move generator.

use super::generate::MoveList;
use super::moves::Move;
use super::position::Position;

/// Number of move sequences of `depth` plies.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves: MoveList = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.iter().map(|&m| perft(&position.after(m), depth - 1)).sum()
}

/// [`perft`], by first move.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let moves = position.legal_moves();
    moves.iter().map(|&m| (m, perft(&position.after(m), depth.saturating_sub(1)))).collect()
}
