//! Without the clock effect, a level plays the same game with any limits that allow its full depth,
//! and with any starting position, hash size and number of threads. If the limits do not allow the
//! full depth, the engine says so.

use crate::common::{Engine, Folder, Search};

/// The search depth of the level in these tests, in plies.
const DEPTH: u32 = 2;

/// Limits that allow this depth on any machine.
const GENEROUS: [&str; 6] = [
    "depth 2",
    "depth 30",
    "movetime 600000",
    "wtime 6000000 btime 6000000 winc 6000 binc 6000",
    "wtime 90000000 btime 90000000 winc 10000 binc 10000",
    "nodes 100000000",
];

/// Limits that allow this depth only on a fast machine.
const TIGHT: [&str; 3] = [
    "movetime 50",
    "wtime 500 btime 500 winc 10 binc 10",
    "wtime 60000 btime 60000 winc 600 binc 600",
];

/// Limits that never allow this depth.
const TOO_SHORT: [&str; 2] = ["depth 1", "nodes 1"];

const CUT_SHORT: &str = "info string search stopped at depth ";

/// Starting positions: the usual one, a FEN, and a Chess960 FEN.
const STARTS: [(&str, bool); 3] = [
    ("startpos", false),
    ("fen r1bq1rk1/pp2bppp/2n1pn2/2pp4/3P1B2/2PBPN2/PP1N1PPP/R2QK2R w KQ - 0 9", false),
    ("fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9", true),
];

fn start(hash: u32, threads: u32, chess960: bool) -> Engine {
    let mut engine = Engine::start_in(Folder::new(), &[]);
    for option in [
        "UCI_LimitStrength value true".to_owned(),
        "UCI_Elo value 1500".to_owned(),
        "Seed value 7".to_owned(),
        "Pace value Instant".to_owned(),
        "Clock Effect value false".to_owned(),
        format!("Depth value {DEPTH}"),
        format!("Hash value {hash}"),
        format!("Threads value {threads}"),
        format!("UCI_Chess960 value {chess960}"),
    ] {
        engine.send(&format!("setoption name {option}"));
    }
    engine
}

/// The moves of both sides in a short game, and the number of searches that were cut short.
fn game(engine: &mut Engine, start: &str, go: &str) -> (Vec<String>, usize) {
    engine.send("setoption name Seed value 7\nucinewgame");
    let (mut moves, mut cut_short) = (Vec::new(), 0);
    for _ in 0..4 {
        engine.send(&format!("position {start} moves {}", moves.join(" ")));
        let search = engine.go(go);
        let Search(lines) = &search;
        cut_short += usize::from(lines.iter().any(|line| line.starts_with(CUT_SHORT)));
        moves.push(search.best().to_owned());
    }
    (moves, cut_short)
}

#[test]
fn a_seeded_game_at_a_level_is_the_same_everywhere() {
    let mut references = Vec::new();
    for (hash, threads) in [(16, 1), (1, 1), (256, 4), (1, 4)] {
        for (number, (position, chess960)) in STARTS.into_iter().enumerate() {
            let mut engine = start(hash, threads, chess960);
            if references.len() == number {
                references.push(game(&mut engine, position, "depth 3").0);
            }
            let expected = &references[number];
            for go in GENEROUS {
                let (moves, cut_short) = game(&mut engine, position, go);
                let case = format!("{position}, {go}, hash {hash}, threads {threads}");
                assert_eq!((&moves, cut_short), (expected, 0), "{case}");
            }
            for go in TIGHT {
                let (moves, cut_short) = game(&mut engine, position, go);
                assert!(cut_short > 0 || moves == *expected, "{position}, {go}: {moves:?}");
            }
            for go in TOO_SHORT {
                let (moves, cut_short) = game(&mut engine, position, go);
                assert_eq!(
                    cut_short,
                    moves.len(),
                    "{position}, {go}: a search cut short was not reported"
                );
            }
        }
    }
    assert!(references[0] != references[1], "{references:?}");
}

#[test]
fn an_infinite_search_is_an_analysis_at_full_strength() {
    let mut engine = start(16, 1, false);
    engine.send("position startpos\ngo infinite");
    engine.until("info depth 4 ");
    engine.send("stop");
    let mut again = start(16, 1, false);
    again.send("position startpos\ngo infinite\nstop");
    let Search(lines) = again.answer();
    assert!(lines.iter().any(|line| line.contains("analysing at full strength")), "{lines:?}");
    assert_eq!(engine.answer().best().len(), 4);
}

#[test]
fn the_choices_of_a_level_do_not_depend_on_the_hash_table() {
    // This depth is enough to fill a small table.
    let probabilities = |hash: u32| {
        let mut engine = start(hash, 1, false);
        engine.send("setoption name Depth value 8\nsetoption name Explain value true");
        engine.send(&format!("position {}", STARTS[1].0));
        let Search(lines) = engine.go("wtime 9000000 btime 9000000");
        let shown = lines.into_iter().filter(|line| line.starts_with("info string prob "));
        shown.collect::<Vec<String>>()
    };
    let usual = probabilities(16);
    assert!(usual.len() > 30);
    assert_eq!(probabilities(1), usual);
    assert_eq!(probabilities(64), usual);
}
