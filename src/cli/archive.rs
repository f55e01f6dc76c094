//! Games of a match, a ladder or a study that are kept in a file.

use std::path::Path;

use super::progress::Progress;
use crate::arena::{Archive, GameRecord, JournalError, Settings};

/// Opens the file of games and its journal; what had to make room is told.
pub fn open(
    path: &Path,
    settings: &Settings,
    resume: bool,
) -> Result<(Archive, Vec<GameRecord>), JournalError> {
    let (archive, records) = Archive::open(path, settings, resume)?;
    if let Some(aside) = &archive.set_aside {
        Progress::new().tell(format_args!(
            "{} had other games than its journal: it is now {}, and is made anew",
            path.display(),
            aside.display()
        ));
    }
    Ok((archive, records))
}
