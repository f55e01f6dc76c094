//! The same numbers on every machine: with the vector instructions that a processor may lack, and without.

use std::process::{Command, Stdio};

use crate::common::{Folder, program};

/// Processors that the emulator can be: with AVX2, and from before it.
const PROCESSORS: [&str; 2] = ["max", "Nehalem"];

/// What is counted, valued and chosen, without what takes time.
const COMMANDS: [&[&str]; 3] = [
    &["bench", "3"],
    &["evaluate", "--depth", "4", "--json"],
    &["choose", "--elo", "1500", "--depth", "4", "--seed", "7", "--json"],
];

#[test]
fn a_processor_without_vectors_finds_the_same() {
    if !cfg!(target_arch = "x86_64") {
        println!("skipped: this test knows processors of the kind x86_64 only");
        return;
    }
    if Command::new("qemu-x86_64").arg("--version").stdout(Stdio::null()).status().is_err() {
        println!(
            "skipped: there is no qemu-x86_64 to be another processor; Debian has it in qemu-user"
        );
        return;
    }
    let folder = Folder::new();
    for words in COMMANDS {
        let own = program(&folder, words);
        let here = said(program(&folder, words));
        for processor in PROCESSORS {
            let mut command = Command::new("qemu-x86_64");
            command.args(["-cpu", processor]).arg(own.get_program()).args(own.get_args());
            command.envs(own.get_envs().filter_map(|(name, value)| Some((name, value?))));
            command.current_dir(folder.path());
            assert_eq!(said(command), here, "{words:?} on {processor}");
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
