//! Finished work on disk, so that nothing finished is lost.
//!
//! A [`Journal`] is a file of JSON lines: the settings that the work is done under, then one finished
//! piece a line, each forced to the disk before the next. Killed at any moment, at most the line
//! being written is torn, and is dropped when the work is resumed.
//!
//! A [`Campaign`] keeps games so, whatever they are played for, a match, a ladder or a study. On disk are
//! their journal and the PGN file beside it, which is made from it.

use std::collections::{BTreeMap, HashSet};
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Serialize};

use super::record::{GameRecord, Pairing};
use super::tournament::Tournament;
use crate::files::{beside, give_way, read_if_there, write_whole};

/// What made the lines of a journal. What was made under other settings must not be mixed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalSettings(pub BTreeMap<String, String>);

impl JournalSettings {
    /// Settings by their names.
    pub fn of<N: Into<String>>(pairs: impl IntoIterator<Item = (N, String)>) -> JournalSettings {
        JournalSettings(pairs.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    #[error("{} exists already; resume it or choose another name", .0.display())]
    Exists(PathBuf),
    #[error("{} was begun with other settings: {}; choose another name, or move it away", .0.display(), .1)]
    OtherSettings(PathBuf, String),
    #[error("{} line {} is not a line of this journal: {}", .0.display(), .1, .2)]
    Damaged(PathBuf, usize, serde_json::Error),
    #[error("{} is there and is no journal; choose another name", .0.display())]
    Foreign(PathBuf),
    #[error("{} has games, and their journal {} is not there: bring it, or choose another name", .0.display(), .1.display())]
    Alone(PathBuf, PathBuf),
    #[error("{} is being written by another run", .0.display())]
    InUse(PathBuf),
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, io::Error),
}

/// An open journal of lines of one kind.
#[derive(Debug)]
pub struct Journal<T> {
    file: File,
    kind: PhantomData<T>,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// Opens a journal, or begins it, and gives what is in it already.
    pub fn open(
        path: &Path,
        settings: &JournalSettings,
    ) -> Result<(Journal<T>, Vec<T>), JournalError> {
        let failed = |error| JournalError::File(path.to_owned(), error);
        let options =
            OpenOptions::new().read(true).write(true).create(true).truncate(false).clone();
        let mut file = options.open(path).map_err(failed)?;
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(JournalError::InUse(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        // What follows the last line end was being written when the power went.
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        let first = lines.next();
        match first {
            None if !line_of(settings).map_err(failed)?.starts_with(&text) => {
                return Err(JournalError::Foreign(path.to_owned()));
            }
            None => (),
            Some(first) => check_settings(path, first, settings)?,
        }
        file.set_len(whole as u64).map_err(failed)?;
        file.seek(SeekFrom::End(0)).map_err(failed)?;
        if first.is_none() {
            append_line(&mut file, settings).map_err(failed)?;
        }
        let damaged = |number| move |error| JournalError::Damaged(path.to_owned(), number, error);
        let found: Result<Vec<T>, JournalError> = lines
            .enumerate()
            .map(|(index, line)| serde_json::from_slice(line).map_err(damaged(index + 2)))
            .collect();
        Ok((Journal { file, kind: PhantomData }, found?))
    }

    /// Adds a line. When this returns, it is on the disk.
    pub fn append(&mut self, line: &T) -> io::Result<()> {
        append_line(&mut self.file, line)
    }
}

fn line_of(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

fn append_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    file.write_all(&line_of(value)?)?;
    file.sync_data()
}

fn check_settings(
    path: &Path,
    line: &[u8],
    settings: &JournalSettings,
) -> Result<(), JournalError> {
    let found: JournalSettings = serde_json::from_slice(line)
        .map_err(|error| JournalError::Damaged(path.to_owned(), 1, error))?;
    let keys = found.0.keys().chain(settings.0.keys());
    let difference = keys.map(|key| (key, found.0.get(key), settings.0.get(key)));
    match difference.into_iter().find(|(_, there, here)| there != here) {
        None => Ok(()),
        Some((key, there, here)) => {
            let none = "nothing".to_owned();
            let (there, here) = (there.unwrap_or(&none), here.unwrap_or(&none));
            let words = format!("{key} is \"{there}\" there and \"{here}\" here");
            Err(JournalError::OtherSettings(path.to_owned(), words))
        }
    }
}

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
