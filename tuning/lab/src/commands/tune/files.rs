//! The files that several steps read and write: the user's games, and results that must not replace them.

use std::fs::{File, Metadata};
use std::io::Read as _;
use std::path::Path;

use anyhow::Context as _;

use stopdown::cli::support::{Progress, Source};
use stopdown::games::pgn::PgnGame;

/// The number of bytes at the start of a file that [`refuse_foreign`] shows to its check.
const START: usize = 512;

/// Refuses to overwrite a file that the command did not make, such as the user's games when the files are given in the
/// wrong order. `is_ours` receives the start of the file and its length.
pub fn refuse_foreign(path: &Path, is_ours: impl FnOnce(&[u8], u64) -> bool) -> anyhow::Result<()> {
    // A missing file, a device and a pipe have nothing to lose.
    let there = std::fs::metadata(path).ok().filter(Metadata::is_file);
    let Some(length) = there.map(|file| file.len()) else { return Ok(()) };
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(START as u64).read_to_end(&mut start))
        .with_context(|| path.display().to_string())?;
    anyhow::ensure!(
        start.is_empty() || is_ours(&start, length),
        "{} already exists, and this command did not make it; give the output file first, and then the games, or \
         remove the file",
        path.display()
    );
    Ok(())
}

/// Calls `each` with every game in a file, or with `None` and a message on the terminal for a game that cannot be read.
/// A file that ends early is an error, because an unknown number of games is missing.
pub fn read_games(
    name: &str,
    progress: &Progress,
    mut each: impl FnMut(Option<PgnGame>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut games = Source::open(name)?;
    while let Some(game) = games.next() {
        if let Some(failure) = games.failure() {
            anyhow::bail!("{failure}; the games after it are missing, so get the file again");
        }
        match game {
            Ok(game) => each(Some(game))?,
            Err(message) => {
                progress.tell(message);
                each(None)?;
            }
        }
    }
    Ok(())
}
