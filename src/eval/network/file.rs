//! The file format of evaluation networks: a [`WeightsFile`] with a header of 512 bytes.
//!
//! The numbers are little-endian. They come in this order:
//!
//! * the rows of pieces that are not attacked (two bytes each)
//! * the differences between these rows and the rows of the other attack statuses (one byte each)
//! * the biases of the hidden layer (two bytes each)
//! * the output weights, a set for each bucket, the mover's half first (two bytes each)
//! * the output biases (four bytes each)
//!
//! A network with 768 inputs ignores attack statuses and has no differences.

use std::fs::File;
use std::io::Read as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use super::inputs::{INPUTS, MAX_BUCKETS, PIECES};
use crate::math::fingerprint;
use crate::weights_file::{WeightsFile, WeightsFileError};

/// The integer that represents 1 in the hidden layer.
pub const HIDDEN_ONE: i32 = 255;
/// The integer that represents 1 in an output weight.
pub const OUTPUT_ONE: i32 = 64;
/// The width of the hidden layer is a multiple of this.
pub const BLOCK: usize = 32;
/// The greatest width of the hidden layer.
pub const WIDEST: usize = 512;
/// The largest output weight. Its product with an activation must fit into 16 bits.
pub const MAX_OUTPUT: i16 = 127;
/// The largest output bias.
pub const MAX_BIAS: i32 = (1 << 24) - 1;

/// The permitted number of centipawns for an output of 1.
const CENTIPAWNS: RangeInclusive<i32> = 1..=10_000;
const FORMAT: WeightsFile =
    WeightsFile { title: "stopdown network 2", text: 512, fields: &["shape", "centipawns"] };
/// The size of the largest network in bytes.
const MAX_FILE_SIZE: usize = FORMAT.text + bytes_of_numbers(INPUTS, WIDEST, MAX_BUCKETS);
/// The maximum number of pieces on a board, and so of rows that are added up.
const MAX_PIECES: i32 = 32;

/// Why a network was rejected.
#[derive(Debug, thiserror::Error)]
pub enum NetworkError {
    /// The file cannot be read.
    #[error("{path}: {error}")]
    Unreadable {
        /// The file of the network.
        path: PathBuf,
        /// The error that the operating system reported.
        error: std::io::Error,
    },
    /// The file was read, but it is not a network that this program can use.
    #[error(
        "{path}: {mistake}; choose another network file, or set none to use the built-in network"
    )]
    Refused {
        /// The file of the network.
        path: PathBuf,
        /// What is wrong with the file.
        mistake: NetworkFormatError,
    },
}

/// Why the contents of a network file were rejected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NetworkFormatError {
    /// The file is not a weights file of the right kind, or it is corrupt.
    #[error(transparent)]
    File(#[from] WeightsFileError),
    /// The numbers of inputs, neurons and buckets are not supported. Contains the shape as the file gives it.
    #[error(
        "the shape \"{0}\" is not supported; it must be {INPUTS} -> N x 2 -> B, where N is a multiple of \
         {BLOCK} up to {WIDEST} and B is at most {MAX_BUCKETS}"
    )]
    Shape(String),
    /// The weights could overflow the integers in which they are summed.
    #[error("the weights are so large that their sums could overflow")]
    Overflow,
}

/// The weights of a network as integers.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Parameters {
    /// The number of neurons in each half of the hidden layer.
    pub width: usize,
    /// The number of sets of output weights. A position uses one of them.
    pub buckets: usize,
    /// The number of centipawns that an output of 1 stands for.
    pub centipawns: i32,
    /// A row of `width` weights for each piece that is not attacked, in units of 1 / [`HIDDEN_ONE`].
    pub rows: Vec<i16>,
    /// A row for each of the other inputs. It is added to the row that the same piece has when it is not attacked.
    pub steps: Vec<i8>,
    /// The values of the hidden neurons on an empty board, in units of 1 / [`HIDDEN_ONE`].
    pub biases: Vec<i16>,
    /// Twice `width` weights for each bucket, in units of 1 / [`OUTPUT_ONE`].
    pub outputs: Vec<i16>,
    /// The output bias of each bucket, in units of 1 / ([`HIDDEN_ONE`] · [`OUTPUT_ONE`]).
    pub output_biases: Vec<i32>,
}

impl Parameters {
    /// Reads and checks a file.
    pub fn load(path: &Path) -> Result<Parameters, NetworkError> {
        // The file may be endless, so read just enough to see that it is too long.
        let most = MAX_FILE_SIZE as u64 + 1;
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(most).read_to_end(&mut bytes))
            .map_err(|error| NetworkError::Unreadable { path: path.to_owned(), error })?;
        Parameters::from_bytes(&bytes)
            .map_err(|mistake| NetworkError::Refused { path: path.to_owned(), mistake })
    }

    /// Returns the bytes of the file. The notes say how the network was made, and are truncated if they are too long.
    /// Fails if the file could not be read back.
    pub fn to_bytes(&self, notes: &str) -> Result<Vec<u8>, NetworkFormatError> {
        let centipawns = self.centipawns.to_string();
        read_centipawns(&centipawns)?;
        if !self.can_be_summed() {
            return Err(NetworkFormatError::Overflow);
        }
        let values = [shape(INPUTS, self.width, self.buckets), centipawns];
        Ok(FORMAT.write(&values, notes, &self.numbers()))
    }

    /// The notes on how the network was made.
    pub fn notes(bytes: &[u8]) -> String {
        FORMAT.notes(bytes)
    }

    /// Parses the bytes of a file and checks that no sum can overflow.
    pub fn from_bytes(bytes: &[u8]) -> Result<Parameters, NetworkFormatError> {
        let file = FORMAT.open(bytes)?;
        let (inputs, width, buckets) = read_shape(&file.values()[0])?;
        let centipawns = read_centipawns(&file.values()[1])?;
        let stepped = (inputs - PIECES) * width;
        let mut rest = file.numbers(bytes_of_numbers(inputs, width, buckets))?;
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
        if parameters.can_be_summed() { Ok(parameters) } else { Err(NetworkFormatError::Overflow) }
    }

    /// A fingerprint of all weights.
    pub(crate) fn fingerprint(&self) -> u64 {
        fingerprint(self.numbers()) ^ self.centipawns as u64
    }

    fn numbers(&self) -> Vec<u8> {
        let mut bytes: Vec<u8> = self.rows.iter().flat_map(|row| row.to_le_bytes()).collect();
        bytes.extend(self.steps.iter().map(|&step| step as u8));
        let shorts = [&self.biases, &self.outputs].into_iter().flatten();
        bytes.extend(shorts.flat_map(|number| number.to_le_bytes()));
        bytes.extend(self.output_biases.iter().flat_map(|number| number.to_le_bytes()));
        bytes
    }

    /// The rows of all inputs. Numbers that are too large saturate, and the network is then rejected.
    pub fn all_rows(&self) -> Vec<i16> {
        let step = |(place, &step): (usize, &i8)| {
            self.rows[place % self.rows.len()].saturating_add(step.into())
        };
        let stepped = self.steps.iter().enumerate().map(step);
        self.rows.iter().copied().chain(stepped).collect()
    }

    /// Whether the sums for every position can be computed without overflow.
    fn can_be_summed(&self) -> bool {
        let rows = self.all_rows();
        let extent = |neuron: usize| {
            let column = rows[neuron..].iter().step_by(self.width);
            let largest = column.map(|&weight| i32::from(weight).abs()).max().unwrap_or(0);
            MAX_PIECES * largest + i32::from(self.biases[neuron]).abs()
        };
        let hidden = (0..self.width).all(|neuron| extent(neuron) <= i32::from(i16::MAX));
        let largest = -MAX_OUTPUT..=MAX_OUTPUT;
        let output = self.outputs.iter().all(|weight| largest.contains(weight));
        let largest = -MAX_BIAS..=MAX_BIAS;
        hidden && output && self.output_biases.iter().all(|bias| largest.contains(bias))
    }
}

const fn bytes_of_numbers(inputs: usize, width: usize, buckets: usize) -> usize {
    2 * (PIECES + 1) * width + (inputs - PIECES) * width + buckets * (4 * width + 4)
}

fn shape(inputs: usize, width: usize, buckets: usize) -> String {
    format!("{inputs} -> {width} x 2 -> {buckets}")
}

fn read_shape(text: &str) -> Result<(usize, usize, usize), NetworkFormatError> {
    let widths = (BLOCK..=WIDEST).step_by(BLOCK);
    let shapes = widths.flat_map(|width| (1..=MAX_BUCKETS).map(move |n| (width, n)));
    let mut shapes =
        shapes.flat_map(|(width, n)| [INPUTS, PIECES].map(|inputs| (inputs, width, n)));
    let found = shapes.find(|&(inputs, width, buckets)| shape(inputs, width, buckets) == text);
    found.ok_or_else(|| NetworkFormatError::Shape(text.chars().take(80).collect()))
}

fn read_centipawns(text: &str) -> Result<i32, WeightsFileError> {
    let centipawns = text.parse().ok().filter(|n| CENTIPAWNS.contains(n));
    centipawns.ok_or(WeightsFileError::Header("centipawns"))
}

/// Takes `count` 16-bit numbers from the front.
fn shorts(bytes: &mut &[u8], count: usize) -> Vec<i16> {
    let (own, rest) = bytes.split_at(2 * count);
    *bytes = rest;
    own.as_chunks().0.iter().map(|&b| i16::from_le_bytes(b)).collect()
}
