//! A network in whole numbers that says what it said before.
//!
//! An output weight has few steps between nothing and its bound, and five hundred of them are
//! summed: rounding each to the nearest costs some six centipawns. Instead they are rounded one after
//! another, and each makes good what those before it have lost over positions that the network has
//! learnt from, weighed by how much an expected score there depends on its output. The first of them
//! make good what the hidden layer has lost, where numbers were clipped above all: what an attack
//! status adds must fit into a byte.

use super::Dataset;
use super::learning::{Bench, activities};
use super::model::{Rounded, TrainedNetwork, nearest_whole};
use crate::tune::positions::Sample;
use stopdown::eval::network::HIDDEN_ONE;
use stopdown::eval::network::inputs::bucket;
use stopdown::math::cholesky::Cholesky;
use stopdown::math::exact::logistic;

/// Positions for each set of output weights.
const ENOUGH: usize = 20_000;
/// What every weight is held to its own number by, beside what the positions say: of the mean of
/// what they say.
const CAUTION: f64 = 1e-4;

/// The network in whole numbers, with so many centipawns for an output of 1. Where the data says nothing,
/// each is the nearest that fits.
pub fn rounded(model: &TrainedNetwork, data: &Dataset, centipawns: i32) -> Rounded {
    let mut rounded = model.quantised_hidden(centipawns);
    // What the output weights have to do with: the hidden layer as it is now.
    let hidden = TrainedNetwork::resume(&rounded.network);
    let shape = model.shape;
    let mut places = vec![Vec::new(); shape.buckets];
    for (place, sample) in data.training.iter().enumerate() {
        places[bucket(sample.position.occupied().count(), shape.buckets)].push(place);
    }
    let bounds = model.output_bounds();
    for (number, places) in places.iter().enumerate() {
        let step = places.len().div_ceil(ENOUGH).max(1);
        let chosen = places.iter().step_by(step).map(|&place| &data.training[place]);
        let mut wanted = model.output_steps(number);
        let losses = RoundingLosses::over(chosen, model, &hidden, &wanted);
        let whole = match Cholesky::new(&losses.moments, wanted.len()) {
            Some(decomposed) => {
                let more = decomposed.solve(&losses.lost);
                wanted.iter_mut().zip(more).for_each(|(wanted, more)| *wanted += more);
                decomposed.nearest_whole(&wanted, &bounds)
            }
            // No position has told anything.
            None => nearest_whole(&wanted, &bounds),
        };
        rounded.add_outputs(whole);
    }
    rounded
}

/// What positions say of the bias and the output weights of a bucket, in steps of whole numbers.
struct RoundingLosses {
    /// How much it costs to change any of them by a step, and any two of them together: a symmetric
    /// matrix of which the lower triangle is filled.
    moments: Vec<f64>,
    /// For each of them, what the rounding of the hidden layer takes from the output, as far as it
    /// could make that good.
    lost: Vec<f64>,
}

impl RoundingLosses {
    /// Over positions, from a model to one with another hidden layer.
    fn over<'a>(
        samples: impl Iterator<Item = &'a Sample>,
        model: &TrainedNetwork,
        hidden: &TrainedNetwork,
        steps: &[f64],
    ) -> RoundingLosses {
        let size = steps.len();
        let (mut moments, mut lost) = (vec![0.0; size * size], vec![0.0; size]);
        let mut bench = Bench::default();
        let (mut before, mut active) = (Vec::new(), Vec::new());
        for sample in samples {
            let expected = logistic(activities(&mut bench, model, sample, &mut before));
            let slope = (expected * (1.0 - expected)) as f32;
            activities(&mut bench, hidden, sample, &mut active);
            for active in [&mut before, &mut active] {
                active.insert(0, 1.0 / HIDDEN_ONE as f32);
                active.iter_mut().for_each(|active| *active *= slope);
            }
            let changes = before.iter().zip(&active).map(|(before, now)| f64::from(before - now));
            let gone: f64 = changes.zip(steps).map(|(change, step)| change * step).sum();
            for (row, &own) in active.iter().enumerate().filter(|(_, own)| **own > 0.0) {
                let sums = &mut moments[row * size..row * size + row + 1];
                sums.iter_mut()
                    .zip(&active)
                    .for_each(|(sum, other)| *sum += f64::from(own * other));
                lost[row] += f64::from(own) * gone;
            }
        }
        let mean = (1..size).map(|row| moments[row * (size + 1)]).sum::<f64>() / (size - 1) as f64;
        (1..size).for_each(|row| moments[row * (size + 1)] += CAUTION * mean);
        RoundingLosses { moments, lost }
    }
}
