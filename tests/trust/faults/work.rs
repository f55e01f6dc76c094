//! A long-running command that can be resumed, and its result without the times, which differ
//! between runs.
//!
//! The laboratory's tests include this file too.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{Finished, Folder, program, run_with_input};

/// A command with its input and its result.
pub struct Work {
    pub name: &'static str,
    pub arguments: &'static [&'static str],
    /// Writes the input before the first run.
    pub prepare: fn(&Folder),
    /// Collects the result.
    pub result: fn(&Folder, &Finished) -> String,
}

/// The command, ready to start.
pub fn command(work: &Work, folder: &Folder) -> Command {
    program(folder, work.arguments)
}

/// Runs the command to its end and returns the result.
pub fn finish(work: &Work, folder: &Folder) -> String {
    let finished = run_with_input(folder, work.arguments, b"");
    assert_eq!(finished.code, 0, "{}: {}", work.name, finished.error);
    (work.result)(folder, &finished)
}

/// The result of an uninterrupted run, and its running time.
pub fn uninterrupted(work: &Work) -> (String, std::time::Duration) {
    let folder = Folder::new();
    (work.prepare)(&folder);
    let start = std::time::Instant::now();
    let result = finish(work, &folder);
    assert!(result.len() > 1000, "{}: {result}", work.name);
    (result, start.elapsed())
}

/// Asserts that two results are equal. Reports the first difference.
pub fn assert_same(found: &str, expected: &str, what: &str) {
    if found != expected {
        let same = found.bytes().zip(expected.bytes()).take_while(|(a, b)| a == b).count();
        let around = |text: &str| {
            let from = same.saturating_sub(60);
            String::from_utf8_lossy(&text.as_bytes()[from..text.len().min(same + 60)]).into_owned()
        };
        panic!("{what}: at {same}: {:?} instead of {:?}", around(found), around(expected));
    }
}

/// Games of two rated players, with more positions than a store writes in one batch.
pub fn write_rated_games(folder: &Folder) {
    let opera = include_str!("../../../tuning/readme/opera.pgn");
    let (_, moves) = opera.split_once("\n\n").expect("tags, then moves");
    let words: Vec<&str> = moves.split_whitespace().collect();
    // The same game truncated at different plies gives different games.
    let game = |number: usize| {
        let part = words[..(10 + 2 * number).min(words.len())].join(" ");
        format!(
            "[Event \"x\"]\n[White \"A{number}\"]\n[Black \"B\"]\n[WhiteElo \"1500\"]\n[BlackElo \"{}\"]\n\
             [Result \"*\"]\n\n{part} *\n\n",
            1400 + number
        )
    };
    folder.write("people.pgn", &(0..14).map(game).collect::<String>());
}

pub fn hexadecimal(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
