//! Where the games come from.

use std::io::{self, BufReader};
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
    games: PgnStream<Box<dyn io::BufRead + Send>>,
}

impl Source {
    /// Opens a PGN file, packed or not; `-` is standard input.
    pub fn open(name: &str) -> anyhow::Result<Source> {
        let read = Arc::default();
        let text = match name {
            "-" => unpacked(BufReader::new(io::stdin())),
            path => open_text(Path::new(path), &read),
        };
        let text = text.with_context(|| name.to_owned())?;
        let file = std::fs::metadata(name).ok().filter(|file| name != "-" && file.is_file());
        let length = file.map(|file| file.len());
        let name = if name == "-" { "standard input" } else { name };
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
