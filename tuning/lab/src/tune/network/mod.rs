//! Trains a network on positions.
//!
//! The target is a blend of the game's result and the search score (see [`Target`]). Adam updates
//! the parameters with batches of positions in a shuffled order. The learning rate rises briefly
//! and then falls along a cosine.
//!
//! Each batch is split into a fixed number of parts, whose gradients are added up in a fixed order.
//! So the same data and options give the same network with any number of threads and on any
//! machine.

mod adam;
mod checkpoint;
mod dataset;
mod learning;
mod model;
mod rounding;
mod training;

use std::path::Path;
use std::sync::Mutex;
use std::time::Instant;

use rand::seq::SliceRandom;

use super::positions::Sample;
use super::{TuningError, random_stream};
use stopdown::eval::{Evaluator, Network};
use stopdown::math::exact::{cos, logistic};
use stopdown::math::fingerprint;
use stopdown::simd::Instructions;
use stopdown::threads::spawn_helper;

pub use checkpoint::path_of as checkpoint_path;
pub use dataset::Dataset;
pub use learning::{Target, output};
pub use model::{QuantisedNetwork, TrainedNetwork, TrainedShape};
pub use rounding::rounded;
pub use training::{Losses, Training};

use learning::{TrainingBatch, Workspace};
use model::LearntParts;

/// The training options.
#[derive(Clone, Debug, PartialEq)]
pub struct NetOptions {
    pub seed: u64,
    pub epochs: usize,
    pub batch: usize,
    /// The highest learning rate.
    pub rate: f32,
    /// The weight decay: the fraction of the learnt difference that is lost in a step at rate 1.
    pub decay: f32,
    pub target: Target,
    pub threads: usize,
}

impl Default for NetOptions {
    fn default() -> NetOptions {
        NetOptions {
            seed: 1,
            epochs: 30,
            batch: 16_384,
            rate: 0.001,
            decay: 0.01,
            target: Target { blend: 0.7, centipawns: 200.0 },
            threads: 2,
        }
    }
}

/// The progress of a training run.
#[derive(Clone, Copy, Debug)]
pub struct Stage {
    /// The number of the epoch, counted from 1.
    pub epoch: usize,
    /// The number of completed positions in this epoch.
    pub done: usize,
    /// The mean loss over these positions.
    pub loss: f64,
    /// The mean number of positions per second in this epoch.
    pub speed: f64,
}

/// Observes a training run.
pub trait TrainingObserver {
    fn resumed(&mut self, epochs: usize);
    /// Called if training could not continue from an existing checkpoint, with the name to which it was moved.
    fn set_aside(&mut self, checkpoint: &Path);
    fn batch_finished(&mut self, stage: &Stage);
    fn epoch_finished(&mut self, epoch: usize, losses: Losses);
}

/// The number of parts in a batch, which is the maximum number of threads that can share it.
const PARTS: usize = 16;
/// The number of steps until the learning rate reaches its maximum.
const WARM_UP: f32 = 100.0;
/// The final learning rate, as a fraction of the maximum.
const LAST_RATE: f32 = 0.01;

/// Trains a network and writes a checkpoint after every epoch. Resumes from a checkpoint with the
/// same options and data.
pub fn train(
    options: &NetOptions,
    start: &TrainedNetwork,
    data: &Dataset,
    checkpoint: &Path,
    observer: &mut dyn TrainingObserver,
) -> Result<Training, TuningError> {
    let plan = plan(options, start, data);
    let mut training = match checkpoint::read(checkpoint, plan, start)? {
        Some(training) => {
            observer.resumed(training.curve.len());
            training
        }
        None => {
            let aside = super::set_aside(checkpoint)?;
            aside.iter().for_each(|aside| observer.set_aside(aside));
            Training::new(start, options.rate)
        }
    };
    training.adam.decay = options.decay;
    let (instructions, workspaces) = (Instructions::best(), vec![Workspace::default(); PARTS]);
    let mut trainer = Trainer { options, start, data, instructions, workspaces };
    for epoch in training.curve.len() + 1..=options.epochs {
        let losses = trainer.epoch(&mut training, epoch, observer);
        let best = training.curve.iter().map(|losses| losses.held_out).reduce(f64::min);
        if best.is_none_or(|best| losses.held_out < best) {
            training.best = training.model.clone();
        }
        training.curve.push(losses);
        checkpoint::save(checkpoint, plan, &training)?;
        observer.epoch_finished(epoch, losses);
    }
    Ok(training)
}

/// The error of an evaluator over several samples. Positions in check are skipped, because a search
/// does not evaluate them statically.
pub fn error_of(evaluator: &Network, samples: &[Sample], target: &Target) -> f64 {
    let squared = |sample: &Sample| {
        let position = sample.position.unpack().filter(|position| !position.in_check())?;
        let value = f64::from(evaluator.evaluate_afresh(&position).raw());
        let expected = logistic(value / target.centipawns);
        Some((expected - target.of(sample)).powi(2))
    };
    let errors: Vec<f64> = samples.iter().filter_map(squared).collect();
    errors.iter().sum::<f64>() / errors.len().max(1) as f64
}

/// A hash that is the same for all runs that must give the same network. The number of threads does
/// not affect it.
fn plan(options: &NetOptions, start: &TrainedNetwork, data: &Dataset) -> u64 {
    let counted = NetOptions { threads: 0, ..options.clone() };
    let text = format!("{counted:?} {:016x} {}", data.fingerprint, data.training.len());
    let numbers = start.numbers.iter().flat_map(|number| number.to_le_bytes());
    fingerprint(text.into_bytes().into_iter().chain(numbers))
}

struct Trainer<'a> {
    options: &'a NetOptions,
    start: &'a TrainedNetwork,
    data: &'a Dataset,
    instructions: Instructions,
    workspaces: Vec<Workspace>,
}

impl Trainer<'_> {
    /// Trains on all positions once.
    fn epoch(
        &mut self,
        training: &mut Training,
        epoch: usize,
        observer: &mut dyn TrainingObserver,
    ) -> Losses {
        let started = Instant::now();
        let mut random = random_stream(self.options.seed, epoch as u64);
        let mut order: Vec<u32> = (0..self.data.training.len() as u32).collect();
        order.shuffle(&mut random);
        let (mut done, mut loss) = (0, 0.0);
        for batch in order.chunks(self.options.batch) {
            loss += self.batch(training, batch);
            done += batch.len();
            let speed = done as f64 / started.elapsed().as_secs_f64().max(0.001);
            let stage = Stage { epoch, done, loss: loss / done as f64, speed };
            observer.batch_finished(&stage);
        }
        let held_out = self.held_out(&training.model);
        Losses { training: loss / done.max(1) as f64, held_out }
    }

    /// Takes one step. Returns the sum of squared errors before it.
    fn batch(&mut self, training: &mut Training, chosen: &[u32]) -> f64 {
        let Training { model, parts, adam, .. } = training;
        adam.rate = self.rate(adam.steps);
        let (target, samples, set) = (self.options.target, &self.data.training, self.instructions);
        self.share(chosen, |workspace, chosen| {
            workspace.learn(TrainingBatch { model, target, samples, chosen }, set);
        });
        let (first, others) = self.workspaces.split_at_mut(1);
        let sum = &mut first[0];
        for other in others {
            sum.gradient.iter_mut().zip(&other.gradient).for_each(|(sum, slope)| *sum += slope);
            sum.loss += other.loss;
        }
        let share = 1.0 / chosen.len() as f32;
        sum.gradient.iter_mut().for_each(|slope| *slope *= share);
        LearntParts::extend(model.shape, &mut sum.gradient);
        adam.step(&mut parts.numbers, &sum.gradient);
        parts.add_to(self.start, model);
        sum.loss
    }

    /// The learning rate at a step: a linear rise, followed by a cosine decay.
    fn rate(&self, step: i32) -> f32 {
        let batches = self.data.training.len().div_ceil(self.options.batch);
        let last = (batches * self.options.epochs) as f32;
        let warm = ((step + 1) as f32 / WARM_UP).min(1.0);
        let turn = f64::from(step as f32 / last).min(1.0) * std::f64::consts::PI;
        let cosine = cos(turn) as f32;
        self.options.rate * warm * (LAST_RATE + (1.0 - LAST_RATE) * (0.5 + 0.5 * cosine))
    }

    /// The loss over the held-out positions.
    pub fn held_out(&mut self, model: &TrainedNetwork) -> f64 {
        let samples = &self.data.held_out;
        let chosen: Vec<u32> = (0..samples.len() as u32).collect();
        let (target, set) = (self.options.target, self.instructions);
        self.share(&chosen, |workspace, chosen| {
            workspace.measure_loss(TrainingBatch { model, target, samples, chosen }, set);
        });
        self.workspaces.iter().map(|workspace| workspace.loss).sum::<f64>()
            / samples.len().max(1) as f64
    }

    /// Distributes the positions among workspaces, and the workspaces among threads.
    fn share(&mut self, chosen: &[u32], work: impl Fn(&mut Workspace, &[u32]) + Sync) {
        let size = chosen.len().div_ceil(PARTS).max(1);
        let parts = chosen.chunks(size).chain(std::iter::repeat(&[][..]));
        let tasks = Mutex::new(self.workspaces.iter_mut().zip(parts));
        let work = || {
            loop {
                let task = tasks.lock().expect("taking a task does not panic").next();
                let Some((workspace, part)) = task else { return };
                work(workspace, part);
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.options.threads.min(PARTS) {
                spawn_helper(scope, work);
            }
            work();
        });
    }
}
