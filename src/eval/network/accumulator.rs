//! Accumulators: the sums of the hidden layer, updated from position to position.
//!
//! A move changes only a few inputs of each side: the inputs for the moved pieces, and for pieces whose attack status
//! changes. So the sums can be computed from the sums of another position by subtracting some rows and adding others.
//! Many positions in a search are never evaluated, so the update is put off until an evaluation needs it. The update
//! starts from the last position on the line whose sums are known and whose board is mirrored in the same way. The sums
//! that an earlier visit left at this ply may belong to a more similar position. In that case, the update starts from
//! them.

use arrayvec::ArrayVec;

use super::attack_status::{AttackStatuses, PlacedPiece};
use super::inputs::SideView;
use super::weights::{CacheLine, Weights};
use crate::board::{Colour, Position};

/// The maximum number of pieces, and so of rows, that can change at once: one on every square.
const MAX_CHANGES: usize = 64;

/// The number of blocks that are processed together: as many as fit into the registers of a processor with AVX2.
const STRIP: usize = 4;

type PieceList = ArrayVec<PlacedPiece, MAX_CHANGES>;
type Rows<'a> = ArrayVec<&'a [CacheLine], MAX_CHANGES>;

/// The sums of a position on the line from the root. They are computed on demand.
#[derive(Clone, Debug, Default)]
pub struct Accumulator {
    /// Whether the other fields belong to the position on the line. If not, they belong to another position.
    known: bool,
    /// The sums by colour.
    sums: [Vec<CacheLine>; 2],
    /// The views by colour. `None` before the first use.
    views: [Option<SideView>; 2],
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
    pub(crate) fn forget(&mut self) {
        self.known = false;
    }
}

/// The position whose sums an update starts from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Source {
    EmptyBoard,
    /// The position at this index of the line.
    Line(usize),
    /// The position whose sums an earlier visit left here.
    Here,
}

/// Computes the sums of both sides for the position at index `at` of the line.
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
    let attack_statuses = AttackStatuses::of(position);
    let (mut taken, mut placed) = (PieceList::new(), PieceList::new());
    let mut compared = None;
    for colour in Colour::ALL {
        let (side, view) = (colour as usize, SideView::of(colour, position));
        let is_alike = |state: &Accumulator| state.views[side] == Some(view);
        let on_line = line.iter().rposition(|state| state.known && is_alike(state));
        let (mut source, mut before) = match on_line {
            Some(at) => (Source::Line(at), &line[at].attack_statuses),
            None => (Source::EmptyBoard, &AttackStatuses::EMPTY),
        };
        let mut different = before.differences(&attack_statuses);
        if is_alike(state) {
            let from_here = state.attack_statuses.differences(&attack_statuses);
            if from_here.count() < different.count() {
                (source, before, different) = (Source::Here, &state.attack_statuses, from_here);
            }
        }
        if compared != Some(source) {
            compared = Some(source);
            gather(&mut taken, before.pieces_on(different));
            gather(&mut placed, attack_statuses.pieces_on(different));
        }
        let (mut taken_rows, mut placed_rows) = (Rows::new(), Rows::new());
        for &piece in &taken {
            taken_rows.push(weights.row(view.input(piece)));
        }
        for &piece in &placed {
            placed_rows.push(weights.row(view.input(piece)));
        }
        state.views[side] = Some(view);
        let sums = &mut state.sums[side];
        let old = match source {
            Source::EmptyBoard => Some(weights.biases()),
            Source::Line(at) => Some(&line[at].sums[side][..]),
            Source::Here => None,
        };
        if sums.is_empty() {
            sums.extend_from_slice(weights.biases());
        }
        rework(sums, old, &taken_rows, &placed_rows);
    }
    state.attack_statuses = attack_statuses;
    state.known = true;
}

#[inline(always)]
fn gather(list: &mut PieceList, pieces: impl Iterator<Item = PlacedPiece>) {
    list.clear();
    for piece in pieces {
        list.push(piece);
    }
}

/// Subtracts some rows from the old sums and adds others. Without old sums, starts from the present ones.
#[inline(always)]
fn rework(
    sums: &mut [CacheLine],
    old: Option<&[CacheLine]>,
    taken: &[&[CacheLine]],
    placed: &[&[CacheLine]],
) {
    let (strips, rest) = sums.as_chunks_mut::<STRIP>();
    let whole = STRIP * strips.len();
    for (number, strip) in strips.iter_mut().enumerate() {
        let places = STRIP * number..STRIP * (number + 1);
        // Each block is in a local variable while it changes, so that the compiler keeps it in registers.
        let old = old.and_then(|old| old[places.clone()].first_chunk());
        let [mut a, mut b, mut c, mut d] = *old.unwrap_or(strip);
        for row in placed {
            let row = &row[places.clone()];
            a.add(&row[0]);
            b.add(&row[1]);
            c.add(&row[2]);
            d.add(&row[3]);
        }
        for row in taken {
            let row = &row[places.clone()];
            a.subtract(&row[0]);
            b.subtract(&row[1]);
            c.subtract(&row[2]);
            d.subtract(&row[3]);
        }
        *strip = [a, b, c, d];
    }
    for (place, sum) in (whole..).zip(rest) {
        let mut block = old.map_or(*sum, |old| old[place]);
        for row in placed {
            block.add(&row[place]);
        }
        for row in taken {
            block.subtract(&row[place]);
        }
        *sum = block;
    }
}
