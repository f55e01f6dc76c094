//! Statistics on Apache Spark: two workers give bit-identical results to one process, even when a
//! worker is killed.

#![cfg(unix)]

use std::path::Path;
use std::process::{Child, Command, Stdio};

use crate::common::needs::spark_python;
use crate::common::{Folder, run_with_input};

/// A Python with Spark that finds a Java runtime.
fn python() -> Option<String> {
    let succeeds = |program: &str, words: &[&str]| {
        let mut command = Command::new(program);
        command.args(words).stdout(Stdio::null()).stderr(Stdio::null());
        command.status().is_ok_and(|status| status.success())
    };
    spark_python(|python| {
        succeeds(python, &["-c", "import pyspark"]) && succeeds("java", &["-version"])
    })
}

fn games() -> String {
    let moves = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O \
                 9. h3 Nb8 10. d4 Nbd7 11. c4 c6 12. cxb5 axb5 13. Nc3 Bb7 14. Bg5 b4 15. Nb1 h6";
    let game = |number: usize| {
        format!(
            "[Event \"{}\"]\n[White \"P{}\"]\n[Black \"P{}\"]\n[WhiteElo \"{}\"]\n[Result \"*\"]\n\n\
             {moves} *\n\n",
            number,
            number % 5,
            number % 7 + 2,
            1500 + 10 * number
        )
    };
    (0..24).map(game).collect()
}

const WORDS: [&str; 4] = ["--depth", "2", "--skip", "4"];

fn spark(python: &str, folder: &Path, out: &str) -> Command {
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/cluster/spark.py");
    let mut command = Command::new(python);
    command
        .args([script, "games.pgn", "--program", env!("CARGO_BIN_EXE_stopdown")])
        .args(["--out", out, "--parts", "6", "--"])
        .args(WORDS)
        .current_dir(folder)
        .env("PYSPARK_PYTHON", python)
        .env("PYSPARK_SUBMIT_ARGS", "--master local-cluster[2,1,1024] pyspark-shell")
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command
}

/// Running processes: id, parent and command line.
fn processes() -> Vec<(u32, u32, String)> {
    let listing = Command::new("ps").args(["-eo", "pid,ppid,args"]).output().expect("ps").stdout;
    let line = |line: &str| {
        let mut words = line.split_whitespace();
        let (own, parent) = (words.next()?.parse().ok()?, words.next()?.parse().ok()?);
        Some((own, parent, words.collect::<Vec<_>>().join(" ")))
    };
    String::from_utf8_lossy(&listing).lines().filter_map(line).collect()
}

/// A Spark executor of ours that is measuring games now.
fn busy_executor(child: &Child) -> Option<u32> {
    let all = processes();
    let parent = |of: u32| all.iter().find(|(own, ..)| *own == of).map(|(_, parent, _)| *parent);
    let is_executor = |of: u32| {
        all.iter().any(|(own, _, what)| *own == of && what.contains("CoarseGrainedExecutorBackend"))
    };
    let measuring = all.iter().filter(|(_, _, what)| what.contains(" analyse - --statistics"));
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
    let folder = Folder::new();
    folder.write("games.pgn", &games());
    let words = [&["analyse", "games.pgn", "--statistics", "whole.stats"], &WORDS[..]].concat();
    let alone = run_with_input(&folder, &words, b"");
    assert_eq!(alone.code, 0, "{}", alone.error);
    let expected = std::fs::read(folder.path().join("whole.stats")).expect("it was written");
    let all = |out: &str| std::fs::read(folder.path().join(out).join("all.stats"));

    assert!(spark(&python, folder.path(), "calm").status().expect("it starts").success());
    assert_eq!(all("calm").expect("the sums"), expected);
    let report =
        std::fs::read_to_string(folder.path().join("calm/report.jsonl")).expect("a report");
    assert_eq!(report.lines().count(), 9, "{report}");
    assert!(folder.path().join("calm/report.parquet/_SUCCESS").exists());

    let mut child = spark(&python, folder.path(), "killed").spawn().expect("it starts");
    let executor = loop {
        if let Some(executor) = busy_executor(&child) {
            break executor;
        }
        assert!(
            child.try_wait().expect("our child").is_none(),
            "it ended before anything was seen"
        );
    };
    let kill = Command::new("kill").args(["-9", &executor.to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    assert!(child.wait().expect("our child").success());
    assert_eq!(all("killed").expect("the sums"), expected);
}
