//! The successors of the positions in a table, for studies of whole tables.

use crate::board::Role;

use super::links::{Links, MissingTable};
use super::outcome::{Metric, Outcome};
use super::pieces::Pieces;
use super::table::{EndgameTable, TablePosition};
use super::tables::Tables;

/// Looks up the successors of the positions in a table. They are in the same table or in another
/// one.
#[derive(Debug)]
pub struct Successors<'a> {
    table: &'a EndgameTable,
    links: Links,
}

/// A position that follows another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Successor {
    /// The outcome for the side that is then to move.
    pub outcome: Outcome,
    /// Whether the move reaches the goal of the table's metric. Mate does not count.
    pub reaches_goal: bool,
    /// The place in the same table. `None` after a capture or a promotion.
    pub place: Option<usize>,
}

impl<'a> Successors<'a> {
    /// Returns an error if a capture or promotion leads to a table that is missing.
    pub fn new(table: &'a EndgameTable, tables: &Tables) -> Result<Successors<'a>, MissingTable> {
        let links = Links::new(&table.layout, table.metric.after_conversion(), tables)?;
        Ok(Successors { table, links })
    }

    /// Calls `found` with the position after each legal move from a position.
    pub fn each(&self, entry: &TablePosition, mut found: impl FnMut(Successor)) {
        let (table, layout, turn) = (self.table, &self.table.layout, entry.turn);
        let pieces = Pieces::new(layout, entry.squares);
        pieces.moves(turn, |m| {
            let after = pieces.moved(m.slot, m.to);
            let leaves = m.captured.is_some() || m.promotion.is_some();
            let place = if leaves { None } else { layout.place(&after) };
            let outcome = match place {
                Some(place) => {
                    table.at(!turn, place.index).expect("a legal move leads to a legal position")
                }
                None => self.links.outcome(turn, m, &after),
            };
            let reaches_goal = match table.metric {
                Metric::Dtm => false,
                Metric::Dtc => leaves,
                Metric::Dtz => leaves || layout.pieces[m.slot].role == Role::Pawn,
            };
            found(Successor { outcome, reaches_goal, place: place.map(|place| place.index) });
            true
        });
    }
}
