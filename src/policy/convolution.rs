//! Convolutions over the board, as plain loops that the compiler turns into vector instructions.
//!
//! The order of every sum is fixed, so that all instruction sets give the same result to the last bit.

use crate::simd::{Instructions, Kernel};

/// The number of outputs of a convolution is a multiple of this.
pub const BLOCK: usize = 16;
/// The number of squares that a convolution sees: a square and its neighbours.
pub const NEAR: usize = 9;

/// A layer, with a row of weights and a bias for each output.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub weights: Vec<f32>,
    pub biases: Vec<f32>,
}

/// The number of tiles that are computed together. With this number, the sums fit into registers.
const STRIP: usize = 4;

/// The side length of the board with a rim of one square.
const RIM_SIDE: usize = 10;

/// The side length of a tile's input in cells, and the side length of the board in tiles.
const SIDE: usize = 4;
const PRODUCTS: usize = SIDE * SIDE;
const TILES: usize = SIDE * SIDE;

/// A row of channels that are computed together.
type Row = [f32; BLOCK];

/// The channels of all squares, with a rim of zeros around the board. Channels are padded to whole rows.
#[derive(Clone, Debug, PartialEq)]
pub struct Plane {
    width: usize,
    rows: Vec<Row>,
}

impl Plane {
    pub fn new(width: usize) -> Plane {
        let rows = width.div_ceil(BLOCK);
        Plane { width, rows: vec![[0.0; BLOCK]; RIM_SIDE * RIM_SIDE * rows] }
    }

    /// The channels of a square. Squares are numbered from the lower left.
    pub fn at(&self, square: usize) -> &[f32] {
        let rows = self.width.div_ceil(BLOCK);
        &self.rows[cell(square) * rows..][..rows].as_flattened()[..self.width]
    }

    pub fn at_mut(&mut self, square: usize) -> &mut [f32] {
        let rows = self.width.div_ceil(BLOCK);
        &mut self.rows[cell(square) * rows..][..rows].as_flattened_mut()[..self.width]
    }
}

/// The cell of a square.
fn cell(square: usize) -> usize {
    (square / 8 + 1) * RIM_SIDE + square % 8 + 1
}

/// A layer in which each square sees itself and its neighbours.
///
/// It uses Winograd's minimal filtering (Lavin and Gray 2016, F(2x2, 3x3)). Four output squares are computed at once
/// from sixteen input squares. This takes 16 multiplications for each input channel instead of 36.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    inputs: usize,
    /// The weights, ordered by block of outputs, product, input, and output within the block.
    weights: Vec<Row>,
    biases: Vec<Row>,
}

impl Convolution {
    /// Arranges the weights of a layer, which are ordered by output, input and neighbouring square. The inputs are
    /// padded to whole rows.
    pub fn new(layer: &Layer, real_inputs: usize) -> Convolution {
        let inputs = real_inputs.next_multiple_of(BLOCK);
        let outputs = layer.biases.len();
        let mut weights = vec![[0.0; BLOCK]; outputs / BLOCK * PRODUCTS * inputs];
        for output in 0..outputs {
            for input in 0..real_inputs {
                let start = (output * real_inputs + input) * NEAR;
                let near = &layer.weights[start..start + NEAR];
                for (product, weight) in transform_filter(near).into_iter().enumerate() {
                    let row = (output / BLOCK * PRODUCTS + product) * inputs + input;
                    weights[row][output % BLOCK] = weight;
                }
            }
        }
        Convolution { inputs, weights, biases: layer.biases.as_chunks().0.to_vec() }
    }
}

/// Transforms the nine weights of a filter: `G g Gᵀ` in the paper.
fn transform_filter(near: &[f32]) -> [f32; PRODUCTS] {
    let line = |[a, b, c]: [f32; 3]| [a, (a + b + c) / 2.0, (a - b + c) / 2.0, c];
    let columns: [[f32; SIDE]; 3] =
        std::array::from_fn(|file| line([near[file], near[3 + file], near[6 + file]]));
    let rows: [[f32; SIDE]; SIDE] =
        std::array::from_fn(|rank| line(columns.map(|column| column[rank])));
    std::array::from_fn(|product| rows[product / SIDE][product % SIDE])
}

/// Working memory for convolutions, ordered by product, tile and input.
#[derive(Debug, Default)]
pub struct Tiles(Vec<Row>);

/// One convolution, compiled for each instruction set.
pub struct Convolve<'a> {
    pub layer: &'a Convolution,
    pub from: &'a Plane,
    pub to: &'a mut Plane,
    pub tiles: &'a mut Tiles,
}

impl Kernel for Convolve<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: Instructions) {
        let Convolve { layer, from, to, tiles } = self;
        let Convolution { inputs, weights, biases } = layer;
        let rows = inputs / BLOCK;
        tiles.0.resize(PRODUCTS * TILES * rows, [0.0; BLOCK]);
        for tile in 0..TILES {
            for row in 0..rows {
                let products = transform_input(&from.rows, first_cell(tile) * rows + row, rows);
                for (product, numbers) in products.iter().enumerate() {
                    tiles.0[(product * TILES + tile) * rows + row] = *numbers;
                }
            }
        }
        let blocks = weights.chunks_exact(PRODUCTS * inputs).zip(biases);
        let mut found = [[[0.0; BLOCK]; TILES]; PRODUCTS];
        for (block, (weights, bias)) in blocks.enumerate() {
            let seen = tiles.0.chunks_exact(TILES * rows);
            for ((weights, seen), found) in weights.chunks_exact(*inputs).zip(seen).zip(&mut found)
            {
                let strips = seen.as_flattened().chunks_exact(STRIP * inputs);
                for (seen, sums) in strips.zip(found.as_chunks_mut::<STRIP>().0) {
                    *sums = products(seen, weights);
                }
            }
            for tile in 0..TILES {
                let squares = transform_output(found.each_ref().map(|tiles| tiles[tile]));
                let first = first_cell(tile) + RIM_SIDE + 1;
                for (square, sum) in squares.into_iter().enumerate() {
                    let cell = first + square / 2 * RIM_SIDE + square % 2;
                    to.rows[cell * biases.len() + block] = plus(sum, *bias);
                }
            }
        }
    }
}

/// The lower left cell of a tile's input.
#[inline(always)]
fn first_cell(tile: usize) -> usize {
    2 * (tile / SIDE) * RIM_SIDE + 2 * (tile % SIDE)
}

/// Transforms the sixteen input cells of a tile: `Bᵀ d B` in the paper.
#[inline(always)]
fn transform_input(cells: &[Row], first: usize, rows: usize) -> [Row; PRODUCTS] {
    let mut seen = [[0.0; BLOCK]; PRODUCTS];
    for (place, numbers) in seen.iter_mut().enumerate() {
        *numbers = cells[first + (place / SIDE * RIM_SIDE + place % SIDE) * rows];
    }
    for (start, step) in
        [(0, SIDE), (1, SIDE), (2, SIDE), (3, SIDE), (0, 1), (4, 1), (8, 1), (12, 1)]
    {
        let [a, b, c, d] = [0, 1, 2, 3].map(|at| seen[start + at * step]);
        let line = [minus(a, c), plus(b, c), minus(c, b), minus(b, d)];
        for (at, numbers) in line.into_iter().enumerate() {
            seen[start + at * step] = numbers;
        }
    }
    seen
}

/// Transforms the sixteen products of a tile back into its four squares: `Aᵀ m A` in the paper.
#[inline(always)]
fn transform_output(found: [Row; PRODUCTS]) -> [Row; 4] {
    let line = |[a, b, c, d]: [Row; SIDE]| [plus(plus(a, b), c), minus(minus(b, c), d)];
    let [p, q, r, s] =
        [0, 1, 2, 3].map(|file| line([0, 1, 2, 3].map(|rank| found[rank * SIDE + file])));
    let [lower_left, lower_right] = line([p[0], q[0], r[0], s[0]]);
    let [upper_left, upper_right] = line([p[1], q[1], r[1], s[1]]);
    [lower_left, lower_right, upper_left, upper_right]
}

#[inline(always)]
fn plus(a: Row, b: Row) -> Row {
    std::array::from_fn(|lane| a[lane] + b[lane])
}

#[inline(always)]
fn minus(a: Row, b: Row) -> Row {
    std::array::from_fn(|lane| a[lane] - b[lane])
}

/// Multiplies the inputs of a strip of tiles by the weights of a block of outputs.
#[inline(always)]
fn products(seen: &[f32], weights: &[Row]) -> [Row; STRIP] {
    let [mut a, mut b, mut c, mut d] = [[0.0f32; BLOCK]; STRIP];
    let (first, rest) = seen.split_at(weights.len());
    let (second, rest) = rest.split_at(weights.len());
    let (third, fourth) = rest.split_at(weights.len());
    let seen = first.iter().zip(second).zip(third.iter().zip(fourth));
    for (weights, ((p, q), (r, s))) in weights.iter().zip(seen) {
        for lane in 0..BLOCK {
            a[lane] += p * weights[lane];
            b[lane] += q * weights[lane];
            c[lane] += r * weights[lane];
            d[lane] += s * weights[lane];
        }
    }
    [a, b, c, d]
}

/// A dense layer: `weights · inputs + bias` for every output, added in the order of the inputs.
pub fn dense(layer: &Layer, inputs: &[f32]) -> Vec<f32> {
    let rows = layer.weights.chunks_exact(inputs.len());
    let sum = |(row, &bias): (&[f32], &f32)| {
        row.iter().zip(inputs).fold(bias, |sum, (weight, input)| sum + weight * input)
    };
    rows.zip(&layer.biases).map(sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Irregular numbers between -1 and 1.
    fn numbers(count: usize, step: f32) -> Vec<f32> {
        (0..count).map(|at| (at as f32 * step).sin()).collect()
    }

    #[test]
    fn a_convolution_agrees_with_its_definition() {
        const INPUTS: usize = 20;
        const OUTPUTS: usize = 32;
        let layer =
            Layer { weights: numbers(OUTPUTS * INPUTS * NEAR, 1.7), biases: numbers(OUTPUTS, 0.9) };
        let mut from = Plane::new(INPUTS);
        for square in 0..64 {
            from.at_mut(square).copy_from_slice(&numbers(INPUTS, 0.37 + square as f32));
        }
        let mut to = Plane::new(OUTPUTS);
        let convolution = Convolution::new(&layer, INPUTS);
        let mut tiles = Tiles::default();
        let work = Convolve { layer: &convolution, from: &from, to: &mut to, tiles: &mut tiles };
        Instructions::best().run(work);
        for (square, output) in (0..64).flat_map(|square| (0..OUTPUTS).map(move |o| (square, o))) {
            let mut sum = layer.biases[output];
            for near in 0..NEAR {
                let (rank, file) = (square / 8 + near / 3, square % 8 + near % 3);
                if (1..=8).contains(&rank) && (1..=8).contains(&file) {
                    let seen = from.at(8 * (rank - 1) + file - 1);
                    let weights = (0..INPUTS)
                        .map(|input| layer.weights[(output * INPUTS + input) * NEAR + near]);
                    sum += weights.zip(seen).map(|(weight, cell)| weight * cell).sum::<f32>();
                }
            }
            let found = to.at(square)[output];
            assert!((found - sum).abs() < 1e-4, "{square} {output}: {found} instead of {sum}");
        }
    }
}
