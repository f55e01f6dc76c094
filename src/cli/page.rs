//! Results written to files.

use std::path::Path;

use anyhow::Context;

use crate::arena::write_whole;

/// Replaces a file, or leaves it as it is.
pub fn save(path: &Path, text: &str) -> anyhow::Result<()> {
    write_whole(path, text.as_bytes()).with_context(|| path.display().to_string())
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
