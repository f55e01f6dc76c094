//! The steps of `fastchess --compliance`, fastchess's own test of engines. They are repeated here
//! because fastchess is not in any package registry.

use crate::common::{Engine, Folder, Search};

const ENDING: &str = "fen 3r2k1/p5n1/1pq1p2p/2p3p1/2P1P1n1/1P1P2pP/PN1Q2K1/5R2 w - - 0 27";

/// Asserts that the last search line has a score, a time and a speed, all of them integers.
fn has_whole_numbers(search: &Search) {
    let is_info = |line: &&String| line.starts_with("info ") && !line.starts_with("info string ");
    let line = search.0.iter().rfind(is_info).unwrap_or_else(|| panic!("no line: {search:?}"));
    let words: Vec<&str> = line.split(' ').collect();
    let after = |key: &str, by: usize| {
        let at = words.iter().position(|word| *word == key).expect(line);
        words[at + by].parse::<i64>().expect(line)
    };
    after("score", 2);
    after("time", 1);
    after("nps", 1);
    assert!(["cp", "mate"].iter().any(|kind| line.contains(&format!(" score {kind} "))), "{line}");
}

#[test]
fn the_compliance_steps_of_fastchess_pass() {
    let mut engine = Engine::start_in(Folder::new(), &[]);
    engine.send("uci");
    let about = engine.until("uciok");
    for key in ["id name ", "id author "] {
        assert!(about.iter().any(|line| line.starts_with(key)), "{key}: {about:?}");
    }
    engine.sync();
    engine.send("ucinewgame");
    engine.sync();
    for position in ["startpos", ENDING] {
        engine.send(&format!("position {position}"));
        engine.sync();
    }
    for clock in [
        "wtime 100",
        "btime 100",
        "wtime 100 winc 100 btime 100 binc 100",
        "btime 100 binc 100 wtime 100 winc 100",
    ] {
        let search = engine.go(clock);
        assert!(search.best().len() >= 4, "{clock}: {search:?}");
        has_whole_numbers(&search);
    }
    engine.send("ucinewgame");
    engine.sync();
    for position in ["startpos", "startpos moves e2e4 e7e5"] {
        engine.send(&format!("position {position}"));
        let search = engine.go("wtime 100 btime 100");
        assert!(search.best().len() >= 4, "{position}: {search:?}");
        // fastchess warns if the move differs from the one that was displayed.
        assert_eq!(search.best(), search.last_shown());
    }
    engine.quit();
}
