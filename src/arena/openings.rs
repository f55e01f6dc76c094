//! Opening books for matches, and the selection of openings from them.
//!
//! A book may be much larger than a match, so its entries remain text until they are selected. All
//! selected entries are set up before the first game, so that a bad line cannot stop a match later.

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

/// The maximum size of a decompressed book, in bytes. A book is kept in memory.
const MAX_BOOK_SIZE: u64 = 256 << 20;

/// The number of plies after which the names of openings rarely depend on further moves.
const NAMED_PLIES: usize = 20;

const BUILT_IN: &str = include_str!("openings.txt");

/// An opening, ready to be played.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Empty if the book does not name the opening.
    pub name: String,
    /// The starting position and the moves of the opening.
    pub game: Game,
}

/// The order of a book's openings in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// The order of the book.
    Sequential,
    /// Shuffled with this seed.
    Random(u64),
}

/// A book of openings.
#[derive(Clone, Debug)]
pub struct Book {
    /// The name of the file, or `built-in`.
    pub name: String,
    /// The name with a hash of the contents, for a journal. A file with different contents counts as
    /// a different book, but the same file in another folder does not.
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
    /// The file cannot be read. Contains its path and the error.
    #[error("the opening book {0} cannot be read: {1}")]
    File(String, std::io::Error),
    /// The file is too large. Contains its path and the maximum size in MiB.
    #[error("the opening book {0} is larger than {1} MiB; use only part of it")]
    Size(String, u64),
    /// The file has no openings. Contains its path.
    #[error("the opening book {0} has no openings; it must be an EPD, FEN or PGN file")]
    Empty(String),
    /// A position is not valid. Contains the book, the line and the error.
    #[error("{0}:{1}: {2}")]
    Position(String, usize, FenError),
    /// A game cannot be replayed. Contains the book and the error.
    #[error("{}", .1.in_file(.0))]
    Game(String, PgnError),
    /// A game cannot be read. Contains the path of the book and the error.
    #[error("{}", .1.in_file(.0))]
    Text(String, StreamError),
    /// The game is already over in a position. Contains the book and the line.
    #[error("{0}:{1}: the game is already over in this position")]
    Over(String, usize),
}

impl Book {
    /// The book that comes with the program.
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

    /// Opens a file, or returns the built-in book if no path is given.
    pub fn open_or_built_in(path: Option<&Path>) -> Result<Book, BookError> {
        path.map_or_else(|| Ok(Book::built_in()), Book::open)
    }

    /// Reads a book. It is read as PGN if the file name says so or the text starts with a tag.
    /// Otherwise it contains one position per line.
    pub fn open(path: &Path) -> Result<Book, BookError> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        let mut bytes = Vec::new();
        open_text(path, &Arc::default())
            .and_then(|text| text.take(MAX_BOOK_SIZE + 1).read_to_end(&mut bytes))
            .map_err(|error| BookError::File(path.display().to_string(), error))?;
        if bytes.len() as u64 > MAX_BOOK_SIZE {
            return Err(BookError::Size(path.display().to_string(), MAX_BOOK_SIZE >> 20));
        }
        let identity = format!("{name} ({:016x})", fingerprint(&bytes));
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

    /// The number of openings.
    pub fn size(&self) -> usize {
        self.entries.len()
    }

    /// Sets up the first `count` openings in this order, or all of them if there are fewer. If an
    /// entry is a game, at most `plies` of its moves are played.
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
                let replayed = game
                    .replay(plies)
                    .map_err(|error| BookError::Game(self.name.clone(), error))?;
                // The name may be that of a position after the moves that are left out.
                let is_named = replayed.ply() >= game.moves.len().min(NAMED_PLIES);
                let name = if is_named { name.clone() } else { String::new() };
                (game.line, Opening { name, game: replayed })
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
    fn built_in_openings_are_legal_and_distinct() {
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
    fn a_seed_determines_the_order() {
        let names = |seed| {
            let selected = Book::built_in().select(Order::Random(seed), None, 20);
            selected
                .expect("legal")
                .into_iter()
                .map(|opening| opening.name)
                .collect::<Vec<String>>()
        };
        assert_eq!(names(7), names(7));
        assert_ne!(names(7), names(8));
    }

    #[test]
    fn an_opening_that_was_cut_short_has_no_name() {
        let cut = Book::built_in().select(Order::Sequential, Some(4), 20).expect("legal");
        assert!(cut.iter().all(|opening| opening.game.ply() == 4 && opening.name.is_empty()));
    }
}
