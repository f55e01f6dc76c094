//! Finished games on disk, so that nothing finished is lost.
//!
//! The journal is a file of JSON lines: the settings of the match, then one finished game a line,
//! each forced to the disk before the next. It alone is the truth; the PGN file beside it is made
//! from it. Killed at any moment, at most the line being written is torn, and is dropped when the
//! match is resumed.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::record::GameRecord;

/// What made the games of a journal. Games made under other settings must not be mixed with them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings(pub BTreeMap<String, String>);

/// Why the files of a match cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum ArchiveError {
    #[error("{} exists already; resume that match or choose another name", .0.display())]
    Exists(PathBuf),
    #[error("{} belongs to a match with other settings: {}", .0.display(), .1)]
    OtherSettings(PathBuf, String),
    #[error("{} line {} is not a line of a match journal: {}", .0.display(), .1, .2)]
    Damaged(PathBuf, usize, serde_json::Error),
    #[error("{} is being written by another match", .0.display())]
    InUse(PathBuf),
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, io::Error),
}

/// The open files of a match.
#[derive(Debug)]
pub struct Archive {
    journal: File,
    pgn: File,
}

impl Archive {
    /// Opens `pgn` and the journal beside it. A match that is there already must be resumed, and
    /// gives back its games.
    pub fn open(
        pgn: &Path,
        settings: &Settings,
        resume: bool,
    ) -> Result<(Archive, Vec<GameRecord>), ArchiveError> {
        let path = journal_path(pgn);
        for file in [pgn, &path] {
            if !resume && file.exists() {
                return Err(ArchiveError::Exists(file.to_owned()));
            }
        }
        let (journal, records) = open_journal(&path, settings)?;
        let pgn_file = rewrite_pgn(pgn, &records)
            .map_err(|error| ArchiveError::File(pgn.to_owned(), error))?;
        Ok((Archive { journal, pgn: pgn_file }, records))
    }

    /// Adds a finished game. When this returns, it is on the disk.
    pub fn append(&mut self, record: &GameRecord) -> io::Result<()> {
        append_line(&mut self.journal, record)?;
        self.pgn.write_all(record.pgn.as_bytes())?;
        self.pgn.sync_data()
    }
}

/// `games.pgn` has its journal in `games.pgn.jsonl`.
pub fn journal_path(pgn: &Path) -> PathBuf {
    let mut name = pgn.as_os_str().to_owned();
    name.push(".jsonl");
    name.into()
}

fn append_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.sync_data()
}

fn open_journal(path: &Path, settings: &Settings) -> Result<(File, Vec<GameRecord>), ArchiveError> {
    let failed = |error| ArchiveError::File(path.to_owned(), error);
    let options = OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
    let mut file = options.open(path).map_err(failed)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(ArchiveError::InUse(path.to_owned())),
        Err(TryLockError::Error(error)) => return Err(failed(error)),
    }
    let mut text = Vec::new();
    file.read_to_end(&mut text).map_err(failed)?;
    // What follows the last line end was being written when the power went.
    let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    file.set_len(whole as u64).map_err(failed)?;
    file.seek(SeekFrom::End(0)).map_err(failed)?;
    let mut lines = text[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
    match lines.next() {
        None => append_line(&mut file, settings).map_err(failed)?,
        Some(first) => check_settings(path, first, settings)?,
    }
    let damaged = |number| move |error| ArchiveError::Damaged(path.to_owned(), number, error);
    let records: Result<Vec<GameRecord>, ArchiveError> = lines
        .enumerate()
        .map(|(index, line)| serde_json::from_slice(line).map_err(damaged(index + 2)))
        .collect();
    Ok((file, records?))
}

fn check_settings(path: &Path, line: &[u8], settings: &Settings) -> Result<(), ArchiveError> {
    let found: Settings = serde_json::from_slice(line)
        .map_err(|error| ArchiveError::Damaged(path.to_owned(), 1, error))?;
    let keys = found.0.keys().chain(settings.0.keys());
    let difference = keys.map(|key| (key, found.0.get(key), settings.0.get(key)));
    match difference.into_iter().find(|(_, there, here)| there != here) {
        None => Ok(()),
        Some((key, there, here)) => {
            let none = "nothing".to_owned();
            let (there, here) = (there.unwrap_or(&none), here.unwrap_or(&none));
            let words = format!("{key} is \"{there}\" there and \"{here}\" here");
            Err(ArchiveError::OtherSettings(path.to_owned(), words))
        }
    }
}

/// Makes the PGN file say what the journal says, and leaves it open at its end.
fn rewrite_pgn(path: &Path, records: &[GameRecord]) -> io::Result<File> {
    let text: String = records.iter().map(|record| record.pgn.as_str()).collect();
    let current = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => Some(read?),
    };
    if current.as_deref() != Some(text.as_bytes()) {
        let mut draft = path.as_os_str().to_owned();
        draft.push(".new");
        let mut file = File::create(&draft)?;
        file.write_all(text.as_bytes())?;
        file.sync_data()?;
        std::fs::rename(&draft, path)?;
    }
    OpenOptions::new().append(true).open(path)
}
