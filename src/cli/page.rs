//! Results written to files.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::files::{draft, write_whole};

/// Replaces a file, or leaves it as it is.
pub fn save(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    write_whole(path, content.as_ref()).with_context(|| path.display().to_string())
}

/// Before long work: can these files be written?
pub fn can_save<'a>(paths: impl IntoIterator<Item = &'a PathBuf>) -> anyhow::Result<()> {
    for path in paths {
        let draft = draft(path);
        let told = || format!("cannot write {}", path.display());
        anyhow::ensure!(!path.is_dir(), "cannot write {}: it is a folder", path.display());
        File::create(&draft).with_context(told)?;
        std::fs::remove_file(&draft).with_context(told)?;
    }
    Ok(())
}

/// The command as it was typed, for a result to say what made it.
pub fn command_line() -> String {
    let quoted = |word: String| match word.contains(char::is_whitespace) || word.is_empty() {
        true => format!("\"{word}\""),
        false => word,
    };
    let words = std::env::args().skip(1).map(quoted);
    std::iter::once("stopdown".to_owned()).chain(words).collect::<Vec<String>>().join(" ")
}
