//! Games that are kept as soon as they are finished, so that whatever they are played for, a match, a
//! ladder or a study, can be broken off and gone on with.
//!
//! On disk are their journal and the PGN file beside it, which is made from it.

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::de::Error as _;

use super::journal::{Journal, JournalError, JournalSettings};
use super::record::{GameRecord, Pairing};
use super::tournament::Tournament;
use crate::files::{beside, give_way, read_if_there, write_whole};

/// Games of a tournament, those that are finished and those that are to be played.
#[derive(Debug)]
pub struct Campaign<'a> {
    pub tournament: &'a Tournament,
    /// What is finished, in the order in which it ended.
    pub records: Vec<GameRecord>,
    archive: Option<Archive>,
}

/// Why games cannot go on.
#[derive(Debug, thiserror::Error)]
pub enum CampaignError {
    #[error(transparent)]
    Journal(#[from] JournalError),
    #[error("the game could not be saved: {0}")]
    Save(io::Error),
    #[error("no thread could be started: {0}")]
    Threads(io::Error),
}

impl<'a> Campaign<'a> {
    /// Games that are not kept.
    pub fn unsaved(tournament: &'a Tournament) -> Campaign<'a> {
        Campaign { tournament, records: Vec::new(), archive: None }
    }

    /// Opens `pgn` and the journal beside it. Games that are there already must be resumed.
    pub fn open(
        tournament: &'a Tournament,
        pgn: &Path,
        settings: &JournalSettings,
        resume: bool,
    ) -> Result<Campaign<'a>, CampaignError> {
        let (archive, records) = Archive::open(pgn, settings, resume, tournament.players.len())?;
        Ok(Campaign { tournament, records, archive: Some(archive) })
    }

    /// Where the games are now that were there and are not the journal's: somebody has changed them.
    pub fn set_aside(&self) -> Option<&Path> {
        self.archive.as_ref()?.set_aside.as_deref()
    }

    /// Plays those of these games that are not finished. Every game is saved before anything else is
    /// done with it; then `finished` is shown all that there are, it being the last. When that says
    /// break or fails, no more are played.
    pub fn play<E: From<CampaignError>>(
        &mut self,
        pairings: &[Pairing],
        mut finished: impl FnMut(&[GameRecord]) -> Result<ControlFlow<()>, E>,
    ) -> Result<(), E> {
        let done: HashSet<usize> = self.records.iter().map(|record| record.game).collect();
        let is_outstanding = |pairing: &&Pairing| !done.contains(&pairing.game);
        let outstanding: Vec<Pairing> = pairings.iter().filter(is_outstanding).copied().collect();
        let mut trouble = Ok(());
        let run = self.tournament.run(&outstanding, |record| {
            let saved = self.archive.as_mut().map_or(Ok(()), |archive| archive.append(&record));
            self.records.push(record);
            let saved = saved.map_err(|error| E::from(CampaignError::Save(error)));
            let next = saved.and_then(|()| finished(&self.records));
            next.unwrap_or_else(|error| {
                trouble = Err(error);
                ControlFlow::Break(())
            })
        });
        run.map_err(CampaignError::Threads)?;
        trouble
    }
}

/// The open files of a campaign.
#[derive(Debug)]
struct Archive {
    journal: Journal<GameRecord>,
    pgn: File,
    set_aside: Option<PathBuf>,
}

impl Archive {
    /// With the games that are there, which are of so many players.
    fn open(
        pgn: &Path,
        settings: &JournalSettings,
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
    fn append(&mut self, record: &GameRecord) -> io::Result<()> {
        self.journal.append(record)?;
        self.pgn.write_all(record.pgn.as_bytes())?;
        self.pgn.sync_data()
    }
}

/// `games.pgn` has its journal in `games.pgn.jsonl`.
pub fn journal_path(pgn: &Path) -> PathBuf {
    beside(pgn, "jsonl")
}
