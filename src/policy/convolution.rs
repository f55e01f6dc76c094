//! Convolutions over the board.
//!
//! Convolutions add integers, and all floating-point operations have a fixed order. All instruction sets therefore give
//! the same result to the last bit.

use crate::simd::{Instructions, Kernel, add_products_with_pair};

/// The number of outputs of a convolution is a multiple of this.
pub const BLOCK: usize = 16;
/// The number of squares that a convolution sees: a square and its neighbours.
pub const NEAR: usize = 9;

/// A layer as in the file: a row of weights and a bias for each output.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    pub weights: Vec<f32>,
    pub biases: Vec<f32>,
}

/// The number of tiles that are computed together. With this number, the sums fit into the registers of AVX2.
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

/// The largest input as an integer. A transformed input is a sum of four inputs or their negatives, and fits into 16
/// bits.
const LARGEST_INPUT: f32 = 8191.0;

/// A lower limit for scales, so that a division by them is finite even if all numbers are 0.
const SMALLEST_SCALE: f32 = 1e-20;

/// A layer in which each square sees itself and its neighbours.
///
/// It uses Winograd's minimal filtering (Lavin and Gray 2016, F(2x2, 3x3)). Four output squares are computed at once
/// from sixteen input squares. This takes 16 multiplications for each input channel instead of 36. The transformed
/// inputs and weights are 16-bit integers, which take about a third of the time of 32-bit floats with AVX2.
#[derive(Clone, Debug, PartialEq)]
pub struct Convolution {
    inputs: usize,
    /// The weights, ordered by block of outputs, product, pair of inputs, output within the block, and input within the
    /// pair.
    weights: Vec<[i16; 2 * BLOCK]>,
    /// The scale of each output's weights: the number that an integer 1 stands for. Ordered by block of outputs and
    /// product.
    scales: Vec<Row>,
    biases: Vec<Row>,
}

impl Convolution {
    /// Arranges the weights of a layer, which are ordered by output, input and neighbouring square. The inputs are
    /// padded to whole rows.
    pub fn new(layer: &Layer, real_inputs: usize) -> Convolution {
        let inputs = real_inputs.next_multiple_of(BLOCK);
        let outputs = layer.biases.len();
        let mut weights = vec![[0; 2 * BLOCK]; outputs / BLOCK * PRODUCTS * inputs / 2];
        let mut scales = vec![[0.0; BLOCK]; outputs / BLOCK * PRODUCTS];
        for output in 0..outputs {
            let (block, lane) = (output / BLOCK, output % BLOCK);
            let filters = &layer.weights[output * real_inputs * NEAR..][..real_inputs * NEAR];
            let filters: Vec<_> = filters.as_chunks().0.iter().map(transform_filter).collect();
            for product in 0..PRODUCTS {
                let row = block * PRODUCTS + product;
                let exact: Vec<f32> = filters.iter().map(|filter| filter[product]).collect();
                let scale = weight_scale(&exact);
                scales[row][lane] = scale;
                for (input, weight) in exact.iter().enumerate() {
                    let pair = &mut weights[(row * inputs + input) / 2];
                    pair[2 * lane + input % 2] = nearest(weight / scale);
                }
            }
        }
        Convolution { inputs, weights, scales, biases: layer.biases.as_chunks().0.to_vec() }
    }
}

/// A scale with which these weights fit into 16 bits, and all their sums of products into 32 bits.
fn weight_scale(weights: &[f32]) -> f32 {
    let sizes = || weights.iter().map(|weight| weight.abs());
    // Rounding adds up to half a unit to each weight. The other half leaves room for the errors of this function.
    let most = i32::MAX as f32 / (4.0 * LARGEST_INPUT) - weights.len() as f32;
    let by_size = sizes().fold(0.0, f32::max) / f32::from(i16::MAX);
    by_size.max(sizes().sum::<f32>() / most).max(SMALLEST_SCALE)
}

/// Rounds a number to the nearest integer, which must fit into 16 bits. A plain loop of this becomes vector instructions.
#[inline(always)]
fn nearest(number: f32) -> i16 {
    /// After this number is added to a small number, the last bits of the sum are the nearest integer.
    const SHIFT: f32 = 1.5 * (1 << (f32::MANTISSA_DIGITS - 1)) as f32;
    (number + SHIFT).to_bits() as i16
}

/// Transforms the nine weights of a filter: `G g Gᵀ` in the paper.
fn transform_filter(near: &[f32; NEAR]) -> [f32; PRODUCTS] {
    let line = |[a, b, c]: [f32; 3]| [a, (a + b + c) / 2.0, (a - b + c) / 2.0, c];
    let columns: [[f32; SIDE]; 3] =
        std::array::from_fn(|file| line([near[file], near[3 + file], near[6 + file]]));
    let rows: [[f32; SIDE]; SIDE] =
        std::array::from_fn(|rank| line(columns.map(|column| column[rank])));
    std::array::from_fn(|product| rows[product / SIDE][product % SIDE])
}

/// Working memory for convolutions.
#[derive(Debug, Default)]
pub struct Workspace {
    /// The inputs of a board as integers.
    quantised: Vec<[i16; BLOCK]>,
    /// The transformed inputs of all boards, ordered by board, product, tile and input.
    transformed: Vec<[i16; BLOCK]>,
    /// The scale of these integers, for each board.
    scales: Vec<f32>,
    /// The products of a block of outputs, for each board.
    products: Vec<[[Row; TILES]; PRODUCTS]>,
}

/// One convolution, applied to several boards and compiled for each instruction set. Several boards take less time
/// together than one after another, because the weights of large networks have to come from main memory.
pub struct Convolve<'a> {
    pub layer: &'a Convolution,
    pub from: &'a [Plane],
    pub to: &'a mut [Plane],
    pub workspace: &'a mut Workspace,
}

impl Kernel for Convolve<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, instructions: Instructions) {
        let Convolve { layer, from, to, workspace } = self;
        debug_assert_eq!(from.len(), to.len());
        let rows = layer.inputs / BLOCK;
        let size = PRODUCTS * TILES * rows;
        let Workspace { quantised, transformed, scales, products } = workspace;
        quantised.resize(RIM_SIDE * RIM_SIDE * rows, [0; BLOCK]);
        transformed.resize(from.len() * size, [0; BLOCK]);
        scales.resize(from.len(), 0.0);
        products.resize(from.len(), [[[0.0; BLOCK]; TILES]; PRODUCTS]);
        for (board, plane) in from.iter().enumerate() {
            scales[board] = quantise(&plane.rows, quantised);
            let transformed = &mut transformed[board * size..][..size];
            for tile in 0..TILES {
                for row in 0..rows {
                    let cells = &quantised[first_cell(tile) * rows + row..];
                    transform_input(cells, rows, &mut transformed[tile * rows + row..]);
                }
            }
        }
        let blocks = layer.biases.len();
        for block in 0..blocks {
            for product in 0..PRODUCTS {
                let part = block * PRODUCTS + product;
                let weights = &layer.weights[part * layer.inputs / 2..][..layer.inputs / 2];
                let boards = transformed.chunks_exact(size).zip(&*scales).zip(&mut *products);
                for ((inputs, board_scale), products) in boards {
                    let inputs = &inputs[product * TILES * rows..][..TILES * rows];
                    let scale = layer.scales[part].map(|scale| scale * board_scale);
                    multiply(instructions, inputs, weights, &scale, &mut products[product]);
                }
            }
            for (products, plane) in products.iter().zip(&mut *to) {
                for tile in 0..TILES {
                    let cells = &mut plane.rows[first_cell(tile) * blocks + block..];
                    transform_output(products, tile, &layer.biases[block], blocks, cells);
                }
            }
        }
    }
}

/// Rounds numbers to integers up to [`LARGEST_INPUT`], and returns their scale.
#[inline(always)]
fn quantise(exact: &[Row], quantised: &mut [[i16; BLOCK]]) -> f32 {
    let mut largest = [0.0f32; BLOCK];
    for row in exact {
        for lane in 0..BLOCK {
            // `f32::max` would take more instructions, because it treats NaN differently.
            let size = row[lane].abs();
            largest[lane] = if size > largest[lane] { size } else { largest[lane] };
        }
    }
    let scale = (largest.into_iter().fold(0.0, f32::max) / LARGEST_INPUT).max(SMALLEST_SCALE);
    let factor = 1.0 / scale;
    for (row, quantised) in exact.iter().zip(quantised) {
        for lane in 0..BLOCK {
            quantised[lane] = nearest(row[lane] * factor);
        }
    }
    scale
}

/// The lower left cell of a tile's input.
#[inline(always)]
fn first_cell(tile: usize) -> usize {
    2 * (tile / SIDE) * RIM_SIDE + 2 * (tile % SIDE)
}

/// Transforms the sixteen input cells of a tile: `Bᵀ d B` in the paper. A cell has `rows` rows, of which the first is
/// transformed.
#[inline(always)]
fn transform_input(cells: &[[i16; BLOCK]], rows: usize, transformed: &mut [[i16; BLOCK]]) {
    let mut columns = [[[0; BLOCK]; SIDE]; SIDE];
    for (file, column) in columns.iter_mut().enumerate() {
        input_line([0, 1, 2, 3].map(|rank| &cells[(rank * RIM_SIDE + file) * rows]), column);
    }
    let [p, q, r, s] = &columns;
    for rank in 0..SIDE {
        let mut line = [[0; BLOCK]; SIDE];
        input_line([&p[rank], &q[rank], &r[rank], &s[rank]], &mut line);
        for (file, numbers) in line.iter().enumerate() {
            transformed[(rank * SIDE + file) * TILES * rows] = *numbers;
        }
    }
}

/// Transforms the inputs of four cells in a line. The results fit into 16 bits, but checks for overflow in test builds
/// would prevent vector instructions.
#[inline(always)]
fn input_line([a, b, c, d]: [&[i16; BLOCK]; SIDE], line: &mut [[i16; BLOCK]; SIDE]) {
    for lane in 0..BLOCK {
        line[0][lane] = a[lane].wrapping_sub(c[lane]);
        line[1][lane] = b[lane].wrapping_add(c[lane]);
        line[2][lane] = c[lane].wrapping_sub(b[lane]);
        line[3][lane] = b[lane].wrapping_sub(d[lane]);
    }
}

/// Transforms the sixteen products of a tile back into its four squares, `Aᵀ m A` in the paper, and adds the bias.
/// `cells` begins with the lower left cell of the tile's input. A cell has `rows` rows, of which the first is written.
#[inline(always)]
fn transform_output(
    products: &[[Row; TILES]; PRODUCTS],
    tile: usize,
    bias: &Row,
    rows: usize,
    cells: &mut [Row],
) {
    let mut columns = [[[0.0; BLOCK]; 2]; SIDE];
    for (file, column) in columns.iter_mut().enumerate() {
        output_line([0, 1, 2, 3].map(|rank| &products[rank * SIDE + file][tile]), column);
    }
    let [p, q, r, s] = &columns;
    for rank in 0..2 {
        let mut line = [[0.0; BLOCK]; 2];
        output_line([&p[rank], &q[rank], &r[rank], &s[rank]], &mut line);
        for (file, numbers) in line.iter().enumerate() {
            let cell = &mut cells[((rank + 1) * RIM_SIDE + file + 1) * rows];
            for lane in 0..BLOCK {
                cell[lane] = numbers[lane] + bias[lane];
            }
        }
    }
}

/// Transforms four products in a line into two cells.
#[inline(always)]
fn output_line([a, b, c, d]: [&Row; SIDE], line: &mut [Row; 2]) {
    for lane in 0..BLOCK {
        line[0][lane] = a[lane] + b[lane] + c[lane];
        line[1][lane] = b[lane] - c[lane] - d[lane];
    }
}

/// Multiplies the inputs of all tiles by the weights of a block of outputs.
#[inline(always)]
fn multiply(
    instructions: Instructions,
    inputs: &[[i16; BLOCK]],
    weights: &[[i16; 2 * BLOCK]],
    scale: &Row,
    products: &mut [Row; TILES],
) {
    let strips = inputs.as_flattened().as_chunks().0.chunks_exact(STRIP * weights.len());
    for (inputs, products) in strips.zip(products.as_chunks_mut::<STRIP>().0) {
        let sums = sums_of_products(instructions, inputs, weights);
        for tile in 0..STRIP {
            for lane in 0..BLOCK {
                products[tile][lane] = sums[tile][lane] as f32 * scale[lane];
            }
        }
    }
}

/// Multiplies pairs of inputs of a strip of tiles by the weights of a block of outputs.
#[inline(always)]
fn sums_of_products(
    instructions: Instructions,
    inputs: &[[i16; 2]],
    weights: &[[i16; 2 * BLOCK]],
) -> [[i32; BLOCK]; STRIP] {
    let [mut a, mut b, mut c, mut d] = [[0; BLOCK]; STRIP];
    let (first, rest) = inputs.split_at(weights.len());
    let (second, rest) = rest.split_at(weights.len());
    let (third, fourth) = rest.split_at(weights.len());
    let inputs = first.iter().zip(second).zip(third.iter().zip(fourth));
    for (weights, ((p, q), (r, s))) in weights.iter().zip(inputs) {
        add_products_with_pair(instructions, &mut a, *p, weights);
        add_products_with_pair(instructions, &mut b, *q, weights);
        add_products_with_pair(instructions, &mut c, *r, weights);
        add_products_with_pair(instructions, &mut d, *s, weights);
    }
    [a, b, c, d]
}

/// A dense layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Dense {
    /// The weights, ordered by input and output, so that several outputs are computed at once.
    weights: Vec<f32>,
    biases: Vec<f32>,
}

impl Dense {
    pub fn new(layer: &Layer) -> Dense {
        let inputs = layer.weights.len() / layer.biases.len();
        let column = |input: usize| layer.weights.iter().skip(input).step_by(inputs);
        let weights = (0..inputs).flat_map(column).copied().collect();
        Dense { weights, biases: layer.biases.clone() }
    }

    /// `weights · inputs + bias` for every output, added in the order of the inputs.
    pub fn outputs(&self, inputs: &[f32]) -> Vec<f32> {
        let mut sums = self.biases.clone();
        for (row, input) in self.weights.chunks_exact(sums.len()).zip(inputs) {
            sums.iter_mut().zip(row).for_each(|(sum, weight)| *sum += weight * input);
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Irregular numbers between -1 and 1.
    fn numbers(count: usize, step: f32) -> Vec<f32> {
        (0..count).map(|at| (at as f32 * step).sin()).collect()
    }

    /// Irregular inputs for a board.
    fn plane(inputs: usize, step: f32) -> Plane {
        let mut plane = Plane::new(inputs);
        for square in 0..64 {
            plane.at_mut(square).copy_from_slice(&numbers(inputs, step + square as f32));
        }
        plane
    }

    /// Checks the results of a layer for several boards with every instruction set.
    fn check(layer: &Layer, from: &[Plane], workspace: &mut Workspace, tolerance: f32) {
        let (inputs, outputs) = (from[0].width, layer.biases.len());
        let convolution = Convolution::new(layer, inputs);
        for instructions in Instructions::available() {
            let mut to = vec![Plane::new(outputs); from.len()];
            instructions.run(Convolve { layer: &convolution, from, to: &mut to, workspace });
            for (from, to) in from.iter().zip(&to) {
                for square in 0..64 {
                    for (output, &found) in to.at(square).iter().enumerate() {
                        let wanted = by_definition(layer, from, square, output);
                        let message = format!("{square} {output}: {found} instead of {wanted}");
                        assert!((found - wanted).abs() <= tolerance, "{message}");
                    }
                }
            }
        }
    }

    fn by_definition(layer: &Layer, from: &Plane, square: usize, output: usize) -> f32 {
        let mut sum = layer.biases[output];
        for near in 0..NEAR {
            let (rank, file) = (square / 8 + near / 3, square % 8 + near % 3);
            if (1..=8).contains(&rank) && (1..=8).contains(&file) {
                let cells = from.at(8 * (rank - 1) + file - 1);
                let weights = layer.weights.iter().skip(output * from.width * NEAR + near);
                let products = weights.step_by(NEAR).zip(cells).map(|(weight, cell)| weight * cell);
                sum += products.sum::<f32>();
            }
        }
        sum
    }

    #[test]
    fn a_convolution_agrees_with_its_definition() {
        let mut workspace = Workspace::default();
        for (inputs, boards) in [(20, 3), (32, 1), (16, 2)] {
            let weights = numbers(32 * inputs * NEAR, 1.7);
            let layer = Layer { weights, biases: numbers(32, 0.9) };
            let from: Vec<_> = (0..boards).map(|at| plane(inputs, 0.37 + at as f32)).collect();
            check(&layer, &from, &mut workspace, 5e-3);
        }
    }

    #[test]
    fn without_inputs_or_weights_only_the_bias_is_left() {
        let biases = numbers(32, 0.9);
        let weights = numbers(32 * 16 * NEAR, 1.7);
        let layer = Layer { weights: weights.clone(), biases: biases.clone() };
        check(&layer, &[Plane::new(16), Plane::new(16)], &mut Workspace::default(), 0.0);
        let layer = Layer { weights: vec![0.0; weights.len()], biases };
        check(&layer, &[plane(16, 0.37)], &mut Workspace::default(), 0.0);
    }

    #[test]
    fn the_largest_sums_fit_into_32_bits() {
        const INPUTS: usize = 256;
        // All weights of an output have the same size, and so have all inputs. Then the transformed numbers are the
        // largest that are possible: for equal signs in one product, for alternating signs in others.
        let sign = |bits: usize, at: usize| if bits >> (at % 2) & 1 == 1 { -1.0 } else { 1.0 };
        let weight =
            |at: usize| sign(at / (INPUTS * NEAR), 0) * sign(at / (2 * INPUTS * NEAR), at % NEAR);
        let weights = (0..16 * INPUTS * NEAR).map(weight).collect();
        let layer = Layer { weights, biases: vec![0.0; 16] };
        let planes: Vec<_> = (0..4)
            .map(|bits| {
                let mut plane = Plane::new(INPUTS);
                for square in 0..64 {
                    plane.at_mut(square).fill(sign(bits, square) * sign(bits >> 1, square / 8));
                }
                plane
            })
            .collect();
        check(&layer, &planes, &mut Workspace::default(), 2.0);
    }
}
