//! Moves the weights until evaluations foretell results as well as they can.
//!
//! What is foretold is a blend of the game's result, which is true but noisy, and of what the
//! search saw, which is steady but only as good as the search.
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

use super::samples::{PARAMETERS, Samples};
use super::{HELD_OUT, TuningError};
use crate::eval::handcrafted::Weights;
use crate::math::adam::Adam;
use crate::threads::share_out;

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
    /// The part of what the search saw in the blend, from 0 to 1.
    pub blend: f32,
    pub threads: usize,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions {
            seed: 1,
            epochs: 40,
            batch: 8192,
            rate: 1.0,
            pull: 1e-8,
            blend: 0.5,
            threads: 2,
        }
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

/// Fits the weights to the samples.
pub fn fit(
    options: &FitOptions,
    start: &Weights,
    samples: &Samples,
    observer: &mut dyn FitObserver,
) -> Result<Fit, TuningError> {
    let (mut training, held_out) = split(samples);
    if training.is_empty() || held_out.is_empty() {
        return Err(TuningError::TooFewGames(samples.games.len()));
    }
    let origin = parameters(start);
    let mut task = Task { samples, centipawns: 0.0, blend: 0.0, threads: options.threads };
    task.fit_curve(&training, &origin);
    task.blend = options.blend;
    let judge = |parameters: &[f32], training: &[usize]| Losses {
        training: task.loss(training, parameters),
        held_out: task.loss(&held_out, parameters),
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
            let mut gradient = task.gradient(batch, &current);
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
    Ok(Fit {
        weights: Weights::from_fn(|weight| {
            (rounded(best[2 * weight]), rounded(best[2 * weight + 1]))
        }),
        centipawns: task.centipawns,
        before,
        after,
        positions: samples.len(),
        games: samples.games.len(),
    })
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
        super::write(path, text.as_bytes())
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

/// What is to be foretold, and how its error is measured.
struct Task<'a> {
    samples: &'a Samples,
    centipawns: f32,
    blend: f32,
    threads: usize,
}

impl Task<'_> {
    /// Finds the curve that suits the evaluations best, by ternary search.
    fn fit_curve(&mut self, indices: &[usize], parameters: &[f32]) {
        let (mut low, mut high) = (50.0, 1000.0);
        while high - low > 1.0 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            let [at_left, at_right] = [left, right].map(|centipawns| {
                self.centipawns = centipawns;
                self.loss(indices, parameters)
            });
            if at_left < at_right {
                high = right;
            } else {
                low = left;
            }
        }
        self.centipawns = (low + high) / 2.0;
    }

    /// How far off an evaluation is, and the slope of that by the evaluation.
    fn error(&self, index: usize, value: f32) -> (f32, f32) {
        let logistic = |value: f32| 1.0 / (1.0 + (-value / self.centipawns).exp());
        let sample = self.samples.sample(index);
        let target = if self.blend > 0.0 {
            sample.result + self.blend * (logistic(sample.searched) - sample.result)
        } else {
            sample.result
        };
        let expected = logistic(value);
        (expected - target, expected * (1.0 - expected) / self.centipawns)
    }

    /// The mean squared error over some samples.
    fn loss(&self, indices: &[usize], parameters: &[f32]) -> f32 {
        let squared = |&index: &usize| {
            let (error, _) = self.error(index, self.samples.value(index, parameters));
            f64::from(error).powi(2)
        };
        let sums = shared(indices, self.threads, |part| part.iter().map(squared).sum::<f64>());
        (sums.iter().sum::<f64>() / indices.len().max(1) as f64) as f32
    }

    /// The gradient of the mean squared error over some samples.
    fn gradient(&self, indices: &[usize], parameters: &[f32]) -> Vec<f32> {
        let share = 1.0 / indices.len() as f32;
        let parts = shared(indices, self.threads, |part| {
            let mut gradient = vec![0.0; PARAMETERS];
            for &index in part {
                self.samples.descend(index, parameters, &mut gradient, |value| {
                    let (error, slope) = self.error(index, value);
                    2.0 * share * error * slope
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
}

/// Gives each thread its share of the indices; the results in order.
fn shared<T: Send>(
    indices: &[usize],
    threads: usize,
    work: impl Fn(&[usize]) -> T + Sync,
) -> Vec<T> {
    let share = indices.len().div_ceil(threads.max(1)).max(1);
    let parts: Vec<&[usize]> = indices.chunks(share).collect();
    share_out(parts.len(), threads, |number| work(parts[number]))
}
