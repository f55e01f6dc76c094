//! python-chess, the library behind Lichess bots and many scripts.

use std::path::{Path, PathBuf};
use std::process::Command;

use super::common::Folder;
use super::common::needs::{client, missing};
use super::reply_of_a_level;

const PACKAGE: &str = "chess==1.11.2";

fn has_chess(python: &Path) -> bool {
    let output = Command::new(python).args(["-c", "import chess.engine"]).output();
    output.is_ok_and(|output| output.status.success())
}

/// A Python that has the package: the system's, or one in a virtual environment below the build
/// folder.
fn python() -> Option<PathBuf> {
    let usual = client("python3", "python3-venv")?;
    let own = Path::new(env!("CARGO_TARGET_TMPDIR")).join("python-chess");
    let found = [usual, own.join("bin/python3")].into_iter().find(|python| has_chess(python));
    if found.is_none() {
        let own = own.display();
        missing(PACKAGE, &format!("python3 -m venv {own}; {own}/bin/pip install {PACKAGE}"));
    }
    found
}

#[test]
fn a_script_plays_analyses_and_changes_the_level() {
    let Some(python) = python() else { return };
    let folder = Folder::new();
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/python_chess.py");
    let output = Command::new(python)
        .args([&script, Path::new(env!("CARGO_BIN_EXE_stopdown")), Path::new(&reply_of_a_level())])
        .current_dir(folder.path())
        .env("XDG_CONFIG_HOME", folder.path())
        .env("XDG_DATA_HOME", folder.path())
        .env("XDG_CACHE_HOME", folder.path())
        .output()
        .expect("python");
    let printed = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{printed}");
    assert!(!printed.contains("Exception") && !printed.contains("Unexpected"), "{printed}");
}
