//! Accumulators: the sums of the hidden layer, updated from position to position.
//!
//! A move changes only a few inputs of each side: those of the moved pieces, and those of pieces whose attack status
//! changes. So the sums are those of an earlier position with some rows subtracted and others added. Most positions of a
//! search are never evaluated, so the update is put off until an evaluation needs it. The update starts from the last
//! position on the line that has its sums and the same mirroring of the board, or from scratch if there is none.

use arrayvec::ArrayVec;

use super::attack_status::{AttackStatuses, PlacedPiece};
use super::inputs::SideView;
use super::weights::{CacheLine, Weights};
use crate::board::{Colour, Position};

/// The most pieces of a board, and so the most rows.
const MOST: usize = 64;

type PieceList = ArrayVec<PlacedPiece, MOST>;
type Rows<'a> = ArrayVec<&'a [CacheLine], MOST>;

/// The sums of a position on the line from the root. They are computed on demand.
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    /// Whether the other fields are up to date.
    known: bool,
    /// The sums by colour.
    sums: [Vec<CacheLine>; 2],
    views: [SideView; 2],
    attack_statuses: AttackStatuses,
}

impl Accumulator {
    /// The sums of a side, after [`bring_up_to_date`].
    #[inline(always)]
    pub(super) fn sums(&self, colour: Colour) -> &[CacheLine] {
        &self.sums[colour as usize]
    }

    /// Marks the sums as out of date.
    #[inline]
    pub fn forget(&mut self) {
        self.known = false;
    }
}

/// Computes the sums of both sides for the position at `at`.
#[inline(always)]
pub fn bring_up_to_date(
    line: &mut [Accumulator],
    at: usize,
    weights: &Weights,
    position: &Position,
) {
    let (line, rest) = line.split_at_mut(at);
    let state = &mut rest[0];
    if state.known {
        return;
    }
    state.attack_statuses = AttackStatuses::of(position);
    let (mut taken, mut placed) = (PieceList::new(), PieceList::new());
    let mut compared = None;
    for colour in Colour::ALL {
        let (side, view) = (colour as usize, SideView::of(colour, position));
        state.views[side] = view;
        let before = line.iter().rposition(|state| state.known && state.views[side] == view);
        let (old, pieces) = match before {
            Some(before) => (&line[before].sums[side][..], &line[before].attack_statuses),
            None => (weights.biases(), &AttackStatuses::EMPTY),
        };
        if compared != Some(before) {
            compared = Some(before);
            let different = pieces.differences(&state.attack_statuses);
            gather(&mut taken, pieces.pieces_on(different));
            gather(&mut placed, state.attack_statuses.pieces_on(different));
        }
        let (mut taken_rows, mut placed_rows) = (Rows::new(), Rows::new());
        for &piece in &taken {
            taken_rows.push(weights.row(view.input(piece)));
        }
        for &piece in &placed {
            placed_rows.push(weights.row(view.input(piece)));
        }
        rework(&mut state.sums[side], old, &taken_rows, &placed_rows);
    }
    state.known = true;
}

#[inline(always)]
fn gather(list: &mut PieceList, pieces: impl Iterator<Item = PlacedPiece>) {
    list.clear();
    for piece in pieces {
        list.push(piece);
    }
}

/// Sets `sums` to the old sums with some rows subtracted and others added. Each block is a local variable while it is
/// changed, so that the compiler can keep it in registers.
#[inline(always)]
fn rework(
    sums: &mut Vec<CacheLine>,
    old: &[CacheLine],
    taken: &[&[CacheLine]],
    placed: &[&[CacheLine]],
) {
    sums.resize(old.len(), CacheLine::ZERO);
    for (place, sum) in sums.iter_mut().enumerate() {
        let mut block = old[place];
        for row in placed {
            block.add(&row[place]);
        }
        for row in taken {
            block.subtract(&row[place]);
        }
        *sum = block;
    }
}
