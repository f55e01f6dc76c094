//! Where the games come from.

use std::fs::Metadata;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use anyhow::Context as _;

use crate::games::pgn::{PgnGame, PgnStream, open_text, unpacked};

/// The games of a file.
pub struct Source {
    name: Arc<str>,
    /// What has been read of the file so far.
    pub read: Arc<AtomicU64>,
    /// How long it is, if that can be known.
    pub length: Option<u64>,
    games: PgnStream<Box<dyn BufRead + Send>>,
}

/// The name of what is read from another program.
pub const STANDARD_INPUT: &str = "-";

/// A file's text, packed or not.
fn open(name: &str, read: &Arc<AtomicU64>) -> io::Result<Box<dyn BufRead + Send>> {
    match name {
        STANDARD_INPUT => unpacked(BufReader::new(io::stdin())),
        path => open_text(Path::new(path), read),
    }
}

impl Source {
    /// Opens a PGN file, packed or not; `-` is standard input.
    pub fn open(name: &str) -> anyhow::Result<Source> {
        let read = Arc::default();
        let text = open(name, &read).with_context(|| name.to_owned())?;
        let is_file = |file: &Metadata| name != STANDARD_INPUT && file.is_file();
        let length = std::fs::metadata(name).ok().filter(is_file).map(|file| file.len());
        let name = if name == STANDARD_INPUT { "standard input" } else { name };
        Ok(Source { name: name.into(), read, length, games: PgnStream::new(text) })
    }
}

impl Iterator for Source {
    type Item = Result<PgnGame, String>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.games.next()? {
            Ok(game) => Ok(PgnGame { file: Some(self.name.clone()), ..game }),
            Err(error) => Err(format!("{}: {error}", self.name)),
        })
    }
}
