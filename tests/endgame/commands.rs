//! The `endgame` subcommands of the real program: output, errors, and unusable files.

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;

use crate::common::{Finished, Folder, program, run_with_input};
use serde_json::Value;

const WON: &str = "8/8/8/8/8/1k6/8/K1Q5 w - - 0 1";

fn endgame(folder: &Folder, arguments: &[&str]) -> Finished {
    run_with_input(folder, &[&["endgame"], arguments].concat(), b"")
}

fn json(folder: &Folder, arguments: &[&str]) -> Value {
    let finished = endgame(folder, arguments);
    assert_eq!(finished.code, 0, "{arguments:?}: {}", finished.error);
    serde_json::from_str(&finished.out).expect("one value of JSON")
}

/// The names of the files in a folder, in order.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("it exists");
    let name = |entry: fs::DirEntry| entry.file_name().to_string_lossy().into_owned();
    let mut names: Vec<String> = entries.map(|entry| name(entry.expect("it exists"))).collect();
    names.sort();
    names
}

#[test]
fn every_move_is_reported_in_each_metric() {
    let folder = Folder::new();
    let found = json(&folder, &["probe", "--dir", "t", "--json", "--fen", WON]);
    assert_eq!((&found["material"], &found["result"]), (&"KQK".into(), &"win".into()));
    assert_eq!(found["depth"], serde_json::json!({ "dtc": 9, "dtm": 9, "dtz": 9 }));
    let moves = found["moves"].as_array().expect("a list");
    assert_eq!(moves[0]["dtm"], 8, "the first move is not the best");
    assert!(moves.iter().all(|m| m["move"].is_string() && !m["result"].is_null()), "{found}");
    assert!(moves.iter().any(|m| m["result"] == "draw" && m["dtc"].is_null()), "{found}");
    let text = endgame(&folder, &["probe", "--dir", "t", "--fen", WON]).out;
    assert!(text.contains("win for the side to move, dtc 9, dtm 9, dtz 9 (plies)"), "{text}");
}

#[test]
fn bad_arguments_are_refused_with_a_reason() {
    let folder = Folder::new();
    folder.write("file", "");
    let castling = "8/8/8/8/k7/8/8/4K2R w K - 0 1";
    let (six, bare) = ("8/8/8/8/QRB5/5k2/8/K3r3 w - - 0 1", "8/8/8/8/8/5k2/8/K7 w - - 0 1");
    for (arguments, words) in [
        (&["build", "KQQQQKK"][..], "3 kings"),
        (&["build", "KQQKRBN"], "7 pieces; tables have 3 to 5"),
        (&["build", "Kxyz"], "'x' is not one of"),
        (&["build", ""], "begin with a king"),
        (&["build", "--pieces", "6"], "from 3 to 5"),
        (&["build", "KQK", "--metric", "far"], "not a metric"),
        (&["build", "KQK", "--dir", "file"], "choose another folder"),
        (&["build", "KQK", "--threads", "0"], "from 1 to 512"),
        (&["probe", "--fen", six], "the position has 6 pieces; tables have 3 to 5"),
        (&["probe", "--fen", bare], "the position has 2 pieces; tables have 3 to 5"),
        (&["probe", "--fen", castling], "castling rights"),
        (&["probe", "--fen", "8/8/8/3KK3/8/8/8/k7 w - - 0 1"], "more than one king"),
    ] {
        let finished = endgame(&folder, arguments);
        assert_eq!(finished.code, 2, "{arguments:?}: {}", finished.error);
        assert!(finished.error.contains(words), "{arguments:?}: {}", finished.error);
        assert_eq!(finished.out, "", "{arguments:?}");
    }
    for command in ["build", "probe"] {
        let help = endgame(&folder, &[command, "--help"]).out;
        assert!(help.contains("Examples:"), "{command}: {help}");
    }
}

#[test]
fn unusable_files_are_set_aside_and_rebuilt() {
    let folder = Folder::new();
    assert_eq!(endgame(&folder, &["build", "KQK", "--metric", "dtc", "--dir", "t"]).code, 0);
    let table = folder.path().join("t/KQK.dtc");
    let good = fs::read(&table).expect("it was made");
    let changed = |place: usize| {
        let mut bytes = good.clone();
        bytes[place] ^= 0x40;
        bytes
    };
    for (number, bad, words) in [
        (1, good[..good.len() / 2].to_vec(), "corrupt"),
        (2, Vec::new(), "not a table file from this program"),
        (3, changed(good.len() / 2), "corrupt"),
        (4, changed(8), "a table file of version"),
    ] {
        fs::write(&table, &bad).expect("it can be written");
        let finished = endgame(&folder, &["probe", "--dir", "t", "--fen", WON]);
        assert_eq!(finished.code, 0, "{}", finished.error);
        assert!(finished.error.contains(words), "{words}: {}", finished.error);
        assert!(finished.out.contains("dtc 9"), "{}", finished.out);
        let aside = folder.path().join(format!("t/KQK.dtc.unusable-{number}"));
        assert_eq!(fs::read(aside).expect("it was kept"), bad);
        assert_eq!(fs::read(&table).expect("it was made again"), good);
    }
}

#[test]
fn a_corrupt_table_that_is_not_rebuilt_is_reported() {
    let folder = Folder::new();
    let fen = "8/8/8/8/1k6/8/1q6/KRR5 w - - 0 1";
    fs::create_dir(folder.path().join("t")).expect("writable");
    fs::write(folder.path().join("t/KRRKQ.dtc"), "junk").expect("writable");
    let finished = endgame(&folder, &["probe", "--dir", "t", "--fen", fen]);
    assert_eq!(finished.code, 2, "{}", finished.error);
    for words in ["KRRKQ.dtc.unusable-1", "missing or corrupt", "stopdown endgame build KRRKQ"] {
        assert!(finished.error.contains(words), "{words}: {}", finished.error);
    }
    assert_eq!(names(&folder.path().join("t")), ["KRRKQ.dtc.unusable-1"], "a table was built");
}

#[test]
fn the_time_of_a_lookup_is_measured_only_after_a_table_was_built() {
    let folder = Folder::new();
    let build = |more: &[&str]| {
        let finished = endgame(&folder, &[&["build", "KQK", "--dir", "t"], more].concat());
        assert_eq!(finished.code, 0, "{}", finished.error);
        finished.out
    };
    let first = build(&["--metric", "dtc"]);
    assert!(first.contains("a lookup takes"), "{first}");
    assert_eq!(build(&["--metric", "dtc"]), "all tables already exist\n");
    assert_eq!(build(&["--metric", "dtc", "--json"]), "");
    assert!(!build(&["--metric", "dtm", "--json"]).contains("a lookup takes"));
}

#[test]
fn a_killed_build_resumes() {
    let folder = Folder::new();
    let arguments = ["endgame", "build", "KPK", "--metric", "dtm", "--dir", "t", "--json"];
    let mut child = program(&folder, &arguments).spawn().expect("the program starts");
    let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    let first = lines.next().expect("a table is made").expect("it is text");
    child.kill().expect("it runs");
    child.wait().expect("it has ended");
    // Tables that were reported before the kill are finished. Together with those from the second
    // run, they are all that are needed.
    let reported: Vec<String> = std::iter::once(first).chain(lines.map_while(Result::ok)).collect();
    let rest = run_with_input(&folder, &arguments, b"");
    assert_eq!(rest.code, 0, "{}", rest.error);
    let material = |line: &str| {
        let made: Value = serde_json::from_str(line).expect("a line of JSON");
        made["material"].as_str().expect("a name").to_owned()
    };
    let before: Vec<String> = reported.iter().map(|line| material(line)).collect();
    let after: Vec<String> = rest.out.lines().map(material).collect();
    assert!(before.iter().all(|name| !after.contains(name)), "{before:?} {after:?}");
    let tables: Vec<String> =
        ["KBK", "KNK", "KPK", "KQK", "KRK"].map(|n| format!("{n}.dtm")).into();
    assert_eq!(names(&folder.path().join("t")), tables, "a partial file was left");
}
