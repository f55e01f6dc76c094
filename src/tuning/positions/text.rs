//! Positions as text, and how they become records.
//!
//! A line is `FEN;result;centipawns`, both for White; a line that begins with # begins a game.

use std::io::{BufRead, BufReader};
use std::path::Path;

use super::PositionsHeader;
use super::file::{MOST_POSITIONS, PositionsWriter};
use super::record::{Sample, WhiteOutcome};
use crate::board::Position;
use crate::tuning::TuningError;

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
    let outcome = WhiteOutcome::from_score(fields.next()?.parse().ok()?)?;
    let centipawns = fields.next()?.parse().ok()?;
    let ply = position.plies();
    Some(Sample {
        position: position.pack()?,
        outcome: Some(outcome),
        centipawns,
        ply: ply.min(usize::from(u16::MAX)) as u16,
    })
}
