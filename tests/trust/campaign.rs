//! Code shared by the campaigns: settings, child processes that may die, and saved progress.

use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::str::FromStr;

/// The prefix of the argument that makes this program a test's child process.
const CHILD: &str = "trust-child=";

/// The value of an environment variable, or `None` if it is not set.
pub fn from_env<T: FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok()?;
    let number = text.parse().ok();
    Some(number.unwrap_or_else(|| panic!("{name} cannot be \"{text}\"; set it to a number")))
}

/// The folder where a long run saves its progress.
pub fn progress_folder(name: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("trust");
    std::fs::create_dir_all(&folder).expect("the build folder can be written to");
    folder.join(name)
}

/// The words given to this process, if it is the child process of a test.
pub fn words_of_child() -> Option<String> {
    std::env::args().find_map(|word| Some(word.strip_prefix(CHILD)?.to_owned()))
}

/// Starts this program again, for the test with this name. The test receives these words.
pub fn child(test: &str, words: &str) -> Command {
    let mut command = Command::new(std::env::current_exe().expect("this test"));
    command.args([test, "--exact", "--nocapture", &format!("{CHILD}{words}")]);
    // With a single arena, memory use follows the allocations.
    command.env("MALLOC_ARENA_MAX", "1").stdin(Stdio::null());
    command
}

/// The message of a failed process, without the test runner's output.
pub fn failure_message(output: &Output) -> String {
    let text = [&output.stdout[..], &output.stderr].concat();
    let text = String::from_utf8_lossy(&text);
    let last: Vec<&str> = text.lines().rev().take(30).collect();
    format!("{}\n{}", output.status, last.into_iter().rev().collect::<Vec<_>>().join("\n"))
}
