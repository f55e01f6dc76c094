//! python-chess, which bots on Lichess and a good part of all scripts are written with.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::common::Folder;

const PACKAGE: &str = "chess==1.11.2";

fn has_chess(python: &Path) -> bool {
    let output = Command::new(python).args(["-c", "import chess.engine"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// A Python that knows the package: the usual one, or one beside what is built here.
#[expect(clippy::print_stderr, reason = "a test that is skipped says so")]
fn python() -> Option<PathBuf> {
    let usual = PathBuf::from("python3");
    if has_chess(&usual) {
        return Some(usual);
    }
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-chess");
    let python = own.join("bin/python3");
    let runs = |program: &Path, words: &[&str]| {
        Command::new(program).args(words).output().is_ok_and(|output| output.status.success())
    };
    if !has_chess(&python) {
        let _ = runs(&usual, &["-m", "venv", &own.display().to_string()])
            && runs(&python, &["-m", "pip", "install", "-q", PACKAGE]);
    }
    let is_there = has_chess(&python);
    if !is_there {
        eprintln!("skipped: there is no python3 with {PACKAGE}, nor can it be installed");
    }
    is_there.then_some(python)
}

#[test]
fn a_script_plays_analyses_and_changes_the_level() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/python_chess.py");
    let output = Command::new(python)
        .args([&script, Path::new(env!("CARGO_BIN_EXE_stopdown"))])
        .current_dir(folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .env("XDG_DATA_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .output()
        .expect("python");
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(!said.contains("Exception") && !said.contains("Unexpected"), "{said}");
}
