//! What a result is worth under the fifty-move rule, as the counter stands.

use super::outcome::GameResult;
use super::probe::{MoveReport, Report};

/// Plies after which the fifty-move rule draws.
pub const FIFTY_MOVES: u32 = 100;

/// A result with the fifty-move rule in view, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Standing {
    Loss,
    /// A loss that takes too long: drawn if the game is played well.
    BlessedLoss,
    Draw,
    /// A win that takes too long.
    CursedWin,
    Win,
}

impl Standing {
    /// How the game ends if both sides play well.
    pub fn result(self) -> GameResult {
        match self {
            Standing::Loss => GameResult::Loss,
            Standing::Win => GameResult::Win,
            _ => GameResult::Draw,
        }
    }
}

impl MoveReport {
    /// Does the next capture, pawn move or mate come in time? `halfmoves` is the counter before
    /// the move.
    pub fn is_in_time(&self, halfmoves: u32) -> bool {
        let counter = if self.zeroing { 0 } else { halfmoves + 1 };
        let is_near = |plies| counter + u32::from(plies) <= FIFTY_MOVES;
        !self.minds_fifty_moves || self.to_zero.is_none_or(is_near)
    }

    /// The mover's standing after the move.
    pub fn standing(&self, halfmoves: u32) -> Standing {
        match (self.result, self.is_in_time(halfmoves)) {
            (GameResult::Win, true) => Standing::Win,
            (GameResult::Win, false) => Standing::CursedWin,
            (GameResult::Draw, _) => Standing::Draw,
            (GameResult::Loss, false) => Standing::BlessedLoss,
            (GameResult::Loss, true) => Standing::Loss,
        }
    }
}

impl Report {
    /// The best standing that a move leads to; that of the position where there is none.
    pub fn standing(&self, halfmoves: u32) -> Standing {
        let best = self.moves.iter().map(|m| m.standing(halfmoves)).max();
        best.unwrap_or(match self.result {
            GameResult::Loss => Standing::Loss,
            _ => Standing::Draw,
        })
    }
}
