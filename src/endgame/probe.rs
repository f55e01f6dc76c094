//! All that the tables know of a position: its result and depths, and those of every legal move.

use crate::board::{Move, Position};

use super::material::Material;
use super::outcome::{Metric, Outcome, TableResult};
use super::tables::Tables;

/// Depths in plies, as far as tables are at hand. Draws have none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
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

    fn set(&mut self, metric: Metric, plies: Option<u16>) {
        match metric {
            Metric::Dtc => self.dtc = plies,
            Metric::Dtm => self.dtm = plies,
            Metric::Dtz => self.dtz = plies,
        }
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
        let mut depths = Depths::default();
        let mut longest = Depths::default();
        for metric in Metric::ALL {
            depths.set(metric, self.probe(position, metric).and_then(Outcome::plies));
            longest.set(metric, self.lookup(material, metric).map(|table| table.longest()));
        }
        let moves = position.legal_moves();
        let moves: Option<Vec<MoveReport>> =
            moves.iter().map(|&m| self.move_report(position, m)).collect();
        Some(ProbeReport { material, result, depths, longest, moves: moves? })
    }

    /// What a legal move is worth to the mover.
    pub fn move_report(&self, position: &Position, mv: Move) -> Option<MoveReport> {
        let after = position.after(mv);
        let result = self.result(&after)?.reversed();
        let mut depths = Depths::default();
        for metric in Metric::ALL {
            let depth = || self.probe(&after, metric).and_then(Outcome::plies);
            let reached = result != TableResult::Draw && is_goal(mv, metric);
            depths.set(metric, if reached { Some(0) } else { depth() });
        }
        let nearest = [Metric::Dtz, Metric::Dtc, Metric::Dtm];
        let to_zero = nearest.iter().find_map(|&metric| self.probe(&after, metric)?.plies());
        let zeroing = is_goal(mv, Metric::Dtz);
        Some(MoveReport { mv, result, depths, zeroing, to_zero, minds_fifty_moves: true })
    }
}

/// Does a move reach the goal of a metric, mate apart?
pub fn is_goal(mv: Move, metric: Metric) -> bool {
    match metric {
        Metric::Dtm => false,
        Metric::Dtc => mv.is_capture() || mv.promoted().is_some(),
        Metric::Dtz => mv.is_capture() || mv.role() == crate::board::Role::Pawn,
    }
}
