//! Results are the same on every machine, with and without vector instructions. You can also check
//! another architecture if you have a build for it:
//!
//! ```sh
//! STOPDOWN_TRUST_EMULATED="qemu-aarch64 -L /usr/aarch64-linux-gnu target/aarch64-unknown-linux-gnu/release/stopdown" \
//!   cargo test --test trust another_architecture
//! ```

use std::path::Path;
use std::process::{Command, Stdio};

use crate::common::needs::client;
use crate::common::{Folder, program};

/// Emulated processors: one with AVX2, and an older one without it.
const PROCESSORS: [&str; 2] = ["max", "Nehalem"];

const GAME: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/tuning/readme/opera.pgn");

/// Commands whose output contains counts, evaluations and choices, but no times.
const COMMANDS: [&[&str]; 3] = [
    &["bench", "3"],
    &["evaluate", "--depth", "4", "--json"],
    &["choose", "--elo", "1500", "--depth", "4", "--seed", "7", "--json"],
];

/// An analysis that fits a player. It takes a minute in an emulator.
const ANALYSIS: &[&str] = &["analyse", GAME, "--depth", "2", "--json"];

#[test]
fn a_processor_without_vectors_gives_the_same_results() {
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: this test needs an x86-64 processor");
        return;
    }
    if client("qemu-x86_64", "qemu-user").is_none() {
        return;
    }
    let emulators = PROCESSORS.map(|processor| vec!["qemu-x86_64", "-cpu", processor]);
    assert_same_results(&COMMANDS, &emulators, None);
}

#[test]
fn another_architecture_gives_the_same_results() {
    let Ok(words) = std::env::var("STOPDOWN_TRUST_EMULATED") else {
        println!("skipped: STOPDOWN_TRUST_EMULATED is not set to an emulator and a program");
        return;
    };
    let words: Vec<&str> = words.split(' ').collect();
    let (built, emulator) = words.split_last().expect("an emulator and a program");
    let built = std::fs::canonicalize(built).expect("the program is there");
    let commands = [&COMMANDS[..], &[ANALYSIS]].concat();
    assert_same_results(&commands, &[emulator.to_vec()], Some(&built));
}

/// Runs this program (or the one in `built`) in the emulators, and compares the output with that of
/// a native run.
fn assert_same_results(commands: &[&[&str]], emulators: &[Vec<&str>], built: Option<&Path>) {
    let folder = Folder::new();
    for words in commands {
        let own = program(&folder, words);
        let here = output_without_times(program(&folder, words));
        for emulator in emulators {
            let mut command = Command::new(emulator[0]);
            command.args(&emulator[1..]);
            command.arg(built.map_or(own.get_program(), Path::as_os_str)).args(own.get_args());
            command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command.current_dir(folder.path());
            assert_eq!(output_without_times(command), here, "{words:?} by {emulator:?}");
        }
    }
}

/// The output of a command, without times.
fn output_without_times(mut command: Command) -> String {
    let output = command.stdin(Stdio::null()).stderr(Stdio::piped()).output().expect("it starts");
    let error = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{error}");
    let text = String::from_utf8(output.stdout).expect("the program writes UTF-8");
    let words = text.split([' ', ',', '\n', '}']);
    let is_time = |word: &&str| word.contains("time_ms");
    let words: Vec<&str> = words.filter(|word| !is_time(word)).collect();
    let nodes = words.iter().position(|word| *word == "nodes");
    // Only the speed follows the node count, so the output is cut there.
    words[..nodes.unwrap_or(words.len())].join(" ")
}
