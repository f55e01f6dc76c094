//! A file of games whose last game is the one that is played.

use std::io;
use std::path::{Path, PathBuf};

use crate::files::{read_if_there, write_whole};

/// Keeps one game at the end of a file.
#[derive(Debug)]
pub(super) struct Keeper {
    pub path: PathBuf,
    /// What this game looked like when it was last written.
    written: String,
}

impl Keeper {
    pub fn new(path: &Path) -> Keeper {
        Keeper { path: path.to_owned(), written: String::new() }
    }

    /// Writes the game in place of what it was before, behind the other games of the file.
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
