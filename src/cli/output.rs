//! What commands leave behind: results in files, and a line on standard error while something long runs.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, BufWriter, IntoInnerError, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use serde::Serialize;

use crate::files::{Draft, is_no_place, write_whole};
use crate::report::{Document, text};

/// Replaces a file, or leaves it as it is.
pub fn save(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    write_whole(path, content.as_ref()).with_context(|| path.display().to_string())
}

/// The same of a content that is written bit by bit; what else comes of the writing is handed back.
pub fn save_by<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<Draft>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut draft = NamedDraft::new(path)?;
    let written = write(&mut draft.file).with_context(|| path.display().to_string())?;
    draft.finish().map(|()| written)
}

/// A file on its way; it is there when it is whole. Errors name it.
#[derive(Debug)]
pub struct NamedDraft {
    path: PathBuf,
    file: BufWriter<Draft>,
}

impl NamedDraft {
    pub fn new(path: &Path) -> anyhow::Result<NamedDraft> {
        let draft = Draft::new(path).with_context(|| path.display().to_string())?;
        Ok(NamedDraft { path: path.to_owned(), file: BufWriter::new(draft) })
    }

    pub fn write(&mut self, text: &str) -> anyhow::Result<()> {
        self.file.write_all(text.as_bytes()).with_context(|| self.path.display().to_string())
    }

    pub fn finish(self) -> anyhow::Result<()> {
        let draft = self.file.into_inner().map_err(IntoInnerError::into_error);
        draft.and_then(Draft::finish).with_context(|| self.path.display().to_string())
    }
}

/// Writes a report as text.
pub fn write_text(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{}", text::render(document, text::LARGEST_WIDTH))
}

/// Writes a result as one line of JSON.
pub fn write_json(result: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "{}", serde_json::to_string(result)?)
}

/// The text of a file that the command line names.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    std::fs::read_to_string(path).with_context(|| path.display().to_string())
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

/// The line that lives at the bottom of a terminal; elsewhere only what matters is told. Should the
/// terminal be gone, nobody is there to be told.
#[derive(Debug)]
pub struct Progress {
    on_terminal: bool,
}

impl Default for Progress {
    fn default() -> Progress {
        Progress::new()
    }
}

impl Progress {
    pub fn new() -> Progress {
        Progress { on_terminal: io::stderr().is_terminal() }
    }

    /// Replaces the line.
    pub fn show(&self, line: impl Display) {
        if self.on_terminal {
            let mut stderr = io::stderr();
            let _ = write!(stderr, "\r\x1b[K{line}");
            let _ = stderr.flush();
        }
    }

    pub fn clear(&self) {
        self.show("");
    }

    /// Tells something that is to stay.
    pub fn tell(&self, line: impl Display) {
        self.clear();
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// A number to read: five digits tell all that is to be seen.
pub fn five_digits(number: f64) -> f64 {
    format!("{number:.4e}").parse().unwrap_or(number)
}

/// A time that is left: `80 s`, `2 min`, `1.5 h`.
pub fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
