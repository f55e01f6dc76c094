//! The state of a training run between two epochs.

use super::adam::Adam;
use super::model::{LearntParts, TrainedNetwork};

/// The mean squared errors of the predictions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Losses {
    pub training: f64,
    pub held_out: f64,
}

/// The state of a training run.
#[derive(Clone, Debug, PartialEq)]
pub struct Training {
    pub model: TrainedNetwork,
    /// The learnt differences from the initial model.
    pub parts: LearntParts,
    pub adam: Adam,
    /// The model of the epoch with the lowest held-out loss.
    pub best: TrainedNetwork,
    /// The losses after every epoch.
    pub curve: Vec<Losses>,
}

impl Training {
    /// Starts a training run from a model.
    pub fn new(start: &TrainedNetwork, rate: f32) -> Training {
        Training {
            model: start.clone(),
            parts: LearntParts::none(start.shape),
            adam: Adam::new(LearntParts::count(start.shape), rate),
            best: start.clone(),
            curve: Vec::new(),
        }
    }
}
