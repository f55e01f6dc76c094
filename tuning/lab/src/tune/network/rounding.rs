//! Quantises a network with little loss of accuracy.
//!
//! An output weight has only a few steps between zero and its bound, and about five hundred weights are added up.
//! Rounding each weight to the nearest step would cost about six centipawns. Instead, the weights are rounded one after
//! another. Each one compensates for the errors that the earlier ones cause in training positions. A position counts
//! for more if its expected score depends strongly on the output. Before rounding, the weights are also adjusted to
//! compensate for errors in the hidden layer. These errors are mainly due to clipping, because the increment for an
//! attack status must fit into a byte.

use super::Dataset;
use super::learning::{Workspace, activities};
use super::model::{QuantisedNetwork, TrainedNetwork, nearest_whole};
use crate::tune::positions::Sample;
use stopdown::eval::network::HIDDEN_ONE;
use stopdown::eval::network::inputs::bucket;
use stopdown::math::cholesky::Cholesky;
use stopdown::math::exact::logistic;

/// The maximum number of positions used for each set of output weights.
const ENOUGH: usize = 20_000;
/// The regularisation, relative to the mean weight of the data. It keeps every weight close to its
/// value before rounding.
const REGULARISATION: f64 = 1e-4;

/// Returns the quantised network, in which an output of 1 means `centipawns` centipawns. Output
/// weights without data are rounded to the nearest value.
pub fn rounded(model: &TrainedNetwork, data: &Dataset, centipawns: i32) -> QuantisedNetwork {
    let mut rounded = model.quantised_hidden(centipawns);
    // The output weights must suit the quantised hidden layer.
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
                compensated(&decomposed, &wanted, &bounds)
            }
            // If there are no positions, round to the nearest values.
            None => nearest_whole(&wanted, &bounds),
        };
        rounded.add_outputs(whole);
    }
    rounded
}

/// The loss as a function of the bias and output weights of a bucket, in quantisation steps.
struct RoundingLosses {
    /// The quadratic cost of changing one or two of these numbers by a step. The matrix is
    /// symmetric, and only its lower triangle is filled.
    moments: Vec<f64>,
    /// The change in the output that quantising the hidden layer causes, projected onto the bias
    /// and each weight.
    lost: Vec<f64>,
}

impl RoundingLosses {
    /// Sums the losses over positions. `hidden` is the model with a quantised hidden layer, and
    /// `steps` are its output parameters before rounding.
    fn over<'a>(
        samples: impl Iterator<Item = &'a Sample>,
        model: &TrainedNetwork,
        hidden: &TrainedNetwork,
        steps: &[f64],
    ) -> RoundingLosses {
        let size = steps.len();
        let (mut moments, mut lost) = (vec![0.0; size * size], vec![0.0; size]);
        let mut workspace = Workspace::default();
        let (mut before, mut active) = (Vec::new(), Vec::new());
        for sample in samples {
            let expected = logistic(activities(&mut workspace, model, sample, &mut before));
            let slope = (expected * (1.0 - expected)) as f32;
            activities(&mut workspace, hidden, sample, &mut active);
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
        (1..size).for_each(|row| moments[row * (size + 1)] += REGULARISATION * mean);
        RoundingLosses { moments, lost }
    }
}

/// Finds integers x for which `(x - wanted) · matrix · (x - wanted)` is small. Also returns the
/// number of integers that were limited by their bounds.
///
/// The numbers are rounded from the last to the first. Each one also compensates for the rounding
/// errors of the numbers rounded before it (L. Babai, "On Lovász' lattice reduction and the nearest
/// lattice point problem", 1986, section 3). Limiting a number to its bound counts as a rounding error.
fn compensated(matrix: &Cholesky, wanted: &[f64], bounds: &[f64]) -> (Vec<f64>, usize) {
    let size = wanted.len();
    let (mut whole, mut clipped) = (vec![0.0; size], 0);
    for row in (0..size).rev() {
        let lost: f64 =
            (row + 1..size).map(|k| matrix.lower(k, row) * (wanted[k] - whole[k])).sum();
        let aim = wanted[row] + lost / matrix.lower(row, row);
        whole[row] = aim.round().clamp(-bounds[row], bounds[row]);
        clipped += usize::from(whole[row] != aim.round());
    }
    (whole, clipped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn later_integers_compensate_for_rounding() {
        // The two numbers are almost equivalent, so only their sum matters.
        let decomposed = Cholesky::new(&[1.0, 0.99, 0.99, 1.0], 2).expect("positive definite");
        assert_eq!(compensated(&decomposed, &[0.4, 0.4], &[9.0; 2]), (vec![1.0, 0.0], 0));
        assert_eq!(compensated(&decomposed, &[5.3, 7.4], &[9.0; 2]), (vec![6.0, 7.0], 0));
        assert_eq!(compensated(&decomposed, &[5.3, 7.4], &[5.0; 2]), (vec![5.0, 5.0], 2));
        let alone = Cholesky::new(&[2.0, 0.0, 0.0, 3.0], 2).expect("positive definite");
        assert_eq!(compensated(&alone, &[0.4, -1.6], &[9.0; 2]), (vec![0.0, -2.0], 0));
        // The second number is at its bound, and the first one compensates for it.
        assert_eq!(compensated(&decomposed, &[2.0, 7.4], &[5.0; 2]), (vec![4.0, 5.0], 1));
    }
}
