//! Results written to files.

use std::collections::HashSet;
use std::io::{BufWriter, IntoInnerError};
use std::path::{Path, PathBuf};

use anyhow::Context;

use crate::files::{Draft, is_no_place, write_whole};

/// Replaces a file, or leaves it as it is.
pub fn save(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    write_whole(path, content.as_ref()).with_context(|| path.display().to_string())
}

/// The same of a content that is written bit by bit.
pub fn save_by(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<Draft>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let named = || path.display().to_string();
    let mut draft = BufWriter::new(Draft::new(path).with_context(named)?);
    write(&mut draft).with_context(named)?;
    let draft = draft.into_inner().map_err(IntoInnerError::into_error);
    draft.and_then(Draft::finish).with_context(named)
}

/// Before long work: can these files be written, and are they neither read nor written twice?
pub fn can_save<'a>(
    outputs: impl IntoIterator<Item = &'a PathBuf>,
    inputs: &[impl AsRef<Path>],
) -> anyhow::Result<()> {
    let mut taken: Vec<PathBuf> = inputs.iter().filter_map(|input| place(input.as_ref())).collect();
    for path in outputs {
        let name = path.display();
        anyhow::ensure!(
            path.as_os_str() != "-",
            "- is standard output, which has the report: name a file"
        );
        anyhow::ensure!(!path.is_dir(), "cannot write {name}: it is a folder");
        if is_no_place(path) {
            // Opened now and closed again, a pipe would end for who reads it.
            continue;
        }
        Draft::new(path).with_context(|| format!("cannot write {name}"))?;
        let place = place(path);
        let is_free = !taken.iter().any(|taken| Some(taken) == place.as_ref());
        anyhow::ensure!(is_free, "{name} is read, or written too, and cannot be written over");
        taken.extend(place);
    }
    Ok(())
}

/// Nothing is to count twice: no file may be named again.
pub fn named_once(inputs: &[impl AsRef<Path>]) -> anyhow::Result<()> {
    let mut named = HashSet::new();
    for input in inputs.iter().map(AsRef::as_ref) {
        let is_new = place(input).is_none_or(|place| named.insert(place));
        anyhow::ensure!(is_new, "{} is named twice, and would count twice", input.display());
    }
    Ok(())
}

/// Where a file is, or will be.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    path.canonicalize().ok().or_else(|| Some(folder.ok()?.join(path.file_name()?)))
}

/// The command as it was typed, for a result to say what made it.
pub fn command_line() -> String {
    let quoted = |word: String| match word.contains(char::is_whitespace) || word.is_empty() {
        true => format!("\"{word}\""),
        false => word,
    };
    let words = std::env::args().skip(1).map(quoted);
    let program = std::env::args().next().unwrap_or_default();
    let program = Path::new(&program).file_stem().and_then(|name| name.to_str());
    let program = program.unwrap_or("stopdown").to_owned();
    std::iter::once(program).chain(words).collect::<Vec<String>>().join(" ")
}
