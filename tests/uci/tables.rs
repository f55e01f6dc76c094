//! The real program finds, builds and uses endgame tables. It reports a problem with them once, and
//! continues to play without them.

use std::fs;

use crate::common::{Engine, Folder, Search, data, run, word_after};

/// The rook mates in 14 moves.
const ROOK: &str = "8/8/8/3k4/8/8/8/R3K3 w - - 0 1";

fn count_lines(lines: &[String], text: &str) -> usize {
    lines.iter().filter(|line| line.contains("info string") && line.contains(text)).count()
}

fn set(engine: &mut Engine, name: &str, value: impl std::fmt::Display) {
    engine.send(&format!("setoption name {name} value {value}"));
}

#[test]
fn the_table_options_are_shown() {
    let mut engine = Engine::start();
    engine.send("uci");
    let lines = engine.until("uciok");
    for expected in [
        "option name SyzygyPath type string default <empty>",
        "option name Syzygy50MoveRule type check default true",
        "option name Endgame Tables type string default auto",
        "option name Exploit type combo default Off var Off var Equal var Any",
    ] {
        assert!(lines.iter().any(|line| line == expected), "{expected} is not in {lines:#?}");
    }
}

#[test]
fn the_first_score_of_an_ending_is_its_tables() {
    for board in [ROOK, "8/8/8/3k4/8/8/8/Q3K3 b - - 0 1"] {
        let folder = Folder::new();
        let mut engine = Engine::start();
        set(&mut engine, "Endgame Tables", folder.path().join("tables").display());
        engine.send(&format!("position fen {board}"));
        let search = engine.go("depth 4");
        let is_known =
            |line: &str| line.contains(" score mate ") || line.contains(" score cp 20000");
        let first = search.scored()[0].replace("cp -", "cp ");
        assert!(is_known(&first), "{search:?}");
    }
}

#[test]
fn a_level_above_all_humans_always_plays_the_same_move_in_an_ending() {
    // Eight moves keep this draw.
    let ending = "8/8/8/4k3/8/8/4P3/4K3 b - - 0 1";
    let mut engine = Engine::start();
    set(&mut engine, "UCI_LimitStrength", true);
    set(&mut engine, "UCI_Elo", 3000);
    let moves = [1, 2, 3, 4, 5, 6].map(|seed| {
        set(&mut engine, "Seed", seed);
        engine.send(&format!("ucinewgame\nposition fen {ending}"));
        engine.go("depth 30").best().to_owned()
    });
    assert!(moves.iter().all(|mv| *mv == moves[0]), "{moves:?}");
}

#[test]
fn a_table_is_built_when_needed_and_saved() {
    let folder = Folder::new();
    let tables = folder.path().join("tables");
    let mut engine = Engine::start();
    set(&mut engine, "Endgame Tables", tables.display());
    set(&mut engine, "Explain", true);
    set(&mut engine, "Competence", 3000);
    engine.send(&format!("position fen {ROOK}"));
    // A player that never gives up a win waits until this table has been built.
    let Search(lines) = engine.go("depth 2");
    assert_eq!(count_lines(&lines, "chosen from the KRK table"), 1, "{lines:?}");
    engine.quit();
    assert!(tables.join("KRK.dtc").is_file());
    let mut again = Engine::start();
    set(&mut again, "Endgame Tables", tables.display());
    set(&mut again, "Explain", true);
    set(&mut again, "Competence", 3000);
    again.send(&format!("position fen {ROOK}"));
    let Search(lines) = again.go("movetime 1");
    assert_eq!(count_lines(&lines, "chosen from the KRK table"), 1, "{lines:?}");
}

#[test]
fn full_strength_shows_and_plays_table_moves() {
    let folder = Folder::new();
    let tables = folder.path().display().to_string();
    let built = run(&["endgame", "build", "KRK", "--dir", &tables]);
    assert_eq!(built.code, 0, "{}", built.error);
    let mut engine = Engine::start();
    set(&mut engine, "Endgame Tables", &tables);
    engine.send(&format!("position fen {ROOK}"));
    let search = engine.go("wtime 1000 btime 1000");
    let last = *search.scored().last().expect("a line is shown");
    assert!(last.contains(" score mate 14 ") && !last.contains(" tbhits 0 "), "{last}");
    assert_eq!(search.best(), search.last_shown());
    // The answer to an infinite search waits for `stop`, no matter how soon it is known.
    engine.send("go infinite");
    let lines = engine.until("info depth");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
    assert!(!engine.sync().iter().any(|line| line.starts_with("bestmove")));
    engine.send("stop");
    engine.answer();
    set(&mut engine, "Endgame Tables", "off");
    let off = engine.go("depth 4");
    assert!(off.scored().iter().all(|line| line.contains(" score cp ")), "{off:?}");
}

#[test]
fn an_unwritable_folder_is_reported_once_and_tables_stay_in_memory() {
    let folder = Folder::new();
    let file = folder.write("a-file", "not a directory");
    let mut engine = Engine::start();
    set(&mut engine, "Endgame Tables", &file);
    set(&mut engine, "Explain", true);
    set(&mut engine, "Competence", 3000);
    engine.send(&format!("position fen {ROOK}"));
    let mut lines = Vec::new();
    for _ in 0..3 {
        lines.extend(engine.go("depth 2").0);
    }
    assert!(count_lines(&lines, "chosen from the KRK table") > 0, "{lines:?}");
    assert_eq!(count_lines(&lines, "a-file"), 1, "{lines:?}");
    assert_eq!(count_lines(&lines, "choose another folder"), 1, "{lines:?}");
}

#[test]
fn bad_syzygy_files_are_reported_once_and_the_game_continues() {
    let folder = Folder::new();
    folder.write("KQvK.rtbw", "too short");
    folder.write("KRvK.rtbw", &"no table at all ".repeat(100));
    let mut engine = Engine::start();
    set(&mut engine, "Endgame Tables", "off");
    set(&mut engine, "SyzygyPath", format!("{};/nowhere/at/all", folder.path().display()));
    let mut lines = engine.drain();
    engine.send("position fen 8/8/8/2k5/8/8/1p6/K2R4 w - - 0 1");
    for _ in 0..2 {
        lines.extend(engine.go("depth 8").0);
        set(&mut engine, "Hash", 8);
    }
    lines.extend(engine.drain());
    for word in ["KQvK.rtbw", "KRvK", "nowhere"] {
        assert_eq!(count_lines(&lines, word), 1, "{word}: {lines:#?}");
    }
    assert!(lines.iter().filter(|line| line.starts_with("bestmove ")).count() == 2, "{lines:?}");
}

#[test]
fn syzygy_files_count_inside_the_search_and_at_the_root() {
    let Some(path) = data("syzygy") else { return };
    let mut engine = Engine::start();
    set(&mut engine, "Endgame Tables", "off");
    set(&mut engine, "SyzygyPath", path.display());
    assert_eq!(count_lines(&engine.drain(), "Syzygy files with up to"), 1);
    // Taking the bishop leaves a drawn ending, and pushing the pawn a lost one.
    engine.send("position fen 8/8/8/8/2b5/1k1P4/8/1K5R w - - 0 1");
    let search = engine.go("depth 8");
    let last = *search.scored().last().expect("a line is shown");
    assert_ne!(word_after(last, " tbhits"), "0", "{last}");
    // Bishop and knight: a mate in 56 plies is in time if the halfmove counter is at 33, but not if
    // it is at 60.
    let mut value = |halfmoves: u32| {
        engine.send(&format!("position fen 8/8/8/8/3k4/8/8/KBN5 w - - {halfmoves} 90"));
        let search = engine.go("depth 6");
        let last = (*search.scored().last().expect("a line is shown")).to_owned();
        assert_ne!(word_after(&last, " tbhits"), "0", "{last}");
        last.contains(" score cp 0 ")
    };
    assert_eq!([0, 20, 90].map(&mut value), [false, false, true]);
    set(&mut engine, "Syzygy50MoveRule", false);
    engine.send("position fen 8/8/8/8/3k4/8/8/KBN5 w - - 90 90");
    let search = engine.go("depth 6");
    assert!(!search.scored().last().expect("a line").contains(" score cp 0 "), "{search:?}");
}

#[test]
fn evaluations_use_files_only_on_request_and_say_so() {
    let Some(path) = data("syzygy") else { return };
    let fen = "8/8/8/8/2b5/1k1P4/8/1K5R w - - 0 1";
    let arguments = ["evaluate", "--fen", fen, "--depth", "6", "--json"];
    let plain = run(&arguments).out;
    assert!(!plain.contains("syzygy"), "{plain}");
    let path = path.display().to_string();
    let asked = |more: &[&str]| run(&[&arguments[..], &["--syzygy", &path], more].concat()).out;
    let json = |text: &str| serde_json::from_str::<serde_json::Value>(text).expect("JSON");
    let (one, two) = (json(&asked(&[])), json(&asked(&["--threads", "2"])));
    assert_eq!(one["moves"], two["moves"], "the values depend on the number of threads");
    assert!(one["syzygy"].as_str().is_some_and(|fingerprint| fingerprint.len() == 16), "{one}");
    assert_ne!(one["moves"], json(&plain)["moves"]);
    let missing = run(&["evaluate", "--syzygy", "/nowhere/at/all"]);
    assert_eq!(missing.code, 2);
    assert!(missing.error.contains("/nowhere/at/all"), "{}", missing.error);
}

#[test]
fn leftovers_are_removed_and_other_files_left_alone() {
    let folder = Folder::new();
    let old = std::time::SystemTime::now() - std::time::Duration::from_secs(3600);
    // No system has process IDs as large as this.
    for name in [
        "KQK.dtm.partial-2147483646-1",
        "KRK.dtm.partial-1-1",
        "KQK.note",
        "thesis.partial-draft.txt",
        "thesis.partial-2147483646-1",
    ] {
        folder.write(name, "half a table");
        let file = fs::File::options().write(true).open(folder.path().join(name)).expect(name);
        file.set_modified(old).expect("the file is writable");
    }
    folder.write("KPK.dtm.partial-2147483646-1", "half a table, but a new one");
    let path = folder.path().display().to_string();
    let built = run(&["endgame", "build", "KQK", "--metric", "dtc", "--dir", &path]);
    assert_eq!(built.code, 0, "{}", built.error);
    let left = |name: &str| folder.path().join(name).is_file();
    assert!(!left("KQK.dtm.partial-2147483646-1"), "the file of a dead process was kept");
    assert!(left("KRK.dtm.partial-1-1"), "the file of a live process was removed");
    assert!(
        left("KPK.dtm.partial-2147483646-1"),
        "a new file was removed, although another machine may be writing it"
    );
    assert!(left("KQK.note") && left("KQK.dtc"));
    assert!(
        left("thesis.partial-draft.txt") && left("thesis.partial-2147483646-1"),
        "a foreign file was removed"
    );
}
