//! Links from a table to the tables that captures and promotions lead to.
//!
//! In those tables, pieces have different slots, and the sides may be swapped: if the queen in KQKR is captured, the
//! side with the rook becomes the strong side. The mapping depends only on the captured piece and the promotion, so it
//! is computed once for each combination.

use crate::board::{Colour, Role, Square};

use super::cache::LoadedTable;
use super::layout::{Layout, LayoutPiece, Squares};
use super::material::{MAX_PIECES, Material, PROMOTIONS, ROLES};
use super::outcome::{Metric, Outcome, TableKey};
use super::pieces::PieceMove;
use super::tables::Tables;

/// A table that a conversion leads to is missing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the table {0} is missing, and captures or promotions lead to it; build it first")]
pub struct MissingTable(pub TableKey);

/// A capture, a promotion, or both at once.
#[derive(Clone, Copy, Debug)]
struct Conversion {
    /// The slot of the captured piece, or [`NONE`].
    captured: usize,
    /// The slot of the promoting pawn, or [`NONE`].
    promoted: usize,
    /// The role that the pawn promotes to. `Pawn` if there is no promotion.
    role: Role,
}

/// The table that a conversion leads to, and the mapping of squares to that table.
#[derive(Clone, Debug)]
struct Link {
    /// The table, or `None` for two bare kings.
    table: Option<LoadedTable>,
    swapped: bool,
    /// `sources[slot]` is the old slot of the piece that has `slot` in the new table.
    sources: [usize; MAX_PIECES],
    pieces: usize,
}

/// The links for all conversions from a material signature.
#[derive(Clone, Debug)]
pub struct Links {
    /// The links, indexed by [`Conversion::number`].
    links: Vec<Option<Link>>,
}

const NONE: usize = MAX_PIECES;

impl Conversion {
    fn number(self) -> usize {
        (self.captured * (MAX_PIECES + 1) + self.promoted) * 6 + self.role as usize - 1
    }

    fn is_possible(self, pieces: &[LayoutPiece]) -> bool {
        match (self.captured, self.promoted) {
            (NONE, promoted) => promoted != NONE,
            (_, NONE) => true,
            (captured, promoted) => pieces[captured].side != pieces[promoted].side,
        }
    }
}

impl Links {
    /// Collects the tables in this metric that conversions from `layout` lead to.
    pub fn new(layout: &Layout, metric: Metric, tables: &Tables) -> Result<Links, MissingTable> {
        let mut links = vec![None; (MAX_PIECES + 1) * (MAX_PIECES + 1) * 6];
        let pieces = &layout.pieces;
        let pawns = || (2..pieces.len()).filter(|&slot| pieces[slot].role == Role::Pawn);
        let promotions = || pawns().flat_map(|slot| PROMOTIONS.map(|role| (slot, role)));
        for captured in (2..pieces.len()).chain([NONE]) {
            for (promoted, role) in promotions().chain([(NONE, Role::Pawn)]) {
                let conversion = Conversion { captured, promoted, role };
                if conversion.is_possible(pieces) {
                    links[conversion.number()] =
                        Some(Link::new(pieces, conversion, metric, tables)?);
                }
            }
        }
        Ok(Links { links })
    }

    /// The outcome after a capture or promotion by `mover`, from the point of view of the side that is then to move.
    /// `squares` are the squares after the move, including the square of the captured piece.
    #[inline]
    pub fn outcome(&self, mover: Colour, m: PieceMove, squares: &Squares) -> Outcome {
        let conversion = Conversion {
            captured: m.captured.unwrap_or(NONE),
            promoted: if m.promotion.is_some() { m.slot } else { NONE },
            role: m.promotion.unwrap_or(Role::Pawn),
        };
        let link = self.links[conversion.number()]
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
        conversion: Conversion,
        metric: Metric,
        tables: &Tables,
    ) -> Result<Link, MissingTable> {
        let Conversion { captured, promoted, role } = conversion;
        let left: Vec<(usize, LayoutPiece)> = pieces
            .iter()
            .enumerate()
            .filter(|&(slot, _)| slot != captured)
            .map(|(slot, &piece)| {
                (slot, if slot == promoted { LayoutPiece { role, ..piece } } else { piece })
            })
            .collect();
        let counts = |side| {
            ROLES.map(|counted| {
                let wanted = LayoutPiece { side, role: counted };
                left.iter().filter(|(_, piece)| *piece == wanted).count() as u8
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
