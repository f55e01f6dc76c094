//! python-chess, the library behind PicoChess, Lichess bots and many scripts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value as Json;

use super::common::Folder;
use super::common::needs::{client, missing};
use super::common::setups::{sections, yaml};
use super::reply_of_a_level;

const PROGRAM: &str = env!("CARGO_BIN_EXE_stopdown");

/// The libraries that the scripts use. lichess-bot reads its configuration with PyYAML.
const PACKAGES: &str = "chess==1.11.2 PyYAML==6.0.2";

fn has_packages(python: &Path) -> bool {
    let output = Command::new(python).args(["-c", "import chess.engine, yaml"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// A Python that has the packages: the system's, or one in a virtual environment inside the build
/// folder.
fn python() -> Option<PathBuf> {
    let usual = client("python3", "python3-venv")?;
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-chess");
    let found = [usual, own.join("bin/python3")].into_iter().find(|python| has_packages(python));
    if found.is_none() {
        let own = own.display();
        missing(PACKAGES, &format!("python3 -m venv {own}; {own}/bin/pip install {PACKAGES}"));
    }
    found
}

/// Runs a script from this folder without the user's settings, and returns its output.
fn run(python: &Path, script: &str, words: &[&str], folder: &Folder) -> String {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients").join(script);
    let output = Command::new(python)
        .arg(script)
        .args(words)
        .current_dir(folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .env("XDG_DATA_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .output()
        .expect("python");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    assert!(!printed.contains("Exception") && !printed.contains("Unexpected"), "{printed}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

#[test]
fn a_script_plays_analyses_and_changes_the_level() {
    let Some(python) = python() else { return };
    run(&python, "python_chess.py", &[PROGRAM, &reply_of_a_level()], &Folder::new());
}

/// `tests/command_line/setups.rs` checks the same files without Python.
#[test]
fn the_libraries_of_picochess_and_lichess_bot_read_our_settings() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let written = |words: &[&str]| {
        let output = Command::new(PROGRAM).args(words).current_dir(folder.path()).output();
        let output = output.expect("it runs");
        assert!(output.status.success(), "{words:?}: {output:?}");
        String::from_utf8(output.stdout).expect("UTF-8")
    };
    written(&["boards", "."]);
    let bots: [&[&str]; 3] =
        [&["--elo", "1600"], &["--imitator", "--scale", "Lichess-Rapid"], &["--exploit"]];
    let configurations: Vec<String> = bots
        .iter()
        .enumerate()
        .map(|(n, bot)| {
            let text = written(&[&["lichess-bot"], *bot].concat());
            folder.write(&format!("{n}.yml"), &text)
        })
        .collect();
    let files = configurations.iter().map(String::as_str);
    let words: Vec<&str> = [PROGRAM, "stopdown.uci"].into_iter().chain(files).collect();
    let read = run(&python, "setups.py", &words, &folder);
    let read: Vec<Json> = serde_json::from_str(&read).expect("JSON");
    let ours: Vec<Json> =
        configurations.iter().map(|file| yaml(&fs::read_to_string(file).expect("text"))).collect();
    assert_eq!(read[1..], ours);
    let levels = fs::read_to_string(folder.path().join("stopdown.uci")).expect("it was written");
    let ours = sections(&levels).into_iter().map(|(name, lines)| {
        let lines = lines.into_iter().map(|(key, value)| (key, value.into())).collect();
        (name, Json::Object(lines))
    });
    assert_eq!(read[0], Json::Object(ours.collect()));
}
