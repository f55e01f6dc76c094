//! All that the tables know of a position: its result and depths, and those of every legal move; and
//! what the rules of draws leave of it.
//!
//! What a result is worth under the fifty-move rule hangs on the counter ([`MoveReport::is_in_time`]).
//! As for repetitions ([`Past`]): as long as no position has come up twice, a player may choose freely
//! among the moves to positions that have not been there. From the first repetition on he has to bring
//! the next capture, pawn move or mate nearer with every move: then no position comes up twice again,
//! and none a third time.

use super::material::Material;
use super::outcome::{Metric, Outcome, TableResult};
use super::tables::Tables;
use crate::board::{FiftyMoveResult, Game, Move, Position};

/// Depths in plies, as far as tables are at hand. Draws have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Depths {
    pub dtc: Option<u16>,
    pub dtm: Option<u16>,
    pub dtz: Option<u16>,
}

/// A legal move. The result is the mover's; the depths are what is left to go *after* the move,
/// 0 when it reaches the metric's goal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MoveReport {
    pub mv: Move,
    pub result: TableResult,
    pub depths: Depths,
    /// A capture or pawn move: the fifty-move counter starts again.
    pub zeroing: bool,
    /// Plies from after the move to the next capture, pawn move or mate, as far as is known; at
    /// most this.
    pub to_zero: Option<u16>,
    /// Does it matter how many plies that are?
    pub minds_fifty_moves: bool,
}

/// A position of the zone of tables.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProbeReport {
    pub material: Material,
    /// For the side to move.
    pub result: TableResult,
    pub depths: Depths,
    /// Of the longest win with this material.
    pub longest: Depths,
    pub moves: Vec<MoveReport>,
}

impl MoveReport {
    /// Plies from this move, if it is not one itself, to the next capture, pawn move or mate.
    pub fn plies_to_zero(&self) -> u16 {
        if self.zeroing { 0 } else { self.to_zero.unwrap_or(0) }
    }
}

impl Depths {
    pub fn get(self, metric: Metric) -> Option<u16> {
        match metric {
            Metric::Dtc => self.dtc,
            Metric::Dtm => self.dtm,
            Metric::Dtz => self.dtz,
        }
    }

    fn by(plies: impl Fn(Metric) -> Option<u16>) -> Depths {
        let [dtc, dtm, dtz] = [Metric::Dtc, Metric::Dtm, Metric::Dtz].map(plies);
        Depths { dtc, dtm, dtz }
    }
}

impl Tables {
    /// The result of a position from whichever table is at hand.
    pub fn result(&self, position: &Position) -> Option<TableResult> {
        Metric::ALL.iter().find_map(|&metric| self.probe(position, metric)).map(Outcome::result)
    }

    /// Everything about a position, or `None` where a result is missing.
    pub fn report(&self, position: &Position) -> Option<ProbeReport> {
        let (material, _) = Material::of(position);
        let result = self.result(position)?;
        let depths = Depths::by(|metric| self.probe(position, metric)?.plies());
        let longest = Depths::by(|metric| Some(self.lookup(material, metric)?.longest()));
        let moves = position.legal_moves();
        let moves: Option<Vec<MoveReport>> =
            moves.iter().map(|&m| self.move_report(position, m)).collect();
        Some(ProbeReport { material, result, depths, longest, moves: moves? })
    }

    /// What a legal move is worth to the mover.
    pub fn move_report(&self, position: &Position, mv: Move) -> Option<MoveReport> {
        let after = position.after(mv);
        let result = self.result(&after)?.reversed();
        let depths = Depths::by(|metric| match metric.is_reached_by(mv) {
            true if result != TableResult::Draw => Some(0),
            _ => self.probe(&after, metric)?.plies(),
        });
        let nearest = [Metric::Dtz, Metric::Dtc, Metric::Dtm];
        let to_zero = nearest.iter().find_map(|&metric| self.probe(&after, metric)?.plies());
        let zeroing = Metric::Dtz.is_reached_by(mv);
        Some(MoveReport { mv, result, depths, zeroing, to_zero, minds_fifty_moves: true })
    }
}

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
