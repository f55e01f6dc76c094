//! The weights of a network in memory, in aligned blocks, and the arithmetic on them.
//!
//! All numbers are integers, so that every instruction set gives the same result. The loops are written so
//! that the compiler turns them into vector instructions.

use super::file::{BLOCK, HIDDEN_ONE, OUTPUT_ONE, Parameters};
use crate::simd::{Instructions, add_products};

/// The numbers that are processed together: one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct CacheLine(pub [i16; BLOCK]);

/// Partial sums that are accumulated in parallel.
type Lanes = [i32; BLOCK / 2];

impl CacheLine {
    #[inline(always)]
    pub fn add(&mut self, other: &CacheLine) {
        for lane in 0..BLOCK {
            self.0[lane] = self.0[lane].wrapping_add(other.0[lane]);
        }
    }

    #[inline(always)]
    pub fn subtract(&mut self, other: &CacheLine) {
        for lane in 0..BLOCK {
            self.0[lane] = self.0[lane].wrapping_sub(other.0[lane]);
        }
    }
}

/// The weights of a network, arranged for the processor.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    rows: Vec<CacheLine>,
    biases: Vec<CacheLine>,
    /// For every bucket, the mover's half and then the opponent's half.
    outputs: Vec<CacheLine>,
    output_biases: Vec<i64>,
    centipawns: i64,
}

impl Weights {
    pub fn new(parameters: &Parameters) -> Weights {
        Weights {
            rows: blocks(&parameters.all_rows()),
            biases: blocks(&parameters.biases),
            outputs: blocks(&parameters.outputs),
            output_biases: parameters.output_biases.iter().map(|&bias| bias.into()).collect(),
            centipawns: parameters.centipawns.into(),
        }
    }

    #[inline(always)]
    pub fn row(&self, input: usize) -> &[CacheLine] {
        let blocks = self.biases.len();
        &self.rows[input * blocks..(input + 1) * blocks]
    }

    #[inline(always)]
    pub fn biases(&self) -> &[CacheLine] {
        &self.biases
    }

    pub fn buckets(&self) -> usize {
        self.output_biases.len()
    }

    /// Computes the output in centipawns from the sums for the mover's side and for the opponent's side, with one set
    /// of output weights.
    #[inline(always)]
    pub fn output(
        &self,
        instructions: Instructions,
        halves: [&[CacheLine]; 2],
        bucket: usize,
    ) -> i32 {
        let blocks = self.biases.len();
        let weights = &self.outputs[2 * blocks * bucket..2 * blocks * (bucket + 1)];
        let mut lanes = Lanes::default();
        for (sums, weights) in halves.into_iter().zip(weights.chunks_exact(blocks)) {
            add_weighted(instructions, &mut lanes, sums, weights);
        }
        let sum: i64 = lanes.iter().map(|&lane| i64::from(lane)).sum();
        let (hidden, output) = (i64::from(HIDDEN_ONE), i64::from(OUTPUT_ONE));
        let value = (sum / hidden + self.output_biases[bucket]) * self.centipawns;
        (value / (hidden * output)) as i32
    }
}

/// Clips and squares the sums, multiplies each by its weight, and adds the products to the lanes. This is fast because
/// the product of a sum and a weight fits into 16 bits.
#[inline(always)]
fn add_weighted(
    instructions: Instructions,
    lanes: &mut Lanes,
    sums: &[CacheLine],
    weights: &[CacheLine],
) {
    for (sums, weights) in sums.iter().zip(weights) {
        let (mut active, mut weighted) = ([0; BLOCK], [0; BLOCK]);
        for at in 0..BLOCK {
            active[at] = sums.0[at].clamp(0, HIDDEN_ONE as i16);
            weighted[at] = active[at].wrapping_mul(weights.0[at]);
        }
        add_products(instructions, lanes, &active, &weighted);
    }
}

fn blocks(numbers: &[i16]) -> Vec<CacheLine> {
    numbers.as_chunks().0.iter().map(|&block| CacheLine(block)).collect()
}
