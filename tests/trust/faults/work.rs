//! Commands that take a while and can be resumed, and what comes of them, without what differs from run
//! to run: times.

use std::fs;
use std::path::Path;
use std::process::Command;

use stopdown::endgame::Tables;

use crate::common::{Finished, Folder, program, run_with_input};

/// A command with all that it makes.
pub struct Work {
    pub name: &'static str,
    pub arguments: &'static [&'static str],
    /// What it reads, before it is run for the first time.
    pub prepare: fn(&Folder),
    /// What has come of it.
    pub result: fn(&Folder, &Finished) -> String,
}

pub const ALL: [Work; 8] = [
    Work {
        name: "match",
        arguments: &[
            "match",
            "--a",
            "self depth=2 competence=9 seed=1",
            "--b",
            "self depth=1 competence=6 seed=2",
            "--games",
            "12",
            "--max-moves",
            "40",
            "--interval",
            "0",
            "--pgn",
            "games.pgn",
            "--resume",
            "--json",
        ],
        prepare: |_| (),
        result: |folder, finished| games(folder) + &without_times(&in_lines(&finished.out)),
    },
    Work {
        name: "ladder",
        arguments: &[
            "ladder",
            "--player",
            "self depth=2 competence=9 seed=1",
            "--player",
            "self depth=1 competence=6 seed=2",
            "--player",
            "self depth=1 competence=1 seed=3",
            "--games",
            "4",
            "--max-moves",
            "40",
            "--interval",
            "0",
            "--pgn",
            "games.pgn",
            "--resume",
            "--json",
        ],
        prepare: |_| (),
        result: |folder, finished| games(folder) + &finished.out,
    },
    Work {
        name: "analyse",
        arguments: &["analyse", "people.pgn", "--depth", "2", "--store", "values.db", "--json"],
        prepare: people,
        result: |folder, finished| {
            let words = ["store", "values.db", "--export", "json"];
            let exported = run_with_input(folder, &words, b"");
            assert_eq!(exported.code, 0, "{}", exported.error);
            // Several threads value positions, and whichever is first deposits first.
            let mut lines: Vec<&str> = exported.out.lines().collect();
            lines.sort_unstable();
            finished.out.clone() + &lines.join("\n")
        },
    },
    Work {
        name: "tune values",
        arguments: &["tune", "values", "people.choices", "people.values", "--depth", "3"],
        prepare: |folder| {
            people(folder);
            let words = ["tune", "choices", "people.choices", "people.pgn"];
            let made = run_with_input(folder, &words, b"");
            assert_eq!(made.code, 0, "{}", made.error);
        },
        result: |folder, _| hexadecimal(&folder.path().join("people.values")),
    },
    Work {
        name: "endgame build",
        arguments: &["endgame", "build", "KBK", "KNK", "KRK", "KQK", "--dir", "tables"],
        prepare: |_| (),
        result: |folder, _| {
            let tables = Tables::in_directory(folder.path().join("tables"));
            let of = |name: &&str| hexadecimal(&tables.directory().expect("a folder").join(name));
            ["KRK.dtm", "KRK.dtc", "KQK.dtm", "KQK.dtc", "KNK.dtm"].iter().map(of).collect()
        },
    },
    Work {
        name: "calibrate",
        arguments: &[
            "calibrate",
            "--work",
            "work",
            "--out",
            "out",
            "--coarse",
            "--games",
            "2",
            "--depth",
            "1",
            "--ladder",
            "--json",
        ],
        prepare: |_| (),
        result: |folder, finished| {
            let read = |name: &str| {
                let path = folder.path().join("out").join(name);
                fs::read_to_string(path).expect("it was written")
            };
            finished.out.clone() + &read("levels.toml") + &read("ladder.json")
        },
    },
    Work {
        name: "tune data",
        arguments: &["tune", "data", "games.bin", "--games", "12", "--nodes", "100"],
        prepare: |_| (),
        result: |folder, _| {
            let words = ["tune", "data", "games.bin", "--count"];
            let counted = run_with_input(folder, &words, b"");
            assert_eq!(counted.code, 0, "{}", counted.error);
            counted.out + &hexadecimal(&folder.path().join("games.bin"))
        },
    },
    Work {
        name: "tune net",
        arguments: &[
            "tune",
            "net",
            "games.bin",
            "-o",
            "net.bin",
            "--width",
            "32",
            "--buckets",
            "1",
            "--epochs",
            "6",
            "--batch",
            "100",
        ],
        prepare: |folder| {
            let words = ["tune", "data", "games.bin", "--games", "20", "--nodes", "40"];
            let made = run_with_input(folder, &words, b"");
            assert_eq!(made.code, 0, "{}", made.error);
        },
        result: |folder, _| {
            assert!(!folder.path().join("net.bin.training").exists(), "it is not needed any more");
            hexadecimal(&folder.path().join("net.bin"))
        },
    },
];

/// The command, ready to be started.
pub fn command(work: &Work, folder: &Folder) -> Command {
    program(folder, work.arguments)
}

/// Runs it to its end; what has come of it.
pub fn finish(work: &Work, folder: &Folder) -> String {
    let finished = run_with_input(folder, work.arguments, b"");
    assert_eq!(finished.code, 0, "{}: {}", work.name, finished.error);
    (work.result)(folder, &finished)
}

/// What comes of it where nothing happens, and how long that takes.
pub fn undisturbed(work: &Work) -> (String, std::time::Duration) {
    let folder = Folder::new();
    (work.prepare)(&folder);
    let start = std::time::Instant::now();
    let result = finish(work, &folder);
    assert!(result.len() > 1000, "{}: {result}", work.name);
    (result, start.elapsed())
}

/// Two results must be the same; what is told is the first difference.
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

/// Games of two people with ratings, and more positions than one bulk of a store holds.
fn people(folder: &Folder) {
    let opera = include_str!("../../../tuning/readme/opera.pgn");
    let (_, moves) = opera.split_once("\n\n").expect("tags, then moves");
    let words: Vec<&str> = moves.split_whitespace().collect();
    // The same game broken off later and later is another game each time.
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

/// The games of a file and of its journal, which must be the same ones.
fn games(folder: &Folder) -> String {
    let pgn = folder.path().join("games.pgn");
    let text = fs::read_to_string(&pgn).expect("there are games");
    let journal = fs::read_to_string(folder.path().join("games.pgn.jsonl")).expect("a journal");
    let of_line = |line: &str| {
        let game: serde_json::Value = serde_json::from_str(line).expect(line);
        game["pgn"].as_str().expect("a game").to_owned()
    };
    assert_eq!(journal.lines().skip(1).map(of_line).collect::<String>(), text);
    without_times(&text)
}

/// JSON with a line for every key.
fn in_lines(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).expect(json);
    format!("{value:#}")
}

/// A text without the times in it: tags, seconds of moves, seconds of players.
fn without_times(text: &str) -> String {
    let is_time = |line: &&str| {
        let line = line.trim_start();
        let tags = ["[Date", "[GameStart", "[GameEnd", "[GameDuration", "\"seconds"];
        tags.iter().any(|tag| line.starts_with(tag)) || line.contains("_per_second")
    };
    let lines: String =
        text.lines().filter(|line| !is_time(line)).map(|l| format!("{l}\n")).collect();
    let words: Vec<&str> = lines.split_inclusive(char::is_whitespace).collect();
    let is_seconds = |word: &&&str| {
        let number = word.trim_end().trim_start_matches('{').trim_end_matches(',');
        number.strip_suffix('s').is_some_and(|digits| digits.parse::<f64>().is_ok())
    };
    // Lines are broken where they are full, which times have a part in.
    let words = words.iter().filter(|word| !is_seconds(word)).map(|word| word.trim());
    words.collect::<Vec<_>>().join(" ")
}

fn hexadecimal(path: &Path) -> String {
    let bytes = fs::read(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
