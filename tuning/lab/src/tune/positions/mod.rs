//! Files of positions with search scores and game results, 32 bytes each: the training data of
//! networks.

mod file;
mod header;

use std::fmt;
use std::path::Path;

use crate::tune::TuningError;
use stopdown::board::Colour;

pub use file::{MAX_POSITIONS, Mark, PlayedGame, PositionsReader, PositionsWriter, RECORD, Sample};
pub use header::{AROUND, HEADER, PositionsHeader};

/// The file that a run appends positions to.
#[derive(Clone, Copy, Debug)]
pub struct PositionsOutput<'a> {
    pub path: &'a Path,
    /// The command line to record if the file is new.
    pub command: &'a str,
}

impl PositionsOutput<'_> {
    /// Opens or creates the file for positions by this maker.
    pub fn open(self, maker: String) -> Result<PositionsWriter, TuningError> {
        PositionsWriter::open(
            self.path,
            &PositionsHeader { maker, command: self.command.to_owned() },
        )
    }
}

/// Statistics of a file.
#[derive(Clone, Debug, Default)]
pub struct PositionsSummary {
    pub header: PositionsHeader,
    pub games: usize,
    pub positions: usize,
    pub unreadable: usize,
    /// The numbers of positions from games that White lost, drew and won. Positions without a
    /// result are not counted.
    pub outcomes: [usize; 3],
    /// The numbers of positions with 1 to 4 pieces, 5 to 8 pieces, and so on.
    pub pieces: [usize; 8],
    /// The mean absolute score in centipawns.
    pub centipawns: f64,
}

impl PositionsSummary {
    pub fn of(path: &Path) -> Result<PositionsSummary, TuningError> {
        let mut reader = PositionsReader::open(path)?;
        let mut summary =
            PositionsSummary { header: reader.header.clone(), ..PositionsSummary::default() };
        while let Some(game) = reader.next_game()? {
            summary.games += 1;
            summary.positions += game.samples.len();
            for sample in &game.samples {
                let pieces = sample.position.occupied().count();
                if let Some(outcome) = sample.outcome {
                    summary.outcomes[outcome.half_points(Colour::White)] += 1;
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
            "{} positions from {} games, {} records unreadable",
            self.positions, self.games, self.unreadable
        )?;
        let [lost, drawn, won] = self.outcomes.map(percent);
        writeln!(f, "White won {won:.1}%, drew {drawn:.1}%, lost {lost:.1}% (of positions)")?;
        writeln!(f, "mean distance from equality: {:.0} centipawns", self.centipawns)?;
        write!(f, "pieces:")?;
        for (eighth, &count) in self.pieces.iter().enumerate() {
            write!(f, " {}-{}: {:.1}%", 4 * eighth + 1, 4 * eighth + 4, percent(count))?;
        }
        Ok(())
    }
}
