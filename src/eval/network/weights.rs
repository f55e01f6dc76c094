//! A network's numbers as the processor likes them: in aligned blocks.
//!
//! Everything here is whole numbers, so every set of instructions gives the same result; the
//! loops are written so that the compiler sees what to do at once.

use super::file::{BLOCK, HIDDEN_ONE, OUTPUT_ONE, Parameters};
use crate::machine::add_products;

/// Numbers that are worked on together: a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct CacheLine([i16; BLOCK]);

/// Fours of sums that are added to side by side.
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
    pub fn take(&mut self, other: &CacheLine) {
        for lane in 0..BLOCK {
            self.0[lane] = self.0[lane].wrapping_sub(other.0[lane]);
        }
    }
}

#[derive(Clone, Debug)]
pub struct Weights {
    rows: Vec<CacheLine>,
    biases: Vec<CacheLine>,
    /// The mover's half of every bucket, then the other's.
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

    /// The output in centipawns, from the sums as the mover and as the other side see them.
    #[inline(always)]
    pub fn output(&self, own: &[CacheLine], other: &[CacheLine], bucket: usize) -> i32 {
        let blocks = self.biases.len();
        let weights = &self.outputs[2 * blocks * bucket..2 * blocks * (bucket + 1)];
        let (own_weights, other_weights) = weights.split_at(blocks);
        let mut lanes = [[0; 4]; LANES];
        weigh(&mut lanes, own, own_weights);
        weigh(&mut lanes, other, other_weights);
        let sum: i64 = lanes.as_flattened().iter().map(|&lane| i64::from(lane)).sum();
        let (hidden, output) = (i64::from(HIDDEN_ONE), i64::from(OUTPUT_ONE));
        let value = (sum / hidden + self.output_biases[bucket]) * self.centipawns;
        (value / (hidden * output)) as i32
    }
}

/// Adds the clipped and squared sums times their weights. A sum times a weight fits into 16 bits,
/// which is what makes it quick.
#[inline(always)]
fn weigh(lanes: &mut [[i32; 4]; LANES], sums: &[CacheLine], weights: &[CacheLine]) {
    for (sums, weights) in sums.iter().zip(weights) {
        let parts = sums.0.as_chunks::<8>().0.iter().zip(weights.0.as_chunks::<8>().0);
        for (lane, (sums, weights)) in lanes.iter_mut().zip(parts) {
            let active = sums.map(|sum: i16| sum.clamp(0, HIDDEN_ONE as i16));
            let mut weighed = active;
            for (number, weight) in weighed.iter_mut().zip(weights) {
                *number = number.wrapping_mul(*weight);
            }
            add_products(lane, &active, &weighed);
        }
    }
}

fn blocks(numbers: &[i16]) -> Vec<CacheLine> {
    numbers.as_chunks().0.iter().map(|&block| CacheLine(block)).collect()
}
