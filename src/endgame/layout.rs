//! The index of a position in its table.
//!
//! Each piece has a fixed slot: first the strong king, then the weak king, then the other pieces of
//! the strong side, then those of the weak side. White is always the strong side. Mirror images
//! share an index. With pawns there are two images of the board (left and right), and without pawns
//! there are eight. The squares of the kings decide which image is used. A position's index
//! consists of the index of the pair of kings, followed by the square of each other piece.
//!
//! Every position has exactly one index, but some indices have no position. Such an index would put
//! two pieces on the same square, or identical pieces in the wrong order. If both kings are on the
//! diagonal, two mirror images could have different indices, and the smaller one is used.

use std::sync::LazyLock;

use crate::board::{Colour, Position, Role, Square, attacks};

use super::material::{MAX_PIECES, Material, ROLES};

/// A piece in a layout.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct LayoutPiece {
    pub side: Colour,
    pub role: Role,
}

/// The squares of the pieces by slot. Unused slots are a1.
pub type Squares = [Square; MAX_PIECES];

/// The slots and indices for a material signature.
#[derive(Clone, Debug)]
pub struct Layout {
    /// The pieces of both sides. White is the strong side.
    pub material: Material,
    /// The pieces by slot: White's king, Black's king, then White's other pieces and Black's.
    pub(crate) pieces: Vec<LayoutPiece>,
    kings: &'static Kings,
    /// The number of squares for each slot: 48 for a pawn, and 64 for any other piece.
    pub(super) widths: [usize; MAX_PIECES],
    /// Neighbouring slots with identical pieces. Compare-and-swap steps in this order sort the
    /// pieces.
    swaps: Vec<usize>,
    /// The number of indices for one side to move.
    pub size: usize,
}

/// The index of a position, and whether the position is its own mirror image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TablePlace {
    /// The index among the positions with the same side to move.
    pub index: usize,
    /// Whether the position is its own mirror image.
    pub symmetric: bool,
}

/// The numbered pairs of kings. Mirror images count as one pair.
#[derive(Debug)]
struct Kings {
    pairs: Vec<(Square, Square)>,
    images: Vec<Option<Image>>,
}

/// The transform that turns a pair of kings into a numbered pair.
#[derive(Clone, Copy, Debug)]
struct Image {
    pair: u16,
    transform: Transform,
    /// Whether both kings are on the diagonal, so that the mirror image has the same pair.
    diagonal: bool,
}

/// One of the eight images of the board. Bit 0 flips the ranks, bit 1 flips the files, and bit 2
/// then flips the board about the diagonal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Transform(u8);

const DIAGONAL: Transform = Transform(4);

impl Transform {
    #[inline]
    fn apply(self, square: Square) -> Square {
        let flipped = square as u32
            ^ if self.0 & 1 != 0 { 56 } else { 0 }
            ^ if self.0 & 2 != 0 { 7 } else { 0 };
        let turned = if self.0 & 4 != 0 { (flipped & 7) << 3 | flipped >> 3 } else { flipped };
        Square::new(turned)
    }
}

fn on_diagonal(square: Square) -> bool {
    square.file() as u32 == square.rank() as u32
}

impl Kings {
    /// Numbers the pairs in the region that `is_home` accepts, and finds the image of every pair.
    fn new(transforms: &[u8], is_home: impl Fn(Square, Square) -> bool) -> Kings {
        let mut pairs = Vec::new();
        let mut images = vec![None; 64 * 64];
        let apart = |strong: Square, weak: Square| {
            strong != weak && !attacks::king_attacks(strong).contains(weak)
        };
        let all = || Square::ALL.into_iter().flat_map(|a| Square::ALL.map(|b| (a, b)));
        pairs.extend(all().filter(|&(strong, weak)| apart(strong, weak) && is_home(strong, weak)));
        for (strong, weak) in all().filter(|&(strong, weak)| apart(strong, weak)) {
            images[strong as usize * 64 + weak as usize] = transforms.iter().find_map(|&number| {
                let transform = Transform(number);
                let home = (transform.apply(strong), transform.apply(weak));
                let pair = pairs.binary_search(&home).ok()? as u16;
                let diagonal = transforms.len() == 8 && on_diagonal(home.0) && on_diagonal(home.1);
                Some(Image { pair, transform, diagonal })
            });
        }
        Kings { pairs, images }
    }

    fn with_pawns() -> &'static Kings {
        static KINGS: LazyLock<Kings> =
            LazyLock::new(|| Kings::new(&[0, 2], |strong, _| (strong.file() as u32) < 4));
        &KINGS
    }

    fn without_pawns() -> &'static Kings {
        static KINGS: LazyLock<Kings> = LazyLock::new(|| {
            Kings::new(&[0, 1, 2, 3, 4, 5, 6, 7], |strong, weak| {
                let below = |s: Square| s.rank() as u32 <= s.file() as u32;
                (strong.file() as u32) < 4 && below(strong) && (!on_diagonal(strong) || below(weak))
            })
        });
        &KINGS
    }
}

impl Layout {
    /// Assigns slots and indices to the pieces of a material signature.
    pub fn new(material: Material) -> Layout {
        let kings = if material.has_pawns() { Kings::with_pawns() } else { Kings::without_pawns() };
        let mut pieces = [Colour::White, Colour::Black]
            .map(|side| LayoutPiece { side, role: Role::King })
            .to_vec();
        for side in [Colour::White, Colour::Black] {
            for (role, count) in ROLES.into_iter().zip(material.counts(side)) {
                pieces.extend(std::iter::repeat_n(LayoutPiece { side, role }, usize::from(count)));
            }
        }
        let mut widths = [1; MAX_PIECES];
        for (width, piece) in widths.iter_mut().zip(&pieces).skip(2) {
            *width = if piece.role == Role::Pawn { 48 } else { 64 };
        }
        // This is a bubble sort: each round moves the largest piece in a run to its end.
        let alike: Vec<usize> = (2..pieces.len().saturating_sub(1))
            .filter(|&slot| pieces[slot] == pieces[slot + 1])
            .collect();
        let swaps =
            (0..alike.len()).flat_map(|round| alike[..alike.len() - round].to_vec()).collect();
        let size = kings.pairs.len() * widths.iter().product::<usize>();
        Layout { material, pieces, kings, widths, swaps, size }
    }

    /// The pairs of kings in the order of their numbers.
    pub(super) fn kings(&self) -> &[(Square, Square)] {
        &self.kings.pairs
    }

    /// The index of a position or of any of its mirror images, or `None` if the kings are adjacent.
    /// The pieces must be on different squares, and pawns must be on the second to seventh ranks.
    #[inline]
    pub fn place(&self, squares: &Squares) -> Option<TablePlace> {
        let image = self.kings.images[squares[0] as usize * 64 + squares[1] as usize]?;
        let index = self.index(image.pair, squares, |square| image.transform.apply(square));
        if !image.diagonal {
            return Some(TablePlace { index, symmetric: false });
        }
        let mirrored =
            self.index(image.pair, squares, |square| DIAGONAL.apply(image.transform.apply(square)));
        Some(TablePlace { index: index.min(mirrored), symmetric: index == mirrored })
    }

    #[inline]
    fn index(&self, pair: u16, squares: &Squares, image: impl Fn(Square) -> Square) -> usize {
        let mut numbers = [0usize; MAX_PIECES];
        for slot in 2..self.pieces.len() {
            let offset = if self.widths[slot] == 48 { 8 } else { 0 };
            numbers[slot] = image(squares[slot]) as usize - offset;
        }
        for &slot in &self.swaps {
            if numbers[slot] > numbers[slot + 1] {
                numbers.swap(slot, slot + 1);
            }
        }
        let further = 2..self.pieces.len();
        further.fold(usize::from(pair), |index, slot| index * self.widths[slot] + numbers[slot])
    }

    /// The position at an index, or `None` if there is none.
    #[inline]
    pub(crate) fn squares(&self, index: usize) -> Option<Squares> {
        let squares = self.decode(index);
        let mut occupied = 0u64;
        for &square in &squares[..self.pieces.len()] {
            let bit = 1 << square as u32;
            if occupied & bit != 0 {
                return None;
            }
            occupied |= bit;
        }
        (self.place(&squares)?.index == index).then_some(squares)
    }

    /// The position at an index that is known to have one.
    #[inline]
    pub(crate) fn decode(&self, index: usize) -> Squares {
        let mut squares = [Square::A1; MAX_PIECES];
        let mut rest = index;
        for slot in (2..self.pieces.len()).rev() {
            // Dividing by a constant is faster.
            let (number, further) = match self.widths[slot] {
                48 => (rest % 48 + 8, rest / 48),
                _ => (rest % 64, rest / 64),
            };
            squares[slot] = Square::new(number as u32);
            rest = further;
        }
        (squares[0], squares[1]) = self.kings.pairs[rest];
        squares
    }

    /// The squares of the pieces in a position with this material. `swapped` means that Black is
    /// the strong side.
    #[inline]
    pub fn squares_of(&self, position: &Position, swapped: bool) -> Squares {
        let mut squares = [Square::A1; MAX_PIECES];
        let mut slot = 0;
        while slot < self.pieces.len() {
            let LayoutPiece { side, role } = self.pieces[slot];
            let colour = if swapped { !side } else { side };
            for square in position.pieces(colour, role) {
                squares[slot] = if swapped { square.flip_vertical() } else { square };
                slot += 1;
            }
        }
        squares
    }

    /// The position as FEN, with White as the strong side.
    pub fn fen(&self, squares: &Squares, turn: Colour) -> String {
        let mut board = [['1'; 8]; 8];
        for (piece, square) in self.pieces.iter().zip(squares) {
            let letter = piece.role.of(piece.side).char();
            board[square.rank() as usize][square.file() as usize] = letter;
        }
        let mut ranks = board.iter().rev().map(String::from_iter).collect::<Vec<_>>().join("/");
        // Adjacent empty squares become one number.
        for empty in (2..=8).rev() {
            ranks = ranks.replace(&"1".repeat(empty), &empty.to_string());
        }
        format!("{ranks} {} - - 0 1", turn.char())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kings_have_462_and_1806_pairs() {
        assert_eq!(Kings::without_pawns().pairs.len(), 462);
        assert_eq!(Kings::with_pawns().pairs.len(), 1806);
    }

    #[test]
    fn mirror_images_share_an_index_that_decodes_to_the_position() {
        for name in ["KQK", "KQKR", "KBBK", "KPPK", "KPKP", "KRKP"] {
            let layout = Layout::new(name.parse().expect(name));
            let images = if layout.material.has_pawns() { vec![0, 2] } else { (0..8).collect() };
            for index in (0..layout.size).step_by(97) {
                let Some(squares) = layout.squares(index) else { continue };
                for &image in &images {
                    let mut other = squares.map(|square| Transform(image).apply(square));
                    if name == "KBBK" {
                        other.swap(2, 3);
                    }
                    assert_eq!(layout.place(&other).expect("kings apart").index, index, "{name}");
                }
            }
        }
    }
}
