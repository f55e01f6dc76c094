//! The real program imitates human thinking times on request, and keeps responding while it waits.

use crate::common::{Engine, Folder, Search};

/// With this seed, the first move takes longer than any timeout in the tests.
const LONG: &str = "setoption name Seed value 13\nsetoption name Explain value true";
const CLOCK: &str = "wtime 360000000 btime 360000000";
const WAITS: &str = "info string waits ";

/// A player with depth 1 and a human pace.
fn human() -> Engine {
    let mut engine = Engine::start();
    engine.send(LONG);
    engine.send("setoption name Pace value Human");
    engine.send("setoption name Competence value 300\nsetoption name Depth value 1");
    engine
}

fn waiting() -> Engine {
    let mut engine = human();
    engine.send(&format!("go {CLOCK}"));
    engine.until(WAITS);
    engine
}

fn is_answered(lines: &[String]) -> bool {
    lines.iter().any(|line| line.starts_with("bestmove"))
}

#[test]
fn everything_is_answered_during_the_delay() {
    let mut engine = waiting();
    assert!(!is_answered(&engine.sync()));
    engine.send("setoption name MultiPV value 2\ndebug on\nfrobnicate\nuci");
    let output = engine.until("uciok");
    assert!(!is_answered(&output) && output.iter().any(|line| line.contains("frobnicate")));
    assert!(!output.iter().any(|line| line.contains("after the current search")), "{output:?}");
    engine.send("stop");
    assert_eq!(engine.answer().best().len(), 4);
    assert!(engine.sync().is_empty());
}

#[test]
fn the_chosen_move_is_played_at_once_when_the_game_continues() {
    for (next, answers) in [
        ("position startpos moves e2e4", 1),
        ("ucinewgame", 1),
        ("go depth 2", 2),
        ("go infinite\nstop", 2),
    ] {
        let mut engine = waiting();
        engine.send(next);
        for _ in 0..answers {
            engine.answer();
        }
        assert!(!is_answered(&engine.sync()), "{next}");
    }
}

#[test]
fn quit_ends_the_delay() {
    assert!(!is_answered(&waiting().quit()));
    let mut engine = waiting();
    engine.close_input();
    assert_eq!(engine.end().0, 0);
}

#[test]
fn the_delay_starts_at_ponderhit() {
    let mut engine = human();
    engine.send(&format!("position startpos moves e2e4\ngo ponder {CLOCK}"));
    engine.until(WAITS);
    assert!(!is_answered(&engine.sync()));
    engine.send("ponderhit\nponderhit");
    assert!(!is_answered(&engine.sync()), "the move came at ponderhit, without the delay");
    engine.send("stop");
    engine.answer();
}

#[test]
fn the_answer_arrives_unprompted_and_is_the_last_one_shown() {
    let mut engine = human();
    for go in ["wtime 2000 btime 2000", "movetime 1100", "wtime 3000 btime 3000 winc 500 binc 500"]
    {
        let search = engine.go(go);
        assert!(search.0.iter().any(|line| line.starts_with(WAITS)), "{go}: {search:?}");
        assert_eq!(search.best(), search.last_shown(), "{go}");
    }
}

#[test]
fn analysis_and_games_without_a_clock_have_no_delay() {
    let mut engine = human();
    for go in ["depth 1", "nodes 500", "movetime 300", "movetime 5 wtime 100000 btime 100000"] {
        let Search(lines) = engine.go(go);
        assert!(!lines.iter().any(|line| line.starts_with(WAITS)), "{go}: {lines:?}");
    }
    engine.send("setoption name UCI_AnalyseMode value true");
    let Search(lines) = engine.go("depth 2 wtime 360000000 btime 360000000");
    assert!(!lines.iter().any(|line| line.starts_with(WAITS)), "{lines:?}");
}

#[test]
fn by_default_only_humans_with_a_clock_meet_a_delay() {
    const FAST: &str = "wtime 60000 btime 60000";
    let human = "UCI_Opponent value none none human Ann";
    let engine_opponent = "UCI_Opponent value none 2500 computer Toga";
    for (options, clock, waits) in [
        (&["Pace value Auto"][..], CLOCK, true),
        (&["Pace value Human"], CLOCK, true),
        (&["Pace value Instant"], CLOCK, false),
        (&[human, "Pace value Instant"], CLOCK, false),
        (&[engine_opponent], CLOCK, false),
        (&[], FAST, false),
    ] {
        let mut engine = Engine::start_in(Folder::new(), &[]);
        engine.send(LONG);
        engine.send("setoption name Profile value coin-flipper");
        options.iter().for_each(|option| engine.send(&format!("setoption name {option}")));
        engine.send(&format!("go {clock}"));
        if waits {
            let output = engine.until(WAITS);
            assert!(!is_answered(&output), "{options:?}");
        } else {
            let Search(lines) = engine.answer();
            assert!(!lines.iter().any(|line| line.starts_with(WAITS)), "{options:?} {lines:?}");
        }
    }
}

#[test]
fn full_strength_has_no_delay() {
    let mut engine = Engine::start_in(Folder::new(), &[]);
    engine.send("setoption name Explain value true");
    let Search(lines) = engine.go("depth 2 wtime 600000 btime 600000");
    assert!(!lines.iter().any(|line| line.starts_with(WAITS)), "{lines:?}");
}
