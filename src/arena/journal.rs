//! A journal saves finished work, so that an interrupted run can be resumed.
//!
//! It is a file of JSON lines. The first line contains the settings of the run. Each later line is
//! one finished piece of work, which is synced to disk before the next one is written. If the
//! program is killed, at most the last line is incomplete. Resuming drops that line. It rejects a
//! journal with different settings, because results from different settings must not be mixed.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::files::open_locked;

/// The settings of a run, by name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JournalSettings(pub BTreeMap<String, String>);

impl JournalSettings {
    /// Collects settings from pairs of name and value.
    pub fn of<N: Into<String>>(pairs: impl IntoIterator<Item = (N, String)>) -> JournalSettings {
        JournalSettings(pairs.into_iter().map(|(name, value)| (name.into(), value)).collect())
    }
}

/// Why a journal cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The file exists, and the run was not asked to resume it.
    #[error("{} already exists; use --resume to continue it, or choose another name", .0.display())]
    Exists(PathBuf),
    /// The games would be written to a device or a pipe, where they could not be resumed.
    #[error("{} is not a file; give the name of a file, or leave out --pgn", .0.display())]
    NotAFile(PathBuf),
    /// The file was started with different settings. Contains its path and the difference.
    #[error("{} was started with different settings: {}; choose another name, or move the file \
             elsewhere", .0.display(), .1)]
    OtherSettings(PathBuf, String),
    /// A line cannot be parsed. Contains the path, the line, counted from 1, and the error.
    #[error("{}:{}: this line does not belong to this journal: {}; remove the line, or choose another name", .0.display(), .1, .2)]
    Damaged(PathBuf, usize, serde_json::Error),
    /// The file is not a journal. Contains its path.
    #[error("{} is not a journal; choose another name", .0.display())]
    NotAJournal(PathBuf),
    /// A file of games exists without its journal. Contains the paths of the games and the journal.
    #[error("{} has games, but their journal {} is missing; restore it, or choose another name", .0.display(), .1.display())]
    JournalMissing(PathBuf, PathBuf),
    /// Another run has locked the file. Contains its path.
    #[error("{} is being written by another run; wait for it, or choose another name", .0.display())]
    InUse(PathBuf),
    /// The file cannot be read or written. Contains its path and the error.
    #[error("{}: {}", .0.display(), .1)]
    File(PathBuf, io::Error),
}

/// An open journal with lines of type `T`.
#[derive(Debug)]
pub struct Journal<T> {
    file: File,
    kind: PhantomData<T>,
}

impl<T: Serialize + DeserializeOwned> Journal<T> {
    /// Opens or creates a journal, and returns its lines.
    pub fn open(
        path: &Path,
        settings: &JournalSettings,
    ) -> Result<(Journal<T>, Vec<T>), JournalError> {
        let failed = |error| JournalError::File(path.to_owned(), error);
        let mut file = open_locked(path).map_err(|error| match error.kind() {
            io::ErrorKind::WouldBlock => JournalError::InUse(path.to_owned()),
            _ => failed(error),
        })?;
        let mut text = Vec::new();
        file.read_to_end(&mut text).map_err(failed)?;
        // If the last line is incomplete, the program was killed while writing it.
        let whole = text.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
        let mut lines = (1..)
            .zip(text[..whole].split(|&byte| byte == b'\n'))
            .filter(|(_, line)| !line.is_empty());
        let first = lines.next().map(|(_, line)| line);
        match first {
            None if !json_line(settings).map_err(failed)?.starts_with(&text) => {
                return Err(JournalError::NotAJournal(path.to_owned()));
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
        let found: Vec<T> = lines
            .map(|(number, line)| serde_json::from_slice(line).map_err(damaged(number)))
            .collect::<Result<_, _>>()?;
        Ok((Journal { file, kind: PhantomData }, found))
    }

    /// Adds a line. When this returns, the line is on disk.
    pub fn append(&mut self, line: &T) -> io::Result<()> {
        append_line(&mut self.file, line)
    }
}

fn json_line(value: &impl Serialize) -> io::Result<Vec<u8>> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    Ok(line)
}

fn append_line(file: &mut File, value: &impl Serialize) -> io::Result<()> {
    file.write_all(&json_line(value)?)?;
    file.sync_data()
}

/// The name of a setting in a message. The key of a player's program is made of the player and "is", as in
/// "player 3 is". Keys do not change, because old journals have them.
fn name_of_setting(key: &str) -> String {
    let player = key.strip_suffix(" is").or_else(|| key.strip_suffix(" are"));
    player.map_or_else(|| key.to_owned(), |player| format!("the program of {player}"))
}

/// Checks that the first line of a journal contains the same settings.
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
            let message = format!(
                "{} is \"{}\" in the file and \"{}\" now",
                name_of_setting(key),
                there.unwrap_or(&none),
                here.unwrap_or(&none)
            );
            Err(JournalError::OtherSettings(path.to_owned(), message))
        }
    }
}
