//! One pass over several positions: the network's output, its error, and the gradient.
//!
//! The forward pass computes the output of the network. The backward pass goes from the output back
//! to the inputs (backpropagation). By the chain rule, the derivative of the loss with respect to a
//! weight is the product of the derivatives on the way from the loss to that weight.
//!
//! Only a few of the inputs are set, so only their rows are touched. Sums are computed in a fixed
//! number of lanes, so the result is bit-identical for every vector width.

use super::model::TrainedNetwork;
use crate::tune::positions::Sample;
use stopdown::eval::network::inputs::{INPUTS, bucket, inputs};
use stopdown::games::GameResult;
use stopdown::math::exact::logistic;
use stopdown::simd::{Instructions, Kernel, prefetch};

/// The number of parallel sums.
const LANES: usize = 16;
/// The number of values kept in registers.
const STRIP: usize = 32;
/// The prefetch distance in positions.
const PREFETCH_DISTANCE: usize = 8;

/// The training target, from the point of view of the side to move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Target {
    /// The weight of the search score, from 0 to 1. The game result has the rest of the weight.
    pub blend: f64,
    /// The search score is divided by this number of centipawns before the logistic curve is
    /// applied.
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

/// The workspace for a part of a batch: sums over its positions, and temporary buffers.
#[derive(Clone, Debug, Default)]
pub struct Workspace {
    /// The gradient. Empty if only the loss is needed.
    pub gradient: Vec<f32>,
    /// The sum of squared errors.
    pub loss: f64,
    inputs: [Vec<u16>; 2],
    hidden: [Vec<f32>; 2],
}

/// The positions of one step.
#[derive(Clone, Copy, Debug)]
pub struct TrainingBatch<'a> {
    pub model: &'a TrainedNetwork,
    pub target: Target,
    pub samples: &'a [Sample],
    /// The indices of the selected positions.
    pub chosen: &'a [u32],
}

impl Workspace {
    /// Resets the sums, then accumulates the gradient and the loss.
    pub fn learn(&mut self, batch: TrainingBatch, instructions: Instructions) {
        self.gradient.clear();
        self.gradient.resize(batch.model.shape.numbers(), 0.0);
        instructions.run(Pass { workspace: self, batch });
    }

    /// Resets the sums, then accumulates the loss alone.
    pub fn measure_loss(&mut self, batch: TrainingBatch, instructions: Instructions) {
        self.gradient.clear();
        instructions.run(Pass { workspace: self, batch });
    }
}

/// The network's output for a sample, before the logistic curve.
pub fn output(model: &TrainedNetwork, sample: &Sample) -> f64 {
    let mut workspace = Workspace::default();
    f64::from(forward(&mut workspace, model, sample))
}

/// Returns the same output as [`output`], and writes the activations of all hidden neurons to
/// `active`, the mover's half first.
pub fn activities(
    workspace: &mut Workspace,
    model: &TrainedNetwork,
    sample: &Sample,
    active: &mut Vec<f32>,
) -> f64 {
    let output = forward(workspace, model, sample);
    let sums = workspace.hidden.iter().flatten();
    active.clear();
    active.extend(sums.map(|sum| sum.clamp(0.0, 1.0).powi(2)));
    f64::from(output)
}

struct Pass<'a> {
    workspace: &'a mut Workspace,
    batch: TrainingBatch<'a>,
}

impl Kernel for Pass<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self, _: Instructions) {
        let Pass { workspace, batch: TrainingBatch { model, target, samples, chosen } } = self;
        workspace.loss = 0.0;
        for (place, &index) in chosen.iter().enumerate() {
            if let Some(&later) = chosen.get(place + PREFETCH_DISTANCE) {
                prefetch(&samples[later as usize]);
            }
            let sample = &samples[index as usize];
            let expected = logistic(f64::from(forward(workspace, model, sample)));
            let error = expected - target.of(sample);
            workspace.loss += error * error;
            if !workspace.gradient.is_empty() {
                let slope = 2.0 * error * expected * (1.0 - expected);
                backward(workspace, model, sample, slope as f32);
            }
        }
    }
}

/// The forward pass. Leaves the hidden layer in the workspace.
#[inline(always)]
fn forward(workspace: &mut Workspace, model: &TrainedNetwork, sample: &Sample) -> f32 {
    let shape = model.shape;
    if inputs(&sample.position, &mut workspace.inputs).is_none() {
        return 0.0;
    }
    let bucket = bucket(sample.position.occupied().count(), shape.buckets);
    // Every row starts at a multiple of the strip length.
    let (numbers, _) = model.numbers.as_chunks::<STRIP>();
    let strips = shape.width / STRIP;
    let mut lanes = [0.0; LANES];
    for half in 0..2 {
        let hidden = &mut workspace.hidden[half];
        hidden.resize(shape.width, 0.0);
        let first = shape.outputs(bucket).start / STRIP + half * strips;
        for (place, strip) in hidden.as_chunks_mut::<STRIP>().0.iter_mut().enumerate() {
            let mut sums = numbers[INPUTS * strips + place];
            for &input in &workspace.inputs[half] {
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

/// The backward pass. Adds the derivatives of the output, multiplied by the derivative of the loss,
/// to the gradient.
#[inline(always)]
fn backward(workspace: &mut Workspace, model: &TrainedNetwork, sample: &Sample, slope: f32) {
    let shape = model.shape;
    let bucket = bucket(sample.position.occupied().count(), shape.buckets);
    workspace.gradient[shape.output_bias(bucket)] += slope;
    let (numbers, _) = model.numbers.as_chunks::<STRIP>();
    let (gradient, _) = workspace.gradient.as_chunks_mut::<STRIP>();
    let strips = shape.width / STRIP;
    for half in 0..2 {
        let first = shape.outputs(bucket).start / STRIP + half * strips;
        let (hidden, _) = workspace.hidden[half].as_chunks::<STRIP>();
        for (place, hidden) in hidden.iter().enumerate() {
            let (weights, of_weights) = (&numbers[first + place], &mut gradient[first + place]);
            let mut slopes = [0.0; STRIP];
            for lane in 0..STRIP {
                let active = hidden[lane].clamp(0.0, 1.0);
                of_weights[lane] += slope * active * active;
                // A clipped sum has no gradient.
                let moves = if active == hidden[lane] { 2.0 * active } else { 0.0 };
                slopes[lane] = slope * weights[lane] * moves;
            }
            add(&mut gradient[INPUTS * strips + place], &slopes);
            for &input in &workspace.inputs[half] {
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
    fn every_instruction_set_gives_the_same_gradient() {
        let model = TrainedNetwork::new(TrainedShape { width: 96, buckets: 3 }, 1);
        let target = Target { blend: 0.5, centipawns: 200.0 };
        let mut position = Position::default();
        let samples: Vec<Sample> = (0..40)
            .map(|ply: u16| {
                let moves = position.legal_moves();
                position.play(moves[usize::from(ply) * 7 % moves.len()]);
                let position = PackedPosition::of(&position).expect("at most 32 pieces");
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
            let mut workspace = Workspace::default();
            let batch = TrainingBatch { model: &model, target, samples: &samples, chosen: &chosen };
            workspace.learn(batch, instructions);
            (workspace.gradient, workspace.loss)
        });
        let learnt: Vec<(Vec<f32>, f64)> = learnt.collect();
        assert!(learnt[0].0.iter().any(|&slope| slope != 0.0));
        assert!(learnt.iter().all(|one| *one == learnt[0]));
    }
}
