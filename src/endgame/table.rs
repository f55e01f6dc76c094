//! A solved table: the outcome of every position of one material in one metric.

use super::layout::{Layout, Squares};
use super::material::Material;
use super::outcome::{Metric, Outcome};
use crate::board::Colour;

/// What a cell says of its place: a draw, twice the plies of a win, one more than twice the plies
/// of a loss, or that the place stays empty.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell(pub u16);

impl Cell {
    pub const DRAW: Cell = Cell(0);
    pub const EMPTY: Cell = Cell(u16::MAX);

    pub fn of(outcome: Outcome) -> Cell {
        match outcome {
            Outcome::Draw => Cell::DRAW,
            Outcome::Win(plies) => Cell(2 * plies),
            Outcome::Loss(plies) => Cell(2 * plies + 1),
        }
    }

    #[inline]
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Cell::EMPTY => None,
            Cell::DRAW => Some(Outcome::Draw),
            Cell(code) if code % 2 == 0 => Some(Outcome::Win(code / 2)),
            Cell(code) => Some(Outcome::Loss(code / 2)),
        }
    }
}

/// The cells, in bytes where they fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Cells {
    Bytes(Vec<u8>),
    Words(Vec<u16>),
}

impl Cells {
    /// Packs cells as tightly as they go.
    pub fn pack(len: usize, cell: impl Fn(usize) -> Cell) -> Cells {
        Cells::of(len, (0..len).map(&cell))
    }

    /// The same of cells that come one after the other, twice if need be.
    pub(super) fn of(len: usize, cells: impl Iterator<Item = Cell> + Clone) -> Cells {
        let fits = |cell: Cell| cell == Cell::EMPTY || cell.0 < u16::from(u8::MAX);
        if cells.clone().all(fits) {
            let mut bytes = Vec::with_capacity(len);
            bytes.extend(cells.map(|cell| cell.0.min(255) as u8));
            Cells::Bytes(bytes)
        } else {
            let mut words = Vec::with_capacity(len);
            words.extend(cells.map(|cell| cell.0));
            Cells::Words(words)
        }
    }

    /// Bytes that they take.
    pub(super) fn bytes(&self) -> usize {
        match self {
            Cells::Bytes(bytes) => bytes.len(),
            Cells::Words(words) => 2 * words.len(),
        }
    }

    pub fn count(&self) -> usize {
        match self {
            Cells::Bytes(bytes) => bytes.len(),
            Cells::Words(words) => words.len(),
        }
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Cell {
        match self {
            Cells::Bytes(bytes) => match bytes[index] {
                u8::MAX => Cell::EMPTY,
                code => Cell(u16::from(code)),
            },
            Cells::Words(words) => Cell(words[index]),
        }
    }
}

/// The outcomes of all positions of a material.
#[derive(Clone, Debug)]
pub struct EndgameTable {
    pub layout: Layout,
    pub metric: Metric,
    /// First with the strong side to move, then with the weak side.
    pub cells: Cells,
    /// Plies of the longest win; 0 if there is none.
    pub longest: u16,
}

/// A position of a table with its outcome.
#[derive(Clone, Copy, Debug)]
pub struct TablePosition {
    pub squares: Squares,
    /// White stands for the strong side.
    pub turn: Colour,
    pub outcome: Outcome,
}

/// Figures of a table, counted over its places: mirror images count once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableSummary {
    pub material: Material,
    pub metric: Metric,
    pub positions: u64,
    pub wins: u64,
    pub draws: u64,
    pub losses: u64,
    /// The longest win with its position as FEN.
    pub longest: Option<(u16, String)>,
}

impl EndgameTable {
    pub fn new(layout: Layout, metric: Metric, cells: Cells) -> EndgameTable {
        assert_eq!(cells.count(), 2 * layout.size, "a cell for each place and side to move");
        let wins = (0..cells.count()).filter_map(|i| match cells.get(i).outcome() {
            Some(Outcome::Win(plies)) => Some(plies),
            _ => None,
        });
        let longest = wins.max().unwrap_or(0);
        EndgameTable { layout, metric, cells, longest }
    }

    /// The same with its cells packed as tightly as they go.
    pub(super) fn packed(self) -> EndgameTable {
        let count = self.cells.count();
        EndgameTable { cells: Cells::pack(count, |index| self.cells.get(index)), ..self }
    }

    pub fn material(&self) -> Material {
        self.layout.material
    }

    /// The outcome at a place; `None` where the place stays empty.
    #[inline]
    pub fn at(&self, turn: Colour, index: usize) -> Option<Outcome> {
        let offset = if turn == Colour::White { 0 } else { self.layout.size };
        self.cells.get(offset + index).outcome()
    }

    /// The outcome of a position without en passant rights; `None` if it is not legal.
    #[inline]
    pub fn get(&self, turn: Colour, squares: &Squares) -> Option<Outcome> {
        self.at(turn, self.layout.place(squares)?.index)
    }

    /// All positions, one of each set of mirror images.
    pub fn entries(&self) -> impl Iterator<Item = TablePosition> + '_ {
        [Colour::White, Colour::Black].into_iter().flat_map(move |turn| {
            (0..self.layout.size).filter_map(move |index| {
                let outcome = self.at(turn, index)?;
                let squares = self.layout.squares(index)?;
                Some(TablePosition { squares, turn, outcome })
            })
        })
    }

    pub fn summary(&self) -> TableSummary {
        let mut summary = TableSummary {
            material: self.material(),
            metric: self.metric,
            positions: 0,
            wins: 0,
            draws: 0,
            losses: 0,
            longest: None,
        };
        let mut longest: Option<(u16, Colour, usize)> = None;
        for turn in [Colour::White, Colour::Black] {
            for index in 0..self.layout.size {
                let Some(outcome) = self.at(turn, index) else { continue };
                summary.positions += 1;
                match outcome {
                    Outcome::Draw => summary.draws += 1,
                    Outcome::Loss(_) => summary.losses += 1,
                    Outcome::Win(plies) => {
                        summary.wins += 1;
                        if longest.is_none_or(|(most, ..)| plies > most) {
                            longest = Some((plies, turn, index));
                        }
                    }
                }
            }
        }
        summary.longest = longest.and_then(|(plies, turn, index)| {
            Some((plies, self.layout.fen(&self.layout.squares(index)?, turn)))
        });
        summary
    }
}
