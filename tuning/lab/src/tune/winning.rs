//! Win probabilities by score: fits the curves of [`WinModel`] to self-play games by maximum
//! likelihood.
//!
//! The likelihood of a model is the product of the probabilities that it gives to the results that
//! occurred. Positions with the same number of pieces and about the same score are counted
//! together, so that the likelihood can be computed quickly. The simplex method of Nelder and Mead
//! then finds the parameters with the maximum likelihood.

use std::path::{Path, PathBuf};

use super::TuningError;
use super::positions::PositionsReader;
use stopdown::board::Colour;
use stopdown::eval::WinModel;
use stopdown::games::GameResult;
use stopdown::math::exact::ln;
use stopdown::math::minimise::minimum;

/// Scores are grouped in steps of `STEP` centipawns, up to a limit of `FURTHEST`.
const STEP: i32 = 8;
const FURTHEST: i32 = 1000;
const STEPS: usize = (2 * FURTHEST / STEP + 1) as usize;
/// The minimum predicted probability of any result, because even won games are occasionally lost by
/// accident.
const LEAST: f64 = 1e-4;
/// The initial size of the simplex, in centipawns.
const REACH: f64 = 30.0;

/// The numbers of losses, draws and wins of a side, for each number of pieces and each score.
#[derive(Clone, Debug)]
pub struct ResultCounts {
    counts: Vec<[[u32; 3]; STEPS]>,
    pub positions: u64,
}

/// The accuracy of predicted win rates, for a range of piece counts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Fidelity {
    pub pieces: (usize, usize),
    pub positions: u64,
    /// The score at which the win probability is 50%, in the middle of the range.
    pub even: f64,
    /// The root mean square difference between the predicted and the actual win rate over all
    /// scores.
    pub error: f64,
}

impl ResultCounts {
    /// Counts the positions of several files.
    pub fn load(paths: &[PathBuf]) -> Result<ResultCounts, TuningError> {
        let mut results = ResultCounts { counts: vec![[[0; 3]; STEPS]; 33], positions: 0 };
        for path in paths {
            results.read(path)?;
        }
        match paths.first() {
            Some(path) if results.positions == 0 => Err(TuningError::NoPositions(path.clone())),
            _ => Ok(results),
        }
    }

    fn read(&mut self, path: &Path) -> Result<(), TuningError> {
        let mut reader = PositionsReader::open(path)?;
        while let Some(game) = reader.next_game()? {
            for sample in &game.samples {
                let Some(outcome) = sample.outcome else { continue };
                let pieces = sample.position.occupied().count();
                self.add(pieces, i32::from(sample.centipawns), outcome);
            }
        }
        Ok(())
    }

    /// Counts a position for both sides.
    pub fn add(&mut self, pieces: usize, centipawns: i32, outcome: GameResult) {
        let place = |value: i32| {
            let value = value.clamp(-FURTHEST, FURTHEST) + FURTHEST;
            ((value + STEP / 2) / STEP) as usize
        };
        let counts = &mut self.counts[pieces.min(32)];
        counts[place(centipawns)][outcome.half_points(Colour::White)] += 1;
        counts[place(-centipawns)][outcome.half_points(Colour::Black)] += 1;
        self.positions += 1;
    }

    /// All counts that are not zero: pieces, centipawns, and the numbers of losses, draws and wins.
    fn cells(&self) -> impl Iterator<Item = (usize, f64, [u32; 3])> {
        self.counts.iter().enumerate().flat_map(|(pieces, row)| {
            let value = |place: usize| f64::from(place as i32 * STEP - FURTHEST);
            let cells = row.iter().enumerate().map(move |(place, of)| (pieces, value(place), *of));
            cells.filter(|(_, _, of)| *of != [0; 3])
        })
    }

    /// The model with the maximum likelihood.
    pub fn fit(&self) -> WinModel {
        let cells: Vec<(usize, f64, [u32; 3])> = self.cells().collect();
        let surprise = |numbers: &[f64]| {
            let model = model(numbers);
            let of = |&(pieces, value, [lost, drawn, won]): &(usize, f64, [u32; 3])| {
                let (win, loss) = (model.winning(value, pieces), model.winning(-value, pieces));
                let chances = [(loss, lost), (1.0 - win - loss, drawn), (win, won)];
                chances.iter().map(|&(p, n)| -f64::from(n) * ln(p.max(LEAST))).sum::<f64>()
            };
            cells.iter().map(of).sum::<f64>() / self.positions as f64
        };
        // The method stops after a fixed number of iterations. Restarting it completes the fit.
        let start = [100.0, 0.0, 0.0, 60.0, 0.0, 0.0];
        let (mut best, mut least) = minimum(&start, REACH, surprise);
        loop {
            let (found, value) = minimum(&best, REACH, surprise);
            let is_done = value > least - 1e-9;
            (best, least) = (found, value);
            if is_done {
                return model(&best);
            }
        }
    }

    /// The accuracy of a model for four ranges of the number of pieces.
    pub fn fidelity(&self, model: &WinModel) -> Vec<Fidelity> {
        let of = |pieces: (usize, usize)| {
            let (mut squares, mut all) = (0.0, 0.0);
            for (at, value, [lost, drawn, won]) in self.cells() {
                if (pieces.0..=pieces.1).contains(&at) {
                    let count = f64::from(lost + drawn + won);
                    let predicted = model.winning(value, at);
                    let error = f64::from(won) / count - predicted;
                    // Subtract the variance that chance alone causes.
                    let chance = predicted * (1.0 - predicted) / count;
                    squares += count * (error * error - chance);
                    all += count;
                }
            }
            Fidelity {
                pieces,
                positions: all as u64 / 2,
                even: model.even(pieces.0.midpoint(pieces.1)),
                error: (squares / f64::max(all, 1.0)).max(0.0).sqrt(),
            }
        };
        [(2, 8), (9, 16), (17, 24), (25, 32)].map(of).to_vec()
    }
}

fn model(numbers: &[f64]) -> WinModel {
    let part = |from: usize| [numbers[from], numbers[from + 1], numbers[from + 2]];
    WinModel { even: part(0), slope: part(3) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_fit_recovers_the_true_model() {
        let truth = WinModel { even: [80.0, 60.0, 0.0], slope: [40.0, 30.0, 0.0] };
        let mut results = ResultCounts { counts: vec![[[0; 3]; STEPS]; 33], positions: 0 };
        for pieces in 3..=32 {
            for place in -60..=60 {
                let value = place * STEP;
                let (win, loss) = (
                    truth.winning(f64::from(value), pieces),
                    truth.winning(f64::from(-value), pieces),
                );
                for (outcome, part) in [(GameResult::WhiteWins, win), (GameResult::BlackWins, loss)]
                {
                    (0..(400.0 * part) as usize).for_each(|_| results.add(pieces, value, outcome));
                }
                let rest = (400.0 * (1.0 - win - loss)) as usize;
                (0..rest).for_each(|_| results.add(pieces, value, GameResult::Draw));
            }
        }
        let found = results.fit();
        for pieces in [4, 12, 24, 32] {
            assert!((found.even(pieces) - truth.even(pieces)).abs() < 2.0, "{found:?}");
            assert!((found.slope(pieces) - truth.slope(pieces)).abs() < 2.0, "{found:?}");
        }
        assert!(results.fidelity(&found).iter().all(|range| range.error < 0.01));
    }
}
