//! What a result is worth under the fifty-move rule, as the counter stands.

use super::outcome::GameResult;
use super::probe::{MoveReport, Report};

/// Plies after which the fifty-move rule draws.
pub const FIFTY_MOVES: u32 = 100;

/// A result with the fifty-move rule in view, worst first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum AttackStatus {
    Loss,
    /// A loss that takes too long: drawn if the game is played well.
    BlessedLoss,
    Draw,
    /// A win that takes too long.
    CursedWin,
    Win,
}

impl AttackStatus {
    /// How the game ends if both sides play well.
    pub fn result(self) -> GameResult {
        match self {
            AttackStatus::Loss => GameResult::Loss,
            AttackStatus::Win => GameResult::Win,
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
    pub fn standing(&self, halfmoves: u32) -> AttackStatus {
        match (self.result, self.is_in_time(halfmoves)) {
            (GameResult::Win, true) => AttackStatus::Win,
            (GameResult::Win, false) => AttackStatus::CursedWin,
            (GameResult::Draw, _) => AttackStatus::Draw,
            (GameResult::Loss, false) => AttackStatus::BlessedLoss,
            (GameResult::Loss, true) => AttackStatus::Loss,
        }
    }
}

impl Report {
    /// The best standing that a move leads to; that of the position where there is none.
    pub fn standing(&self, halfmoves: u32) -> AttackStatus {
        let best = self.moves.iter().map(|m| m.standing(halfmoves)).max();
        best.unwrap_or(match self.result {
            GameResult::Loss => AttackStatus::Loss,
            _ => AttackStatus::Draw,
        })
    }
}
