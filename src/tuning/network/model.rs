//! The numbers of a network while it learns.

use std::ops::Range;

use rand::RngExt;
use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;

use crate::eval::network::inputs::{INPUTS, MEN, MOST_BUCKETS};
use crate::eval::network::{HIDDEN_ONE, LARGEST_OUTPUT, OUTPUT_ONE, Parameters};

/// Where the numbers of a network of some size stand, one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    pub width: usize,
    pub buckets: usize,
}

impl Shape {
    pub fn row(self, input: usize) -> Range<usize> {
        input * self.width..(input + 1) * self.width
    }

    pub fn biases(self) -> Range<usize> {
        self.row(INPUTS)
    }

    /// The output weights of a bucket, the mover's half first.
    pub fn outputs(self, bucket: usize) -> Range<usize> {
        let start = self.biases().end + 2 * self.width * bucket;
        start..start + 2 * self.width
    }

    pub fn output_bias(self, bucket: usize) -> usize {
        self.outputs(self.buckets).start + bucket
    }

    /// How many numbers there are. Padded, so that a row always begins on a round place.
    pub fn numbers(self) -> usize {
        self.output_bias(MOST_BUCKETS)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    pub shape: Shape,
    pub numbers: Vec<f32>,
}

impl Model {
    /// Small random numbers to begin with.
    pub fn new(shape: Shape, seed: u64) -> Model {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let mut numbers = vec![0.0; shape.numbers()];
        let mut fill = |range: Range<usize>, inputs: usize| {
            let extent = (1.0 / inputs as f32).sqrt();
            for number in &mut numbers[range] {
                *number = random.random_range(-extent..extent);
            }
        };
        fill(0..shape.biases().end, MEN / 4);
        fill(shape.biases().end..shape.output_bias(0), 2 * shape.width);
        Model { shape, numbers }
    }

    /// A network that has learnt before; its shape is its own.
    pub fn resume(parameters: &Parameters) -> Model {
        let shape = Shape { width: parameters.width, buckets: parameters.buckets };
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
        Model { shape, numbers }
    }

    /// Keeps the numbers within what whole ones can say.
    pub fn clip(&mut self) {
        let bound = f32::from(LARGEST_OUTPUT) / OUTPUT_ONE as f32;
        let end = self.shape.output_bias(0);
        for number in &mut self.numbers[..end] {
            *number = number.clamp(-bound, bound);
        }
    }

    /// As whole numbers.
    pub fn quantised(&self, centipawns: i32) -> Parameters {
        let shape = self.shape;
        let rounded = |range: Range<usize>, one: i32| {
            self.numbers[range].iter().map(move |number| (number * one as f32).round() as i32)
        };
        let shorts = |range, one| rounded(range, one).map(|number| number as i16).collect();
        let outputs = self.shape.biases().end..shape.output_bias(0);
        let men = MEN * shape.width;
        let all: Vec<i32> = rounded(0..shape.biases().start, HIDDEN_ONE).collect();
        let step = |(place, row): (usize, &i32)| {
            (row - all[place % men]).clamp(i8::MIN.into(), i8::MAX.into()) as i8
        };
        let output_biases = shape.output_bias(0)..shape.output_bias(shape.buckets);
        Parameters {
            width: shape.width,
            buckets: shape.buckets,
            centipawns,
            rows: all[..men].iter().map(|&row| row as i16).collect(),
            steps: all.iter().enumerate().skip(men).map(step).collect(),
            biases: shorts(shape.biases(), HIDDEN_ONE),
            outputs: shorts(outputs, OUTPUT_ONE),
            output_biases: rounded(output_biases, HIDDEN_ONE * OUTPUT_ONE).collect(),
        }
    }
}
