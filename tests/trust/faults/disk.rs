//! Full outputs, unwritable folders, and files locked by another process.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;

use rusqlite::{Connection, TransactionBehavior};
use stopdown::games::EvaluationCache;

use crate::common::{Folder, program};

#[cfg(target_os = "linux")]
#[test]
fn a_full_output_is_an_error() {
    let folder = Folder::new();
    for words in [&["evaluate", "--depth", "1", "--json"][..], &["bench", "1"], &["help"]] {
        let mut command = program(&folder, words);
        let full = File::options().write(true).open("/dev/full").expect("Linux has /dev/full");
        let output =
            command.stdin(Stdio::null()).stdout(full).output().expect("the program starts");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains("No space left") && !error.contains("panicked"), "{error}");
    }
}

#[test]
fn unwritable_places_are_reported_before_the_work() {
    let folder = Folder::new();
    folder.write("file", "no folder");
    for words in [
        &["match", "--a", "self depth=1", "--b", "self depth=2", "--pgn", "file/games.pgn"][..],
        &[
            "ladder",
            "--player",
            "self depth=1",
            "--player",
            "self depth=2",
            "--pgn",
            "file/games.pgn",
        ],
        &["evaluate", "--store", "file/values.db"],
        &["endgame", "build", "KQKR", "--dir", "file/tables"],
    ] {
        let finished = crate::common::run_with_input(&folder, words, b"");
        assert_eq!(finished.code, 2, "{words:?}: {}", finished.error);
        assert!(finished.error.contains("file"), "{words:?}: {}", finished.error);
        assert!(!finished.error.contains("panicked"), "{}", finished.error);
    }
}

#[test]
fn a_locked_store_is_waited_for() {
    let folder = Folder::new();
    let path = folder.path().join("values.db");
    drop(EvaluationCache::open(&path).expect("a new store"));
    let mut other = Connection::open(&path).expect("a store");
    let held = other
        .transaction_with_behavior(TransactionBehavior::Immediate)
        .expect("the store is not locked");
    let words = ["evaluate", "-", "--depth", "1", "--store", "values.db"];
    let mut child = program(&folder, &words).spawn().expect("the program starts");
    let input = b"7k/8/6K1/8/8/8/8/R7 w - - 0 1\n8/8/8/8/8/5k2/8/K6Q b - - 0 1\n";
    child.stdin.take().expect("it is piped").write_all(input).expect("the program reads");
    let answers = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    assert_eq!(answers.map_while(Result::ok).take(2).count(), 2);
    // All results have been printed, but the store is still locked.
    held.rollback().expect("the transaction can be rolled back");
    drop(other);
    let output = child.wait_with_output().expect("the child process");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.contains("2 new"), "{error}");
    let store = EvaluationCache::open_existing(&path).expect("a store");
    assert_eq!(store.contents().expect("sound").iter().map(|one| one.evaluations).sum::<u64>(), 2);
}
