//! Cached evaluations are exact, and survive concurrent writers and a writer that is killed.

use std::collections::HashSet;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::sync::Barrier;

use crate::common::{Finished, Folder, program, run_with_input};
use stopdown::board::{Game, Position};
use stopdown::evaluation::RootEvaluation;
use stopdown::games::{BATCH, CacheError, EvaluationCache, EvaluationKey, EvaluatorIdentity};
use stopdown::player::Engine;
use stopdown::search::{Controls, EvaluationRequest, NoObserver};

/// Distinct positions that can be reached in three plies.
fn positions(count: usize) -> Vec<Position> {
    let mut seen = HashSet::new();
    let mut found = vec![Game::default().position().clone()];
    let mut next = 0;
    while found.len() < count {
        let position = found[next].clone();
        let after = position.legal_moves().into_iter().map(|mv| position.after(mv));
        found.extend(after.filter(|after| seen.insert(after.key())));
        next += 1;
    }
    found.truncate(count);
    found
}

fn fens(positions: &[Position]) -> String {
    positions.iter().map(|position| position.fen() + "\n").collect()
}

fn evaluate_positions(positions: &str, depth: &str, folder: &Folder) -> Finished {
    let words = ["evaluate", "-", "--depth", depth, "--store", "values.db"];
    let finished = run_with_input(folder, &words, positions.as_bytes());
    assert_eq!(finished.code, 0, "{}", finished.error);
    finished
}

/// The answers without their times.
fn answers(finished: &Finished) -> Vec<serde_json::Value> {
    let line = |line: &str| {
        let mut value: serde_json::Value = serde_json::from_str(line).expect(line);
        value.as_object_mut().expect("an object").remove("time_ms");
        value
    };
    finished.out.lines().map(line).collect()
}

fn evaluate(game: &Game, depth: u8) -> RootEvaluation {
    let request = EvaluationRequest::depth(depth);
    Engine::built_in(1).evaluate(game, &request, &Controls::new(), &mut NoObserver)
}

fn cached_count(path: &Path) -> u64 {
    let store = EvaluationCache::open_existing(path).expect("a store");
    store.contents().expect("sound").iter().map(|contents| contents.evaluations).sum()
}

#[test]
fn cached_evaluations_equal_fresh_ones() {
    let folder = Folder::new();
    let fens =
        fens(&positions(40)) + "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1\n8/P7/8/8/8/1k6/8/K7 w - - 9 1\n";
    let first = evaluate_positions(&fens, "3", &folder);
    assert!(first.error.contains("evaluations: 0 from the cache, 42 new"), "{}", first.error);
    let second = evaluate_positions(&fens, "3", &folder);
    assert!(second.error.contains("evaluations: 42 from the cache, 0 new"), "{}", second.error);
    assert_eq!(answers(&first), answers(&second));
    // A different depth is a different cache entry.
    let deeper = evaluate_positions(&fens, "4", &folder);
    assert!(deeper.error.contains("evaluations: 0 from the cache, 42 new"));
    let exported = run_with_input(&folder, &["store", "values.db", "--export", "json"], b"");
    let known: HashSet<String> =
        answers(&first).iter().map(|line| line["moves"].to_string()).collect();
    let of_depth_3 = answers(&exported).into_iter().filter(|line| line["requested_depth"] == 3);
    let exported: HashSet<String> = of_depth_3.map(|line| line["moves"].to_string()).collect();
    assert_eq!(exported, known);
    let table = run_with_input(&folder, &["store", "values.db"], b"");
    assert!(table.out.contains(" 84  3-4 ") && table.out.contains("Hash=16"), "{}", table.out);
}

#[test]
fn history_and_evaluator_distinguish_cache_entries() {
    let folder = Folder::new();
    let mut store = EvaluationCache::open(&folder.path().join("values.db")).expect("a new store");
    let fresh = Game::default();
    let shuffle = ["g1f3", "g8f6", "f3g1", "f6g8"];
    let again = Game::from_uci(None, shuffle, false).expect("legal");
    let other_way = Game::from_uci(None, ["b1c3", "b8c6", "c3b1", "c6b8"], false).expect("legal");
    let [one, two] = ["one", "two"].map(|name| EvaluatorIdentity::new(name.to_owned()));
    let key = |game: &Game, evaluator: &EvaluatorIdentity| {
        EvaluationKey::new(game, evaluator, 2).expect("32 pieces")
    };
    let (at_first, at_last) = (evaluate(&fresh, 2), evaluate(&again, 2));
    store.put(key(&fresh, &one), &one, &at_first).expect("writable");
    store.put(key(&again, &one), &one, &at_last).expect("writable");
    let mut found = |game: &Game, evaluator: &EvaluatorIdentity| {
        let waiting = store.find(&key(game, evaluator), game).expect("valid");
        store.commit().expect("writable");
        assert_eq!(store.find(&key(game, evaluator), game).expect("valid"), waiting);
        let values = store.find_values(&key(game, evaluator), game).expect("valid");
        let without = |mut evaluation: RootEvaluation| {
            evaluation.moves.iter_mut().for_each(|m| m.line.clear());
            evaluation
        };
        assert_eq!(values, waiting.clone().map(without));
        waiting
    };
    assert_eq!(found(&again, &one), Some(at_last));
    assert_eq!(found(&fresh, &one), Some(at_first));
    assert_eq!(found(&other_way, &one), None);
    assert_eq!(found(&fresh, &two), None);
}

#[test]
fn committed_evaluations_survive_a_killed_writer() {
    let folder = Folder::new();
    let all = fens(&positions(3 * BATCH));
    let words = ["evaluate", "-", "--depth", "1", "--store", "values.db"];
    for round in 1..=2 {
        let mut child = program(&folder, &words).spawn().expect("the program runs");
        let mut input = child.stdin.take().expect("piped");
        let text = all.clone();
        let writer = std::thread::spawn(move || input.write_all(text.as_bytes()).ok());
        let lines = BufReader::new(child.stdout.take().expect("piped")).lines();
        let enough = round * BATCH + 20;
        assert_eq!(lines.map_while(Result::ok).take(enough).count(), enough);
        child.kill().expect("it runs or has just exited");
        child.wait().expect("the child process");
        writer.join().expect("no panic");
        let kept = cached_count(&folder.path().join("values.db"));
        assert!(kept >= (round * BATCH) as u64, "{kept} of {enough}");
    }
    let finished = evaluate_positions(&all, "1", &folder);
    let count = finished.error.split_whitespace().nth(1).map(str::parse::<usize>);
    assert!(count.is_some_and(|found| found.is_ok_and(|found| found >= 2 * BATCH)));
    assert_eq!(cached_count(&folder.path().join("values.db")), 3 * BATCH as u64);
}

#[test]
fn two_processes_can_write_at_once() {
    let folder = Folder::new();
    let all = positions(2 * BATCH);
    let [first, last] = [&all[..3 * BATCH / 2], &all[BATCH / 2..]].map(fens);
    std::thread::scope(|scope| {
        let both =
            [first, last].map(|part| scope.spawn(|| evaluate_positions(&{ part }, "1", &folder)));
        for run in both {
            run.join().expect("both succeed");
        }
    });
    assert_eq!(cached_count(&folder.path().join("values.db")), 2 * BATCH as u64);
}

#[test]
fn many_processes_can_open_a_new_store_at_once() {
    for _ in 0..100 {
        let folder = Folder::new();
        let path = folder.path().join("values.db");
        let start = Barrier::new(8);
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    start.wait();
                    EvaluationCache::open(&path).map(drop).expect("the store is new or valid");
                });
            }
        });
    }
}

#[test]
fn foreign_files_and_other_versions_are_left_alone() {
    let folder = Folder::new();
    let path = folder.path().join("values.db");
    let refused = |expected: &str| {
        let before = std::fs::read(&path).expect("it exists");
        let words = ["evaluate", "--depth", "1", "--store", "values.db"];
        let finished = run_with_input(&folder, &words, b"");
        assert_eq!(finished.code, 2, "{expected}");
        assert!(finished.error.contains(expected), "{expected}: {}", finished.error);
        assert!(finished.error.contains("choose another file"), "{}", finished.error);
        assert_eq!(std::fs::read(&path).expect("still there"), before);
    };
    folder.write("values.db", &"1. e4 e5 and so on\n".repeat(100));
    refused("not an evaluation cache");
    std::fs::remove_file(&path).expect("writable");
    drop(EvaluationCache::open(&path).expect("a new store"));
    let mut bytes = std::fs::read(&path).expect("it exists");
    // SQLite stores the version of the format and the application ID in these bytes.
    bytes[63] = 9;
    std::fs::write(&path, &bytes).expect("writable");
    refused("cache of version 9");
    bytes[71] ^= 1;
    std::fs::write(&path, &bytes).expect("writable");
    refused("not an evaluation cache");
    let missing = EvaluationCache::open_existing(&folder.path().join("nothing.db"));
    assert!(matches!(missing, Err(CacheError::Missing(_))));
}

// Windows does not allow these names.
#[cfg(unix)]
#[test]
fn names_that_sqlite_would_interpret_are_ordinary_names() {
    let folder = Folder::new();
    for name in ["file:zz.db?mode=memory", ":memory:"] {
        let words = ["evaluate", "--depth", "1", "--store", name];
        let finished = run_with_input(&folder, &words, b"");
        assert_eq!(finished.code, 0, "{}", finished.error);
        let path = folder.path().join(name);
        assert_eq!(cached_count(&path), 1, "{name}");
        // The name is relative, so it starts with the characters that SQLite would interpret.
        let merged = run_with_input(&folder, &["store", "all.db", "--merge", name], b"");
        assert_eq!(merged.code, 0, "{}", merged.error);
    }
    assert_eq!(cached_count(&folder.path().join("all.db")), 1);
}

#[test]
fn an_empty_file_is_reported_and_not_changed() {
    let folder = Folder::new();
    folder.write("e.db", "");
    for words in [&["store", "e.db"][..], &["store", "all.db", "--merge", "e.db"]] {
        let finished = run_with_input(&folder, words, b"");
        assert_eq!(finished.code, 2, "{words:?}: {}", finished.error);
        assert!(finished.error.contains("e.db is empty"), "{}", finished.error);
    }
    assert_eq!(std::fs::read(folder.path().join("e.db")).expect("it exists"), b"");
    assert!(!folder.path().join("all.db").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_cache_whose_name_is_not_utf_8_is_not_reported_as_missing() {
    use std::os::unix::ffi::OsStrExt as _;
    let folder = Folder::new();
    let path = folder.path().join(std::ffi::OsStr::from_bytes(b"bad\xff.db"));
    drop(EvaluationCache::open(&path).expect("a new store"));
    let mut all = EvaluationCache::open(&folder.path().join("all.db")).expect("a new store");
    let error = all.import(&path).expect_err("the name is not UTF-8").to_string();
    assert!(error.contains("not valid UTF-8; rename the file"), "{error}");
}

#[test]
fn an_epd_export_is_valid_epd() {
    let folder = Folder::new();
    evaluate_positions(
        "4k3/P7/8/8/8/8/8/4K2R w K - 3 9\n7k/8/6K1/8/8/8/8/R7 w - - 0 1\n",
        "3",
        &folder,
    );
    let exported = run_with_input(&folder, &["store", "values.db", "--export", "epd"], b"");
    let lines: Vec<&str> = exported.out.lines().collect();
    assert!(
        lines[0].starts_with("4k3/P7/8/8/8/8/8/4K2R w K - hmvc 3; acd 3; acn "),
        "{}",
        lines[0]
    );
    assert!(lines[0].contains("; bm ") && lines[0].contains("a8=Q +"));
    assert!(lines[1].contains("; bm Ra8; dm 1; pv Ra8;"), "{}", lines[1]);
    let again = stopdown::games::epd_to_position(lines[0], false).expect("EPD");
    assert_eq!(again.fen(), "4k3/P7/8/8/8/8/8/4K2R w K - 3 1");
}
