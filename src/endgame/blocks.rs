//! Divides the cells of a table into blocks, each of which is compressed and read as a whole.
//!
//! In a block, all pieces except two are fixed. The squares of the other two span a plane. The weak king may be one of
//! the two, but the strong king may not. For each table, the plane that compresses best is chosen. The positions in a
//! block differ only in the squares of two pieces. So a cell has neighbours with similar outcomes: the same position
//! with a piece one file or one rank away.

use super::layout::Layout;
use super::material::MAX_PIECES;
use crate::board::Square;

/// The slots of the two pieces that are not fixed in a block. The weak king has slot 1.
type BlockPlane = [usize; 2];

/// The blocks of a layout.
#[derive(Clone, Debug)]
pub struct Blocks {
    pub plane: BlockPlane,
    /// For each square of the strong king, the index of its first pair of kings. The total number of pairs comes last.
    starts: Vec<usize>,
    /// For each pair of kings, its group: the index of the strong king's square.
    groups: Vec<u8>,
    /// For each pair of kings, the pairs of the same group in which the weak king is one square to the west or south.
    /// They are numbered within the group.
    king_neighbours: Vec<Neighbours>,
    /// The number of squares for each slot. For the weak king, the total number of pairs of kings.
    widths: [usize; MAX_PIECES],
    /// For each slot, the change in a cell's index when the slot's piece moves to the next square.
    strides: [usize; MAX_PIECES],
    /// The slots of the pieces that are fixed in a block, apart from the kings.
    fixed: Vec<usize>,
    /// The number of blocks for each group, or for each pair of kings if the weak king is fixed.
    per_kings: usize,
    /// The number of indices for one side to move.
    pub size: usize,
}

/// The coordinates of the neighbours one file to the west and one rank to the south, if they exist.
pub type Neighbours = [Option<u16>; 2];

/// A block: a rectangle of cells for each side to move.
#[derive(Clone, Debug)]
pub struct Block {
    /// The index of the first cell.
    first: usize,
    strides: [usize; 2],
    pub row_neighbours: Vec<Neighbours>,
    pub column_neighbours: Vec<Neighbours>,
}

impl Block {
    /// The number of cells for one side to move.
    pub fn size(&self) -> usize {
        self.row_neighbours.len() * self.column_neighbours.len()
    }

    /// The index of a cell in the table.
    pub fn index(&self, row: usize, column: usize) -> usize {
        self.first + row * self.strides[0] + column * self.strides[1]
    }
}

/// The possible planes for a layout.
pub fn planes(layout: &Layout) -> Vec<BlockPlane> {
    let slots = layout.pieces.len();
    let pairs = (1..slots).flat_map(|first| (first + 1..slots).map(move |second| [first, second]));
    pairs.collect()
}

/// The neighbours of a square, given its number.
fn neighbours(number: usize) -> Neighbours {
    [
        (!number.is_multiple_of(8)).then(|| number as u16 - 1),
        (number >= 8).then(|| number as u16 - 8),
    ]
}

impl Blocks {
    /// Returns `None` if the slots do not span a plane of the layout.
    pub fn new(layout: &Layout, plane: BlockPlane) -> Option<Blocks> {
        planes(layout).contains(&plane).then_some(())?;
        let slots = layout.pieces.len();
        let kings = layout.kings();
        let mut starts: Vec<usize> = Vec::new();
        let mut groups = Vec::new();
        for (number, group) in kings.chunk_by(|one, next| one.0 == next.0).enumerate() {
            starts.push(groups.len());
            groups.extend(std::iter::repeat_n(number as u8, group.len()));
        }
        starts.push(kings.len());
        let neighbours_of_king = |(pair, &(_, weak)): (usize, &(Square, Square))| {
            let start = starts[usize::from(groups[pair])];
            neighbours(weak as usize).map(|square| {
                let squares = kings[start..pair].iter();
                let found = squares.into_iter().position(|&(_, w)| Some(w as u16) == square);
                found.map(|number| number as u16)
            })
        };
        let king_neighbours = kings.iter().enumerate().map(neighbours_of_king).collect();
        let mut widths = layout.widths;
        let mut strides = [1; MAX_PIECES];
        for slot in (1..slots - 1).rev() {
            strides[slot] = strides[slot + 1] * widths[slot + 1];
        }
        widths[1] = kings.len();
        let fixed: Vec<usize> = (2..slots).filter(|slot| !plane.contains(slot)).collect();
        let per_kings = fixed.iter().map(|&slot| widths[slot]).product();
        let size = layout.size;
        Some(Blocks {
            plane,
            starts,
            groups,
            king_neighbours,
            widths,
            strides,
            fixed,
            per_kings,
            size,
        })
    }

    /// The number of blocks.
    pub fn count(&self) -> usize {
        let kings = if self.plane[0] == 1 { self.starts.len() - 1 } else { self.groups.len() };
        kings * self.per_kings
    }

    /// For each square of the strong king, the range of its blocks and the range of cells that they cover.
    pub fn groups(&self) -> impl Iterator<Item = (std::ops::Range<usize>, std::ops::Range<usize>)> {
        self.starts.windows(2).enumerate().map(|(group, pairs)| {
            let cells = pairs[0] * self.strides[1]..pairs[1] * self.strides[1];
            let blocks = if self.plane[0] == 1 { group..group + 1 } else { pairs[0]..pairs[1] };
            (blocks.start * self.per_kings..blocks.end * self.per_kings, cells)
        })
    }

    /// The block with this number.
    pub fn block(&self, number: usize) -> Block {
        let (kings, mut rest) = (number / self.per_kings, number % self.per_kings);
        let with_king = self.plane[0] == 1;
        let pair = if with_king { self.starts[kings] } else { kings };
        let mut first = pair * self.strides[1];
        for &slot in self.fixed.iter().rev() {
            first += rest % self.widths[slot] * self.strides[slot];
            rest /= self.widths[slot];
        }
        let squares = |slot: usize| (0..self.widths[slot]).map(neighbours).collect();
        let row_neighbours = match with_king {
            true => self.king_neighbours[pair..self.starts[kings + 1]].to_vec(),
            false => squares(self.plane[0]),
        };
        let column_neighbours = squares(self.plane[1]);
        Block {
            first,
            strides: self.plane.map(|slot| self.strides[slot]),
            row_neighbours,
            column_neighbours,
        }
    }

    /// The block that contains an index, the cell in it for White to move, and the offset from there to the cell for
    /// Black to move.
    #[inline]
    pub fn locate(&self, index: usize) -> (usize, usize, usize) {
        let number = |slot: usize| index / self.strides[slot] % self.widths[slot];
        let pair = index / self.strides[1];
        let group = usize::from(self.groups[pair]);
        let columns = self.widths[self.plane[1]];
        let (kings, row, rows) = match self.plane[0] {
            1 => (group, pair - self.starts[group], self.starts[group + 1] - self.starts[group]),
            slot => (pair, number(slot), self.widths[slot]),
        };
        let fixed = self.fixed.iter();
        let block = fixed.fold(kings, |block, &slot| block * self.widths[slot] + number(slot));
        (block, row * columns + number(self.plane[1]), rows * columns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_is_in_one_block() {
        for name in ["KQK", "KPK", "KQKR", "KRPK", "KBBK"] {
            let layout = Layout::new(name.parse().expect(name));
            for plane in planes(&layout) {
                let blocks = Blocks::new(&layout, plane).expect("a plane of the layout");
                let mut seen = 0;
                for (numbers, cells) in blocks.groups() {
                    for number in numbers.step_by(37) {
                        let block = blocks.block(number);
                        let columns = block.column_neighbours.len();
                        for at in 0..block.size() {
                            let index = block.index(at / columns, at % columns);
                            assert!(cells.contains(&index), "{name} {plane:?}");
                            assert_eq!(blocks.locate(index), (number, at, block.size()));
                        }
                    }
                    seen += cells.len();
                }
                assert_eq!(seen, layout.size, "{name}");
            }
            assert!(
                Blocks::new(&layout, [0, 1]).is_none() && Blocks::new(&layout, [1, 9]).is_none()
            );
        }
    }
}
