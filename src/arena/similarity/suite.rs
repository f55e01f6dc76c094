//! The positions that players are asked about.
//!
//! A list has a line of moves from the starting position for each. Where bars stand among the
//! moves, each of them gives a position, so that one line can hold several of a game.

use std::path::Path;

use crate::board::{Game, GameError};

const BUILT_IN: &str = include_str!("../../../tuning/similarity-positions.txt");

/// A list of positions, each with the moves that led to it.
#[derive(Clone, Debug)]
pub struct Suite {
    /// The file's name, or what stands for it.
    pub name: String,
    pub positions: Vec<Game>,
}

/// Why a list cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    #[error("the list of positions {0} cannot be read: {1}")]
    File(String, std::io::Error),
    #[error("{0} line {1}: {2}; a line is moves from the starting position, as e2e4 e7e5 g1f3")]
    Line(String, usize, GameError),
    #[error("{0} has no positions in it")]
    Empty(String),
}

impl Suite {
    /// 2,000 positions of our own games (see `stopdown-lab similarity --make-positions`).
    pub fn built_in() -> Result<Suite, SuiteError> {
        Suite::parse("built-in", BUILT_IN)
    }

    pub fn open(path: &Path) -> Result<Suite, SuiteError> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy();
        let bytes = std::fs::read(path)
            .map_err(|error| SuiteError::File(path.display().to_string(), error))?;
        Suite::parse(&name, &String::from_utf8_lossy(&bytes))
    }

    pub fn parse(name: &str, text: &str) -> Result<Suite, SuiteError> {
        let mut positions = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let wrong = |error| SuiteError::Line(name.to_owned(), index + 1, error);
            let words = line.split_whitespace();
            let moves = words.filter(|word| !matches!(*word, "position" | "startpos" | "moves"));
            let mut played = Vec::new();
            let mut marked = Vec::new();
            for word in moves {
                match word {
                    "|" => marked.push(played.len()),
                    _ => played.push(word),
                }
            }
            if marked.is_empty() {
                marked.push(played.len());
            }
            for plies in marked {
                let moves = played[..plies].iter().copied();
                positions.push(Game::from_uci(None, moves, false).map_err(wrong)?);
            }
        }
        match positions.is_empty() {
            true => Err(SuiteError::Empty(name.to_owned())),
            false => Ok(Suite { name: name.to_owned(), positions }),
        }
    }

    /// Tells lists apart, whatever they are called.
    pub fn fingerprint(&self) -> u64 {
        self.positions.iter().fold(0, |sum, game| sum.rotate_left(1) ^ game.position().key())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bars_mark_positions_and_without_any_the_end_does() {
        let text = "# a comment\n\ne2e4 | e7e5 g1f3 |\nposition startpos moves d2d4\n| c2c4\n";
        let suite = Suite::parse("test", text).expect("legal");
        let plies: Vec<usize> = suite.positions.iter().map(Game::ply).collect();
        assert_eq!(plies, [1, 3, 1, 0]);
        let other = Suite::parse("test", "e2e4\ne2e4 e7e5 g1f3\nd2d4\nc2c4").expect("legal");
        assert_ne!(suite.fingerprint(), other.fingerprint());
        let message = Suite::parse("x", "e2e4\ne2e5").expect_err("illegal").to_string();
        assert!(message.contains("x line 2") && message.contains("e2e5"), "{message}");
        assert!(Suite::parse("x", "# nothing").is_err());
    }

    #[test]
    fn the_built_in_positions_are_legal_different_and_undecided() {
        let suite = Suite::built_in().expect("legal");
        assert_eq!(suite.positions.len(), 2000);
        let mut keys: Vec<u64> = suite.positions.iter().map(|game| game.position().key()).collect();
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), 2000);
        assert!(suite.positions.iter().all(|game| game.ending().is_none()));
    }
}
