//! A network in whole numbers that says what it said before.
//!
//! An output weight has few steps between nothing and its bound, and five hundred of them are
//! summed: rounding each to the nearest costs some six centipawns. Instead they are rounded one after
//! another, and each makes good what those before it have lost over positions that the network has
//! learnt from, weighed by how much an expected score there depends on its output.

use super::Dataset;
use super::learning::{Bench, activities};
use super::model::Model;
use crate::eval::network::inputs::bucket;
use crate::eval::network::{HIDDEN_ONE, LARGEST_OUTPUT, OUTPUT_ONE, Parameters};
use crate::math::cholesky::Cholesky;
use crate::math::exact::logistic;
use crate::tuning::positions::Sample;

/// Positions for each set of output weights.
const ENOUGH: usize = 20_000;
/// What every weight is held to its own number by, beside what the positions say: of the mean of
/// what they say.
const CAUTION: f64 = 1e-4;

/// The network in whole numbers, with so many centipawns for an output of 1.
pub fn rounded(model: &Model, data: &Dataset, centipawns: i32) -> Parameters {
    let mut parameters = model.quantised(centipawns);
    let shape = model.shape;
    let mut places = vec![Vec::new(); shape.buckets];
    for (place, sample) in data.training.iter().enumerate() {
        places[bucket(sample.position.occupied().count(), shape.buckets)].push(place);
    }
    for (number, places) in places.iter().enumerate() {
        let step = places.len().div_ceil(ENOUGH).max(1);
        let chosen = places.iter().step_by(step).map(|&place| &data.training[place]);
        let Some(decomposed) = Cholesky::new(&moments(model, chosen), 1 + 2 * shape.width) else {
            continue;
        };
        let bias = model.numbers[shape.output_bias(number)];
        let outputs = &model.numbers[shape.outputs(number)];
        let wanted = std::iter::once(bias * HIDDEN_ONE as f32).chain(outputs.iter().copied());
        let wanted: Vec<f64> =
            wanted.map(|number| f64::from(number) * f64::from(OUTPUT_ONE)).collect();
        let mut bounds = vec![f64::from(LARGEST_OUTPUT); wanted.len()];
        bounds[0] = f64::from(i32::MAX);
        let whole = decomposed.nearest_whole(&wanted, &bounds);
        parameters.output_biases[number] = whole[0] as i32;
        let outputs = &mut parameters.outputs[2 * shape.width * number..][..2 * shape.width];
        outputs.iter_mut().zip(&whole[1..]).for_each(|(output, &whole)| *output = whole as i16);
    }
    parameters
}

/// How much it costs to change the bias and the output weights by a step each, and any two of them
/// together: a symmetric matrix of which the lower triangle is filled.
fn moments<'a>(model: &Model, samples: impl Iterator<Item = &'a Sample>) -> Vec<f64> {
    let size = 1 + 2 * model.shape.width;
    let mut sums = vec![0.0; size * size];
    let (mut bench, mut active) = (Bench::default(), Vec::new());
    for sample in samples {
        let expected = logistic(activities(&mut bench, model, sample, &mut active));
        let slope = (expected * (1.0 - expected)) as f32;
        active.insert(0, 1.0 / HIDDEN_ONE as f32);
        active.iter_mut().for_each(|active| *active *= slope);
        for (row, &own) in active.iter().enumerate().filter(|(_, own)| **own > 0.0) {
            let sums = &mut sums[row * size..row * size + row + 1];
            sums.iter_mut().zip(&active).for_each(|(sum, other)| *sum += f64::from(own * other));
        }
    }
    let mean = (1..size).map(|row| sums[row * (size + 1)]).sum::<f64>() / (size - 1) as f64;
    (1..size).for_each(|row| sums[row * (size + 1)] += CAUTION * mean);
    sums
}
