//! Saves the current game as the last game of a PGN file, after every move.

use std::io;
use std::path::{Path, PathBuf};

use crate::files::{read_if_there, write_whole};

/// Saves one game at the end of a file.
#[derive(Debug)]
pub(super) struct Keeper {
    pub path: PathBuf,
    /// The text of this game when it was last written.
    written: String,
}

impl Keeper {
    pub fn new(path: &Path) -> Keeper {
        Keeper { path: path.to_owned(), written: String::new() }
    }

    /// Replaces the previous version of the game and keeps the other games in the file.
    pub fn keep(&mut self, pgn: String) -> io::Result<()> {
        let mut content = read_if_there(&self.path)?;
        if content.ends_with(self.written.as_bytes()) {
            content.truncate(content.len() - self.written.len());
        }
        while !content.is_empty() && !content.ends_with(b"\n\n") {
            content.push(b'\n');
        }
        content.extend(pgn.as_bytes());
        write_whole(&self.path, &content)?;
        self.written = pgn;
        Ok(())
    }
}
