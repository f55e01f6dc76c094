//! Appends games to a file of positions.
//!
//! Every game is appended under the lock of the file, so several processes may share it. One that
//! is killed can leave half a game at the end and nothing worse; whoever appends next cuts it off.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::reader::PositionsReader;
use super::record::{Mark, PositionRecord, RECORD, Sample};
use super::{HEADER, PositionsHeader};
use crate::tuning::TuningError;

/// No game gives more positions.
pub const MOST_POSITIONS: usize = 1024;

#[derive(Debug)]
pub struct PositionsWriter {
    file: File,
    path: PathBuf,
}

impl PositionsWriter {
    /// Opens a file, or begins one. Positions of another maker are not mixed with ours.
    pub fn open(path: &Path, header: &PositionsHeader) -> Result<PositionsWriter, TuningError> {
        let file = OpenOptions::new().read(true).append(true).create(true).open(path);
        let file = file.map_err(TuningError::file("open", path))?;
        let mut writer = PositionsWriter { file, path: path.to_owned() };
        writer.locked(|writer| {
            let mut begun = Vec::new();
            let mut beginning = (&writer.file).take(HEADER as u64);
            beginning.read_to_end(&mut begun).map_err(writer.failed("read"))?;
            if PositionsHeader::is_torn(&begun) {
                writer.file.set_len(0).map_err(writer.failed("mend"))?;
                return writer.file.write_all(&header.to_bytes()).map_err(writer.failed("write"));
            }
            let found = PositionsReader::open(&writer.path)?.header().clone();
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

    /// The numbers of the games of a seed that are in the file.
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

    /// Appends a game, all or nothing.
    pub fn append(
        &mut self,
        seed: u64,
        number: u64,
        samples: &[Sample],
    ) -> Result<(), TuningError> {
        let samples = &samples[..samples.len().min(MOST_POSITIONS)];
        let mark = Mark { seed, number, positions: samples.len() as u32 };
        let mut bytes = Vec::with_capacity(RECORD * (1 + samples.len()));
        bytes.extend(mark.to_bytes());
        samples.iter().for_each(|sample| bytes.extend(sample.to_bytes()));
        self.locked(|writer| {
            writer.mend()?;
            writer.file.write_all(&bytes).map_err(writer.failed("write"))
        })
    }

    /// Cuts off what a killed writer has left unfinished at the end.
    fn mend(&mut self) -> Result<(), TuningError> {
        let header = HEADER as u64;
        let length = self.file.metadata().map_err(self.failed("read"))?.len();
        let whole = length - (length - header) % RECORD as u64;
        let start = header.max(whole.saturating_sub(((MOST_POSITIONS + 1) * RECORD) as u64));
        let mut tail = vec![0; (whole - start) as usize];
        self.file.seek(SeekFrom::Start(start)).map_err(self.failed("read"))?;
        self.file.read_exact(&mut tail).map_err(self.failed("read"))?;
        let (records, _) = tail.as_chunks::<RECORD>();
        let mut end = whole;
        for (after, bytes) in records.iter().rev().enumerate() {
            if let Some(PositionRecord::Mark(mark)) = PositionRecord::from_bytes(bytes) {
                if (mark.positions as usize) > after {
                    end = whole - ((after + 1) * RECORD) as u64;
                }
                break;
            }
        }
        if end == length { Ok(()) } else { self.file.set_len(end).map_err(self.failed("mend")) }
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
