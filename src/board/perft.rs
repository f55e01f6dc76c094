//! Perft counts the legal move sequences of a given length. The correct counts are known for many positions, so perft
//! tests the move generator.

use super::generate::MoveList;
use super::moves::Move;
use super::position::Position;

/// The number of legal move sequences of `depth` plies.
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

/// [`perft`] for every first move.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let moves = position.legal_moves();
    moves.iter().map(|&m| (m, perft(&position.after(m), depth.saturating_sub(1)))).collect()
}
