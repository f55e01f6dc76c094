//! Draws by rule. What a result is worth under the fifty-move rule as the counter stands; what has been
//! on the board since it stood at zero, and what it takes never to draw a won game by repetition.
//!
//! As long as no position has come up twice, a player may choose freely among the moves to positions
//! that have not been there. From the first repetition on he has to bring the next capture, pawn
//! move or mate nearer with every move: then no position comes up twice again, and none a third time.

use super::outcome::TableResult;
use super::probe::{MoveReport, ProbeReport};
use crate::board::{FiftyMoveResult, Game, Position};

/// Plies after which the fifty-move rule draws.
pub const FIFTY_MOVES: u32 = 100;

impl MoveReport {
    /// Does the next capture, pawn move or mate come in time? `halfmoves` is the counter before
    /// the move.
    pub fn is_in_time(&self, halfmoves: u32) -> bool {
        let counter = if self.zeroing { 0 } else { halfmoves + 1 };
        let is_near = |plies| counter + u32::from(plies) <= FIFTY_MOVES;
        !self.minds_fifty_moves || self.to_zero.is_none_or(is_near)
    }

    /// The mover's result after the move, as the counter stands.
    pub fn fifty_move_result(&self, halfmoves: u32) -> FiftyMoveResult {
        match (self.result, self.is_in_time(halfmoves)) {
            (TableResult::Win, true) => FiftyMoveResult::Win,
            (TableResult::Win, false) => FiftyMoveResult::CursedWin,
            (TableResult::Draw, _) => FiftyMoveResult::Draw,
            (TableResult::Loss, false) => FiftyMoveResult::BlessedLoss,
            (TableResult::Loss, true) => FiftyMoveResult::Loss,
        }
    }
}

impl ProbeReport {
    /// The best result that a move leads to; that of the position where there is none.
    pub fn fifty_move_result(&self, halfmoves: u32) -> FiftyMoveResult {
        let best = self.moves.iter().map(|m| m.fifty_move_result(halfmoves)).max();
        best.unwrap_or(match self.result {
            TableResult::Loss => FiftyMoveResult::Loss,
            _ => FiftyMoveResult::Draw,
        })
    }
}

/// The positions that could come up again.
#[derive(Clone, Debug)]
pub struct Past<'a> {
    position: &'a Position,
    /// Oldest first, the present position last.
    keys: Vec<u64>,
}

impl<'a> Past<'a> {
    /// `keys` are those of the positions before, as far back as the counter goes.
    pub fn new(position: &'a Position, keys: &[u64]) -> Past<'a> {
        Past { position, keys: [keys, &[position.key()]].concat() }
    }

    pub fn of(game: &'a Game) -> Past<'a> {
        Past::new(game.position(), game.repeatable_keys())
    }

    /// Has any position come up twice?
    pub fn has_repetition(&self) -> bool {
        let mut keys = self.keys.clone();
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// How often the position after a move has been there.
    pub fn occurrences(&self, m: &MoveReport) -> usize {
        let key = self.position.after(m.mv).key();
        if m.zeroing { 0 } else { self.keys.iter().filter(|&&earlier| earlier == key).count() }
    }

    /// Of these moves that all win, by index, those that lead to no draw by repetition, whatever
    /// is chosen among them each time.
    pub fn safe(&self, moves: &[MoveReport], winning: Vec<usize>) -> Vec<usize> {
        let is_fresh = |&index: &usize| self.occurrences(&moves[index]) == 0;
        let fresh: Vec<usize> = winning.iter().copied().filter(is_fresh).collect();
        if !self.has_repetition() && !fresh.is_empty() {
            return fresh;
        }
        let nearest = winning.iter().map(|&index| moves[index].plies_to_zero()).min();
        let is_nearest = |&index: &usize| Some(moves[index].plies_to_zero()) == nearest;
        winning.into_iter().filter(is_nearest).collect()
    }
}
