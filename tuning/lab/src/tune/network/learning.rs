//! One look at some positions: what the network says, how far off it is, and which way every
//! number should move.
//!
//! Few of the inputs are set, so only their rows are touched. Sums run in lanes of a fixed number,
//! so that the result is the same to the last bit whatever the processor takes at a time.

use super::model::TrainedNetwork;
use crate::tune::positions::Sample;
use stopdown::eval::network::inputs::{INPUTS, bucket, inputs};
use stopdown::games::GameResult;
use stopdown::machine::{Instructions, Kernel, prefetch};
use stopdown::math::exact::logistic;

/// Numbers summed side by side.
const LANES: usize = 16;
/// Numbers kept in registers.
const STRIP: usize = 32;
/// So many positions ahead of its use one is asked for.
const AHEAD: usize = 8;

/// What is to be foretold, for the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The part of what the search saw, from 0 to 1; the rest is the result of the game.
    pub blend: f64,
    /// What the search saw is divided by so many centipawns before the logistic curve.
    pub centipawns: f64,
}

impl Target {
    pub fn of(&self, sample: &Sample) -> f64 {
        let seen = logistic(f64::from(sample.centipawns) / self.centipawns);
        let white = match sample.outcome.map(GameResult::score) {
            Some(result) => result + self.blend * (seen - result),
            None => seen,
        };
        if sample.position.turn().is_white() { white } else { 1.0 - white }
    }
}

/// A place to work at: what is summed over positions, and scratch paper.
#[derive(Clone, Debug, Default)]
pub struct Bench {
    /// Empty where only the loss is wanted.
    pub gradient: Vec<f32>,
    /// The sum of squared errors.
    pub loss: f64,
    inputs: [Vec<u16>; 2],
    hidden: [Vec<f32>; 2],
}

/// Positions to work on.
#[derive(Clone, Copy, Debug)]
pub struct TrainingBatch<'a> {
    pub model: &'a TrainedNetwork,
    pub target: Target,
    pub samples: &'a [Sample],
    /// Which of them.
    pub chosen: &'a [u32],
}

impl Bench {
    /// Begins anew and learns.
    pub fn learn(&mut self, batch: TrainingBatch, instructions: Instructions) {
        self.gradient.clear();
        self.gradient.resize(batch.model.shape.numbers(), 0.0);
        instructions.run(Look { bench: self, batch });
    }

    /// Begins anew, for the loss alone.
    pub fn judge(&mut self, batch: TrainingBatch, instructions: Instructions) {
        self.gradient.clear();
        instructions.run(Look { bench: self, batch });
    }
}

/// What the network says of a sample, before the logistic curve.
pub fn output(model: &TrainedNetwork, sample: &Sample) -> f64 {
    let mut bench = Bench::default();
    f64::from(look(&mut bench, model, sample))
}

/// The same, and how active every neuron is, the mover's half first.
pub fn activities(
    bench: &mut Bench,
    model: &TrainedNetwork,
    sample: &Sample,
    active: &mut Vec<f32>,
) -> f64 {
    let output = look(bench, model, sample);
    let sums = bench.hidden.iter().flatten();
    active.clear();
    active.extend(sums.map(|sum| sum.clamp(0.0, 1.0).powi(2)));
    f64::from(output)
}

struct Look<'a> {
    bench: &'a mut Bench,
    batch: TrainingBatch<'a>,
}

impl Kernel for Look<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Look { bench, batch: TrainingBatch { model, target, samples, chosen } } = self;
        bench.loss = 0.0;
        for (place, &index) in chosen.iter().enumerate() {
            if let Some(&later) = chosen.get(place + AHEAD) {
                prefetch(&samples[later as usize]);
            }
            let sample = &samples[index as usize];
            let expected = logistic(f64::from(look(bench, model, sample)));
            let error = expected - target.of(sample);
            bench.loss += error * error;
            if !bench.gradient.is_empty() {
                let slope = 2.0 * error * expected * (1.0 - expected);
                trace_back(bench, model, sample, slope as f32);
            }
        }
    }
}

/// Forward. Leaves the hidden layer on the bench.
#[inline(always)]
fn look(bench: &mut Bench, model: &TrainedNetwork, sample: &Sample) -> f32 {
    let shape = model.shape;
    if inputs(&sample.position, &mut bench.inputs).is_none() {
        return 0.0;
    }
    let bucket = bucket(sample.position.occupied().count(), shape.buckets);
    // Every row begins on a strip of its own.
    let (numbers, _) = model.numbers.as_chunks::<STRIP>();
    let strips = shape.width / STRIP;
    let mut lanes = [0.0; LANES];
    for half in 0..2 {
        let hidden = &mut bench.hidden[half];
        hidden.resize(shape.width, 0.0);
        let first = shape.outputs(bucket).start / STRIP + half * strips;
        for (place, strip) in hidden.as_chunks_mut::<STRIP>().0.iter_mut().enumerate() {
            let mut sums = numbers[INPUTS * strips + place];
            for &input in &bench.inputs[half] {
                add(&mut sums, &numbers[usize::from(input) * strips + place]);
            }
            *strip = sums;
            let weights = &numbers[first + place];
            for lane in 0..STRIP {
                let active = sums[lane].clamp(0.0, 1.0);
                lanes[lane % LANES] += active * active * weights[lane];
            }
        }
    }
    lanes.iter().sum::<f32>() + model.numbers[shape.output_bias(bucket)]
}

/// Backward: adds the slope of the output times its derivatives to the gradient.
#[inline(always)]
fn trace_back(bench: &mut Bench, model: &TrainedNetwork, sample: &Sample, slope: f32) {
    let shape = model.shape;
    let bucket = bucket(sample.position.occupied().count(), shape.buckets);
    bench.gradient[shape.output_bias(bucket)] += slope;
    let (numbers, _) = model.numbers.as_chunks::<STRIP>();
    let (gradient, _) = bench.gradient.as_chunks_mut::<STRIP>();
    let strips = shape.width / STRIP;
    for half in 0..2 {
        let first = shape.outputs(bucket).start / STRIP + half * strips;
        let (hidden, _) = bench.hidden[half].as_chunks::<STRIP>();
        for (place, hidden) in hidden.iter().enumerate() {
            let (weights, of_weights) = (&numbers[first + place], &mut gradient[first + place]);
            let mut slopes = [0.0; STRIP];
            for lane in 0..STRIP {
                let active = hidden[lane].clamp(0.0, 1.0);
                of_weights[lane] += slope * active * active;
                // Where the sum is clipped, it may move without effect.
                let moves = if active == hidden[lane] { 2.0 * active } else { 0.0 };
                slopes[lane] = slope * weights[lane] * moves;
            }
            add(&mut gradient[INPUTS * strips + place], &slopes);
            for &input in &bench.inputs[half] {
                add(&mut gradient[usize::from(input) * strips + place], &slopes);
            }
        }
    }
}

#[inline(always)]
fn add(sums: &mut [f32; STRIP], numbers: &[f32; STRIP]) {
    for lane in 0..STRIP {
        sums[lane] += numbers[lane];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tune::network::TrainedShape;
    use stopdown::board::{PackedPosition, Position};

    #[test]
    fn every_set_of_instructions_learns_the_same() {
        let model = TrainedNetwork::new(TrainedShape { width: 96, buckets: 3 }, 1);
        let target = Target { blend: 0.5, centipawns: 200.0 };
        let mut position = Position::default();
        let samples: Vec<Sample> = (0..40)
            .map(|ply: u16| {
                let moves = position.legal_moves();
                position.play(moves[usize::from(ply) * 7 % moves.len()]);
                let position = PackedPosition::of(&position).expect("no more pieces than fit");
                Sample {
                    position,
                    outcome: Some(GameResult::WhiteWins),
                    centipawns: 9 * ply as i16,
                    ply,
                }
            })
            .collect();
        let chosen: Vec<u32> = (0..40).rev().collect();
        let learnt = Instructions::available().into_iter().map(|instructions| {
            let mut bench = Bench::default();
            let batch = TrainingBatch { model: &model, target, samples: &samples, chosen: &chosen };
            bench.learn(batch, instructions);
            (bench.gradient, bench.loss)
        });
        let learnt: Vec<(Vec<f32>, f64)> = learnt.collect();
        assert!(learnt[0].0.iter().any(|&slope| slope != 0.0));
        assert!(learnt.iter().all(|one| *one == learnt[0]));
    }
}
