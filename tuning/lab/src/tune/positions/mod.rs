//! Files of positions with search scores and game results, 32 bytes each: the training data of
//! networks.
//!
//! Positions can also be imported from text. A line has the form `FEN;result;centipawns`, where the
//! result and the score are from White's point of view. A line that starts with # marks the start
//! of a game.

mod file;

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::tune::TuningError;
use stopdown::board::{Colour, PackedPosition, Position};
use stopdown::games::GameResult;

pub use file::{MAX_POSITIONS, Mark, PlayedGame, PositionsReader, PositionsWriter, RECORD, Sample};

pub const HEADER: usize = 512;

const TITLE: &str = "stopdown positions 1";

/// The text in the `maker` field of a file of walks around the positions of another file.
pub const AROUND: &str = "walks around positions of";

/// The origin of the positions in a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionsHeader {
    /// The engine and its settings. Positions made with different engines or settings go into different files.
    pub maker: String,
    /// The command line that created the file.
    pub command: String,
}

impl PositionsHeader {
    /// Lines of text, padded with zeros. A command line that is too long is truncated.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let text = format!("{TITLE}\nmaker: {}\ncommand: {}", self.maker, self.command);
        let mut bytes = [0; HEADER];
        let length = text.len().min(HEADER - 1);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        bytes[length] = b'\n';
        bytes
    }

    /// Parses a header. Rejects files of another kind or version.
    pub fn from_bytes(bytes: &[u8], path: &Path) -> Result<PositionsHeader, TuningError> {
        let text = String::from_utf8_lossy(bytes);
        let mut lines = text.lines();
        if bytes.len() < HEADER || lines.next() != Some(TITLE) {
            return Err(TuningError::NotPositions(path.to_owned()));
        }
        let mut field = |name: &str| lines.next()?.strip_prefix(name).map(str::to_owned);
        let mut header =
            || Some(PositionsHeader { maker: field("maker: ")?, command: field("command: ")? });
        header().ok_or_else(|| TuningError::NotPositions(path.to_owned()))
    }

    /// Whether this file was derived from another: each game contains positions a few moves away from those of the
    /// game with the same number there.
    pub fn is_of_surroundings(&self) -> bool {
        self.maker.contains(AROUND)
    }

    /// Whether the bytes are an incomplete header, left by a writer that was killed.
    pub fn is_torn(bytes: &[u8]) -> bool {
        let title = &TITLE.as_bytes()[..TITLE.len().min(bytes.len())];
        bytes.len() < HEADER && bytes.starts_with(title)
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

/// The result of a text import.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextImport {
    pub games: u64,
    pub positions: usize,
    /// The number of unreadable lines, which are truncated or in another format.
    pub unreadable: usize,
}

/// Imports the games in a text file, except those that an earlier import already added.
pub fn convert(
    text: &Path,
    path: &Path,
    header: &PositionsHeader,
) -> Result<TextImport, TuningError> {
    let input = std::fs::File::open(text).map_err(TuningError::file("open", text))?;
    let mut writer = PositionsWriter::open(path, header)?;
    let done = writer.games(0)?.len() as u64;
    let mut conversion = TextImport::default();
    let failed = TuningError::file("read", text);
    conversion.unreadable = games_of_text(BufReader::new(input), failed, |samples| {
        if conversion.games >= done {
            writer.append(0, conversion.games, samples)?;
            conversion.positions += samples.len();
        }
        conversion.games += 1;
        Ok(())
    })?;
    Ok(conversion)
}

/// Passes the games in a text to `visit`, in order. Returns the number of unreadable lines.
fn games_of_text(
    input: impl BufRead,
    failed: impl FnOnce(std::io::Error) -> TuningError,
    mut visit: impl FnMut(&[Sample]) -> Result<(), TuningError>,
) -> Result<usize, TuningError> {
    let mut unreadable = 0;
    let mut samples: Vec<Sample> = Vec::new();
    for line in input.split(b'\n') {
        let line = match line {
            Ok(line) => line,
            Err(error) => return Err(failed(error)),
        };
        if line.starts_with(b"#") || samples.len() == MAX_POSITIONS {
            if !samples.is_empty() {
                visit(&samples)?;
            }
            samples.clear();
        }
        if line.starts_with(b"#") {
            continue;
        }
        match std::str::from_utf8(&line).ok().and_then(read_line) {
            Some(sample) => samples.push(sample),
            None => unreadable += 1,
        }
    }
    if !samples.is_empty() {
        visit(&samples)?;
    }
    Ok(unreadable)
}

fn read_line(line: &str) -> Option<Sample> {
    let mut fields = line.trim().split(';');
    let position = Position::from_fen(fields.next()?, false).ok()?;
    let score: f64 = fields.next()?.parse().ok()?;
    let points = [0.0, 0.5, 1.0].iter().position(|&known| known == score)?;
    let centipawns = fields.next()?.parse().ok()?;
    let ply = position.plies();
    Some(Sample {
        position: PackedPosition::of(&position)?,
        outcome: GameResult::of_half_points(points),
        centipawns,
        ply: ply.min(usize::from(u16::MAX)) as u16,
    })
}
