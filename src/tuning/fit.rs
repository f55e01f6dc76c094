//! Moves the weights until evaluations foretell results as well as they can.
//!
//! 1. The steepness of the logistic curve is fitted to the weights as they are; it then stays,
//!    and so does the meaning of a centipawn.
//! 2. Adam lowers the mean squared error over shuffled batches. A weak pull back to where a weight
//!    began keeps those in place that the games say little about.
//! 3. Every twentieth game is held out. The weights of the epoch that foretells those best win.

use std::path::Path;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use super::TuningError;
use super::samples::{PARAMETERS, Samples};
use crate::eval::handcrafted::Weights;
use crate::math::adam::Adam;

/// How weights are fitted.
#[derive(Clone, Debug)]
pub struct FitOptions {
    pub seed: u64,
    pub epochs: usize,
    pub batch: usize,
    /// Centipawns that a weight moves in a step, at first; it falls to a tenth.
    pub rate: f32,
    /// The strength of the pull back, for one centipawn squared.
    pub pull: f32,
    pub threads: usize,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions { seed: 1, epochs: 40, batch: 8192, rate: 1.0, pull: 1e-8, threads: 2 }
    }
}

/// What came of a fit.
#[derive(Clone, Debug)]
pub struct Fit {
    pub weights: Weights,
    /// Evaluations are divided by this many centipawns before the logistic curve.
    pub centipawns: f32,
    pub before: Losses,
    pub after: Losses,
    pub positions: usize,
    pub games: usize,
}

/// Mean squared errors of the foretold results.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    pub training: f32,
    pub held_out: f32,
}

/// Watches a fit.
pub trait FitObserver {
    fn epoch_finished(&mut self, epoch: usize, losses: Losses);
}

/// One game in so many is held out.
const HELD_OUT: usize = 20;

/// Fits the weights to the samples.
pub fn fit(
    options: &FitOptions,
    start: &Weights,
    samples: &Samples,
    observer: &mut dyn FitObserver,
) -> Fit {
    let (mut training, held_out) = split(samples);
    let origin = parameters(start);
    let centipawns = fit_curve(samples, &training, &origin, options.threads);
    let judge = |parameters: &[f32], training: &[usize]| Losses {
        training: loss(samples, training, parameters, centipawns, options.threads),
        held_out: loss(samples, &held_out, parameters, centipawns, options.threads),
    };
    let before = judge(&origin, &training);
    let (mut best, mut after) = (origin.clone(), before);
    let mut current = origin.clone();
    let mut adam = Adam::new(PARAMETERS, options.rate);
    let mut random = ChaCha8Rng::seed_from_u64(options.seed);
    for epoch in 0..options.epochs {
        let done = epoch as f32 / options.epochs as f32;
        adam.rate = options.rate * 0.1_f32.powf(done);
        training.shuffle(&mut random);
        for batch in training.chunks(options.batch) {
            let mut gradient = gradient(samples, batch, &current, centipawns, options.threads);
            for ((slope, at), origin) in gradient.iter_mut().zip(&current).zip(&origin) {
                *slope += 2.0 * options.pull * (at - origin);
            }
            adam.step(&mut current, &gradient);
        }
        let losses = judge(&current, &training);
        observer.epoch_finished(epoch + 1, losses);
        if losses.held_out < after.held_out {
            best.copy_from_slice(&current);
            after = losses;
        }
    }
    let rounded = |parameter: f32| parameter.round() as i32;
    Fit {
        weights: Weights::from_fn(|weight| {
            (rounded(best[2 * weight]), rounded(best[2 * weight + 1]))
        }),
        centipawns,
        before,
        after,
        positions: samples.len(),
        games: samples.games.len(),
    }
}

impl Fit {
    /// Writes the weights with a header that says what made them; all or nothing.
    pub fn write(&self, path: &Path, command: &str) -> Result<(), TuningError> {
        let Fit { centipawns, before, after, positions, games, .. } = self;
        let text = format!(
            "# The weights of the hand-crafted evaluation, in centipawns. Made by\n\
             #   {command}\n\
             # from {positions} positions of {games} games: mean squared error of the result \
             {:.6} -> {:.6},\n# on games held out {:.6} -> {:.6}; \
             {centipawns:.1} centipawns are one logistic unit.\n{}",
            before.training,
            after.training,
            before.held_out,
            after.held_out,
            self.weights.to_text()
        );
        let beside = path.with_extension("toml.new");
        std::fs::write(&beside, text).map_err(TuningError::file("write", &beside))?;
        std::fs::rename(&beside, path).map_err(TuningError::file("replace", path))
    }
}

/// The samples to learn from, and those held out. Whole games go to one side, for positions of one
/// game are too much alike.
fn split(samples: &Samples) -> (Vec<usize>, Vec<usize>) {
    let mut game = 0;
    (0..samples.len()).partition(|&index| {
        while samples.games.get(game).is_some_and(|&begin| begin <= index) {
            game += 1;
        }
        game % HELD_OUT != 0
    })
}

fn parameters(weights: &Weights) -> Vec<f32> {
    (0..PARAMETERS / 2)
        .flat_map(|weight| [weights[weight].middlegame(), weights[weight].endgame()])
        .map(|number| number as f32)
        .collect()
}

fn logistic(value: f32, centipawns: f32) -> f32 {
    1.0 / (1.0 + (-value / centipawns).exp())
}

/// The curve that suits the evaluations best, by ternary search.
fn fit_curve(samples: &Samples, indices: &[usize], parameters: &[f32], threads: usize) -> f32 {
    let (mut low, mut high) = (50.0, 1000.0);
    while high - low > 1.0 {
        let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
        let loss = |centipawns| loss(samples, indices, parameters, centipawns, threads);
        if loss(left) < loss(right) { high = right } else { low = left }
    }
    (low + high) / 2.0
}

/// The mean squared error over some samples.
fn loss(
    samples: &Samples,
    indices: &[usize],
    parameters: &[f32],
    centipawns: f32,
    threads: usize,
) -> f32 {
    let sums = shared(indices, threads, |part| {
        part.iter()
            .map(|&index| {
                let expected = logistic(samples.value(index, parameters), centipawns);
                f64::from(expected - samples.result(index)).powi(2)
            })
            .sum::<f64>()
    });
    (sums.iter().sum::<f64>() / indices.len().max(1) as f64) as f32
}

/// The gradient of the mean squared error over some samples.
fn gradient(
    samples: &Samples,
    indices: &[usize],
    parameters: &[f32],
    centipawns: f32,
    threads: usize,
) -> Vec<f32> {
    let share = 1.0 / indices.len() as f32;
    let parts = shared(indices, threads, |part| {
        let mut gradient = vec![0.0; PARAMETERS];
        for &index in part {
            samples.descend(index, parameters, &mut gradient, |value| {
                let expected = logistic(value, centipawns);
                let error = expected - samples.result(index);
                share * 2.0 * error * expected * (1.0 - expected) / centipawns
            });
        }
        gradient
    });
    let mut sum = vec![0.0; PARAMETERS];
    for part in &parts {
        sum.iter_mut().zip(part).for_each(|(sum, slope)| *sum += slope);
    }
    sum
}

/// Gives each thread its share of the indices; the results in order.
fn shared<T: Send>(
    indices: &[usize],
    threads: usize,
    work: impl Fn(&[usize]) -> T + Sync,
) -> Vec<T> {
    let share = indices.len().div_ceil(threads.max(1)).max(1);
    std::thread::scope(|scope| {
        let handles: Vec<_> =
            indices.chunks(share).map(|part| scope.spawn(|| work(part))).collect();
        handles.into_iter().map(|handle| handle.join().expect("the work does not panic")).collect()
    })
}
