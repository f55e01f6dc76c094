//! The engine says when the clock changes its strength. The option `Clock Effect` turns this change
//! off.

use crate::common::{Engine, Search};

const NOTICE: &str = "info string Clock Effect: ";
const BELOW: &str = " Elo below its level because of the clock";

fn says(lines: &[String], text: &str) -> bool {
    lines.iter().any(|line| line.contains(text))
}

fn level() -> Engine {
    let mut engine = Engine::start();
    for option in ["UCI_LimitStrength value true", "Pace value Human", "Depth value 3"] {
        engine.send(&format!("setoption name {option}"));
    }
    engine.send("setoption name Seed value 7\nsetoption name Explain value true\nucinewgame");
    engine
}

#[test]
fn the_effect_is_announced_once_a_game_and_reported_when_it_is_large() {
    let mut engine = level();
    for _ in 0..2 {
        for (go, notice, below) in [
            ("wtime 20000 btime 20000", true, false),
            ("wtime 18000 btime 18000", false, false),
            ("wtime 4000 btime 4000", false, true),
            ("movetime 1000", false, false),
            ("depth 2", false, false),
        ] {
            let Search(lines) = engine.go(go);
            assert_eq!((says(&lines, NOTICE), says(&lines, BELOW)), (notice, below), "{go}");
        }
        engine.send("ucinewgame");
    }
    engine.send("setoption name Clock Effect value false\nucinewgame");
    for go in ["wtime 20000 btime 20000", "wtime 4000 btime 4000"] {
        let Search(lines) = engine.go(go);
        assert!(!says(&lines, NOTICE) && !says(&lines, BELOW), "{go}: {lines:?}");
    }
}

#[test]
fn a_level_above_all_humans_has_no_clock_effect() {
    let mut engine = level();
    engine.send("setoption name UCI_Elo value 3200");
    for go in ["wtime 20000 btime 20000", "wtime 4000 btime 4000"] {
        let Search(lines) = engine.go(go);
        assert!(!says(&lines, NOTICE) && !says(&lines, BELOW), "{go}: {lines:?}");
    }
}

#[test]
fn without_the_effect_a_level_chooses_alike_at_any_time() {
    let shares = |options: &str, go: &str| {
        let mut engine = level();
        engine.send(options);
        engine.send("position startpos moves e2e4 e7e5 g1f3 b8c6 f1b5 a7a6");
        let Search(lines) = engine.go(go);
        let shares = lines.into_iter().filter(|line| line.starts_with("info string prob "));
        shares.collect::<Vec<String>>()
    };
    let (off, on) = ("setoption name Clock Effect value false", "isready");
    let at_once = "setoption name Pace value Instant";
    let (short, none) = ("wtime 9000 btime 9000", "movetime 1000");
    assert!(shares(on, none).len() > 20);
    assert_eq!(shares(off, short), shares(on, none));
    assert_eq!(shares(at_once, short), shares(on, none));
    assert_ne!(shares(on, short), shares(on, none));
}
