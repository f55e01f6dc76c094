//! From one material to the next: where captures and promotions lead.
//!
//! The men of the smaller table have slots of their own, and the sides may change places, as when
//! the queen of KQKR is taken and the rook's side is left the strong one. How, depends only on
//! who vanishes and who promotes, so it is worked out once for each such case.

use std::sync::Arc;

use crate::board::{Colour, Role};

use super::layout::{Layout, Man, Squares};
use super::material::{MAX_MEN, Material, ROLES};
use super::men::MenMove;
use super::outcome::{Metric, Outcome};
use super::table::Table;

/// Where to find the tables that a material converts to.
pub trait Source {
    fn table(&self, material: Material, metric: Metric) -> Option<Arc<Table>>;
}

/// A conversion leads to a table that is not there.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{material} in {metric} is not at hand, and captures or promotions lead to it")]
pub struct MissingTable {
    pub material: Material,
    pub metric: Metric,
}

/// One way of converting.
#[derive(Clone, Debug)]
struct Link {
    /// The table led to; `None` for two bare kings.
    table: Option<Arc<Table>>,
    swapped: bool,
    /// `sources[slot]` is the present slot of the man in the new table's `slot`.
    sources: [usize; MAX_MEN],
    men: usize,
}

/// The conversions of a material.
#[derive(Clone, Debug)]
pub struct Links {
    /// By slot taken (or none), slot promoted (or none) and role promoted to.
    links: Vec<Option<Link>>,
}

const NONE: usize = MAX_MEN;

fn number(captured: usize, promoted: usize, role: Role) -> usize {
    (captured * (MAX_MEN + 1) + promoted) * 6 + role as usize - 1
}

impl Links {
    /// Gathers the tables, in the metric given, that `layout` converts to.
    pub fn new(
        layout: &Layout,
        metric: Metric,
        source: &dyn Source,
    ) -> Result<Links, MissingTable> {
        let mut links = vec![None; (MAX_MEN + 1) * (MAX_MEN + 1) * 6];
        let men = layout.men();
        let pawns = || (2..men.len()).filter(|&slot| men[slot].role == Role::Pawn);
        for captured in (2..men.len()).chain([NONE]) {
            if captured != NONE {
                let link = Link::new(men, captured, NONE, Role::Pawn, metric, source)?;
                links[number(captured, NONE, Role::Pawn)] = Some(link);
            }
            for promoted in pawns() {
                if captured != NONE && men[captured].side == men[promoted].side {
                    continue;
                }
                for role in super::material::PROMOTIONS {
                    let link = Link::new(men, captured, promoted, role, metric, source)?;
                    links[number(captured, promoted, role)] = Some(link);
                }
            }
        }
        Ok(Links { links })
    }

    /// The outcome, for the side then to move, of the position that a capture or promotion by
    /// `mover` leads to. `squares` are those after the move, the man taken still among them.
    #[inline]
    pub fn outcome(&self, mover: Colour, m: MenMove, squares: &Squares) -> Outcome {
        let promoted = if m.promotion.is_some() { m.slot } else { NONE };
        let role = m.promotion.unwrap_or(Role::Pawn);
        let link = self.links[number(m.captured.unwrap_or(NONE), promoted, role)]
            .as_ref()
            .expect("every capture and promotion of the layout has a link");
        let Some(table) = &link.table else { return Outcome::Draw };
        let mut there = [crate::board::Square::A1; MAX_MEN];
        for (square, &source) in there.iter_mut().zip(&link.sources).take(link.men) {
            let here = squares[source];
            *square = if link.swapped { here.flip_vertical() } else { here };
        }
        let turn = if link.swapped { mover } else { !mover };
        table.get(turn, &there).expect("a legal move leads to a legal position")
    }
}

impl Link {
    fn new(
        men: &[Man],
        captured: usize,
        promoted: usize,
        role: Role,
        metric: Metric,
        source: &dyn Source,
    ) -> Result<Link, MissingTable> {
        let left: Vec<(usize, Man)> = men
            .iter()
            .enumerate()
            .filter(|&(slot, _)| slot != captured)
            .map(|(slot, &man)| (slot, if slot == promoted { Man { role, ..man } } else { man }))
            .collect();
        let counts = |side| {
            ROLES
                .map(|role| left.iter().filter(|(_, man)| *man == Man { side, role }).count() as u8)
        };
        let (material, swapped) = Material::new(counts(Colour::White), counts(Colour::Black));
        let mut sources = [0; MAX_MEN];
        if material.men() == 2 {
            return Ok(Link { table: None, swapped, sources, men: 2 });
        }
        let metric = metric.stored_for(material);
        let table = source.table(material, metric).ok_or(MissingTable { material, metric })?;
        let mut rest = left;
        for (slot, man) in table.layout().men().iter().enumerate() {
            let side = if swapped { !man.side } else { man.side };
            let found = rest
                .iter()
                .position(|(_, other)| *other == Man { side, role: man.role })
                .expect("both list the same men");
            sources[slot] = rest.remove(found).0;
        }
        Ok(Link { men: table.layout().men().len(), table: Some(table), swapped, sources })
    }
}
