//! The positions for training a network and for testing it.

use std::path::PathBuf;

use crate::tune::positions::{PositionsReader, Sample};
use crate::tune::{HELD_OUT, TuningError};
use stopdown::eval::network::inputs::inputs;
use stopdown::math::exact::logistic;

/// The maximum number of positions to which [`Dataset::centipawns`] is fitted.
const ENOUGH: usize = 500_000;

#[derive(Clone, Debug, Default)]
pub struct Dataset {
    pub training: Vec<Sample>,
    pub held_out: Vec<Sample>,
    pub games: usize,
    /// The number of invalid records.
    pub unreadable: usize,
    /// A fingerprint of all positions.
    pub fingerprint: u64,
}

impl Dataset {
    /// Reads files of positions. Omits positions whose score is more than `limit` centipawns from
    /// equality.
    pub fn load(paths: &[PathBuf], limit: i16) -> Result<Dataset, TuningError> {
        let mut data = Dataset::default();
        for path in paths {
            let mut reader = PositionsReader::open(path)?;
            // Every twentieth game of a file is held out, and so are the positions made around it.
            let is_around = reader.header.is_of_surroundings();
            for place in 0.. {
                let Some(game) = reader.next_game()? else { break };
                let number = if is_around { game.mark.number } else { place };
                data.add(&game.samples, number % HELD_OUT as u64 == HELD_OUT as u64 - 1, limit);
            }
            data.unreadable += reader.unreadable;
        }
        match paths.first() {
            Some(path) if data.training.is_empty() && data.held_out.is_empty() => {
                Err(TuningError::NoPositions(path.clone()))
            }
            _ if data.training.is_empty() || data.held_out.is_empty() => {
                Err(TuningError::TooFewGames(data.games))
            }
            _ => Ok(data),
        }
    }

    /// Adds the suitable positions of a game to the training positions or to the held-out
    /// positions.
    pub fn add(&mut self, game: &[Sample], is_held_out: bool, limit: i16) {
        self.games += 1;
        let mut seen = [Vec::new(), Vec::new()];
        for sample in
            game.iter().filter(|sample| sample.centipawns.unsigned_abs() <= limit.unsigned_abs())
        {
            if inputs(&sample.position, &mut seen).is_none() {
                self.unreadable += 1;
                continue;
            }
            let bytes = sample.to_bytes();
            for part in bytes.as_chunks::<8>().0 {
                self.fingerprint = (self.fingerprint ^ u64::from_le_bytes(*part))
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(29);
            }
            let side = if is_held_out { &mut self.held_out } else { &mut self.training };
            side.push(*sample);
        }
    }

    /// The number of centipawns in one logistic unit for which search scores best predict the
    /// results. Returns `None` if there are no results.
    pub fn centipawns(&self) -> Option<f64> {
        self.training.iter().find(|sample| sample.outcome.is_some())?;
        let step = self.training.len().div_ceil(ENOUGH).max(1);
        let error = |centipawns: f64| -> f64 {
            let squared = |sample: &Sample| {
                let expected = logistic(f64::from(sample.centipawns) / centipawns);
                Some((expected - sample.outcome?.score()).powi(2))
            };
            self.training.iter().step_by(step).filter_map(squared).sum()
        };
        let (mut low, mut high) = (50.0, 1000.0);
        while high - low > 0.5 {
            let (left, right) = (low + (high - low) / 3.0, high - (high - low) / 3.0);
            if error(left) < error(right) {
                high = right;
            } else {
                low = left;
            }
        }
        Some(((low + high) / 2.0).round())
    }
}
