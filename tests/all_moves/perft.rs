//! The move generator generates exactly the legal moves.

use std::collections::HashSet;
use std::fs;
use std::path::Path;

use stopdown::board::{Position, perft};

use crate::common::data;
use crate::common::needs::campaigns_are_enabled;

/// The largest perft count checked by default, in nodes.
const USUAL_COUNT: u64 = 10_000;
/// The largest perft count that is checked when campaigns are enabled.
const LONG_COUNT: u64 = 5_000_000;

#[test]
fn known_positions_have_their_known_counts() {
    let cases: [(&str, u32, u64); 8] = [
        ("rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 5, 4_865_609),
        ("r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", 4, 4_085_603),
        ("8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", 6, 11_030_083),
        ("r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", 4, 422_333),
        ("rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8", 4, 2_103_487),
        ("r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10", 4, 3_894_594),
        // Chess960
        ("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", 4, 326_672),
        ("2nnrbkr/p1qppppp/8/1ppb4/6PP/3PP3/PPP2P2/BQNNRBKR w HEhe - 1 9", 4, 667_366),
    ];
    for (fen, depth, nodes) in cases {
        let position = Position::from_fen(fen, false).expect(fen);
        assert_eq!(perft(&position, depth), nodes, "{fen}");
    }
}

#[test]
fn every_position_of_the_suites_has_its_count() {
    let Some(folder) = data("suites/perft") else { return };
    let budget = if campaigns_are_enabled() { LONG_COUNT } else { USUAL_COUNT };
    let entries = fs::read_dir(folder).expect("the folder can be read");
    let mut files: Vec<_> = entries.map(|entry| entry.expect("it can be read").path()).collect();
    files.retain(|file| file.extension().is_some_and(|kind| kind == "epd" || kind == "perft"));
    files.sort();
    let mut seen = HashSet::new();
    let mut wrong = Vec::new();
    for file in files {
        let chess960 = file.file_name().is_some_and(|name| name.to_string_lossy().contains("960"));
        let counts = counts(&file, budget, &mut seen);
        let differs = |count: &&Count| perft(&count.position(chess960), count.depth) != count.nodes;
        wrong.extend(counts.iter().filter(differs).map(|c| format!("{} D{}", c.fen, c.depth)));
    }
    assert!(!seen.is_empty() && wrong.is_empty(), "{}", wrong.join("\n"));
}

/// The perft count of a position at one depth.
#[derive(Clone, PartialEq, Eq, Hash)]
struct Count {
    fen: String,
    depth: u32,
    nodes: u64,
}

impl Count {
    fn position(&self, chess960: bool) -> Position {
        Position::from_fen(&self.fen, chess960).expect(&self.fen)
    }
}

/// For each position in a file, returns the largest count within the budget, without duplicates.
fn counts(path: &Path, budget: u64, seen: &mut HashSet<Count>) -> Vec<Count> {
    // Some files contain NUL characters.
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
        // A line is either "FEN; D1 20; D2 400", or "epd FEN" followed by a line "perft 1 20" for
        // each depth.
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
