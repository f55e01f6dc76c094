//! A network's numbers as the processor likes them: in aligned blocks.
//!
//! Everything here is whole numbers, so every set of instructions gives the same result; the
//! loops are written so that the compiler sees what to do at once.

use super::file::{BLOCK, HIDDEN_ONE, OUTPUT_ONE, Parameters};

/// Numbers that are worked on together: a cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(align(64))]
pub struct CacheLine([i16; BLOCK]);

/// Products summed side by side.
const LANES: usize = BLOCK / 2;

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
        let mut lanes = [0; LANES];
        weigh(&mut lanes, own, own_weights);
        weigh(&mut lanes, other, other_weights);
        let sum: i64 = lanes.iter().map(|&lane| i64::from(lane)).sum();
        let (hidden, output) = (i64::from(HIDDEN_ONE), i64::from(OUTPUT_ONE));
        let value = (sum / hidden + self.output_biases[bucket]) * self.centipawns;
        (value / (hidden * output)) as i32
    }
}

/// Adds the clipped and squared sums times their weights. A sum times a weight fits into 16 bits,
/// which is what makes it quick.
#[inline(always)]
fn weigh(lanes: &mut [i32; LANES], sums: &[CacheLine], weights: &[CacheLine]) {
    for (sums, weights) in sums.iter().zip(weights) {
        let (mut active, mut weighed) = ([0_i16; BLOCK], [0_i16; BLOCK]);
        for lane in 0..BLOCK {
            active[lane] = sums.0[lane].clamp(0, HIDDEN_ONE as i16);
            weighed[lane] = active[lane].wrapping_mul(weights.0[lane]);
        }
        for lane in 0..LANES {
            lanes[lane] += i32::from(active[2 * lane]) * i32::from(weighed[2 * lane])
                + i32::from(active[2 * lane + 1]) * i32::from(weighed[2 * lane + 1]);
        }
    }
}

fn blocks(numbers: &[i16]) -> Vec<CacheLine> {
    numbers.as_chunks().0.iter().map(|&block| CacheLine(block)).collect()
}
