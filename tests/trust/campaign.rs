//! What all parts of the campaign need: how much is asked for, children that may die, and progress.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::str::FromStr;

/// Begins an argument for a child of the tests.
const CHILD: &str = "trust-child=";

/// A number that whoever runs the tests by hand has asked for.
pub fn asked<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    let number = text.parse().ok();
    Some(number.unwrap_or_else(|| panic!("{name} cannot be \"{text}\": give a number")))
}

/// Where a long run keeps what it has done.
pub fn kept(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trust");
    std::fs::create_dir_all(&folder).expect("the build folder can be written to");
    folder.join(name)
}

/// What this process was started for, if it is the child of a test.
pub fn words_of_child() -> Option<String> {
    std::env::args().find_map(|word| Some(word.strip_prefix(CHILD)?.to_owned()))
}

/// This program once more, for the test of this name, which finds these words.
pub fn child(test: &str, words: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args([test, "--exact", "--nocapture", &format!("{CHILD}{words}")]);
    // One arena: what a process takes of memory is then what it has asked for.
    command.env("MALLOC_ARENA_MAX", "1").stdin(Stdio::null());
    command
}

/// What a process that has failed said, without the noise of the test runner.
pub fn complaint(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let last: Vec<&str> = text.lines().rev().take(30).collect();
    format!("{}\n{}", output.status, last.into_iter().rev().collect::<Vec<_>>().join("\n"))
}
