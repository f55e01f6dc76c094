//! What is in a file of positions, counted.

use std::fmt;
use std::path::Path;

use super::header::PositionsHeader;
use super::reader::PositionsReader;
use crate::tuning::TuningError;

/// The counts of a file.
#[derive(Clone, Debug)]
pub struct PositionsSummary {
    pub header: PositionsHeader,
    pub games: usize,
    pub positions: usize,
    pub unreadable: usize,
    /// Positions of games that White lost, drew, won; the others belong to no game.
    pub outcomes: [usize; 3],
    /// Positions by the number of pieces, in eighths of 32.
    pub pieces: [usize; 8],
    /// The mean of the absolute centipawns.
    pub centipawns: f64,
}

impl PositionsSummary {
    pub fn of(path: &Path) -> Result<PositionsSummary, TuningError> {
        let mut reader = PositionsReader::open(path)?;
        let mut summary = PositionsSummary {
            header: reader.header().clone(),
            games: 0,
            positions: 0,
            unreadable: 0,
            outcomes: [0; 3],
            pieces: [0; 8],
            centipawns: 0.0,
        };
        while let Some(game) = reader.next_game()? {
            summary.games += 1;
            summary.positions += game.samples.len();
            for sample in &game.samples {
                let pieces = sample.position.occupied().count();
                if let Some(outcome) = sample.outcome {
                    summary.outcomes[outcome as usize] += 1;
                }
                summary.pieces[(pieces.clamp(1, 32) - 1) / 4] += 1;
                summary.centipawns += f64::from(sample.centipawns).abs();
            }
        }
        summary.unreadable = reader.unreadable;
        summary.centipawns /= summary.positions.max(1) as f64;
        Ok(summary)
    }
}

impl fmt::Display for PositionsSummary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let percent = |count: usize| 100.0 * count as f64 / self.positions.max(1) as f64;
        writeln!(f, "maker: {}", self.header.maker)?;
        writeln!(f, "command: {}", self.header.command)?;
        writeln!(
            f,
            "{} positions of {} games, {} records unreadable",
            self.positions, self.games, self.unreadable
        )?;
        let [lost, drawn, won] = self.outcomes.map(percent);
        writeln!(f, "White won {won:.1} %, drew {drawn:.1} %, lost {lost:.1} % (of positions)")?;
        writeln!(f, "mean distance from equality: {:.0} centipawns", self.centipawns)?;
        write!(f, "pieces:")?;
        for (eighth, &count) in self.pieces.iter().enumerate() {
            write!(f, " {}-{}: {:.1} %", 4 * eighth + 1, 4 * eighth + 4, percent(count))?;
        }
        Ok(())
    }
}
