//! The games of a match on disk: their journal, and the PGN file beside it, which is made from it.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::de::Error as _;

use super::journal::{Journal, JournalError, Settings};
use super::record::GameRecord;
use crate::files::{beside, give_way, read_if_there, write_whole};

/// The open files of a match.
#[derive(Debug)]
pub struct Archive {
    journal: Journal<GameRecord>,
    pgn: File,
    /// Where the games are now that were there and are not the journal's: somebody has changed them.
    pub set_aside: Option<PathBuf>,
}

impl Archive {
    /// Opens `pgn` and the journal beside it. A match that is there already must be resumed, and
    /// gives back its games, which are of so many players.
    pub fn open(
        pgn: &Path,
        settings: &Settings,
        resume: bool,
        players: usize,
    ) -> Result<(Archive, Vec<GameRecord>), JournalError> {
        let path = journal_path(pgn);
        for file in [pgn, &path] {
            if !resume && file.exists() {
                return Err(JournalError::Exists(file.to_owned()));
            }
        }
        let failed = |error| JournalError::File(pgn.to_owned(), error);
        let current = read_if_there(pgn).map_err(failed)?;
        if !current.is_empty() && !path.exists() {
            return Err(JournalError::Alone(pgn.to_owned(), path));
        }
        let (journal, records) = Journal::<GameRecord>::open(&path, settings)?;
        let is_strange = |record: &GameRecord| {
            record.white == record.black || record.white.max(record.black) >= players
        };
        if let Some(place) = records.iter().position(is_strange) {
            let error = serde_json::Error::custom(format!("it is no game of {players} players"));
            return Err(JournalError::Damaged(path, place + 2, error));
        }
        let text: String = records.iter().map(|record| record.pgn.as_str()).collect();
        // The journal is written first, so games that were broken off are the beginning of its own.
        let aside = |number| pgn.with_extension(format!("{number}.pgn"));
        let set_aside = match text.as_bytes().starts_with(&current) {
            true => None,
            false => Some(give_way(pgn, aside).map_err(failed)?),
        };
        if set_aside.is_some() || current.len() < text.len() || !pgn.exists() {
            write_whole(pgn, text.as_bytes()).map_err(failed)?;
        }
        let file = OpenOptions::new().append(true).open(pgn).map_err(failed)?;
        Ok((Archive { journal, pgn: file, set_aside }, records))
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
    beside(pgn, "jsonl")
}
