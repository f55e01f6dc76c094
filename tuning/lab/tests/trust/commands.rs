//! The long-running commands of the laboratory.

use std::fs;

use super::work::{Work, hexadecimal, write_rated_games};
use crate::common::run_with_input;

pub const ALL: &[Work] = &[
    Work {
        name: "tune values",
        arguments: &["tune", "values", "people.choices", "people.values", "--depth", "3"],
        prepare: |folder| {
            write_rated_games(folder);
            let words = ["tune", "choices", "people.choices", "people.pgn"];
            let made = run_with_input(folder, &words, b"");
            assert_eq!(made.code, 0, "{}", made.error);
        },
        result: |folder, _| hexadecimal(&folder.path().join("people.values")),
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
            assert!(!folder.path().join("net.bin.training").exists(), "the checkpoint was left");
            hexadecimal(&folder.path().join("net.bin"))
        },
    },
];
