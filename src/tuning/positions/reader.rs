//! Reads a file of positions game by game.

use std::fs::File;
use std::io::{BufReader, ErrorKind, Read};
use std::path::{Path, PathBuf};

use super::record::{Mark, PositionRecord, RECORD, Sample};
use super::{HEADER, PositionsHeader};
use crate::tuning::TuningError;

const BUFFER: usize = 1 << 20;

/// A game's positions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    pub mark: Mark,
    pub samples: Vec<Sample>,
}

/// Hands out the games of a file in their order. A game that is cut off at the end is left out:
/// its writer may still be at it. Records that mean nothing are skipped and counted.
#[derive(Debug)]
pub struct PositionsReader {
    input: BufReader<File>,
    path: PathBuf,
    header: PositionsHeader,
    /// The mark of the next game, already read.
    next: Option<Mark>,
    pub unreadable: usize,
}

impl PositionsReader {
    pub fn open(path: &Path) -> Result<PositionsReader, TuningError> {
        let file = File::open(path).map_err(TuningError::file("open", path))?;
        let mut input = BufReader::with_capacity(BUFFER, file);
        let mut bytes = Vec::with_capacity(HEADER);
        let read = input.by_ref().take(HEADER as u64).read_to_end(&mut bytes);
        read.map_err(TuningError::file("read", path))?;
        let header = PositionsHeader::from_bytes(&bytes, path)?;
        Ok(PositionsReader { input, path: path.to_owned(), header, next: None, unreadable: 0 })
    }

    pub fn header(&self) -> &PositionsHeader {
        &self.header
    }

    /// The next game, or `None` at the end.
    pub fn next_game(&mut self) -> Result<Option<PlayedGame>, TuningError> {
        let mark = loop {
            match self.next.take() {
                Some(mark) => break mark,
                None => match self.record()? {
                    None => return Ok(None),
                    Some(Some(PositionRecord::Mark(mark))) => break mark,
                    Some(_) => self.unreadable += 1,
                },
            }
        };
        let mut samples = Vec::with_capacity(mark.positions.min(1024) as usize);
        for _ in 0..mark.positions {
            match self.record()? {
                None => return Ok(None),
                Some(Some(PositionRecord::Sample(sample))) => samples.push(sample),
                Some(Some(PositionRecord::Mark(next))) => {
                    self.next = Some(next);
                    break;
                }
                Some(None) => self.unreadable += 1,
            }
        }
        Ok(Some(PlayedGame { mark, samples }))
    }

    /// The next record: none at the end, `Some(None)` where it means nothing.
    fn record(&mut self) -> Result<Option<Option<PositionRecord>>, TuningError> {
        let mut bytes = [0; RECORD];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(PositionRecord::from_bytes(&bytes))),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(TuningError::file("read", &self.path)(error)),
        }
    }
}
