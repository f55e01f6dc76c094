//! Convolutions over the board, in plain loops that a compiler turns into vector instructions.
//!
//! Every sum is made in the same order whatever the instructions, so that all machines agree to
//! the last bit.

use super::file::{BLOCK, Layer, NEAR};
use crate::machine::Kernel;

/// Squares that are summed at the same time, so many that the sums stay in registers.
const STRIP: usize = 4;

/// Squares of a side with a rim of one on both ends.
const RIM_SIDE: usize = 10;

/// A square's numbers for all squares, with a rim of zeros around the board.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    width: usize,
    cells: Vec<f32>,
}

impl Plane {
    pub fn new(width: usize) -> Plane {
        Plane { width, cells: vec![0.0; RIM_SIDE * RIM_SIDE * width] }
    }

    /// The numbers of a square, counted from the lower left.
    pub fn at(&self, square: usize) -> &[f32] {
        let start = cell(square) * self.width;
        &self.cells[start..start + self.width]
    }

    pub fn at_mut(&mut self, square: usize) -> &mut [f32] {
        let start = cell(square) * self.width;
        &mut self.cells[start..start + self.width]
    }
}

/// The cell of a square.
fn cell(square: usize) -> usize {
    (square / 8 + 1) * RIM_SIDE + square % 8 + 1
}

/// A layer in which each square looks at itself and at those around it.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    inputs: usize,
    outputs: usize,
    /// By block of outputs, square around, input, and output within the block.
    weights: Vec<f32>,
    biases: Vec<f32>,
}

impl Convolution {
    /// Arranges the weights of a layer, which come by output, input and square around.
    pub fn new(layer: &Layer, inputs: usize) -> Convolution {
        let outputs = layer.biases.len();
        let mut weights = Vec::with_capacity(layer.weights.len());
        for block in (0..outputs).step_by(BLOCK) {
            for near in 0..NEAR {
                for input in 0..inputs {
                    let of = |output| layer.weights[(output * inputs + input) * NEAR + near];
                    weights.extend((block..block + BLOCK).map(of));
                }
            }
        }
        Convolution { inputs, outputs, weights, biases: layer.biases.clone() }
    }
}

/// Work: one convolution.
pub struct Convolve<'a> {
    pub layer: &'a Convolution,
    pub from: &'a Plane,
    pub to: &'a mut Plane,
}

impl Kernel for Convolve<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Convolve { layer, from, to } = self;
        let inputs = layer.inputs;
        let blocks = layer.weights.chunks_exact(NEAR * inputs * BLOCK);
        for (block, weights) in blocks.enumerate() {
            let at = block * BLOCK;
            let biases = &layer.biases[at..at + BLOCK];
            for strip in 0..64 / STRIP {
                let (rank, file) = (strip * STRIP / 8, strip * STRIP % 8);
                let mut sums = [[0.0f32; BLOCK]; STRIP];
                sums.iter_mut().for_each(|sum| sum.copy_from_slice(biases));
                for (near, weights) in weights.chunks_exact(inputs * BLOCK).enumerate() {
                    let first = (rank + near / 3) * RIM_SIDE + file + near % 3;
                    let cells = &from.cells[first * inputs..(first + STRIP) * inputs];
                    sums = add(sums, cells, weights.as_chunks().0);
                }
                let first = (rank + 1) * RIM_SIDE + file + 1;
                for (square, sum) in sums.iter().enumerate() {
                    let start = (first + square) * layer.outputs + at;
                    to.cells[start..start + BLOCK].copy_from_slice(sum);
                }
            }
        }
    }
}

/// Adds what the cells of a strip give, each input to all outputs of the block.
#[inline(always)]
fn add(
    sums: [[f32; BLOCK]; STRIP],
    cells: &[f32],
    weights: &[[f32; BLOCK]],
) -> [[f32; BLOCK]; STRIP] {
    let [mut a, mut b, mut c, mut d] = sums;
    let (first, rest) = cells.split_at(weights.len());
    let (second, rest) = rest.split_at(weights.len());
    let (third, fourth) = rest.split_at(weights.len());
    let cells = first.iter().zip(second).zip(third.iter().zip(fourth));
    for (weights, ((p, q), (r, s))) in weights.iter().zip(cells) {
        for lane in 0..BLOCK {
            a[lane] += p * weights[lane];
            b[lane] += q * weights[lane];
            c[lane] += r * weights[lane];
            d[lane] += s * weights[lane];
        }
    }
    [a, b, c, d]
}

/// `weights · inputs + bias` for every output of a layer, in the order of the inputs.
pub fn weigh(layer: &Layer, inputs: &[f32]) -> Vec<f32> {
    let rows = layer.weights.chunks_exact(inputs.len());
    let sum = |(row, &bias): (&[f32], &f32)| {
        row.iter().zip(inputs).fold(bias, |sum, (weight, input)| sum + weight * input)
    };
    rows.zip(&layer.biases).map(sum).collect()
}
