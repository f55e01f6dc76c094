//! Test positions from the folder named by STOPDOWN_DATA.

use std::fs;
use std::path::{Path, PathBuf};

use stopdown::games::epd_to_position;

use crate::common::data;

/// A path below the data folder's `suites`, if it exists.
pub fn path(name: &str) -> Option<PathBuf> {
    data(&format!("suites/{name}"))
}

/// A position and the points for each answer.
pub struct Puzzle {
    pub name: String,
    pub fen: String,
    /// Moves in UCI notation, with their points.
    pub answers: Vec<(String, u32)>,
}

impl Puzzle {
    pub fn points(&self, answer: &str) -> u32 {
        self.answers.iter().find(|(mv, _)| mv == answer).map_or(0, |&(_, points)| points)
    }
}

pub fn puzzles(path: &Path) -> Vec<Puzzle> {
    fs::read_to_string(path).expect("suites are text").lines().map(puzzle).collect()
}

/// Parses a record with a best move, or with moves in `c9` and their points in `c8`.
fn puzzle(line: &str) -> Puzzle {
    let position = epd_to_position(line, false).expect(line);
    let answers = match (operation(line, "c9"), operation(line, "c8")) {
        (Some(moves), Some(points)) => {
            let points = points.split(' ').map(|points| points.parse().expect(line));
            moves.split(' ').map(str::to_owned).zip(points).collect()
        }
        _ => {
            let moves = operation(line, "bm").expect(line).split(' ');
            let uci = |san| position.uci(position.parse_san(san).expect(line));
            moves.map(|san| (uci(san), 1)).collect()
        }
    };
    let name = operation(line, "id").expect(line).to_owned();
    Puzzle { name, fen: position.fen(), answers }
}

fn operation<'a>(line: &'a str, name: &str) -> Option<&'a str> {
    let (_, rest) = line.split_once(&format!(" {name} "))?;
    Some(rest.split(';').next()?.trim_matches(['"', ' ']))
}
