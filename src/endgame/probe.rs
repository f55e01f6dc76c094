//! Reports on table positions: the results and depths of a position and its moves, and the effect of the drawing rules
//! on them.
//!
//! Whether a win survives the fifty-move rule depends on the counter ([`MoveReport::is_in_time`]).
//! [`RepetitionHistory`] handles repetitions. Until a position has been repeated, a winning player may choose any
//! winning move to a new position. After the first repetition, every move must bring the next capture, pawn move or
//! mate closer. Then no further position is repeated, and none occurs three times.

use super::material::Material;
use super::outcome::{Metric, TableResult};
use crate::board::{FiftyMoveResult, Game, Move, Position};

/// Depths in plies, in each metric for which there is a table. Draws have no depth.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Depths {
    /// The depth to the next capture, promotion or mate. `None` for a draw or without a table.
    pub dtc: Option<u16>,
    /// The depth to mate. `None` for a draw or without a table.
    pub dtm: Option<u16>,
    /// The depth to the next capture, pawn move or mate. `None` for a draw or without a table.
    pub dtz: Option<u16>,
}

/// A legal move. The result is for the player who makes the move. Depths are counted from *after* the move, and are 0
/// if it reaches the goal of the metric.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveReport {
    /// The move.
    pub mv: Move,
    /// The result for the player who makes the move.
    pub result: TableResult,
    /// The depths after the move.
    pub depths: Depths,
    /// Whether the move is a capture or pawn move, which resets the fifty-move counter.
    pub zeroing: bool,
    /// The number of plies after the move to the next capture, pawn move or mate, or an upper bound. `None` if it is
    /// unknown.
    pub to_zero: Option<u16>,
    /// Whether the fifty-move rule applies.
    pub applies_fifty_moves: bool,
}

/// A position that is in the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    /// The pieces of both sides.
    pub material: Material,
    /// The result for the side to move.
    pub result: TableResult,
    /// The depths for the side to move.
    pub depths: Depths,
    /// The depths of the longest wins with this material.
    pub longest: Depths,
    /// All legal moves.
    pub moves: Vec<MoveReport>,
}

impl Depths {
    /// The depth in this metric. `None` for a draw or without a table.
    pub fn get(self, metric: Metric) -> Option<u16> {
        match metric {
            Metric::Dtc => self.dtc,
            Metric::Dtm => self.dtm,
            Metric::Dtz => self.dtz,
        }
    }

    /// Collects the depths in all metrics.
    pub(super) fn by(plies: impl Fn(Metric) -> Option<u16>) -> Depths {
        let [dtc, dtm, dtz] = [Metric::Dtc, Metric::Dtm, Metric::Dtz].map(plies);
        Depths { dtc, dtm, dtz }
    }
}

/// The number of plies without a capture or pawn move after which a game is drawn.
pub const FIFTY_MOVES: u32 = 100;

impl MoveReport {
    /// The number of plies from this move to the next capture, pawn move or mate. 0 if this move is one of these, or if
    /// the number is unknown.
    pub(crate) fn plies_to_zero(&self) -> u16 {
        if self.zeroing { 0 } else { self.to_zero.unwrap_or(0) }
    }

    /// Returns whether the next capture, pawn move or mate comes in time under the fifty-move rule. `halfmoves` is the
    /// fifty-move counter before the move.
    pub(crate) fn is_in_time(&self, halfmoves: u32) -> bool {
        let counter = if self.zeroing { 0 } else { halfmoves + 1 };
        let is_near = |plies| counter + u32::from(plies) <= FIFTY_MOVES;
        !self.applies_fifty_moves || self.to_zero.is_none_or(is_near)
    }

    /// The mover's result under the fifty-move rule. `halfmoves` is the fifty-move counter before the move.
    pub(crate) fn fifty_move_result(&self, halfmoves: u32) -> FiftyMoveResult {
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
    /// Returns whether the distances to the next capture or pawn move are known for all moves that win or lose.
    pub(crate) fn has_distances(&self) -> bool {
        self.moves.iter().all(|m| m.result == TableResult::Draw || m.to_zero.is_some())
    }

    /// The best result of any move under the fifty-move rule. If there are no moves, the result of the position.
    pub(crate) fn fifty_move_result(&self, halfmoves: u32) -> FiftyMoveResult {
        let best = self.moves.iter().map(|m| m.fifty_move_result(halfmoves)).max();
        best.unwrap_or(match self.result {
            TableResult::Loss => FiftyMoveResult::Loss,
            _ => FiftyMoveResult::Draw,
        })
    }
}

/// The earlier positions that could recur.
#[derive(Clone, Debug)]
pub struct RepetitionHistory<'a> {
    position: &'a Position,
    /// The keys of the positions, oldest first. The current position is the last one.
    keys: Vec<u64>,
}

impl<'a> RepetitionHistory<'a> {
    /// `keys` are the keys of the earlier positions since the last capture or pawn move.
    pub fn new(position: &'a Position, keys: &[u64]) -> RepetitionHistory<'a> {
        RepetitionHistory { position, keys: [keys, &[position.key()]].concat() }
    }

    /// The history of the current position of a game.
    pub fn of(game: &'a Game) -> RepetitionHistory<'a> {
        RepetitionHistory::new(game.position(), game.repeatable_keys())
    }

    /// Returns whether any position has occurred twice.
    pub(crate) fn has_repetition(&self) -> bool {
        let mut keys = self.keys.clone();
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The number of times that the position after a move has already occurred.
    pub(crate) fn occurrences(&self, m: &MoveReport) -> usize {
        let key = self.position.after(m.mv).key();
        if m.zeroing { 0 } else { self.keys.iter().filter(|&&earlier| earlier == key).count() }
    }

    /// Returns the indices of the winning moves that cannot lead to a draw by repetition, whichever of these moves the
    /// player chooses each time.
    pub(crate) fn safe(&self, moves: &[MoveReport], winning: Vec<usize>) -> Vec<usize> {
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
