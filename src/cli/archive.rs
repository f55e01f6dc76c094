//! Games of a match, a ladder or a study that are kept in a file.

use std::path::Path;

use super::progress::Progress;
use crate::arena::{Archive, GameRecord, JournalError, Settings};

/// Opens the file of games and its journal; what had to make room is told.
pub fn open(
    path: &Path,
    settings: &Settings,
    resume: bool,
    players: usize,
) -> Result<(Archive, Vec<GameRecord>), JournalError> {
    let (archive, records) = Archive::open(path, settings, resume, players)?;
    if let Some(aside) = &archive.set_aside {
        tell_made_anew(&Progress::new(), path, aside);
    }
    Ok((archive, records))
}

/// Tells that the games in a file were not those of its journal.
pub fn tell_made_anew(progress: &Progress, path: &Path, aside: &Path) {
    progress.tell(format_args!(
        "{} had other games than its journal: it is now {}, and is made anew",
        path.display(),
        aside.display()
    ));
}
