//! Tables on disk.
//!
//! What is in a file says [`super::compressed`]. A file is written under another name and renamed when it
//! is complete, so a table is either whole or not there. One that turns out
//! damaged, or of another version, is renamed, never overwritten.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use super::material::Material;
use super::outcome::{Metric, TableKey};
use crate::files::{Draft, give_way};

/// The version of the files. Those of the first had a byte or two for each cell.
pub const VERSION: u16 = 2;

/// Why a table could not be read or written.
#[derive(Debug, thiserror::Error)]
#[error("{}: {fault}", .path.display())]
pub struct TableError {
    path: PathBuf,
    fault: TableFault,
}

/// What is wrong with a file, or with reaching it.
#[derive(Debug, thiserror::Error)]
pub enum TableFault {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error("{0}; tables cannot be kept there: choose another directory, or make it writable")]
    Unwritable(io::Error),
    #[error("{0}; the table is not saved: make room, or choose another directory")]
    NotSaved(io::Error),
    #[error("not a table of ours")]
    Foreign,
    #[error("written by another version ({0}, this program reads {VERSION})")]
    Version(u16),
    #[error("damaged ({0})")]
    Damaged(&'static str),
}

impl TableFault {
    pub fn of(self, path: &Path) -> TableError {
        TableError { path: path.to_owned(), fault: self }
    }

    /// Is something wrong with what is in the file, rather than with reaching it?
    pub fn is_content(&self) -> bool {
        matches!(self, TableFault::Foreign | TableFault::Version(_) | TableFault::Damaged(_))
    }
}

/// Where a table lies in a directory.
pub fn path(directory: &Path, key: TableKey) -> PathBuf {
    directory.join(name(key))
}

fn name(TableKey { material, metric }: TableKey) -> String {
    format!("{material}.{metric}")
}

/// Writes the bytes of a table whole or not at all.
pub fn save(directory: &Path, key: TableKey, bytes: &[u8]) -> Result<PathBuf, TableError> {
    let path = path(directory, key);
    let saved = create_partial(directory, &name(key)).and_then(|mut draft| {
        draft.write_all(bytes)?;
        draft.finish()
    });
    saved.map_err(|error| TableFault::NotSaved(error).of(&path))?;
    Ok(path)
}

/// What the names of unfinished files end in, before the number of the process that writes them.
const PARTIAL: &str = ".partial-";

/// What a file is called that only tries whether files can be written.
const WRITABLE: &str = "writable";

/// Can tables be kept in a directory?
pub fn try_writing(directory: &Path) -> io::Result<()> {
    create_partial(directory, WRITABLE).map(drop)
}

/// Begins a file under a name that nobody else has: `NAME.partial-PROCESS-` and a few letters.
fn create_partial(directory: &Path, name: &str) -> io::Result<Draft> {
    let process = std::process::id();
    Draft::named(&directory.join(name), &format!("{name}{PARTIAL}{process}-"), "")
}

/// Unfinished files are left alone for so long: their process may live where we cannot see it.
const SPARED: Duration = Duration::from_secs(600);

/// Takes away the unfinished files of processes that have ended. What cannot be removed stays.
pub fn sweep(directory: &Path) {
    for entry in fs::read_dir(directory).into_iter().flatten().flatten() {
        let owner = entry.file_name().to_str().and_then(owner);
        let age = entry.metadata().and_then(|metadata| metadata.modified()).ok();
        let is_old = age.and_then(|time| time.elapsed().ok()).is_some_and(|age| age > SPARED);
        if owner.is_some_and(|process| !lives(process)) && is_old {
            let _kept = fs::remove_file(entry.path());
        }
    }
}

/// The process that writes an unfinished file; `None` where the name is none of ours.
fn owner(name: &str) -> Option<i32> {
    let (table, rest) = name.split_once(PARTIAL)?;
    let (process, mark) = rest.split_once('-')?;
    let is_table = table.split_once('.').is_some_and(|(material, metric)| {
        material.parse::<Material>().is_ok() && metric.parse::<Metric>().is_ok()
    });
    let is_mark = mark.chars().all(|letter| letter.is_ascii_alphanumeric());
    process.parse().ok().filter(|_| is_mark && (is_table || table == WRITABLE))
}

/// Is there a process of this number? Where nobody can tell, there is not.
fn lives(process: i32) -> bool {
    #[cfg(unix)]
    return rustix::process::Pid::from_raw(process).is_some_and(|process| {
        rustix::process::test_kill_process(process) != Err(rustix::io::Errno::SRCH)
    });
    #[cfg(not(unix))]
    return process == std::process::id() as i32;
}

/// Renames a file that cannot be used, so that its place is free and nothing is lost.
pub fn set_aside(directory: &Path, key: TableKey) -> io::Result<PathBuf> {
    let aside = |count| directory.join(format!("{}.unusable-{count}", name(key)));
    give_way(&path(directory, key), aside)
}
