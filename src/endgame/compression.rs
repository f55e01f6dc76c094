//! Compresses the cells of a table block by block.
//!
//! In a block, neighbouring cells mostly have the same or similar outcomes. A cell is therefore predicted from four
//! neighbours that are already known. In each of them, one of the two pieces that are not fixed in the block is one
//! file or one rank away. The encoder answers a series of yes/no questions: Does the cell have the most frequent value
//! among the neighbours? If not, does it have the next most frequent one? And so on. If a cell has none of these
//! values, it is written as a difference from the most frequent one. A range coder ([`super::range_coder`]) writes the
//! answers.
//!
//! The probability of each answer is estimated by counting over the whole table. It depends on the context: which
//! neighbours agree with each other, and the class of the value in question. The cells for Black to move are coded
//! first. For a cell with White to move, the context therefore also says which of these neighbours agree with it when
//! Black is to move.
//!
//! A cell without a legal position is coded as predicted, which costs almost nothing. Its decoded value has no meaning.

use super::blocks::{Block, Blocks, Neighbours};
use super::range_coder::{Answers, Counts, RangeDecoder, RangeEncoder};
use super::table::{Cell, Cells};

/// The number of ways in which four neighbours can agree: the second with the first, the third with either of these,
/// and so on.
const PATTERNS: usize = 2 * 3 * 4;
/// The number of possible patterns, including those with missing neighbours.
const PARTIAL_PATTERNS: usize = 52;
/// The number of classes of values: draws, wins in one ply, other wins, and losses.
const CLASSES: usize = 4;
/// The number of finer classes for the base of a difference. They depend on the result and on the logarithm of the
/// plies.
const FINE_CLASSES: usize = 20;
/// The number of ways in which the four neighbours for Black to move can agree with the cell. One more stands for the
/// cells with Black to move, which are coded first.
const AGREEMENTS: usize = 16 + 1;
/// The number of questions about neighbours. They are followed by the questions about differences.
const ANSWERS: usize = AGREEMENTS * PARTIAL_PATTERNS * CLASSES * 4;
/// More plies than any win in a table can take. The code of a win in this number of plies still fits into a cell.
const MAX_PLIES: u16 = 1 << 12;
/// The value that stands for a missing neighbour. It is stored after the last cell.
const ABSENT: u16 = u16::MAX;

/// The statistics of a table: the values of its cells and the probabilities of answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CellModel {
    /// The values that occur: the draw, then wins, then losses, each from fastest to slowest. The index of a value is
    /// its number.
    alphabet: Vec<Cell>,
    /// The class and the fine class of each value.
    classes: Vec<[u8; 2]>,
    patterns: Vec<Pattern>,
    /// The probability of answering yes to each question, in 256ths.
    chances: Vec<u8>,
}

/// The context of a cell, apart from its neighbours' values.
#[derive(Clone, Copy, Debug)]
struct Context {
    /// 0 if Black is to move, 1 if White is.
    side: usize,
    /// Which of the neighbours for Black to move have the same value as the cell for Black to move.
    agreement: usize,
    /// A bit for each missing neighbour.
    missing: usize,
}

/// A way in which the neighbours can agree, and the order of the questions about them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Pattern {
    number: u8,
    order: [u8; 4],
}

/// The cells of a table, its blocks, and the index of each value in a model.
#[derive(Debug)]
pub struct DividedCells<'a> {
    cells: &'a Cells,
    blocks: &'a Blocks,
    numbers: Vec<u16>,
}

/// Buffers for the value indices of a block's cells, for Black and for White to move.
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

    /// Gathers the statistics of a table from every `step`th block. Also returns the estimated size of these blocks in
    /// bytes.
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
            model.encode(&table, number, &mut counts, &mut scratch);
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

    /// Prepares cells for writing. All their values must be in this model.
    pub fn divided<'a>(&self, cells: &'a Cells, blocks: &'a Blocks) -> DividedCells<'a> {
        let codes = self.alphabet.iter().map(|cell| usize::from(cell.0)).max().unwrap_or(0);
        let mut numbers = vec![0; codes + 1];
        for (number, cell) in self.alphabet.iter().enumerate() {
            numbers[usize::from(cell.0)] = number as u16;
        }
        DividedCells { cells, blocks, numbers }
    }

    /// Compresses a block.
    pub fn write(&self, table: &DividedCells, number: usize, scratch: &mut Scratch) -> Vec<u8> {
        let mut writer = RangeEncoder::new(&self.chances);
        self.encode(table, number, &mut writer, scratch);
        writer.finish()
    }

    fn encode(
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

    /// Decompresses a block: the cells for White to move, then those for Black to move. Any bytes give valid cells.
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

    /// Goes through the cells of a block, first those for Black to move. Encoding and decoding share this function.
    /// `known` returns the value index of a cell, or `None` for the predicted value.
    fn code(
        &self,
        block: &Block,
        answers: &mut impl Answers,
        scratch: &mut Scratch,
        known: impl Fn(usize, usize, usize) -> Option<u16>,
    ) {
        let (size, columns) = (block.size(), block.column_neighbours.len());
        let Scratch([black, white]) = scratch;
        for plane in [&mut *black, &mut *white] {
            plane.clear();
            plane.resize(size, 0);
            plane.push(ABSENT);
        }
        let missing_of = |neighbours: Neighbours| {
            usize::from(neighbours[0].is_none()) + 2 * usize::from(neighbours[1].is_none())
        };
        for side in 0..2 {
            for (row, row_neighbours) in block.row_neighbours.iter().enumerate() {
                let start = row * columns;
                let missing_row = 4 * missing_of(*row_neighbours);
                for (column, neighbours) in block.column_neighbours.iter().enumerate() {
                    let along = |other: Option<u16>| other.map_or(size, |o| start + usize::from(o));
                    let across = |other: Option<u16>| {
                        other.map_or(size, |o| usize::from(o) * columns + column)
                    };
                    let [[a, b], [c, d]] = [neighbours.map(along), row_neighbours.map(across)];
                    let near = [a, b, c, d];
                    let (own, agreement) = if side == 0 {
                        (&mut *black, AGREEMENTS - 1)
                    } else {
                        let here = black[start + column];
                        let agrees = |place: usize| usize::from(black[place] == here);
                        (&mut *white, near.iter().fold(0, |bits, &place| 2 * bits + agrees(place)))
                    };
                    let near = near.map(|place| own[place]);
                    let missing = missing_row + missing_of(*neighbours);
                    let context = Context { side, agreement, missing };
                    let cell = known(side, row, column);
                    own[start + column] = self.cell(context, near, answers, cell);
                }
            }
        }
    }

    /// Codes a cell that has these neighbours, and returns the number of its value.
    #[inline]
    fn cell(
        &self,
        context: Context,
        near: [u16; 4],
        answers: &mut impl Answers,
        known: Option<u16>,
    ) -> u16 {
        let Context { side, agreement, missing } = context;
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
        let number_to_write = known.unwrap_or(likeliest);
        let classes = CLASSES * (agreement * PARTIAL_PATTERNS + usize::from(number));
        for (rank, &place) in order.iter().enumerate() {
            let Some(&held) = near.get(usize::from(place)) else { break };
            let [class, _] = self.classes[usize::from(held)];
            let question = (classes + usize::from(class)) * 4 + rank;
            if answers.answer(question, held == number_to_write) {
                return held;
            }
        }
        let [_, class] = self.classes[usize::from(likeliest)];
        let size = self.alphabet.len().next_power_of_two();
        let differences = ANSWERS + (FINE_CLASSES * side + usize::from(class)) * size;
        let difference = number_to_write.wrapping_sub(likeliest) as usize & (size - 1);
        let mut node = 1;
        for bit in (0..size.trailing_zeros()).rev() {
            let answer = difference >> bit & 1 != 0;
            node = 2 * node + usize::from(answers.answer(differences + node, answer));
        }
        let found = (usize::from(likeliest) + node) & (size - 1);
        found.min(self.alphabet.len() - 1) as u16
    }

    /// Returns the model as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let codes = self.alphabet.iter().map(|cell| cell.0);
        let numbers = std::iter::once(self.alphabet.len() as u16).chain(codes);
        numbers.flat_map(u16::to_le_bytes).chain(self.chances.iter().copied()).collect()
    }

    /// Reads a model. Returns `None` if the bytes are not a model.
    pub fn from_bytes(bytes: &[u8]) -> Option<CellModel> {
        let word = |at: usize| Some(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
        let count = usize::from(word(0)?);
        let alphabet: Vec<Cell> =
            (1..=count).map(|at| word(2 * at).map(Cell)).collect::<Option<_>>()?;
        let is_cell = |cell: &Cell| cell.0 / 2 <= MAX_PLIES;
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

/// Marks the end of the questions in [`Pattern::order`].
const NONE: u8 = u8::MAX;

/// All patterns. The index of a pattern shows which neighbours are missing and how the others agree. Questions about
/// the most frequent values come first.
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
