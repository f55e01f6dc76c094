//! Any UCI engine can evaluate moves, regardless of its quirks, and any engine can be weakened.

#[path = "../common/mod.rs"]
mod common;
mod mock;
mod session;

use serde_json::Value;

use stopdown::board::Game;

use common::{Finished, Folder, mock_command, mock_words, run, run_with_input};

/// Not a test: starts this program as the mock engine for the other tests.
#[test]
fn mock_engine() {
    if let Some(words) = mock_words() {
        mock::run(&words).expect("pipes");
    }
}

fn evaluate(behaviour: &str, more: &[&str]) -> Finished {
    let mock = mock_command(behaviour);
    run(&[&["evaluate", "--engine", &mock, "--json", "--depth", "4"], more].concat())
}

fn json(finished: &Finished) -> Value {
    assert_eq!(finished.code, 0, "{}", finished.error);
    serde_json::from_str(&finished.out).expect(&finished.out)
}

/// The value at each depth, and whether it is exact, for every move in the starting position.
fn moves(found: &Value) -> Vec<(String, Vec<(i64, bool)>)> {
    let assessment =
        |d: &Value| (d["cp"].as_i64().expect("centipawns"), d["exact"].as_bool().unwrap_or(true));
    let by_depth = |m: &Value| {
        let depths = m["by_depth"].as_array().expect("a list");
        (m["move"].as_str().expect("a move").to_owned(), depths.iter().map(assessment).collect())
    };
    found["moves"].as_array().expect("a list").iter().map(by_depth).collect()
}

fn assert_all_evaluated(found: &Value) {
    let moves = moves(found);
    assert_eq!(moves.len(), 20);
    for (mv, depths) in &moves {
        let reported: Vec<(i64, bool)> =
            (1..=4).map(|depth| (mock::value(mv, depth).into(), true)).collect();
        assert_eq!(*depths, reported, "{mv}");
    }
    assert!(moves.is_sorted_by_key(|(_, depths)| -depths[3].0));
}

#[test]
fn every_move_has_the_engines_value_at_every_depth() {
    let finished = evaluate("plain", &[]);
    let found = json(&finished);
    assert_all_evaluated(&found);
    assert_eq!((&found["depth"], &found["nodes"]), (&4.into(), &4.into()));
    assert_eq!(finished.error, "");
}

#[test]
fn an_engine_with_few_lines_is_asked_for_each_other_move() {
    let finished = evaluate("few", &[]);
    assert_all_evaluated(&json(&finished));
    assert!(finished.error.contains("shows at most 3 lines"), "{}", finished.error);
}

#[test]
fn an_engine_without_searchmoves_evaluates_the_positions_after_the_moves() {
    let finished = evaluate("deaf", &[]);
    let found = moves(&json(&finished));
    assert_eq!(found.len(), 20);
    let start = Game::default();
    for (mv, depths) in &found {
        let after = start.position().after(start.position().parse_uci(mv).expect("legal"));
        let replies = after.legal_moves();
        for depth in 2..=4 {
            let reply = replies.iter().map(|&m| mock::value(&after.uci(m), depth - 1)).max();
            let reported = (-i64::from(reply.expect("no mate")), true);
            assert_eq!(depths[usize::from(depth) - 1], reported, "{mv} at {depth}");
        }
    }
    assert!(found.iter().filter(|(_, depths)| !depths[0].1).count() >= 19);
    assert!(finished.error.contains("ignores searchmoves"), "{}", finished.error);
}

#[test]
fn skipped_depths_and_bounds_are_marked() {
    let found = moves(&json(&evaluate("sparse", &[])));
    for (mv, depths) in &found {
        let [at_2, at_4] = [2, 4].map(|depth| i64::from(mock::value(mv, depth)));
        assert_eq!(*depths, [(at_2, false), (at_2, true), (at_2, false), (at_4, false)], "{mv}");
    }
}

#[test]
fn extra_output_changes_nothing() {
    assert_all_evaluated(&json(&evaluate("garbage", &[])));
}

#[test]
fn a_failed_engine_is_restarted_and_one_that_fails_again_is_named() {
    let folder = Folder::new();
    let count = folder.path().join("count").display().to_string();
    let [start, other] =
        ["rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq -", "8/8/4k3/8/8/4K3/4P3/8 w - -"];
    let input = [other, other, start, other].join("\n");
    let answers = |behaviour: &str| {
        let mock = mock_command(&format!("{behaviour}:{count}"));
        let arguments = ["evaluate", "-", "--engine", &mock, "--depth", "4"];
        run_with_input(&Folder::new(), &arguments, input.as_bytes())
    };
    let once = answers("crash-once");
    assert_eq!(once.code, 0, "{}", once.error);
    let lines: Vec<&str> = once.out.lines().collect();
    assert_all_evaluated(&serde_json::from_str(lines[2]).expect(lines[2]));
    assert!(once.error.contains("Mock 1 exited"), "{}", once.error);
    std::fs::remove_file(&count).expect("it was counted");
    let twice = answers("crash-twice");
    assert_eq!(twice.code, 2);
    let lines: Vec<&str> = twice.out.lines().collect();
    assert!(lines[2].contains("the evaluation failed: Mock 1 exited"), "{}", twice.out);
    assert!(lines.len() == 4 && !lines[3].contains("error"), "{}", twice.out);
}

#[test]
fn a_stalled_or_flooding_engine_is_abandoned() {
    for behaviour in ["stall", "flood"] {
        let finished = evaluate(behaviour, &["--engine-patience", "0.5"]);
        assert_eq!(finished.code, 2, "{behaviour}");
        let stalled = "Mock 1 did not answer within ";
        assert!(finished.error.contains(stalled), "{behaviour}: {}", finished.error);
    }
}

#[test]
fn unsuitable_programs_are_refused_with_a_reason() {
    let cases: [(&[&str], &str); 6] = [
        (&["--engine", "/nonexistent/engine"], "/nonexistent/engine: program not found; give"),
        (&["--engine", "true"], "true exited ("),
        (&["--engine", "'x"], "not closed"),
        (&["--engine", &mock_command("plain"), "--engine-option", "Fast=1"], "no option \"Fast\""),
        (&["--engine", &mock_command("plain"), "--engine-option", "Fast"], "NAME=VALUE"),
        (
            &["--engine", &mock_command("plain"), "--cap", "4"],
            "--cap applies only to the built-in engine",
        ),
    ];
    for (words, expected) in cases {
        let finished = run(&[&["evaluate"], words].concat());
        assert_eq!(finished.code, 2, "{words:?}");
        assert!(finished.error.contains(expected), "{words:?}: {}", finished.error);
    }
}

#[test]
fn a_choice_uses_the_engines_values() {
    let mock = mock_command("plain");
    let words = ["choose", "--engine", &mock, "--competence", "inf", "--depth", "3", "--json"];
    let found = json(&run(&words));
    let of = |m: &Value, key: &str| m[key].as_f64().expect("a number");
    let moves = found["moves"].as_array().expect("a list");
    let best = moves.iter().map(|m| of(m, "value")).fold(f64::MIN, f64::max);
    for m in moves {
        assert_eq!(of(m, "probability") > 0.0, of(m, "value") == best, "{m}");
    }
}

#[test]
fn players_on_another_engine_lose_the_games_in_which_it_fails() {
    let play = |behaviour: &str| {
        let mock = mock_command(behaviour);
        let a = format!("self engine='{mock}' competence=4 depth=2");
        let each = "option.Hash=1";
        let words = [
            "match",
            "--a",
            &a,
            "--b",
            "self depth=1",
            "--each",
            each,
            "--games",
            "2",
            "--json",
            "--max-moves",
            "30",
            "--pgn",
            "games.pgn",
            "--details",
        ];
        let folder = Folder::new();
        let finished = run_with_input(&folder, &words, b"");
        assert_eq!(finished.code, 0, "{}", finished.error);
        std::fs::read_to_string(folder.path().join("games.pgn")).expect("games")
    };
    let sound = play("plain");
    assert!(sound.contains("[WhiteProfile \"Ep(c): p=2 levelled competence=4"), "{sound}");
    assert!(!sound.contains("disconnects"), "{sound}");
    let ruined = play("crash");
    assert_eq!(ruined.matches("disconnects").count(), 2, "{ruined}");
}
