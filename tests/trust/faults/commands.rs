//! The long-running commands of the program.

use std::fs;

use stopdown::endgame::Tables;

use super::work::{Work, hexadecimal, write_rated_games};
use crate::common::{Folder, run_with_input};

pub const ALL: &[Work] = &[
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
        prepare: write_rated_games,
        result: |folder, finished| {
            let words = ["store", "values.db", "--export", "json"];
            let exported = run_with_input(folder, &words, b"");
            assert_eq!(exported.code, 0, "{}", exported.error);
            // The order of entries depends on which thread finishes first.
            let mut lines: Vec<&str> = exported.out.lines().collect();
            lines.sort_unstable();
            finished.out.clone() + &lines.join("\n")
        },
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
];

/// The games in a PGN file, which must equal those in its journal.
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

/// JSON with one line for each key.
fn in_lines(json: &str) -> String {
    let value: serde_json::Value = serde_json::from_str(json).expect(json);
    format!("{value:#}")
}

/// Removes times from the output: time tags, seconds, and figures per second.
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
        let number = word.trim_end().trim_start_matches('{').trim_end_matches([',', '}']);
        number.strip_suffix('s').is_some_and(|digits| digits.parse::<f64>().is_ok())
    };
    // Line breaks depend on the length of the times.
    let words = words.iter().filter(|word| !is_seconds(word)).map(|word| word.trim());
    words.collect::<Vec<_>>().join(" ")
}
