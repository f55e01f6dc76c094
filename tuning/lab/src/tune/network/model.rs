//! The parameters of a network during training.
//!
//! Some pieces are rarely hanging on some squares, and training such a rare input mostly fits
//! noise. So the update of a row is learnt as a sum of three parts. The first part belongs to the
//! piece on its square, regardless of its attack status. The second part is shared by all pieces of
//! the same kind with the same attack status, on any square. The third part is the rest, which
//! belongs to this row alone. The first two parts are trained on far more positions than the third.
//! The network stores the sums, so it is no larger or slower.
//!
//! All parts start at zero and decay towards it. So parameters that the positions do not affect
//! keep their initial values.

use std::ops::Range;

use rand::rngs::ChaCha8Rng;
use rand::{RngExt, SeedableRng};

use stopdown::eval::network::inputs::{INPUTS, MAX_BUCKETS, PIECES};
use stopdown::eval::network::{HIDDEN_ONE, MAX_BIAS, MAX_OUTPUT, OUTPUT_ONE, Parameters};

/// The layout of a network's parameters in one array.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TrainedShape {
    pub width: usize,
    pub buckets: usize,
}

impl TrainedShape {
    pub fn row(self, input: usize) -> Range<usize> {
        input * self.width..(input + 1) * self.width
    }

    pub fn biases(self) -> Range<usize> {
        self.row(INPUTS)
    }

    /// The output weights in a bucket. The mover's half comes first.
    pub fn outputs(self, bucket: usize) -> Range<usize> {
        let start = self.biases().end + 2 * self.width * bucket;
        start..start + 2 * self.width
    }

    pub fn output_bias(self, bucket: usize) -> usize {
        self.outputs(self.buckets).start + bucket
    }

    /// The number of parameters, padded so that rows are aligned.
    pub fn numbers(self) -> usize {
        self.output_bias(MAX_BUCKETS)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct TrainedNetwork {
    pub shape: TrainedShape,
    pub numbers: Vec<f32>,
}

impl TrainedNetwork {
    /// Starts training from small random numbers.
    pub fn new(shape: TrainedShape, seed: u64) -> TrainedNetwork {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut numbers = vec![0.0; shape.numbers()];
        let mut fill = |range: Range<usize>, inputs: usize| {
            let extent = (1.0 / inputs as f32).sqrt();
            for number in &mut numbers[range] {
                *number = random.random_range(-extent..extent);
            }
        };
        fill(0..shape.biases().end, PIECES / 4);
        fill(shape.biases().end..shape.output_bias(0), 2 * shape.width);
        TrainedNetwork { shape, numbers }
    }

    /// Starts training from a trained network, and keeps its shape.
    pub fn resume(parameters: &Parameters) -> TrainedNetwork {
        let shape = TrainedShape { width: parameters.width, buckets: parameters.buckets };
        let mut numbers = vec![0.0; shape.numbers()];
        let mut fill = |start: usize, whole: &[i16], one: i32| {
            for (number, &whole) in numbers[start..].iter_mut().zip(whole) {
                *number = f32::from(whole) / one as f32;
            }
        };
        fill(0, &parameters.all_rows(), HIDDEN_ONE);
        fill(shape.biases().start, &parameters.biases, HIDDEN_ONE);
        fill(shape.biases().end, &parameters.outputs, OUTPUT_ONE);
        for (bucket, &bias) in parameters.output_biases.iter().enumerate() {
            numbers[shape.output_bias(bucket)] = bias as f32 / (HIDDEN_ONE * OUTPUT_ONE) as f32;
        }
        TrainedNetwork { shape, numbers }
    }

    /// Clips all parameters except the output biases to the range of the quantised output weights.
    pub fn clip(&mut self) {
        let bound = f32::from(MAX_OUTPUT) / OUTPUT_ONE as f32;
        let end = self.shape.output_bias(0);
        for number in &mut self.numbers[..end] {
            *number = number.clamp(-bound, bound);
        }
    }

    /// The hidden layer quantised to the nearest representable integers, without outputs.
    pub(super) fn quantised_hidden(&self, centipawns: i32) -> QuantisedNetwork {
        let shape = self.shape;
        let mut clipped = 0;
        let mut fit = |number: i32, least: i32, most: i32| {
            let fitting = number.clamp(least, most);
            clipped += usize::from(fitting != number);
            fitting
        };
        let mut short = |number: i32| fit(number, i16::MIN.into(), i16::MAX.into()) as i16;
        let steps = |number: &f32| (number * HIDDEN_ONE as f32).round() as i32;
        let (base, inputs) = (PIECES * shape.width, shape.biases().start);
        let rows: Vec<i16> = self.numbers[..base].iter().map(steps).map(&mut short).collect();
        let biases = self.numbers[shape.biases()].iter().map(steps).map(&mut short).collect();
        // The increment of an attack status is stored in a byte, relative to the quantised base
        // row.
        let step = |(place, row): (usize, i32)| {
            fit(row - i32::from(rows[place % base]), i8::MIN.into(), i8::MAX.into()) as i8
        };
        let others = self.numbers[base..inputs].iter().map(steps);
        let steps = others.enumerate().map(step).collect();
        let network = Parameters {
            width: shape.width,
            buckets: shape.buckets,
            centipawns,
            rows,
            steps,
            biases,
            ..Parameters::default()
        };
        QuantisedNetwork { network, clipped }
    }

    /// The bias and output weights of a bucket in quantisation steps, before rounding.
    pub(super) fn output_steps(&self, bucket: usize) -> Vec<f64> {
        let bias = self.numbers[self.shape.output_bias(bucket)] * HIDDEN_ONE as f32;
        let outputs = self.numbers[self.shape.outputs(bucket)].iter().copied();
        let steps = |number: f32| f64::from(number) * f64::from(OUTPUT_ONE);
        std::iter::once(bias).chain(outputs).map(steps).collect()
    }

    /// The bounds of the values that `output_steps` returns.
    pub(super) fn output_bounds(&self) -> Vec<f64> {
        let mut bounds = vec![f64::from(MAX_OUTPUT); 1 + 2 * self.shape.width];
        bounds[0] = f64::from(MAX_BIAS);
        bounds
    }
}

/// A quantised network.
#[derive(Clone, Debug, PartialEq)]
pub struct QuantisedNetwork {
    pub network: Parameters,
    /// The number of parameters that were clipped to the largest representable value.
    pub clipped: usize,
}

impl QuantisedNetwork {
    /// Appends the quantised bias and output weights of the next bucket.
    pub(super) fn add_outputs(&mut self, (whole, clipped): (Vec<f64>, usize)) {
        let (bias, outputs) = whole.split_at(1);
        self.network.output_biases.extend(bias.iter().map(|&bias| bias as i32));
        self.network.outputs.extend(outputs.iter().map(|&output| output as i16));
        self.clipped += clipped;
    }
}

/// Rounds to the nearest integers within the bounds. Also returns the number of values that were
/// clipped.
pub(super) fn nearest_whole(wanted: &[f64], bounds: &[f64]) -> (Vec<f64>, usize) {
    let whole = wanted.iter().zip(bounds).map(|(n, bound)| n.round().clamp(-bound, *bound));
    let whole: Vec<f64> = whole.collect();
    let clipped = whole.iter().zip(wanted).filter(|(whole, n)| **whole != n.round()).count();
    (whole, clipped)
}

const SQUARES: usize = 64;
/// The number of shared parts: by piece and square, then by kind and attack status.
const COMMON: usize = PIECES + INPUTS / SQUARES;

/// The learnt differences: first those of each parameter, then the shared ones.
#[derive(Clone, Debug, PartialEq)]
pub struct LearntParts {
    pub numbers: Vec<f32>,
}

impl LearntParts {
    /// The number of values for a shape.
    pub fn count(shape: TrainedShape) -> usize {
        shape.numbers() + COMMON * shape.width
    }

    /// Differences that are all zero.
    pub fn none(shape: TrainedShape) -> LearntParts {
        LearntParts { numbers: vec![0.0; LearntParts::count(shape)] }
    }

    /// Sets a model to the starting model plus everything that was learnt.
    pub fn add_to(&self, start: &TrainedNetwork, model: &mut TrainedNetwork) {
        let TrainedShape { width, .. } = start.shape;
        let (own, common) = self.numbers.split_at(start.shape.numbers());
        for ((sum, start), part) in model.numbers.iter_mut().zip(&start.numbers).zip(own) {
            *sum = start + part;
        }
        for (input, row) in model.numbers.chunks_exact_mut(width).take(INPUTS).enumerate() {
            for part in common_to(input) {
                let part = &common[part * width..(part + 1) * width];
                row.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
        }
        model.clip();
    }

    /// Appends the gradients of the shared parts to those of the model's parameters.
    pub fn extend(shape: TrainedShape, slopes: &mut Vec<f32>) {
        let TrainedShape { width, .. } = shape;
        slopes.resize(LearntParts::count(shape), 0.0);
        let (own, common) = slopes.split_at_mut(shape.numbers());
        for (input, row) in own.chunks_exact(width).take(INPUTS).enumerate() {
            for part in common_to(input) {
                let part = &mut common[part * width..(part + 1) * width];
                part.iter_mut().zip(row).for_each(|(sum, slope)| *sum += slope);
            }
        }
    }
}

/// The shared parts that contribute to the row of an input.
fn common_to(input: usize) -> [usize; 2] {
    [input % PIECES, PIECES + input / SQUARES]
}

#[cfg(test)]
mod tests {
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    use super::*;

    const SHAPE: TrainedShape = TrainedShape { width: 32, buckets: 2 };

    #[test]
    fn gradients_of_parts_match_their_effect_on_the_parameters() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut some = |count: usize| -> Vec<f32> {
            (0..count).map(|_| random.random_range(-0.01..0.01)).collect()
        };
        let product = |one: &[f32], other: &[f32]| -> f64 {
            one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let start = TrainedNetwork { shape: SHAPE, numbers: some(SHAPE.numbers()) };
        let parts = LearntParts { numbers: some(LearntParts::count(SHAPE)) };
        let mut slopes = some(SHAPE.numbers());
        let mut model = start.clone();
        parts.add_to(&start, &mut model);
        let moved = product(&slopes, &model.numbers) - product(&slopes, &start.numbers);
        LearntParts::extend(SHAPE, &mut slopes);
        let expected = product(&slopes, &parts.numbers);
        assert!(expected.abs() > 0.01 && (moved - expected).abs() < 1e-6, "{moved}, {expected}");
    }

    #[test]
    fn a_piece_shares_parts_by_square_and_by_kind() {
        let start = TrainedNetwork { shape: SHAPE, numbers: vec![0.0; SHAPE.numbers()] };
        let rows = |part: usize| -> Vec<usize> {
            let mut parts = LearntParts::none(SHAPE);
            parts.numbers[SHAPE.numbers() + part * SHAPE.width] = 0.5;
            let mut model = start.clone();
            parts.add_to(&start, &mut model);
            (0..INPUTS).filter(|&input| model.numbers[SHAPE.row(input)][0] != 0.0).collect()
        };
        // The mover's own knight on g1, with each of the four attack statuses.
        assert_eq!(rows(70), [70, 70 + PIECES, 70 + 2 * PIECES, 70 + 3 * PIECES]);
        // The mover's own hanging knights, on any square.
        let knights: Vec<usize> = (2 * PIECES + 64..2 * PIECES + 128).collect();
        assert_eq!(rows(PIECES + 2 * 12 + 1), knights);
    }
}
