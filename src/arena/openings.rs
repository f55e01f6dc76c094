//! Where the games of a match begin: a book of openings, and the choice among them.
//!
//! A book may be large and a match short, so entries are kept as text and only those that are
//! played are set up; all of them before the first game, that a bad line stops nothing later.

use std::io::Read;
use std::path::Path;
use std::sync::Arc;

use rand::SeedableRng;
use rand::rngs::ChaCha8Rng;
use rand::seq::SliceRandom;

use crate::board::{FenError, Game};
use crate::games::pgn::{PgnError, PgnGame, PgnStream, StreamError, decoded, open_text};
use crate::games::{epd_to_position, position_text};
use crate::math::fingerprint;

/// A book is held in memory: of an endless one, or a small file that unpacks to one, no more is read.
const LARGEST_BOOK: u64 = 256 << 20;

const BUILT_IN: &str = include_str!("openings.txt");

/// An opening, ready to be played.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Empty where the book gives none.
    pub name: String,
    pub game: Game,
}

/// In which order the openings of a book are played.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Sequential,
    /// Shuffled by this seed.
    Random(u64),
}

#[derive(Clone, Debug)]
pub struct Book {
    /// The file's name, or what stands for it.
    pub name: String,
    /// The same in the words of a journal: another file under that name is another book.
    pub identity: String,
    entries: Vec<BookEntry>,
}

#[derive(Clone, Debug)]
enum BookEntry {
    Moves { name: String, game: PgnGame },
    Position { line: usize, text: String },
}

/// Why a book cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum BookError {
    #[error("the opening book {0} cannot be read: {1}")]
    File(String, std::io::Error),
    #[error("the opening book {0} is longer than {1} MiB; take a part of it")]
    Size(String, u64),
    #[error("the opening book {0} has no openings in it (EPD, FEN and PGN are understood)")]
    Empty(String),
    #[error("{0}, line {1}: {2}")]
    Position(String, usize, FenError),
    #[error("{0}: {1}")]
    Game(String, PgnError),
    #[error("{0}: {1}")]
    Text(String, StreamError),
    #[error("{0}, line {1}: the game is already over in this position")]
    Over(String, usize),
}

impl Book {
    /// Openings of our own.
    pub fn built_in() -> Book {
        let lines = BUILT_IN.lines().enumerate().filter(|(_, line)| !line.starts_with('#'));
        let entry = |(index, line): (usize, &str)| {
            let (name, moves) = line.split_once(':')?;
            let moves = moves.split_whitespace().map(str::to_owned).collect();
            let game = PgnGame { line: index + 1, moves, ..PgnGame::default() };
            Some(BookEntry::Moves { name: name.to_owned(), game })
        };
        let name = "built-in".to_owned();
        Book { identity: name.clone(), name, entries: lines.filter_map(entry).collect() }
    }

    /// The book of this file, or else ours.
    pub fn open_or_built_in(path: Option<&Path>) -> Result<Book, BookError> {
        path.map_or_else(|| Ok(Book::built_in()), Book::open)
    }

    /// Reads a book: PGN when it is called so or begins with a tag, else one position a line.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        open_text(path, &Arc::default())
            .and_then(|text| text.take(LARGEST_BOOK + 1).read_to_end(&mut bytes))
            .map_err(|error| BookError::File(path.display().to_string(), error))?;
        if bytes.len() as u64 > LARGEST_BOOK {
            return Err(BookError::Size(path.display().to_string(), LARGEST_BOOK >> 20));
        }
        let identity = format!("{} ({:016x})", path.display(), fingerprint(&bytes));
        let begins_with_tag = bytes.trim_ascii_start().starts_with(b"[");
        let is_pgn = name.to_lowercase().contains(".pgn") || begins_with_tag;
        let game = |game: PgnGame| BookEntry::Moves {
            name: game.tag("Opening").unwrap_or_default().to_owned(),
            game,
        };
        let position = |(line, text): (usize, &str)| {
            Some(BookEntry::Position { line, text: position_text(text)?.to_owned() })
        };
        let entries: Vec<BookEntry> = match is_pgn {
            true => PgnStream::new(&bytes[..])
                .map(|read| read.map(game))
                .collect::<Result<_, _>>()
                .map_err(|error| BookError::Text(path.display().to_string(), error))?,
            false => (1..).zip(decoded(bytes).lines()).filter_map(position).collect(),
        };
        if entries.is_empty() {
            return Err(BookError::Empty(path.display().to_string()));
        }
        Ok(Book { name, identity, entries })
    }

    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sets up the first `count` openings in this order, or all that there are. Games are followed
    /// for at most `plies` moves.
    pub fn select(
        &self,
        order: Order,
        plies: Option<usize>,
        count: usize,
    ) -> Result<Vec<Opening>, BookError> {
        let mut entries: Vec<&BookEntry> = self.entries.iter().collect();
        if let Order::Random(seed) = order {
            entries.shuffle(&mut ChaCha8Rng::seed_from_u64(seed));
        }
        entries.into_iter().take(count).map(|entry| self.set_up(entry, plies)).collect()
    }

    fn set_up(&self, entry: &BookEntry, plies: Option<usize>) -> Result<Opening, BookError> {
        let (line, opening) = match entry {
            BookEntry::Moves { name, game } => {
                let replayed = game.replay(plies);
                let replayed =
                    replayed.map_err(|error| BookError::Game(self.name.clone(), error))?;
                (game.line, Opening { name: name.clone(), game: replayed })
            }
            BookEntry::Position { line, text } => {
                let position = epd_to_position(text, false)
                    .map_err(|error| BookError::Position(self.name.clone(), *line, error))?;
                (*line, Opening { name: String::new(), game: Game::new(position) })
            }
        };
        if opening.game.ending().is_some() {
            return Err(BookError::Over(self.name.clone(), line));
        }
        Ok(opening)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn the_built_in_openings_are_legal_and_all_different() {
        let openings = Book::built_in().select(Order::Sequential, None, 999).expect("legal");
        assert!(openings.len() >= 50);
        let distinct: HashSet<u64> =
            openings.iter().map(|opening| opening.game.position().key()).collect();
        assert_eq!(distinct.len(), openings.len());
        for opening in &openings {
            assert!(opening.game.ply() >= 8 && opening.game.ply() % 2 == 0, "{}", opening.name);
        }
    }

    #[test]
    fn a_seed_gives_one_order_and_another_seed_another() {
        let names = |seed| {
            let selected = Book::built_in().select(Order::Random(seed), Some(4), 20);
            let openings = selected.expect("legal");
            assert!(openings.iter().all(|opening| opening.game.ply() == 4));
            openings.into_iter().map(|opening| opening.name).collect::<Vec<String>>()
        };
        assert_eq!(names(7), names(7));
        assert_ne!(names(7), names(8));
    }
}
