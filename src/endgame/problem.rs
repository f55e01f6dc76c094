//! What is to be solved: one table, from those of all materials that its moves lead to.

use crate::board::{Colour, Role, Square};

use super::cache::Lookup;
use super::layout::{Layout, Squares};
use super::links::Links;
use super::outcome::{Metric, Outcome};
use super::pieces::{PieceMove, Pieces};

/// What watches a table being solved.
pub trait SolvingObserver: Sync {
    /// A round is done: so many positions of so many are decided.
    fn round(&self, _plies: u16, _decided: u64, _positions: u64) {}

    /// Should the work be given up?
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Nobody watches.
impl SolvingObserver for () {}

/// The work was given up because the observer said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the table was solved")]
pub struct Stopped;

/// Everything that solving one table needs.
#[derive(Debug)]
pub struct Problem<'a> {
    pub layout: Layout,
    pub metric: Metric,
    pub links: &'a Links,
    /// The solved DTC table of the same material, where pawn moves count as conversions.
    pub results: Option<Lookup>,
    pub threads: usize,
}

impl Problem<'_> {
    /// The value of a move that reaches the metric's goal or leaves the table, else `None`.
    pub(super) fn conversion(
        &self,
        pieces: &Pieces,
        side: Colour,
        m: PieceMove,
    ) -> Option<Outcome> {
        if m.captured.is_some() || m.promotion.is_some() {
            let after = self.links.outcome(side, m, &pieces.moved(m.slot, m.to));
            return Some(match self.metric {
                Metric::Dtm => after.before(),
                Metric::Dtc | Metric::Dtz => after.converting(),
            });
        }
        if self.metric != Metric::Dtz || self.layout.pieces()[m.slot].role != Role::Pawn {
            return None;
        }
        let squares = pieces.moved(m.slot, m.to);
        let results = self.results.as_ref().expect("the DTZ with pawns is solved from the DTC");
        let after = results.get(!side, &squares).ok().flatten();
        let after = after.expect("a legal move leads to a legal position");
        let capture = if m.double { self.capture_in_passing(&squares, !side, m.to) } else { None };
        let after = match capture {
            Some((capture, forced)) => in_passing(after, capture, forced),
            None => after,
        };
        Some(after.converting())
    }

    /// The best capture by `side` of the pawn that has just moved two squares to `target`, and
    /// whether it is the only move.
    pub(super) fn capture_in_passing(
        &self,
        squares: &Squares,
        side: Colour,
        target: Square,
    ) -> Option<(Outcome, bool)> {
        let pieces = Pieces::new(&self.layout, *squares);
        let captures = pieces
            .en_passant(side, target)
            .map(|m| self.conversion(&pieces, side, m).expect("a capture leaves the table"));
        let best = captures.reduce(Outcome::or)?;
        Some((best, !pieces.has_move(side)))
    }
}

/// The outcome of a position for a side that may also capture en passant.
pub fn in_passing(otherwise: Outcome, capture: Outcome, forced: bool) -> Outcome {
    if forced { capture } else { otherwise.or(capture) }
}
