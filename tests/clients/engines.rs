//! Third-party engines: they can evaluate all the moves in a position, and they can be weakened.

use std::path::PathBuf;

use serde_json::Value;

use crate::common::needs::{client, clients_are_enabled};
use crate::common::{Engine, Folder, run};

const NAMES: [&str; 5] = ["stockfish", "ethereal-chess", "glaurung", "toga2", "fairy-stockfish"];

/// The engines that are installed. Debian's packages have the same names as their programs.
fn installed() -> Vec<PathBuf> {
    if !clients_are_enabled() {
        return Vec::new();
    }
    NAMES.iter().filter_map(|name| client(name, name)).collect()
}

#[test]
fn other_engines_evaluate_every_move() {
    let positions = [
        ("r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4", "h5f7", 43),
        ("7k/8/6K1/8/8/8/8/R7 w - - 0 1", "a1a8", 20),
        ("8/8/8/8/8/5k2/5p2/5K2 w - - 0 1", "", 0),
    ];
    for program in installed() {
        let program = program.display().to_string();
        for (fen, best, count) in positions {
            let words = ["evaluate", "--engine", &program, "--depth", "4", "--json", "--fen", fen];
            let finished = run(&words);
            assert_eq!(finished.code, 0, "{program}: {}", finished.error);
            let found: Value = serde_json::from_str(&finished.out).expect(&finished.out);
            let moves = found["moves"].as_array().expect("a list");
            assert_eq!(moves.len(), count, "{program}: {}", finished.error);
            if count == 0 {
                continue;
            }
            assert_eq!(moves[0]["move"], best, "{program}");
            assert_eq!(found["depth"], 4, "{program}");
            assert!(moves.iter().all(|m| m["by_depth"].as_array().is_some_and(|d| d.len() == 4)));
            // Even if an engine omits some lines, its final evaluations cover most moves.
            let last = moves.iter().filter(|m| m["exact"] != false);
            assert!(last.count() * 2 > count, "{program}: {}", finished.out);
        }
    }
}

#[test]
fn other_engines_can_be_weakened() {
    for program in installed() {
        let program = program.display().to_string();
        let mut engine = Engine::start_in(Folder::new(), &["proxy", "--engine", &program]);
        engine.send("uci");
        engine.until("uciok");
        for option in
            ["Competence value 400", "Depth value 3", "Seed value 3", "Explain value true"]
        {
            engine.send(&format!("setoption name {option}"));
        }
        engine.send("ucinewgame");
        let mut moves = String::new();
        for _ in 0..6 {
            engine.send(&format!("position startpos moves{moves}"));
            let search = engine.go("wtime 60000 btime 60000");
            let output = search.0.join("\n");
            assert!(output.contains("info string chosen "), "{program}: {output}");
            moves += &format!(" {}", search.best());
        }
        engine.send("go infinite");
        engine.send("stop");
        engine.answer();
        engine.quit();
    }
}
