//! Disks that are full, folders where nothing can be written, files that another process holds.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use rusqlite::{Connection, TransactionBehavior};
use stopdown::games::EvaluationCache;

use super::work::{ALL, Work, assert_same, finish, undisturbed};
use crate::common::{Folder, program};

/// Runs a command that may write files of so many blocks of 512 bytes; more of them do not fit.
fn with_small_disk(work: &Work, folder: &Folder, blocks: u32) -> (Option<i32>, String) {
    let inner = program(folder, work.arguments);
    // The signal that would end the process is ignored: it is told as an error, as a full disk is.
    let script = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$0\" \"$@\"");
    let mut command = Command::new("sh");
    command.args(["-c", &script]).arg(inner.get_program()).args(inner.get_args());
    let variables = inner.get_envs().filter_map(|(name, value)| Some((name, value?)));
    command.envs(variables).current_dir(folder.path()).stdin(Stdio::null());
    let output = command.output().expect("there is a shell");
    (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
}

#[cfg(unix)]
#[test]
fn a_full_disk_is_told_and_costs_nothing_that_was_finished() {
    for work in &ALL {
        let (expected, _) = undisturbed(work);
        let mut failures = 0;
        let folder = Folder::new();
        (work.prepare)(&folder);
        // More room each time, as if somebody had made some.
        for blocks in [0, 2, 9, 60] {
            let (code, error) = with_small_disk(work, &folder, blocks);
            let of = format!("{}, {blocks} blocks: {error}", work.name);
            assert!(!error.contains("panicked"), "{of}");
            match code {
                Some(0) => break,
                Some(2) => failures += 1,
                other => panic!("{other:?} is no exit code of ours; {of}"),
            }
            assert!(error.contains("File too large") || error.contains("disk"), "{of}");
        }
        assert!(failures > 0, "{}: the disk was never full", work.name);
        assert_same(&finish(work, &folder), &expected, work.name);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_output_that_takes_nothing_is_an_error() {
    let folder = Folder::new();
    for words in [&["evaluate", "--depth", "1", "--json"][..], &["bench", "1"], &["help"]] {
        let mut command = program(&folder, words);
        let full = File::options().write(true).open("/dev/full").expect("Linux has it");
        let output =
            command.stdin(Stdio::null()).stdout(full).output().expect("the program starts");
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{words:?}: {error}");
        assert!(error.contains("No space left") && !error.contains("panicked"), "{error}");
    }
}

#[test]
fn where_nothing_can_be_written_is_told_before_the_work() {
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
fn a_store_that_another_process_holds_is_waited_for() {
    let folder = Folder::new();
    let path = folder.path().join("values.db");
    drop(EvaluationCache::open(&path).expect("a new store"));
    let mut other = Connection::open(&path).expect("a store");
    let held = other.transaction_with_behavior(TransactionBehavior::Immediate).expect("it is free");
    let words = ["evaluate", "-", "--depth", "1", "--store", "values.db"];
    let mut child = program(&folder, &words).spawn().expect("the program starts");
    let input = b"7k/8/6K1/8/8/8/8/R7 w - - 0 1\n8/8/8/8/8/5k2/8/K6Q b - - 0 1\n";
    child.stdin.take().expect("it is piped").write_all(input).expect("the program reads");
    let answers = BufReader::new(child.stdout.take().expect("it is piped")).lines();
    assert_eq!(answers.map_while(Result::ok).take(2).count(), 2);
    // All is said, and what is to be kept has no place yet.
    held.rollback().expect("nothing was done");
    drop(other);
    let output = child.wait_with_output().expect("our child");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && error.contains("2 are new"), "{error}");
    let store = EvaluationCache::open_existing(&path).expect("a store");
    assert_eq!(store.holdings().expect("sound").iter().map(|one| one.deposits).sum::<u64>(), 2);
}
