//! What reductions and pruning must not overlook when every move is valued.
//!
//! The first depths of an evaluation are searched over the full width. Reductions and pruning that
//! set in at once behind them would be blind to replies that these have seen: who took the best
//! move at depth 5 lost to who took it at depth 4, by 110 Elo in 120 games. So the next few depths
//! judge no node near the root by less than the full width that is left of those plies. With every
//! ply more that the search looks beyond them this matters less, and it ends.

use super::node::{FULL_WIDTH_DEPTH, Node};
use super::worker::Worker;
use crate::board::Position;
use crate::eval::Evaluator;
use crate::value::{Depth, Value};

/// At this depth nothing is left of it. Four plies at every depth would cost a quarter more nodes at
/// depth 10, these cost an eleventh, and the values were no better.
const END: Depth = 10;

/// How many plies from the root an evaluation of this depth must see the full width of.
pub(super) fn foresight(depth: Depth) -> usize {
    usize::from(FULL_WIDTH_DEPTH.min(END.saturating_sub(depth)))
}

impl<E: Evaluator> Worker<'_, E> {
    /// How many of those plies there are from here.
    pub(super) fn foreseen(&self, ply: usize) -> i32 {
        if self.selective { self.foresight.saturating_sub(ply) as i32 } else { 0 }
    }

    /// The value over the full width of those plies: mostly it is in the table.
    pub(super) fn search_foreseen<const PV: bool>(
        &mut self,
        position: &Position,
        ply: usize,
        alpha: Value,
        beta: Value,
    ) -> Value {
        let plies = self.foreseen(ply);
        self.selective = false;
        let value = self.search::<PV>(position, ply, plies, alpha, beta, false);
        self.selective = true;
        value
    }

    /// Does that value too put the node where pruning would leave it?
    pub(super) fn agrees(&mut self, node: &Node<'_>, pruned: Value) -> bool {
        let Node { position, ply, alpha, beta, .. } = *node;
        let value = self.search_foreseen::<false>(position, ply, alpha, beta);
        !self.aborted && (value >= beta) == (pruned >= beta)
    }
}
