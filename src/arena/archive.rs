//! The games of a match on disk: their journal, and the PGN file beside it, which is made from it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::journal::{Journal, JournalError, Settings};
use super::record::GameRecord;

/// The open files of a match.
#[derive(Debug)]
pub struct Archive {
    journal: Journal<GameRecord>,
    pgn: File,
}

impl Archive {
    /// Opens `pgn` and the journal beside it. A match that is there already must be resumed, and
    /// gives back its games.
    pub fn open(
        pgn: &Path,
        settings: &Settings,
        resume: bool,
    ) -> Result<(Archive, Vec<GameRecord>), JournalError> {
        let path = journal_path(pgn);
        for file in [pgn, &path] {
            if !resume && file.exists() {
                return Err(JournalError::Exists(file.to_owned()));
            }
        }
        let (journal, records) = Journal::open(&path, settings)?;
        let pgn_file = rewrite_pgn(pgn, &records)
            .map_err(|error| JournalError::File(pgn.to_owned(), error))?;
        Ok((Archive { journal, pgn: pgn_file }, records))
    }

    /// Adds a finished game. When this returns, it is on the disk.
    pub fn append(&mut self, record: &GameRecord) -> io::Result<()> {
        self.journal.append(record)?;
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

/// Makes the PGN file say what the journal says, and leaves it open at its end.
fn rewrite_pgn(path: &Path, records: &[GameRecord]) -> io::Result<File> {
    let text: String = records.iter().map(|record| record.pgn.as_str()).collect();
    let current = match std::fs::read(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => None,
        read => Some(read?),
    };
    if current.as_deref() != Some(text.as_bytes()) {
        write_whole(path, text.as_bytes())?;
    }
    OpenOptions::new().append(true).open(path)
}

/// Writes a file so that at any moment the old or the new one is there, and never half of it.
pub fn write_whole(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut draft = path.as_os_str().to_owned();
    draft.push(".new");
    let mut file = File::create(&draft)?;
    file.write_all(content)?;
    file.sync_data()?;
    std::fs::rename(&draft, path)
}
