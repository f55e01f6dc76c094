//! Files of positions with what the search saw and how the game ended, 32 bytes each: what networks
//! are learnt from.
//!
//! Positions may also be given as text: a line is `FEN;result;centipawns`, both for White; a line that
//! begins with # begins a game.

mod file;

use std::fmt;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::tune::TuningError;
use stopdown::board::{Colour, PackedPosition, Position};
use stopdown::games::GameResult;

pub use file::{
    MOST_POSITIONS, Mark, PlayedGame, PositionsReader, PositionsWriter, RECORD, Sample,
};

pub const HEADER: usize = 512;

const TITLE: &str = "stopdown positions 1";

/// What the maker of positions around those of games has in it.
pub const AROUND: &str = "walks around positions of";

/// What made the positions of a file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PositionsHeader {
    /// The engine and how it played: games of different makers go to different files.
    pub maker: String,
    /// The command line that began the file.
    pub command: String,
}

impl PositionsHeader {
    /// Lines, then zeros. A command line that is too long is cut.
    pub fn to_bytes(&self) -> [u8; HEADER] {
        let text = format!("{TITLE}\nmaker: {}\ncommand: {}", self.maker, self.command);
        let mut bytes = [0; HEADER];
        let length = text.len().min(HEADER - 1);
        bytes[..length].copy_from_slice(&text.as_bytes()[..length]);
        bytes[length] = b'\n';
        bytes
    }

    /// Refuses what is no file of positions, or one of another version.
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

    /// Is every game of the file what lies around the game of that number in another file?
    pub fn is_of_surroundings(&self) -> bool {
        self.maker.contains(AROUND)
    }

    /// Is this all that a killed writer has left of a header?
    pub fn is_torn(bytes: &[u8]) -> bool {
        let title = &TITLE.as_bytes()[..TITLE.len().min(bytes.len())];
        bytes.len() < HEADER && bytes.starts_with(title)
    }
}

/// The counts of a file.
#[derive(Clone, Debug, Default)]
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

/// What was taken over from a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TextImport {
    pub games: u64,
    pub positions: usize,
    /// Lines that could not be read: cut off by an interruption, or not ours.
    pub unreadable: usize,
}

/// Takes a text over into a file of its own.
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

/// Hands out the games of a text in their order. How many lines could not be read?
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
        if line.starts_with(b"#") || samples.len() == MOST_POSITIONS {
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
