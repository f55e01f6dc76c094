//! The weights of a network in memory, in aligned blocks, and the arithmetic on them.
//!
//! All numbers are integers, so that every instruction set gives the same result. The loops are written so
//! that the compiler turns them into vector instructions.

use super::file::{BLOCK, HIDDEN_ONE, OUTPUT_ONE, Parameters};
use crate::simd::add_products;

/// Numbers that are processed together: one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub(super) struct CacheLine(pub [i16; BLOCK]);

/// Groups of four sums that are added up side by side.
const LANES: usize = BLOCK / 8;

impl CacheLine {
    pub const ZERO: CacheLine = CacheLine([0; BLOCK]);

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

    /// The output in centipawns, from the sums from the mover's side and from the opponent's side.
    #[inline(always)]
    pub fn output(&self, own: &[CacheLine], other: &[CacheLine], bucket: usize) -> i32 {
        let blocks = self.biases.len();
        let weights = &self.outputs[2 * blocks * bucket..2 * blocks * (bucket + 1)];
        let (own_weights, other_weights) = weights.split_at(blocks);
        let mut lanes = [[0; 4]; LANES];
        add_weighted(&mut lanes, own, own_weights);
        add_weighted(&mut lanes, other, other_weights);
        let sum: i64 = lanes.as_flattened().iter().map(|&lane| i64::from(lane)).sum();
        let (hidden, output) = (i64::from(HIDDEN_ONE), i64::from(OUTPUT_ONE));
        let value = (sum / hidden + self.output_biases[bucket]) * self.centipawns;
        (value / (hidden * output)) as i32
    }
}

/// Adds the sums, clipped and squared, times their weights. It is fast because the product of a sum and a
/// weight fits into 16 bits.
#[inline(always)]
fn add_weighted(lanes: &mut [[i32; 4]; LANES], sums: &[CacheLine], weights: &[CacheLine]) {
    for (sums, weights) in sums.iter().zip(weights) {
        let parts = sums.0.as_chunks::<8>().0.iter().zip(weights.0.as_chunks::<8>().0);
        for (lane, (sums, weights)) in lanes.iter_mut().zip(parts) {
            let active = sums.map(|sum: i16| sum.clamp(0, HIDDEN_ONE as i16));
            let mut weighted = active;
            for (number, weight) in weighted.iter_mut().zip(weights) {
                *number = number.wrapping_mul(*weight);
            }
            add_products(lane, &active, &weighted);
        }
    }
}

fn blocks(numbers: &[i16]) -> Vec<CacheLine> {
    numbers.as_chunks().0.iter().map(|&block| CacheLine(block)).collect()
}
