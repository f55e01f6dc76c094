//! Test positions in the folder that STOPDOWN_DATA names.

use std::collections::HashSet;
use std::fs;
use std::path::{Path, PathBuf};

use stopdown::board::Position;
use stopdown::games::epd_to_position;

use crate::common::data;

/// A path below the data folder's `suites`, if it is there.
pub fn path(name: &str) -> Option<PathBuf> {
    data(&format!("suites/{name}"))
}

/// A position and what each answer is worth.
pub struct Puzzle {
    pub name: String,
    pub fen: String,
    /// Moves as UCI writes them, with their points.
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

/// Reads a record with a best move, or with moves in `c9` and their points in `c8`.
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

/// The number of move sequences of some length.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Count {
    pub fen: String,
    pub depth: u32,
    pub nodes: u64,
}

impl Count {
    pub fn position(&self, chess960: bool) -> Position {
        Position::from_fen(&self.fen, chess960).expect(&self.fen)
    }
}

/// For each position of a file the longest count within the budget, without those already seen.
pub fn counts(path: &Path, budget: u64, seen: &mut HashSet<Count>) -> Vec<Count> {
    // Some files end their lines as C ends its strings.
    let text = fs::read_to_string(path).expect("suites are text").replace('\0', "");
    let mut deepest: Vec<Count> = Vec::new();
    let mut fen = String::new();
    let mut take = |fen: &str, depth: &str, nodes: &str| {
        let depth = depth.trim_start_matches('D').parse().expect(fen);
        let nodes = nodes.parse().expect(fen);
        if nodes <= budget {
            let count = Count { fen: fen.to_owned(), depth, nodes };
            match deepest.last_mut().filter(|last| last.fen == fen) {
                Some(last) => *last = count,
                None => deepest.push(count),
            }
        }
    };
    for line in text.lines() {
        // Either "FEN; D1 20; D2 400", or "epd FEN" and a line "perft 1 20" for each depth.
        let mut parts = line.split(';').map(|part| part.split_whitespace().collect::<Vec<_>>());
        match parts.next().unwrap_or_default()[..] {
            [] | ["id" | "#", ..] => {}
            [word, ..] if word.starts_with('#') => {}
            ["perft", depth, nodes] => take(&fen, depth, nodes),
            ["epd", ref fields @ ..] => fen = fields[..4].join(" "),
            ref fields => {
                fen = fields[..4].join(" ");
                for part in parts.filter(|part| part.len() == 2) {
                    take(&fen, part[0], part[1]);
                }
            }
        }
    }
    deepest.retain(|count| seen.insert(count.clone()));
    deepest
}
