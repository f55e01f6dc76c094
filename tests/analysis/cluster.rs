//! Statistics on Apache Spark: two workers give results that are bit-identical to those of one
//! process, whatever the encoding of the files, and even if a worker is killed.

#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use serde_json::Value as Json;

use crate::common::needs::spark_python;
use crate::common::{Finished, Folder, run_with_input};

/// A Python interpreter that has Spark and finds a Java runtime.
fn python() -> Option<String> {
    let succeeds = |program: &str, words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    spark_python(|python| {
        succeeds(python, &["-c", "import pyspark, pyarrow"]) && succeeds("java", &["-version"])
    })
}

fn game(number: usize) -> String {
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O \
                 9. h3 Nb8 10. d4 Nbd7 11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4 15. Nb1 h6";
    format!(
        "[Event \"{}\"]\n[Date \"2024.0{}.01\"]\n[White \"P{}\"]\n[Black \"M\u{fc}ller {}\"]\n\
         [WhiteElo \"{}\"]\n[Result \"*\"]\n\n{moves} *\n\n",
        number,
        1 + number % 2,
        number % 5,
        number % 7 + 2,
        1500 + 10 * number
    )
}

fn latin_1(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).expect("Latin-1")).collect()
}

/// A folder with games in files of all kinds: Latin-1, UTF-8 with Windows line endings and a byte
/// order mark, and two Zstandard frames. Some games are in two files, and one game contains an
/// illegal move.
fn files() -> (Folder, [&'static str; 3]) {
    let games = |numbers: std::ops::Range<usize>| numbers.map(game).collect::<String>();
    let folder = Folder::new();
    let write = |name: &str, bytes: Vec<u8>| {
        std::fs::write(folder.path().join(name), bytes).expect("it can be written");
    };
    write("latin.pgn", latin_1(&(games(0..10) + &game(90).replace("Nbd7", "Nbd9"))));
    write("windows.pgn", format!("\u{feff}{}", games(8..20).replace('\n', "\r\n")).into_bytes());
    let frames = [games(18..22), games(22..24)];
    let frames = frames.map(|half| compress_to_vec(half.as_bytes(), CompressionLevel::Fastest));
    write("packed.pgn.zst", frames.concat());
    (folder, ["latin.pgn", "windows.pgn", "packed.pgn.zst"])
}

/// Options for `analyse`.
const WORDS: [&str; 4] = ["--depth", "2", "--skip", "4"];

/// Runs the script. Paths without a scheme refer to a file system other than the local one. On it,
/// `/data` is the test's folder. Files are read in pieces that contain a few games each.
fn spark(python: &str, folder: &Path, words: &[&str]) -> Command {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/cluster/spark.py");
    let place = folder.display();
    let conf = format!(
        "--master local-cluster[2,1,1024] --conf spark.hadoop.fs.defaultFS=viewfs://cluster/ \
         --conf spark.hadoop.fs.viewfs.mounttable.cluster.link./data=file://{place} \
         --conf spark.sql.files.maxPartitionBytes=2000 --conf spark.sql.files.openCostInBytes=0 \
         --conf spark.ui.enabled=false pyspark-shell"
    );
    let mut command = Command::new(python);
    command
        .args([script, "--program", env!("CARGO_BIN_EXE_stopdown"), "--parts", "4"])
        .args(words)
        .arg("--")
        .args(WORDS)
        .current_dir(folder)
        .env("PYSPARK_PYTHON", python)
        .env("PYSPARK_SUBMIT_ARGS", conf)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

fn run(mut command: Command) -> Finished {
    let output = command.stderr(Stdio::piped()).output().expect("it starts");
    Finished {
        code: output.status.code().unwrap_or(-1),
        out: String::from_utf8_lossy(&output.stdout).into_owned(),
        error: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// The running processes, each with its ID, its parent and its command line.
fn processes() -> Vec<(u32, u32, String)> {
    let listing = Command::new("ps").args(["-eo", "pid,ppid,args"]).output().expect("ps").stdout;
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let (own, parent) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some((own, parent, words.collect::<Vec<_>>().join(" ")))
    };
    String::from_utf8_lossy(&listing).lines().filter_map(line).collect()
}

/// A Spark executor of this run that is currently analysing games.
fn busy_executor(child: &Child) -> Option<u32> {
    let all = processes();
    let parent = |of: u32| all.iter().find(|(own, ..)| *own == of).map(|(_, parent, _)| *parent);
    let is_executor = |of: u32| {
        all.iter().any(|(own, _, what)| *own == of && what.contains("CoarseGrainedExecutorBackend"))
    };
    let measuring = all.iter().filter(|(_, _, what)| what.contains("stopdown analyse "));
    for (own, ..) in measuring {
        let above: Vec<u32> = std::iter::successors(Some(*own), |&of| parent(of)).collect();
        if above.contains(&child.id()) {
            return above.into_iter().find(|&of| is_executor(of));
        }
    }
    None
}

#[test]
fn two_workers_match_one_process_even_if_one_is_killed() {
    let Some(python) = python() else { return };
    let (folder, names) = files();
    let words = ["--statistics", "whole.stats", "--tolerate", "1"];
    let words = [&["analyse"], &names[..], &words, &WORDS].concat();
    let alone = run_with_input(&folder, &words, b"");
    assert_eq!(alone.code, 0, "{}", alone.error);
    assert!(alone.error.contains("4 duplicate games were counted once"), "{}", alone.error);
    let read = |name: &str| std::fs::read(folder.path().join(name));
    let expected = read("whole.stats").expect("it was written");

    // One file with a scheme, and others on the default file system.
    let local = format!("file://{}", folder.path().join(names[0]).display());
    let filters = ["--without-title", "GM", "--without-title", "BOT"];
    let words = [&local, "/data/windows.pgn", "/data/*.zst", "--tolerate", "1"];
    let words = [&words[..], &filters, &["--out"]].concat();
    let calm = run(spark(&python, folder.path(), &[&words[..], &["/data/calm"]].concat()));
    assert_eq!(calm.code, 0, "{}", calm.error);
    assert!(!Path::new("/data/calm").exists(), "the results went to the local file system");
    assert!(read("calm/all.stats").expect("the sums") == expected, "the sums differ");
    let report = String::from_utf8(read("calm/report.jsonl").expect("a report")).expect("text");
    assert_eq!(report.lines().count(), 12, "{report}");
    assert!(folder.path().join("calm/report.parquet/_SUCCESS").exists());
    let manifest = read("calm/manifest.json").expect("a manifest");
    let manifest: Json = serde_json::from_slice(&manifest).expect("JSON");
    assert_eq!(manifest["games"], 24);
    assert_eq!(manifest["filters"], serde_json::json!(filters));
    assert_eq!(manifest["shards"].as_array().map(Vec::len), Some(4));
    let left_out = manifest["left_out"][0].as_str().expect("one game was left out");
    assert!(left_out.contains("/latin.pgn: line ") && left_out.contains("Nbd9"), "{left_out}");

    let killed = format!("file://{}", folder.path().join("killed").display());
    let words = [&words[..], &[&*killed]].concat();
    let mut child = spark(&python, folder.path(), &words).spawn().expect("it starts");
    let executor = loop {
        if let Some(executor) = busy_executor(&child) {
            break executor;
        }
        assert!(
            child.try_wait().expect("the child process").is_none(),
            "it ended before an executor was busy"
        );
    };
    let kill = Command::new("kill").args(["-9", &executor.to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    assert!(child.wait().expect("the child process").success());
    assert!(read("killed/all.stats").expect("the sums") == expected, "the sums differ");
}

#[test]
fn a_run_is_refused_for_unreadable_games_or_another_run() {
    let Some(python) = python() else { return };
    let (folder, names) = files();
    // Each of two files has one unreadable game, and these games are in different shards.
    let more = game(91).replace("Nbd7", "Nbd9") + &game(92).replace("Nbd7", "Nbd9");
    std::fs::write(folder.path().join("more.pgn"), more).expect("it can be written");
    let first = format!("/data/{}", names[0]);
    let words = [&*first, "/data/more.pgn", "--out", "/data/out", "--tolerate"];
    let refused = run(spark(&python, folder.path(), &[&words[..], &["2"]].concat()));
    assert_ne!(refused.code, 0);
    assert!(refused.error.contains("skipped 3 unreadable games"), "{}", refused.error);
    assert!(refused.error.contains("/more.pgn:"), "{}", refused.error);
    assert!(!folder.path().join("out/all.stats").exists());
    assert!(!folder.path().join("out/_RUNNING").exists(), "the folder was not released");

    // Another run is using the folder.
    std::fs::write(folder.path().join("out/_RUNNING"), "").expect("it can be written");
    let refused = run(spark(&python, folder.path(), &[&words[..], &["3"]].concat()));
    assert_ne!(refused.code, 0);
    assert!(refused.error.contains("/out/_RUNNING exists: another run"), "{}", refused.error);
    assert!(folder.path().join("out/_RUNNING").exists());
    assert!(!folder.path().join("out/all.stats").exists());
}

/// Uses the script as a module, on a Spark Connect server.
const CONNECT: &str = "\
import sys
sys.path.insert(0, sys.argv[1])
import spark as cluster
from pyspark.sql import SparkSession
session = SparkSession.builder.remote('local[2]').getOrCreate()
program = sys.argv[2]
games = cluster.read_games(session, ['windows.pgn'], 3, program, ['--since', '2024.02'])
shards = cluster.analyse_games(games, 3, program, ['--depth', '2', '--skip', '4'])
sums = cluster.add_up(shards, 3, program)
for row in cluster.reports(sums, program).orderBy('name').collect():
    print(row.report)
session.stop()
";

#[test]
fn dataframes_on_spark_connect_have_the_same_reports() {
    let Some(python) = python() else { return };
    let (folder, _) = files();
    let library = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/cluster");
    let mut command = Command::new(&python);
    command.args(["-c", CONNECT, library, env!("CARGO_BIN_EXE_stopdown")]);
    command.current_dir(folder.path()).env("PYSPARK_PYTHON", &python);
    let connected = run(command);
    assert_eq!(connected.code, 0, "{}", connected.error);
    let words = ["split", "windows.pgn", "--since", "2024.02", "--out", "some.pgn"];
    assert_eq!(run_with_input(&folder, &words, b"").code, 0);
    let words = [&["analyse", "some.pgn", "--json"], &WORDS[..]].concat();
    let alone = run_with_input(&folder, &words, b"");
    assert_eq!(alone.code, 0, "{}", alone.error);
    let sorted = |text: &str| {
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        lines.sort();
        lines
    };
    assert!(!alone.out.is_empty());
    assert_eq!(sorted(&connected.out), sorted(&alone.out));
}

/// Runs the script twice into the same folder, the second time on fewer games.
#[cfg(feature = "parquet")]
#[test]
fn a_table_of_moves_has_no_rows_of_an_earlier_run() {
    use arrow_array::cast::AsArray;
    use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

    let Some(python) = python() else { return };
    let (folder, _) = files();
    let games = |name: &str| {
        let words = [name, "--moves", "--out", "/data/out"];
        let finished = run(spark(&python, folder.path(), &words));
        assert_eq!(finished.code, 0, "{}", finished.error);
        let mut games = std::collections::BTreeSet::new();
        for month in ["2024-01", "2024-02"] {
            let part = folder.path().join(format!("out/moves.parquet/month={month}"));
            for file in std::fs::read_dir(part).into_iter().flatten().flatten() {
                if file.path().extension().is_none_or(|ending| ending != "parquet") {
                    continue;
                }
                let file = std::fs::File::open(file.path()).expect("it was written");
                let rows = ParquetRecordBatchReaderBuilder::try_new(file).expect("Parquet");
                for batch in rows.build().expect("Parquet").map(|batch| batch.expect("rows")) {
                    let column = batch.column_by_name("fingerprint").expect("a column");
                    games.extend(column.as_string::<i32>().iter().flatten().map(str::to_owned));
                }
            }
        }
        games.len()
    };
    assert_eq!(games("/data/windows.pgn"), 12);
    assert_eq!(games("/data/packed.pgn.zst"), 6);
}
