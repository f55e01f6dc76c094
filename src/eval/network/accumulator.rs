//! The sums of the hidden layer, carried from position to position.
//!
//! A move changes a few inputs of each side: those of the pieces that it moves, and of those that stand
//! otherwise with attacks after it. So its sums are those of an earlier position with some rows taken
//! off and added. Most positions of a search are left without a look at their sums; so nothing is
//! done before an evaluation asks for them, which then begins with the last position that has its
//! sums and was seen in the same mirror, or anew where there is none.

use arrayvec::ArrayVec;

use super::attack_status::{AttackStatuses, NOBODY, PlacedPiece};
use super::inputs::SideView;
use super::weights::{CacheLine, Weights};
use crate::board::{Colour, Position};

/// No board has more pieces.
const MOST: usize = 64;

type PieceList = ArrayVec<PlacedPiece, MOST>;
type Rows<'a> = ArrayVec<&'a [CacheLine], MOST>;

/// What a network knows of a position on the line from the root: nothing before it is asked.
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    /// Whether the rest is of this position.
    known: bool,
    /// By the numbers of colours, as each sees the board.
    sums: [Vec<CacheLine>; 2],
    views: [SideView; 2],
    attack_statuses: AttackStatuses,
}

impl Accumulator {
    /// What a side sees, once [`bring_up_to_date`] has been called.
    #[inline(always)]
    pub(super) fn sums(&self, colour: Colour) -> &[CacheLine] {
        &self.sums[colour as usize]
    }

    /// Another position takes the place.
    #[inline]
    pub fn forget(&mut self) {
        self.known = false;
    }
}

/// Makes the sums of both sides known for the position at `at`.
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
            None => (weights.biases(), &NOBODY),
        };
        if compared != Some(before) {
            compared = Some(before);
            gather(&mut taken, pieces.unlike(&state.attack_statuses));
            gather(&mut placed, state.attack_statuses.unlike(pieces));
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

/// Sums that are the old ones with some rows taken off and others added. Each block is worked on
/// in a place of its own, where the compiler sees that nothing else can be.
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
