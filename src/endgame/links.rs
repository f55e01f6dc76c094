//! From one material to the next: where captures and promotions lead.
//!
//! The pieces of the smaller table have slots of their own, and the sides may change places, as when
//! the queen of KQKR is taken and the rook's side is left the strong one. How, depends only on
//! who vanishes and who promotes, so it is worked out once for each such case.

use crate::board::{Colour, Role, Square};

use super::cache::Lookup;
use super::layout::{Layout, LayoutPiece, Squares};
use super::material::{MAX_PIECES, Material, PROMOTIONS, ROLES};
use super::outcome::{Metric, Outcome, TableKey};
use super::pieces::PieceMove;
use super::tables::Tables;

/// A conversion leads to a table that is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0} is not at hand, and captures or promotions lead to it")]
pub struct MissingTable(pub TableKey);

/// One way of converting.
#[derive(Clone, Debug)]
struct Link {
    /// The table led to; `None` for two bare kings.
    table: Option<Lookup>,
    swapped: bool,
    /// `sources[slot]` is the present slot of the piece in the new table's `slot`.
    sources: [usize; MAX_PIECES],
    pieces: usize,
}

/// The conversions of a material.
#[derive(Clone, Debug)]
pub struct Links {
    /// By slot taken (or none), slot promoted (or none) and role promoted to.
    links: Vec<Option<Link>>,
}

const NONE: usize = MAX_PIECES;

fn number(captured: usize, promoted: usize, role: Role) -> usize {
    (captured * (MAX_PIECES + 1) + promoted) * 6 + role as usize - 1
}

impl Links {
    /// Gathers the tables, in the metric given, that `layout` converts to.
    pub fn new(layout: &Layout, metric: Metric, tables: &Tables) -> Result<Links, MissingTable> {
        let mut links = vec![None; (MAX_PIECES + 1) * (MAX_PIECES + 1) * 6];
        let pieces = &layout.pieces;
        let pawns = || (2..pieces.len()).filter(|&slot| pieces[slot].role == Role::Pawn);
        let promotions = || pawns().flat_map(|slot| PROMOTIONS.map(|role| (slot, role)));
        for captured in (2..pieces.len()).chain([NONE]) {
            for (promoted, role) in promotions().chain([(NONE, Role::Pawn)]) {
                let is_possible = match (captured, promoted) {
                    (NONE, promoted) => promoted != NONE,
                    (_, NONE) => true,
                    (captured, promoted) => pieces[captured].side != pieces[promoted].side,
                };
                if is_possible {
                    let link = Link::new(pieces, captured, promoted, role, metric, tables)?;
                    links[number(captured, promoted, role)] = Some(link);
                }
            }
        }
        Ok(Links { links })
    }

    /// The outcome, for the side then to move, of the position that a capture or promotion by
    /// `mover` leads to. `squares` are those after the move, the piece taken still among them.
    #[inline]
    pub fn outcome(&self, mover: Colour, m: PieceMove, squares: &Squares) -> Outcome {
        let promoted = if m.promotion.is_some() { m.slot } else { NONE };
        let role = m.promotion.unwrap_or(Role::Pawn);
        let link = self.links[number(m.captured.unwrap_or(NONE), promoted, role)]
            .as_ref()
            .expect("every capture and promotion of the layout has a link");
        let Some(table) = &link.table else { return Outcome::Draw };
        let mut there = [Square::A1; MAX_PIECES];
        for (square, &source) in there.iter_mut().zip(&link.sources).take(link.pieces) {
            let here = squares[source];
            *square = if link.swapped { here.flip_vertical() } else { here };
        }
        let turn = if link.swapped { mover } else { !mover };
        let found = table.get(turn, &there).ok().flatten();
        found.expect("a legal move leads to a legal position, and linked tables are in memory")
    }
}

impl Link {
    fn new(
        pieces: &[LayoutPiece],
        captured: usize,
        promoted: usize,
        role: Role,
        metric: Metric,
        tables: &Tables,
    ) -> Result<Link, MissingTable> {
        let left: Vec<(usize, LayoutPiece)> = pieces
            .iter()
            .enumerate()
            .filter(|&(slot, _)| slot != captured)
            .map(|(slot, &piece)| {
                (slot, if slot == promoted { LayoutPiece { role, ..piece } } else { piece })
            })
            .collect();
        let counts = |side| {
            ROLES.map(|role| {
                left.iter().filter(|(_, piece)| *piece == LayoutPiece { side, role }).count() as u8
            })
        };
        let (material, swapped) = Material::new(counts(Colour::White), counts(Colour::Black));
        let mut sources = [0; MAX_PIECES];
        if material.pieces() == 2 {
            return Ok(Link { table: None, swapped, sources, pieces: 2 });
        }
        let key = TableKey::of(material, metric);
        let table = tables.linked(key).ok_or(MissingTable(key))?;
        let mut rest = left;
        for (slot, piece) in table.layout().pieces.iter().enumerate() {
            let side = if swapped { !piece.side } else { piece.side };
            let found = rest
                .iter()
                .position(|(_, other)| *other == LayoutPiece { side, role: piece.role })
                .expect("both list the same pieces");
            sources[slot] = rest.remove(found).0;
        }
        Ok(Link { pieces: table.layout().pieces.len(), table: Some(table), swapped, sources })
    }
}
