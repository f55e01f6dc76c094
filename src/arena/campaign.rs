//! Tournaments that can be resumed: every game is saved as soon as it is finished.
//!
//! There are two files. The journal contains everything. The PGN file is made from it for other
//! programs. A resumed tournament plays the games that are missing from the journal.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::de::Error as _;

use super::game_queue::GameQueue;
use super::journal::{Journal, JournalError, JournalSettings};
use super::record::{GameRecord, Pairing};
use super::spec::ContestantSpec;
use super::tournament::Tournament;
use crate::files::{beside, is_device_or_pipe, move_aside, read_if_there, write_whole};

/// A tournament with its finished games.
#[derive(Debug)]
pub struct Campaign<'a> {
    /// The players and the conditions of the games.
    pub tournament: &'a Tournament,
    /// Finished games, in order of completion.
    pub records: Vec<GameRecord>,
    archive: Option<Archive>,
}

/// Why a campaign cannot continue.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    /// The journal cannot be used.
    #[error(transparent)]
    Journal(#[from] JournalError),
    /// A finished game could not be saved. Contains the path of the PGN file.
    #[error("the game could not be saved to {} or its journal: {}; make both writable, or free some space, then resume", .0.display(), .1)]
    Save(PathBuf, io::Error),
    /// The system refuses to start a thread.
    #[error("no thread could be started: {0}; close other programs, then resume")]
    Threads(io::Error),
}

impl<'a> Campaign<'a> {
    /// A campaign that is not saved.
    pub(crate) fn unsaved(tournament: &'a Tournament) -> Campaign<'a> {
        Campaign { tournament, records: Vec::new(), archive: None }
    }

    /// Opens or creates `pgn` and its journal. Existing files are an error, unless `resume` is set.
    pub fn open(
        tournament: &'a Tournament,
        pgn: &Path,
        settings: &JournalSettings,
        resume: bool,
    ) -> Result<Campaign<'a>, CampaignError> {
        let (archive, records) = Archive::open(pgn, settings, resume, &tournament.players)?;
        Ok(Campaign { tournament, records, archive: Some(archive) })
    }

    /// The new path of a PGN file that differed from the journal and was renamed.
    pub(crate) fn set_aside(&self) -> Option<&Path> {
        self.archive.as_ref()?.set_aside.as_deref()
    }

    /// Plays the games that are not finished. Every game is saved before `finished` is called with it
    /// and the number of games so far. If `finished` breaks or fails, no more games are played.
    pub(crate) fn play<E: From<CampaignError>>(
        &mut self,
        pairings: &[Pairing],
        mut finished: impl FnMut(&GameRecord, usize) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let done: HashSet<usize> = self.records.iter().map(|record| record.game).collect();
        let is_missing = |pairing: &&Pairing| !done.contains(&pairing.game);
        let missing: Vec<Pairing> = pairings.iter().filter(is_missing).copied().collect();
        let mut outcome = Ok(());
        let queue = GameQueue::new(&self.tournament.players, &self.records, &missing);
        let run = self.tournament.play(queue, |record| {
            let saved = self.archive.as_mut().map_or(Ok(()), |archive| {
                let saved = archive.append(&record);
                saved.map_err(|error| E::from(CampaignError::Save(archive.path.clone(), error)))
            });
            let next = saved.and_then(|()| finished(&record, self.records.len() + 1));
            self.records.push(record);
            next.unwrap_or_else(|error| {
                outcome = Err(error);
                ControlFlow::Break(())
            })
        });
        run.map_err(CampaignError::Threads)?;
        outcome
    }
}

/// The open files of a campaign.
#[derive(Debug)]
struct Archive {
    journal: Journal<GameRecord>,
    path: PathBuf,
    pgn: File,
    set_aside: Option<PathBuf>,
}

impl Archive {
    /// Opens both files, and returns the games in the journal after checking them.
    fn open(
        pgn: &Path,
        settings: &JournalSettings,
        resume: bool,
        players: &[ContestantSpec],
    ) -> Result<(Archive, Vec<GameRecord>), JournalError> {
        if is_device_or_pipe(pgn) {
            return Err(JournalError::NotAFile(pgn.to_owned()));
        }
        let path = journal_path(pgn);
        for file in [pgn, &path] {
            if !resume && file.exists() {
                return Err(JournalError::Exists(file.to_owned()));
            }
        }
        let failed = |error| JournalError::File(pgn.to_owned(), error);
        let current = read_if_there(pgn).map_err(failed)?;
        if !current.is_empty() && !path.exists() {
            return Err(JournalError::JournalMissing(pgn.to_owned(), path));
        }
        let (journal, records) = Journal::<GameRecord>::open(&path, settings)?;
        for (index, record) in records.iter().enumerate() {
            let error = check(record, players).err().map(serde_json::Error::custom);
            if let Some(error) = error {
                return Err(JournalError::Damaged(path, index + 2, error));
            }
        }
        let text: String = records.iter().map(|record| record.pgn.as_str()).collect();
        // The journal is written first. So an unedited PGN file contains the same games as the start
        // of the journal.
        let aside = |number| pgn.with_extension(format!("{number}.pgn"));
        let set_aside = match text.as_bytes().starts_with(&current) {
            true => None,
            false => Some(move_aside(pgn, aside).map_err(failed)?),
        };
        if set_aside.is_some() || current.len() < text.len() || !pgn.exists() {
            write_whole(pgn, text.as_bytes()).map_err(failed)?;
        }
        let file = OpenOptions::new().append(true).open(pgn).map_err(failed)?;
        Ok((Archive { journal, path: pgn.to_owned(), pgn: file, set_aside }, records))
    }

    /// Adds a finished game. When this returns, the game is on disk.
    fn append(&mut self, record: &GameRecord) -> io::Result<()> {
        self.journal.append(record)?;
        self.pgn.write_all(record.pgn.as_bytes())?;
        self.pgn.sync_data()
    }
}

/// Checks that these players could have played this game.
fn check(record: &GameRecord, players: &[ContestantSpec]) -> Result<(), String> {
    if record.white == record.black || record.white.max(record.black) >= players.len() {
        return Err(format!("this game is not between two of the {} players", players.len()));
    }
    for (player, estimate) in [record.white, record.black].into_iter().zip(&record.estimates) {
        let is_valid = match (players[player].remembers(), estimate) {
            (None, None) => true,
            (Some(style), Some(known)) => known.prior(style.hypotheses().points()).is_ok(),
            _ => false,
        };
        if !is_valid {
            return Err(format!(
                "the estimate that player {} made of its opponent is missing or not valid",
                player + 1
            ));
        }
    }
    Ok(())
}

/// The path of the journal: for `games.pgn` it is `games.pgn.jsonl`.
pub fn journal_path(pgn: &Path) -> PathBuf {
    beside(pgn, "jsonl")
}
