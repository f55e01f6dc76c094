//! Checkpoints on disk, from which an interrupted training run can resume.

use std::path::{Path, PathBuf};

use super::adam::Adam;
use super::model::{LearntParts, TrainedNetwork};
use super::training::{Losses, Training};
use crate::tune::TuningError;
use stopdown::files::{beside, read_if_there};

const TITLE: [u8; 16] = *b"stopdown train 2";

/// The path of the checkpoint for a network's file.
pub fn path_of(network: &Path) -> PathBuf {
    beside(network, "training")
}

/// Writes the state after an epoch atomically. The plan identifies the training run.
pub fn save(path: &Path, plan: u64, training: &Training) -> Result<(), TuningError> {
    let Training { parts, adam, best, curve, .. } = training;
    let mut bytes = TITLE.to_vec();
    bytes.extend(plan.to_le_bytes());
    bytes.extend((curve.len() as u64).to_le_bytes());
    bytes.extend(u64::from(adam.steps.unsigned_abs()).to_le_bytes());
    for losses in curve {
        bytes.extend(losses.training.to_le_bytes());
        bytes.extend(losses.held_out.to_le_bytes());
    }
    for numbers in [&parts.numbers, &best.numbers, &adam.mean, &adam.variance] {
        bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
    }
    crate::tune::write(path, &bytes)
}

/// Reads the state from a file. Returns `None` if it is truncated or belongs to another plan.
pub fn read(
    path: &Path,
    plan: u64,
    start: &TrainedNetwork,
) -> Result<Option<Training>, TuningError> {
    let bytes = read_if_there(path).map_err(TuningError::file("read", path))?;
    Ok(parse(&bytes, plan, start))
}

fn parse(bytes: &[u8], plan: u64, start: &TrainedNetwork) -> Option<Training> {
    let rest = &mut bytes.strip_prefix(&TITLE)?;
    let whole = |rest: &mut &[u8]| -> Option<u64> {
        let (number, later) = rest.split_first_chunk()?;
        *rest = later;
        Some(u64::from_le_bytes(*number))
    };
    if whole(rest)? != plan {
        return None;
    }
    let (epochs, steps) = (whole(rest)?, whole(rest)?);
    let mut curve = Vec::new();
    for _ in 0..epochs {
        let [training, held_out] = [whole(rest)?, whole(rest)?].map(f64::from_bits);
        curve.push(Losses { training, held_out });
    }
    let mut numbers = |count: usize| -> Option<Vec<f32>> {
        let (own, later) = rest.split_at_checked(4 * count)?;
        *rest = later;
        Some(own.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect())
    };
    let count = LearntParts::count(start.shape);
    let parts = LearntParts { numbers: numbers(count)? };
    let best = TrainedNetwork { numbers: numbers(start.shape.numbers())?, ..*start };
    let mut adam = Adam::new(0, 0.0);
    (adam.mean, adam.variance) = (numbers(count)?, numbers(count)?);
    adam.steps = i32::try_from(steps).ok()?;
    let mut model = start.clone();
    parts.add_to(start, &mut model);
    rest.is_empty().then_some(Training { model, parts, adam, best, curve })
}
