//! The output of commands: result files, and a progress line on standard error.

use std::collections::HashSet;
use std::fmt::Display;
use std::io::{self, BufWriter, IntoInnerError, IsTerminal, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;
use serde::Serialize;

use crate::files::{PendingFile, is_device_or_pipe, write_whole};
use crate::games::pgn::open_text;
use crate::report::{Document, JSON_VERSION, text};

/// Writes a file atomically. On failure, an existing file is left unchanged.
pub fn save(path: &Path, content: impl AsRef<[u8]>) -> anyhow::Result<()> {
    write_whole(path, content.as_ref()).with_context(|| path.display().to_string())
}

/// Like [`save`], for content that `write` writes piece by piece. Returns the result of `write`.
pub fn save_by<T>(
    path: &Path,
    write: impl FnOnce(&mut BufWriter<PendingFile>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut draft = NamedDraft::new(path)?;
    let written = write(&mut draft.file).with_context(|| path.display().to_string())?;
    draft.finish().map(|()| written)
}

/// A file that is being written. It appears under its name when it is complete. Errors include the
/// name.
#[derive(Debug)]
pub struct NamedDraft {
    path: PathBuf,
    file: BufWriter<PendingFile>,
}

impl NamedDraft {
    pub fn new(path: &Path) -> anyhow::Result<NamedDraft> {
        let draft = PendingFile::new(path).with_context(|| path.display().to_string())?;
        Ok(NamedDraft { path: path.to_owned(), file: BufWriter::new(draft) })
    }

    pub fn write(&mut self, text: &str) -> anyhow::Result<()> {
        self.file.write_all(text.as_bytes()).with_context(|| self.path.display().to_string())
    }

    pub fn finish(self) -> anyhow::Result<()> {
        let draft = self.file.into_inner().map_err(IntoInnerError::into_error);
        draft.and_then(PendingFile::finish).with_context(|| self.path.display().to_string())
    }
}

/// The width for text in columns: that of the terminal or COLUMNS, within limits. If both are unknown, the given one.
pub fn text_width(otherwise: usize) -> usize {
    const MIN_WIDTH: usize = 40;
    let from_environment =
        std::env::var("COLUMNS").ok().and_then(|columns| columns.trim().parse().ok());
    let terminal = || terminal_size::terminal_size().map(|(columns, _)| columns.0.into());
    let width = from_environment.or_else(terminal).unwrap_or(otherwise);
    width.clamp(MIN_WIDTH, text::MAX_WIDTH)
}

/// The width of reports. Only a terminal makes them narrower.
pub fn report_width() -> usize {
    if io::stdout().is_terminal() { text_width(text::MAX_WIDTH) } else { text::MAX_WIDTH }
}

/// Writes a report as text.
pub fn write_text(document: &Document, out: &mut dyn Write) -> io::Result<()> {
    write!(out, "{}", text::render(document, report_width()))
}

/// Writes a result as one line of JSON, with the version of the format.
pub fn write_json<T: Serialize>(result: &T, out: &mut dyn Write) -> io::Result<()> {
    #[derive(Serialize)]
    struct Line<'a, T> {
        version: u32,
        #[serde(flatten)]
        result: &'a T,
    }
    writeln!(out, "{}", serde_json::to_string(&Line { version: JSON_VERSION, result })?)
}

/// Reads a text file named on the command line. It may be compressed.
pub fn read_text(path: &Path) -> anyhow::Result<String> {
    let mut text = String::new();
    open_text(path, &Arc::default())
        .and_then(|mut file| file.read_to_string(&mut text))
        .with_context(|| path.display().to_string())?;
    Ok(text)
}

/// Checks, before a long run, that the output files can be written, and that none of them is an
/// input or is named twice.
pub fn check_outputs<'a>(
    outputs: impl IntoIterator<Item = &'a PathBuf>,
    inputs: &[impl AsRef<Path>],
) -> anyhow::Result<()> {
    let mut used_paths: Vec<PathBuf> =
        inputs.iter().filter_map(|input| absolute_path(input.as_ref())).collect();
    for path in outputs {
        let name = path.display();
        anyhow::ensure!(
            path.as_os_str() != "-",
            "- is standard output, which is used for the report; give a file instead"
        );
        anyhow::ensure!(!path.is_dir(), "cannot write {name}: it is a folder");
        if is_device_or_pipe(path) {
            // If a pipe were opened and closed now, its reader would see the end of the input.
            continue;
        }
        PendingFile::new(path).with_context(|| format!("cannot write {name}"))?;
        let absolute_path = absolute_path(path);
        let is_free =
            !used_paths.iter().any(|used_paths| Some(used_paths) == absolute_path.as_ref());
        anyhow::ensure!(is_free, "{name} is also an input or another output; choose another file");
        used_paths.extend(absolute_path);
    }
    Ok(())
}

/// Rejects files that are given twice, because their games would be counted twice.
pub fn reject_duplicates(inputs: &[impl AsRef<Path>]) -> anyhow::Result<()> {
    let mut named = HashSet::new();
    for input in inputs.iter().map(AsRef::as_ref) {
        let is_new = absolute_path(input).is_none_or(|absolute_path| named.insert(absolute_path));
        anyhow::ensure!(
            is_new,
            "{} is given twice; remove one, or its games would be counted twice",
            input.display()
        );
    }
    Ok(())
}

/// The absolute path of a file that may not exist yet.
fn absolute_path(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new(".")).canonicalize();
    path.canonicalize().ok().or_else(|| Some(folder.ok()?.join(path.file_name()?)))
}

/// The program and its arguments as text. In a name that is not valid Unicode, U+FFFD replaces what cannot be read.
pub fn words() -> impl Iterator<Item = String> {
    std::env::args_os().map(|word| word.to_string_lossy().into_owned())
}

/// The command line, to record in a result.
pub fn command_line() -> String {
    let mut words = words();
    let program = words.next().unwrap_or_default();
    let program = Path::new(&program).file_stem().and_then(|name| name.to_str());
    let program = program.unwrap_or("stopdown").to_owned();
    std::iter::once(program).chain(words.map(quoted)).collect::<Vec<String>>().join(" ")
}

/// A word as it would be typed in a shell, on one line.
fn quoted(word: String) -> String {
    let line = word.replace(char::is_control, "\u{fffd}");
    if cfg!(unix)
        && line
            .contains(['"', '\'', '$', '`', '\\', '*', '?', '&', ';', '|', '<', '>', '(', ')', '#'])
    {
        format!("'{}'", line.replace('\'', "'\\''"))
    } else if line.contains(char::is_whitespace) || line.is_empty() {
        format!("\"{line}\"")
    } else {
        line
    }
}

/// A status line at the bottom of the terminal. If standard error is not a terminal, only permanent
/// messages are written. Write errors are ignored, because they could not be shown.
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
    /// Creates a status line on standard error. It is shown only in a terminal.
    pub fn new() -> Progress {
        Progress { on_terminal: io::stderr().is_terminal() }
    }

    /// Replaces the status line.
    pub fn show(&self, line: impl Display) {
        if self.on_terminal {
            let mut stderr = io::stderr();
            let _ = write!(stderr, "\r\x1b[K{line}");
            let _ = stderr.flush();
        }
    }

    /// Erases the status line.
    pub fn clear(&self) {
        self.show("");
    }

    /// Prints a permanent message.
    pub fn tell(&self, line: impl Display) {
        self.clear();
        let _ = writeln!(io::stderr(), "{line}");
    }
}

/// Formats a remaining time, such as `80 s`, `2 min` or `1.5 h`.
pub fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use flate2::{Compression, write::GzEncoder};

    #[test]
    fn compressed_files_are_read_as_text() -> anyhow::Result<()> {
        let folder = tempfile::tempdir()?;
        let path = folder.path().join("openings.epd.gz");
        let mut file = GzEncoder::new(std::fs::File::create(&path)?, Compression::fast());
        file.write_all(b"4k3/8/8/8/8/8/8/4K2R w K -\n")?;
        file.finish()?;
        assert_eq!(read_text(&path)?, "4k3/8/8/8/8/8/8/4K2R w K -\n");
        Ok(())
    }
}
