//! Perft: counts the move sequences of a fixed length from a position, to test the move generator.
//! This version can be stopped.

use crate::board::{Move, Position, perft};
use crate::search::Controls;

/// Returns the perft count of each legal move, or `None` if stopped.
pub(super) fn count_by_move(
    position: &Position,
    depth: u32,
    controls: &Controls,
) -> Option<Vec<(Move, u64)>> {
    let moves = position.legal_moves();
    moves.iter().map(|&m| Some((m, count(&position.after(m), depth - 1, controls)?))).collect()
}

/// Counts recursively. The last three plies are quick, so the controls are not checked there.
fn count(position: &Position, depth: u32, controls: &Controls) -> Option<u64> {
    if controls.is_stopped() {
        None
    } else if depth <= 3 {
        Some(perft(position, depth))
    } else {
        position.legal_moves().iter().map(|&m| count(&position.after(m), depth - 1, controls)).sum()
    }
}
