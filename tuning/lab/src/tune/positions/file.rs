//! Files of positions, read and written game by game.
//!
//! The file is locked while a game is appended, so several processes may share it. If a process is
//! killed, it leaves at most an incomplete game at the end, which the next writer removes.
//!
//! A file consists of 32-byte records. This is the record of a position:
//!
//! | bytes | content |
//! |-------|------|
//! | 0-26  | the position, see [`PackedPosition`] |
//! | 27    | White's result: 0, 1 for a draw, 2 for a win, 3 if unknown |
//! | 28-29 | the search score for White, in centipawns |
//! | 30-31 | the ply of the game |
//!
//! A mark precedes the positions of each game. It starts with eight zero bytes, which no position
//! does, because its board would be empty. The seed and the game number follow in eight bytes each.
//! Then come the number of positions in the game, in four bytes, and [`MARK`]. All numbers are
//! little-endian.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::header::{HEADER, PositionsHeader};
use crate::tune::TuningError;
use stopdown::board::{Colour, PackedPosition};
use stopdown::games::GameResult;

const BUFFER: usize = 1 << 20;

/// The positions of a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlayedGame {
    pub mark: Mark,
    pub samples: Vec<Sample>,
}

/// Reads the games in a file in order. A truncated game at the end is skipped, because its writer
/// may still be running. Invalid records are skipped and counted.
#[derive(Debug)]
pub struct PositionsReader {
    input: BufReader<File>,
    path: PathBuf,
    pub header: PositionsHeader,
    /// The mark of the next game, if already read.
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

    /// Returns the next game, or `None` at the end.
    pub fn next_game(&mut self) -> Result<Option<PlayedGame>, TuningError> {
        let mark = loop {
            match self.next.take() {
                Some(mark) => break mark,
                None => match self.record()? {
                    None => return Ok(None),
                    Some(PositionRecord::Mark(mark)) => break mark,
                    Some(_) => self.unreadable += 1,
                },
            }
        };
        let mut samples = Vec::with_capacity(mark.positions.min(1024) as usize);
        for _ in 0..mark.positions {
            match self.record()? {
                None => return Ok(None),
                Some(PositionRecord::Sample(sample)) => samples.push(sample),
                Some(PositionRecord::Mark(next)) => {
                    self.next = Some(next);
                    break;
                }
                Some(PositionRecord::Unreadable) => self.unreadable += 1,
            }
        }
        Ok(Some(PlayedGame { mark, samples }))
    }

    /// Returns the next record, or `None` at the end.
    fn record(&mut self) -> Result<Option<PositionRecord>, TuningError> {
        let mut bytes = [0; RECORD];
        match self.input.read_exact(&mut bytes) {
            Ok(()) => Ok(Some(PositionRecord::from_bytes(&bytes))),
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Ok(None),
            Err(error) => Err(TuningError::file("read", &self.path)(error)),
        }
    }
}

/// The maximum number of positions from one game.
pub const MAX_POSITIONS: usize = 1024;

#[derive(Debug)]
pub struct PositionsWriter {
    file: File,
    path: PathBuf,
}

impl PositionsWriter {
    /// Opens or creates a file. Refuses to mix positions made with different engines or settings.
    pub fn open(path: &Path, header: &PositionsHeader) -> Result<PositionsWriter, TuningError> {
        if !header.has_room() {
            return Err(TuningError::LongMaker(path.to_owned(), header.maker.clone()));
        }
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(TuningError::file("open", path))?;
        let mut writer = PositionsWriter { file, path: path.to_owned() };
        writer.locked(|writer| {
            let mut begun = Vec::new();
            let mut beginning = (&writer.file).take(HEADER as u64);
            beginning.read_to_end(&mut begun).map_err(writer.failed("read"))?;
            if PositionsHeader::is_torn(&begun) {
                writer.file.set_len(0).map_err(writer.failed("repair"))?;
                return writer.file.write_all(&header.to_bytes()).map_err(writer.failed("write"));
            }
            let found = PositionsReader::open(&writer.path)?.header;
            if found.maker == header.maker {
                return Ok(());
            }
            Err(TuningError::OtherMaker {
                path: writer.path.clone(),
                found: found.maker,
                wanted: header.maker.clone(),
            })
        })?;
        Ok(writer)
    }

    /// The numbers of the games with this seed in the file.
    pub fn games(&self, seed: u64) -> Result<HashSet<u64>, TuningError> {
        let mut numbers = HashSet::new();
        let mut reader = PositionsReader::open(&self.path)?;
        while let Some(game) = reader.next_game()? {
            if game.mark.seed == seed {
                numbers.insert(game.mark.number);
            }
        }
        Ok(numbers)
    }

    /// Appends a game atomically.
    pub fn append(
        &mut self,
        seed: u64,
        number: u64,
        samples: &[Sample],
    ) -> Result<(), TuningError> {
        let samples = &samples[..samples.len().min(MAX_POSITIONS)];
        let mark = Mark { seed, number, positions: samples.len() as u32 };
        let mut bytes = Vec::with_capacity(RECORD * (1 + samples.len()));
        bytes.extend(mark.to_bytes());
        samples.iter().for_each(|sample| bytes.extend(sample.to_bytes()));
        self.locked(|writer| {
            writer.remove_incomplete_game()?;
            writer.file.write_all(&bytes).map_err(writer.failed("write"))
        })
    }

    /// Removes an incomplete game at the end of the file, left by a process that was killed.
    fn remove_incomplete_game(&mut self) -> Result<(), TuningError> {
        let header = HEADER as u64;
        let length = self.file.metadata().map_err(self.failed("read"))?.len();
        let whole = length - (length - header) % RECORD as u64;
        let start = header.max(whole.saturating_sub(((MAX_POSITIONS + 1) * RECORD) as u64));
        let mut tail = vec![0; (whole - start) as usize];
        self.file.seek(SeekFrom::Start(start)).map_err(self.failed("read"))?;
        self.file.read_exact(&mut tail).map_err(self.failed("read"))?;
        let (records, _) = tail.as_chunks::<RECORD>();
        let mut end = whole;
        for (after, bytes) in records.iter().rev().enumerate() {
            if let PositionRecord::Mark(mark) = PositionRecord::from_bytes(bytes) {
                if (mark.positions as usize) > after {
                    end = whole - ((after + 1) * RECORD) as u64;
                }
                break;
            }
        }
        if end == length { Ok(()) } else { self.file.set_len(end).map_err(self.failed("repair")) }
    }

    fn locked(
        &mut self,
        work: impl FnOnce(&mut PositionsWriter) -> Result<(), TuningError>,
    ) -> Result<(), TuningError> {
        self.file.lock().map_err(self.failed("lock"))?;
        let done = work(self);
        self.file.unlock().map_err(self.failed("unlock"))?;
        done
    }

    fn failed(&self, action: &'static str) -> impl FnOnce(std::io::Error) -> TuningError + use<> {
        TuningError::file(action, self.path.clone())
    }
}

pub const RECORD: usize = 32;

const MARK: [u8; 4] = *b"game";
const UNKNOWN: u8 = 3;

/// A quiet position, its search score, and the result of its game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    pub position: PackedPosition,
    /// `None` for a position that does not belong to a game.
    pub outcome: Option<GameResult>,
    /// The score from White's point of view.
    pub centipawns: i16,
    pub ply: u16,
}

/// The start of a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    pub seed: u64,
    pub number: u64,
    /// The number of positions that follow.
    pub positions: u32,
}

/// The kinds of records.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PositionRecord {
    Mark(Mark),
    Sample(Sample),
    Unreadable,
}

impl PositionRecord {
    pub fn from_bytes(bytes: &[u8; RECORD]) -> PositionRecord {
        let is_mark = bytes[..8] == [0; 8];
        if is_mark && bytes[28..] == MARK {
            return PositionRecord::Mark(Mark {
                seed: u64::from_le_bytes(array(&bytes[8..16])),
                number: u64::from_le_bytes(array(&bytes[16..24])),
                positions: u32::from_le_bytes(array(&bytes[24..28])),
            });
        }
        let outcome = GameResult::of_half_points(bytes[27].into());
        if is_mark || outcome.is_none() && bytes[27] != UNKNOWN {
            return PositionRecord::Unreadable;
        }
        PositionRecord::Sample(Sample {
            position: PackedPosition(array(&bytes[..PackedPosition::SIZE])),
            outcome,
            centipawns: i16::from_le_bytes(array(&bytes[28..30])),
            ply: u16::from_le_bytes(array(&bytes[30..])),
        })
    }
}

impl Mark {
    pub fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[8..16].copy_from_slice(&self.seed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.positions.to_le_bytes());
        bytes[28..].copy_from_slice(&MARK);
        bytes
    }
}

impl Sample {
    pub fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..PackedPosition::SIZE].copy_from_slice(&self.position.0);
        bytes[27] =
            self.outcome.map_or(UNKNOWN, |outcome| outcome.half_points(Colour::White) as u8);
        bytes[28..30].copy_from_slice(&self.centipawns.to_le_bytes());
        bytes[30..].copy_from_slice(&self.ply.to_le_bytes());
        bytes
    }
}

/// Converts a slice of the right length.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}
