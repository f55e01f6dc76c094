//! What a search finds at its root.

use crate::board::Move;
use crate::value::Value;

/// A principal variation with its value.
#[derive(Clone, Debug)]
pub(super) struct Variation {
    pub value: Value,
    /// Never empty.
    pub moves: Vec<Move>,
    pub selective_depth: usize,
}

/// The root of a search.
#[derive(Clone, Debug, Default)]
pub(super) struct Root {
    /// The depth of the present iteration.
    pub depth: i32,
    /// The moves that count.
    pub moves: Vec<Move>,
    /// Some legal moves are left out: what is found is not for the table.
    pub restricted: bool,
    /// The best move that was found, with its line.
    pub best: Option<Variation>,
    /// Nodes spent below each move.
    efforts: Vec<(Move, u64)>,
}

impl Root {
    /// Books nodes on a move.
    pub fn spend(&mut self, m: Move, nodes: u64) {
        match self.efforts.iter_mut().find(|(other, _)| *other == m) {
            Some((_, spent)) => *spent += nodes,
            None => self.efforts.push((m, nodes)),
        }
    }

    /// The part of all nodes that went into a move.
    pub fn effort(&self, m: Move) -> f64 {
        let total: u64 = self.efforts.iter().map(|(_, nodes)| nodes).sum();
        let own = self.efforts.iter().find(|(other, _)| *other == m).map_or(0, |(_, nodes)| *nodes);
        if total == 0 { 0.0 } else { own as f64 / total as f64 }
    }
}
