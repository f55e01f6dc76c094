//! Reports on table positions: results and depths of a position and its moves, and the effect of the
//! drawing rules on them.
//!
//! Whether a win survives the fifty-move rule depends on the counter ([`MoveReport::is_in_time`]).
//! Repetitions are handled by [`RepetitionHistory`]. Until a position has been repeated, a winning player may
//! choose any winning move to a new position. After the first repetition, every move must bring the
//! next capture, pawn move or mate nearer. Then no further position can be repeated, and none occurs
//! three times.

use super::material::Material;
use super::outcome::{Metric, TableResult};
use crate::board::{FiftyMoveResult, Game, Move, Position};

/// Depths in plies, in the metrics that have tables. Draws have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Depths {
    pub dtc: Option<u16>,
    pub dtm: Option<u16>,
    pub dtz: Option<u16>,
}

/// A legal move. The result is the mover's. Depths are counted from *after* the move, and are 0 if it
/// reaches the metric's goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveReport {
    pub mv: Move,
    pub result: TableResult,
    pub depths: Depths,
    /// The move is a capture or pawn move, which resets the fifty-move counter.
    pub zeroing: bool,
    /// The plies after the move to the next capture, pawn move or mate, if known, or an upper bound.
    pub to_zero: Option<u16>,
    /// Whether the fifty-move rule applies.
    pub applies_fifty_moves: bool,
}

/// A position that is in the tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    pub material: Material,
    /// For the side to move.
    pub result: TableResult,
    pub depths: Depths,
    /// The depths of the longest wins with this material.
    pub longest: Depths,
    pub moves: Vec<MoveReport>,
}

impl Depths {
    pub fn get(self, metric: Metric) -> Option<u16> {
        match metric {
            Metric::Dtc => self.dtc,
            Metric::Dtm => self.dtm,
            Metric::Dtz => self.dtz,
        }
    }

    /// Depths in all metrics.
    pub(super) fn by(plies: impl Fn(Metric) -> Option<u16>) -> Depths {
        let [dtc, dtm, dtz] = [Metric::Dtc, Metric::Dtm, Metric::Dtz].map(plies);
        Depths { dtc, dtm, dtz }
    }
}

/// The plies without capture or pawn move after which a game is drawn.
pub const FIFTY_MOVES: u32 = 100;

impl MoveReport {
    /// The plies from this move to the next capture, pawn move or mate, or 0 if the move is one.
    pub fn plies_to_zero(&self) -> u16 {
        if self.zeroing { 0 } else { self.to_zero.unwrap_or(0) }
    }

    /// Returns whether the next capture, pawn move or mate comes before the fifty-move rule applies.
    /// `halfmoves` is the counter before the move.
    pub fn is_in_time(&self, halfmoves: u32) -> bool {
        let counter = if self.zeroing { 0 } else { halfmoves + 1 };
        let is_near = |plies| counter + u32::from(plies) <= FIFTY_MOVES;
        !self.applies_fifty_moves || self.to_zero.is_none_or(is_near)
    }

    /// The mover's result under the fifty-move rule, with this counter before the move.
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
    /// The best result of any move under the fifty-move rule, or the position's if there are no moves.
    pub fn fifty_move_result(&self, halfmoves: u32) -> FiftyMoveResult {
        let best = self.moves.iter().map(|m| m.fifty_move_result(halfmoves)).max();
        best.unwrap_or(match self.result {
            TableResult::Loss => FiftyMoveResult::Loss,
            _ => FiftyMoveResult::Draw,
        })
    }
}

/// The earlier positions that could be repeated.
#[derive(Clone, Debug)]
pub struct RepetitionHistory<'a> {
    position: &'a Position,
    /// Oldest first, with the current position last.
    keys: Vec<u64>,
}

impl<'a> RepetitionHistory<'a> {
    /// `keys` are those of the earlier positions since the last capture or pawn move.
    pub fn new(position: &'a Position, keys: &[u64]) -> RepetitionHistory<'a> {
        RepetitionHistory { position, keys: [keys, &[position.key()]].concat() }
    }

    pub fn of(game: &'a Game) -> RepetitionHistory<'a> {
        RepetitionHistory::new(game.position(), game.repeatable_keys())
    }

    /// Returns whether any position has occurred twice.
    pub fn has_repetition(&self) -> bool {
        let mut keys = self.keys.clone();
        keys.sort_unstable();
        keys.windows(2).any(|pair| pair[0] == pair[1])
    }

    /// The number of earlier occurrences of the position after a move.
    pub fn occurrences(&self, m: &MoveReport) -> usize {
        let key = self.position.after(m.mv).key();
        if m.zeroing { 0 } else { self.keys.iter().filter(|&&earlier| earlier == key).count() }
    }

    /// Returns the winning moves, given by index, that cannot lead to a draw by repetition. This holds
    /// even if any of them is chosen each time.
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
