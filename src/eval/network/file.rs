//! Networks as files: 512 bytes of text that say what the numbers are and what made them, then
//! the numbers.
//!
//! All are little-endian: the rows of the pieces that nobody attacks (two bytes each), how those of the
//! other attack statuses differ from them (one byte), the biases of the hidden layer (two bytes), the
//! output weights, a set for each bucket, own half first (two bytes), the output biases (four).
//!
//! A network of 768 inputs is blind to attack statuses and has none of the second.

use std::fs::File;
use std::io::Read as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::inputs::{INPUTS, MOST_BUCKETS, PIECES};
use crate::math::fingerprint;

/// What 1 is in the hidden layer.
pub const HIDDEN_ONE: i32 = 255;
/// What 1 is in an output weight.
pub const OUTPUT_ONE: i32 = 64;
/// The hidden layer comes in blocks of so many.
pub const BLOCK: usize = 32;
/// The largest hidden layer.
pub const WIDEST: usize = 512;
/// An activation times an output weight must fit into 16 bits.
pub const LARGEST_OUTPUT: i16 = 127;
/// The largest output bias.
pub const LARGEST_BIAS: i32 = (1 << 24) - 1;

/// What an output of 1 may be worth.
const CENTIPAWNS: RangeInclusive<i32> = 1..=10_000;
const TITLE: &str = "stopdown network 1";
const HEADER: usize = 512;
/// Lines of the header before the notes: the title, the shape, the centipawns and the hash.
const FIELDS: usize = 4;
/// Bytes of the largest network.
const LARGEST_FILE: usize = HEADER + bytes_of_numbers(INPUTS, WIDEST, MOST_BUCKETS);
/// Pieces on a board: so many rows are summed.
const MOST_PIECES: i32 = 32;

/// Why a network was refused.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    #[error("{path}: {error}")]
    Unreadable { path: PathBuf, error: std::io::Error },
    #[error("{path}: {mistake}; give the file of another network, or none for the built-in one")]
    Refused { path: PathBuf, mistake: NetworkMistake },
}

/// What is wrong with the bytes of a network.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkMistake {
    #[error(
        "this is no network of this version of the program (it does not begin with \"{TITLE}\")"
    )]
    Title,
    #[error(
        "the shape \"{0}\" cannot be used; wanted is {INPUTS} -> N x 2 -> B with N a multiple of \
         {BLOCK} up to {WIDEST} and B at most {MOST_BUCKETS}"
    )]
    Shape(String),
    #[error("{found} bytes of numbers instead of {wanted}: the file is cut off or has grown")]
    Length { found: usize, wanted: usize },
    #[error("the numbers do not have the hash of the header: the file is damaged")]
    Hash,
    #[error("the line \"{0}\" of the header is missing or cannot be read")]
    Header(&'static str),
    #[error("the numbers are too large to be summed")]
    Overflow,
}

/// The numbers of a network, as whole numbers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Parameters {
    /// Neurons in each half of the hidden layer.
    pub width: usize,
    pub buckets: usize,
    /// An output of 1 in centipawns.
    pub centipawns: i32,
    /// A row of `width` for each piece that nobody attacks; 1 is [`HIDDEN_ONE`].
    pub rows: Vec<i16>,
    /// What is added to it, a row for each of the other inputs.
    pub steps: Vec<i8>,
    pub biases: Vec<i16>,
    /// Twice `width` for each bucket; 1 is [`OUTPUT_ONE`].
    pub outputs: Vec<i16>,
    /// 1 is [`HIDDEN_ONE`] times [`OUTPUT_ONE`].
    pub output_biases: Vec<i32>,
}

impl Parameters {
    /// Reads and checks a file.
    pub fn load(path: &Path) -> Result<Parameters, NetworkError> {
        // Of what is longer than any network, be it without end, no more is read than shows it.
        let most = LARGEST_FILE as u64 + 1;
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(most).read_to_end(&mut bytes))
            .map_err(|error| NetworkError::Unreadable { path: path.to_owned(), error })?;
        Parameters::from_bytes(&bytes)
            .map_err(|mistake| NetworkError::Refused { path: path.to_owned(), mistake })
    }

    /// The file. The notes say what made the network; those too long are cut. Refused is what could
    /// not be read again.
    pub fn to_bytes(&self, notes: &str) -> Result<Vec<u8>, NetworkMistake> {
        if !CENTIPAWNS.contains(&self.centipawns) {
            return Err(NetworkMistake::Header("centipawns"));
        }
        if !self.can_be_summed() {
            return Err(NetworkMistake::Overflow);
        }
        let numbers = self.numbers();
        let text = format!(
            "{TITLE}\nshape: {}\ncentipawns: {}\nhash: {:016x}\n{notes}",
            shape(INPUTS, self.width, self.buckets),
            self.centipawns,
            fingerprint(&numbers)
        );
        let mut bytes = text.into_bytes();
        bytes.truncate(HEADER - 1);
        bytes.push(b'\n');
        bytes.resize(HEADER, 0);
        bytes.extend(numbers);
        Ok(bytes)
    }

    /// What a file's header says of what made the network.
    pub fn notes(bytes: &[u8]) -> String {
        let header = String::from_utf8_lossy(bytes.get(..HEADER).unwrap_or_default());
        let notes: Vec<&str> = header.trim_end_matches('\0').lines().skip(FIELDS).collect();
        notes.join("\n")
    }

    pub fn from_bytes(bytes: &[u8]) -> Result<Parameters, NetworkMistake> {
        let (header, numbers) = bytes.split_at_checked(HEADER).ok_or(NetworkMistake::Title)?;
        let text = String::from_utf8_lossy(header);
        let mut lines = text.lines();
        if lines.next() != Some(TITLE) {
            return Err(NetworkMistake::Title);
        }
        let mut field = |name: &'static str| {
            let line = lines.next().and_then(|line| line.strip_prefix(name)?.strip_prefix(": "));
            line.ok_or(NetworkMistake::Header(name))
        };
        let (inputs, width, buckets) = read_shape(field("shape")?)?;
        let centipawns = field("centipawns")?.parse().ok();
        let centipawns = centipawns.filter(|n| CENTIPAWNS.contains(n));
        let centipawns = centipawns.ok_or(NetworkMistake::Header("centipawns"))?;
        let expected =
            u64::from_str_radix(field("hash")?, 16).map_err(|_| NetworkMistake::Header("hash"))?;
        let stepped = (inputs - PIECES) * width;
        let wanted = bytes_of_numbers(inputs, width, buckets);
        if numbers.len() != wanted {
            return Err(NetworkMistake::Length { found: numbers.len(), wanted });
        }
        if fingerprint(numbers) != expected {
            return Err(NetworkMistake::Hash);
        }
        let mut rest = numbers;
        let rows = shorts(&mut rest, PIECES * width);
        let (bytes, later) = rest.split_at(stepped);
        rest = later;
        let mut steps: Vec<i8> = bytes.iter().map(|&byte| byte as i8).collect();
        steps.resize((INPUTS - PIECES) * width, 0);
        let biases = shorts(&mut rest, width);
        let outputs = shorts(&mut rest, buckets * 2 * width);
        let output_biases = rest.as_chunks().0.iter().map(|&b| i32::from_le_bytes(b)).collect();
        let parameters =
            Parameters { width, buckets, centipawns, rows, steps, biases, outputs, output_biases };
        if parameters.can_be_summed() { Ok(parameters) } else { Err(NetworkMistake::Overflow) }
    }

    /// A number that changes with every other.
    pub fn fingerprint(&self) -> u64 {
        fingerprint(&self.numbers()) ^ self.centipawns as u64
    }

    fn numbers(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        bytes.extend(self.steps.iter().map(|&step| step as u8));
        let shorts = [&self.biases, &self.outputs].into_iter().flatten();
        bytes.extend(shorts.flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.output_biases.iter().flat_map(|number| number.to_le_bytes()));
        bytes
    }

    /// The rows of all inputs. A sum that does not fit is so large that the network is refused.
    pub fn all_rows(&self) -> Vec<i16> {
        let step = |(place, &step): (usize, &i8)| {
            self.rows[place % self.rows.len()].saturating_add(step.into())
        };
        let stepped = self.steps.iter().enumerate().map(step);
        self.rows.iter().copied().chain(stepped).collect()
    }

    /// Can no board make a sum overflow? Those of the output are made in lanes that have room.
    fn can_be_summed(&self) -> bool {
        let rows = self.all_rows();
        let extent = |neuron: usize| {
            let column = rows[neuron..].iter().step_by(self.width);
            let largest = column.map(|&weight| i32::from(weight).abs()).max().unwrap_or(0);
            MOST_PIECES * largest + i32::from(self.biases[neuron]).abs()
        };
        let hidden = (0..self.width).all(|neuron| extent(neuron) <= i32::from(i16::MAX));
        let largest = -LARGEST_OUTPUT..=LARGEST_OUTPUT;
        let output = self.outputs.iter().all(|weight| largest.contains(weight));
        let largest = -LARGEST_BIAS..=LARGEST_BIAS;
        hidden && output && self.output_biases.iter().all(|bias| largest.contains(bias))
    }
}

const fn bytes_of_numbers(inputs: usize, width: usize, buckets: usize) -> usize {
    2 * (PIECES + 1) * width + (inputs - PIECES) * width + buckets * (4 * width + 4)
}

fn shape(inputs: usize, width: usize, buckets: usize) -> String {
    format!("{inputs} -> {width} x 2 -> {buckets}")
}

fn read_shape(text: &str) -> Result<(usize, usize, usize), NetworkMistake> {
    let widths = (BLOCK..=WIDEST).step_by(BLOCK);
    let shapes = widths.flat_map(|width| (1..=MOST_BUCKETS).map(move |n| (width, n)));
    let mut shapes =
        shapes.flat_map(|(width, n)| [INPUTS, PIECES].map(|inputs| (inputs, width, n)));
    let found = shapes.find(|&(inputs, width, buckets)| shape(inputs, width, buckets) == text);
    found.ok_or_else(|| NetworkMistake::Shape(text.chars().take(80).collect()))
}

/// The first so many numbers, which are taken off.
fn shorts(bytes: &mut &[u8], count: usize) -> Vec<i16> {
    let (own, rest) = bytes.split_at(2 * count);
    *bytes = rest;
    own.as_chunks().0.iter().map(|&b| i16::from_le_bytes(b)).collect()
}
