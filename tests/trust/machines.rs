//! The same numbers on every machine: with the vector instructions that a processor may lack, without, and on
//! another architecture, if a program for one is at hand:
//!
//! ```sh
//! STOPDOWN_TRUST_EMULATED="qemu-aarch64 -L /usr/aarch64-linux-gnu target/aarch64-unknown-linux-gnu/release/stopdown" \
//!   cargo test --test trust another_architecture
//! ```

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::needs::client;
use crate::common::{Folder, program};

/// Processors that the emulator can be: with AVX2, and from before it.
const PROCESSORS: [&str; 2] = ["max", "Nehalem"];

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/readme/opera.pgn");

/// What is counted, valued and chosen, without what takes time.
const COMMANDS: [&[&str]; 3] = [
    &["bench", "3"],
    &["evaluate", "--depth", "4", "--json"],
    &["choose", "--elo", "1500", "--depth", "4", "--seed", "7", "--json"],
];

/// What is fitted: a minute under an emulator.
const ANALYSIS: &[&str] = &["analyse", GAME, "--depth", "2", "--json"];

#[test]
fn a_processor_without_vectors_finds_the_same() {
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: this test knows processors of the kind x86_64 only");
        return;
    }
    if client("qemu-x86_64", "qemu-user").is_none() {
        return;
    }
    let emulators = PROCESSORS.map(|processor| vec!["qemu-x86_64", "-cpu", processor]);
    find_the_same(&COMMANDS, &emulators, None);
}

#[test]
fn another_architecture_finds_the_same() {
    let Ok(words) = std::env::var("STOPDOWN_TRUST_EMULATED") else {
        println!("skipped: STOPDOWN_TRUST_EMULATED names no program of another architecture");
        return;
    };
    let words: Vec<&str> = words.split(' ').collect();
    let (built, emulator) = words.split_last().expect("an emulator and a program");
    let built = std::fs::canonicalize(built).expect("the program is there");
    let commands = [&COMMANDS[..], &[ANALYSIS]].concat();
    find_the_same(&commands, &[emulator.to_vec()], Some(&built));
}

/// Has the emulators run this program, or the usual one, and wants what the usual one says by itself.
fn find_the_same(commands: &[&[&str]], emulators: &[Vec<&str>], built: Option<&Path>) {
    let folder = Folder::new();
    for words in commands {
        let own = program(&folder, words);
        let here = said(program(&folder, words));
        for emulator in emulators {
            let mut command = Command::new(emulator[0]);
            command.args(&emulator[1..]);
            command.arg(built.map_or(own.get_program(), Path::as_os_str)).args(own.get_args());
            command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command.current_dir(folder.path());
            assert_eq!(said(command), here, "{words:?} by {emulator:?}");
        }
    }
}

/// What a command says, without times.
fn said(mut command: Command) -> String {
    let output = command.stdin(Stdio::null()).stderr(Stdio::piped()).output().expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let text = String::from_utf8(output.stdout).expect("the program writes UTF-8");
    let words = text.split([' ', ',', '\n', '}']);
    let is_time = |word: &&str| word.contains("time_ms");
    let words: Vec<&str> = words.filter(|word| !is_time(word)).collect();
    let nodes = words.iter().position(|word| *word == "nodes");
    // Behind the nodes of the signature comes how many a second they were.
    words[..nodes.unwrap_or(words.len())].join(" ")
}
