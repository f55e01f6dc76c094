//! Compressing the cells of a table, block by block, and getting one block back.
//!
//! A cell is foretold by four neighbours: its block's plane moved one file or one rank along either of
//! its two pieces. First it is asked whether it equals what most of them hold, then whether it equals
//! the others in turn; only what is none of them is written as a difference. Each of these answers is
//! a bit, and how likely it is to be yes was counted over the whole table: for each way in which the
//! neighbours agree, for the kind of what they hold, and, as the cells of the side that moves second
//! are known when those of the other are written, for whether those agree likewise.
//!
//! Cells of positions that cannot be are written as foretold, which costs next to nothing. So what
//! comes back there is of no meaning; who needs to know looks at the position.

use super::blocks::{Beside, Block, Blocks};
use super::range_coder::{Answers, Counts, RangeDecoder, RangeEncoder};
use super::table::{Cell, Cells};

/// How the four neighbours may agree: the second with the first, the third with either, and so on.
const PATTERNS: usize = 2 * 3 * 4;
/// The same with some of the neighbours missing: so many of these can be.
const PARTIAL_PATTERNS: usize = 52;
const CLASSES: usize = 4;
/// Classes of what a difference is from: one more for each time that the plies double.
const FINE_CLASSES: usize = 20;
/// Agreements of the other side's neighbours, and one more where these are not known.
const AGREEMENTS: usize = 16 + 1;
const ANSWERS: usize = AGREEMENTS * PARTIAL_PATTERNS * CLASSES * 4;
/// No win with so few pieces takes more plies. Depths can be counted on from it without leaving a cell.
const MOST_PLIES: u16 = 1 << 12;
/// What stands behind the last cell, in the place of neighbours that are missing.
const ABSENT: u16 = u16::MAX;

/// What a table's cells hold, and how likely each answer is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellModel {
    /// The cells that occur, in order of their numbers: draws, wins, losses, quick ones first.
    alphabet: Vec<Cell>,
    /// The class of each, and the fine one.
    classes: Vec<[u8; 2]>,
    patterns: Vec<Pattern>,
    /// The chance of a yes in 256ths.
    chances: Vec<u8>,
}

/// A way in which the neighbours agree, and which of them are asked about one after the other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pattern {
    number: u8,
    order: [u8; 4],
}

/// The cells of a table, how they are divided, and the number that a model gives each.
#[derive(Debug)]
pub struct DividedCells<'a> {
    cells: &'a Cells,
    blocks: &'a Blocks,
    numbers: Vec<u16>,
}

/// The cells of a block by their numbers, for Black to move and for White.
#[derive(Debug, Default)]
pub struct Scratch([Vec<u16>; 2]);

impl CellModel {
    fn new(alphabet: Vec<Cell>) -> CellModel {
        let class = |cell: &Cell| {
            let coarse = match cell.0 {
                0 => 0,
                2 => 1,
                code if code % 2 == 0 => 2,
                _ => 3,
            };
            let plies = cell.0 / 2;
            let doubled = 2 * (u16::BITS - plies.leading_zeros()) + u32::from(cell.0 % 2);
            let fine = if cell.0 == 0 { 0 } else { doubled.min(FINE_CLASSES as u32 - 1) };
            [coarse, fine as u8]
        };
        let classes = alphabet.iter().map(class).collect();
        let differences = 2 * FINE_CLASSES * alphabet.len().next_power_of_two();
        let (patterns, chances) = (patterns(), vec![128; ANSWERS + differences]);
        CellModel { alphabet, classes, patterns, chances }
    }

    /// The model of a table divided in some way, counted over every `step`th block, with the bytes
    /// that these blocks would take.
    pub fn of(cells: &Cells, blocks: &Blocks, step: usize) -> (CellModel, f64) {
        let mut occurs = vec![false; 1 << 16];
        (0..cells.count()).for_each(|index| occurs[usize::from(cells.get(index).0)] = true);
        occurs[usize::from(Cell::EMPTY.0)] = false;
        occurs[usize::from(Cell::DRAW.0)] = true;
        let mut alphabet: Vec<Cell> =
            (0..u16::MAX).filter(|&code| occurs[usize::from(code)]).map(Cell).collect();
        alphabet.sort_by_key(|cell| (cell.0 > 0, cell.0 % 2, cell.0));
        let mut model = CellModel::new(alphabet);
        let mut counts = Counts(vec![[0; 2]; model.chances.len()]);
        let table = model.divided(cells, blocks);
        let mut scratch = Scratch::default();
        for number in (0..blocks.count()).step_by(step) {
            model.go_over(&table, number, &mut counts, &mut scratch);
        }
        let mut bits = 0.0;
        for (chance, [no, yes]) in model.chances.iter_mut().zip(counts.0) {
            if let Some(share) = (256 * yes).checked_div(no + yes) {
                *chance = share.clamp(1, 255) as u8;
                let share = f64::from(*chance) / 256.0;
                bits -= yes as f64 * share.log2() + no as f64 * (1.0 - share).log2();
            }
        }
        (model, bits / 8.0)
    }

    /// Cells that are all among those of this model.
    pub fn divided<'a>(&self, cells: &'a Cells, blocks: &'a Blocks) -> DividedCells<'a> {
        let codes = self.alphabet.iter().map(|cell| usize::from(cell.0)).max().unwrap_or(0);
        let mut numbers = vec![0; codes + 1];
        for (number, cell) in self.alphabet.iter().enumerate() {
            numbers[usize::from(cell.0)] = number as u16;
        }
        DividedCells { cells, blocks, numbers }
    }

    /// Writes a block.
    pub fn write(&self, table: &DividedCells, number: usize, scratch: &mut Scratch) -> Vec<u8> {
        let mut writer = RangeEncoder::new(&self.chances);
        self.go_over(table, number, &mut writer, scratch);
        writer.finish()
    }

    fn go_over(
        &self,
        table: &DividedCells,
        number: usize,
        answers: &mut impl Answers,
        scratch: &mut Scratch,
    ) {
        let block = table.blocks.block(number);
        self.code(&block, answers, scratch, |side, row, column| {
            let offset = if side == 0 { table.blocks.size } else { 0 };
            match table.cells.get(offset + block.index(row, column)) {
                Cell::EMPTY => None,
                cell => Some(table.numbers[usize::from(cell.0)]),
            }
        });
    }

    /// Reads a block: its cells for White to move, then those for Black. Whatever the bytes are, they
    /// are cells of the table.
    pub fn read(&self, bytes: &[u8], block: &Block, scratch: &mut Scratch) -> Cells {
        let mut reader = RangeDecoder::new(&self.chances, bytes);
        self.code(block, &mut reader, scratch, |_, _, _| None);
        let size = block.size();
        let [black, white] = &scratch.0;
        Cells::pack(2 * size, |at| {
            let number = if at < size { white[at] } else { black[at - size] };
            self.alphabet[usize::from(number)]
        })
    }

    /// Goes through the cells of a block, Black to move first. What is not known is as foretold, or
    /// what the answers say.
    fn code(
        &self,
        block: &Block,
        answers: &mut impl Answers,
        scratch: &mut Scratch,
        known: impl Fn(usize, usize, usize) -> Option<u16>,
    ) {
        let (size, columns) = (block.size(), block.beside_columns.len());
        let Scratch([black, white]) = scratch;
        for plane in [&mut *black, &mut *white] {
            plane.clear();
            plane.resize(size, 0);
            plane.push(ABSENT);
        }
        let missing = |beside: Beside| {
            usize::from(beside[0].is_none()) + 2 * usize::from(beside[1].is_none())
        };
        for side in 0..2 {
            for (row, beside_row) in block.beside_rows.iter().enumerate() {
                let start = row * columns;
                let missing_row = 4 * missing(*beside_row);
                for (column, beside) in block.beside_columns.iter().enumerate() {
                    let along = |other: Option<u16>| other.map_or(size, |o| start + usize::from(o));
                    let across = |other: Option<u16>| {
                        other.map_or(size, |o| usize::from(o) * columns + column)
                    };
                    let [[a, b], [c, d]] = [beside.map(along), beside_row.map(across)];
                    let near = [a, b, c, d];
                    let (own, agreement) = if side == 0 {
                        (&mut *black, AGREEMENTS - 1)
                    } else {
                        let here = black[start + column];
                        let agrees = |place: usize| usize::from(black[place] == here);
                        (&mut *white, near.iter().fold(0, |bits, &place| 2 * bits + agrees(place)))
                    };
                    let near = near.map(|place| own[place]);
                    let context = (side, agreement, missing_row + missing(*beside));
                    let cell = known(side, row, column);
                    own[start + column] = self.cell(context, near, answers, cell);
                }
            }
        }
    }

    #[inline]
    fn cell(
        &self,
        (side, agreement, missing): (usize, usize, usize),
        near: [u16; 4],
        answers: &mut impl Answers,
        known: Option<u16>,
    ) -> u16 {
        let [a, b, c, d] = near;
        let second = usize::from(b != a);
        let third = if c == a { 0 } else { 1 + usize::from(c != b) };
        let fourth = if d == a {
            0
        } else if d == b {
            1
        } else {
            2 + usize::from(d != c)
        };
        let Pattern { number, order } =
            self.patterns[missing * PATTERNS + (second * 3 + third) * 4 + fourth];
        let likeliest = near.get(usize::from(order[0])).copied().unwrap_or(0);
        let known = known.unwrap_or(likeliest);
        let classes = CLASSES * (agreement * PARTIAL_PATTERNS + usize::from(number));
        for (rank, &place) in order.iter().enumerate() {
            let Some(&held) = near.get(usize::from(place)) else { break };
            let [class, _] = self.classes[usize::from(held)];
            let question = (classes + usize::from(class)) * 4 + rank;
            if answers.answer(question, held == known) {
                return held;
            }
        }
        let [_, class] = self.classes[usize::from(likeliest)];
        let size = self.alphabet.len().next_power_of_two();
        let differences = ANSWERS + (FINE_CLASSES * side + usize::from(class)) * size;
        let difference = known.wrapping_sub(likeliest) as usize & (size - 1);
        let mut node = 1;
        for bit in (0..size.trailing_zeros()).rev() {
            let known = difference >> bit & 1 != 0;
            node = 2 * node + usize::from(answers.answer(differences + node, known));
        }
        let number = (usize::from(likeliest) + node) & (size - 1);
        number.min(self.alphabet.len() - 1) as u16
    }

    /// The model in bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let codes = self.alphabet.iter().map(|cell| cell.0);
        let numbers = std::iter::once(self.alphabet.len() as u16).chain(codes);
        numbers.flat_map(u16::to_le_bytes).chain(self.chances.iter().copied()).collect()
    }

    /// `None` where the bytes are no model.
    pub fn from_bytes(bytes: &[u8]) -> Option<CellModel> {
        let word = |at: usize| Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        let count = usize::from(word(0)?);
        let alphabet: Vec<Cell> =
            (1..=count).map(|at| word(2 * at).map(Cell)).collect::<Option<_>>()?;
        let is_cell = |cell: &Cell| cell.0 / 2 <= MOST_PLIES;
        if alphabet.first() != Some(&Cell::DRAW) || !alphabet.iter().all(is_cell) {
            return None;
        }
        let mut model = CellModel::new(alphabet);
        let chances = bytes.get(2 + 2 * count..)?;
        let is_whole = chances.len() == model.chances.len() && !chances.contains(&0);
        model.chances = chances.to_vec();
        is_whole.then_some(model)
    }
}

/// No further neighbour differs.
const NONE: u8 = u8::MAX;

/// All patterns, by which neighbours are missing and by how they agree. Those whose cell most others
/// hold are asked about first.
fn patterns() -> Vec<Pattern> {
    let mut number = 0;
    let all = (0..16 * PATTERNS).map(|at| {
        let (missing, pattern) = (at / PATTERNS, at % PATTERNS);
        let groups = [0, pattern / 12, pattern / 4 % 3, pattern % 4];
        let is_missing = |place: usize| missing >> place & 1 != 0;
        let first_missing = (0..4).find(|&place| is_missing(place));
        let can_be = (0..4).all(|place| {
            groups[groups[place]] == groups[place]
                && first_missing.is_none_or(|m| is_missing(place) == (groups[place] == m))
        });
        if !can_be {
            return Pattern { number: 0, order: [NONE; 4] };
        }
        let mut firsts: Vec<usize> =
            (0..4).filter(|&place| groups[place] == place && !is_missing(place)).collect();
        let votes = |place: usize| groups.iter().filter(|&&group| group == place).count();
        firsts.sort_by_key(|&place| std::cmp::Reverse(votes(place)));
        let mut order = [NONE; 4];
        order.iter_mut().zip(firsts).for_each(|(place, first)| *place = first as u8);
        number += 1;
        Pattern { number: number - 1, order }
    });
    all.collect()
}
