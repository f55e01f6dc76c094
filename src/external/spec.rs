//! The program, arguments and options of an external engine, and a parser for its command line.

use std::path::{Path, PathBuf};

/// The program, arguments and options of a UCI engine.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalSpec {
    /// The path to the program, or a name to look up in the `PATH`.
    pub(crate) program: String,
    /// The program's arguments, without quotes.
    pub(crate) arguments: Vec<String>,
    /// The engine's working directory. `None` for our own.
    pub(crate) directory: Option<PathBuf>,
    /// The names and values of the options that are sent after every start.
    pub(crate) options: Vec<(String, String)>,
}

/// Why a command line cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// A quote is not closed. Contains the quote and the command line.
    #[error("the quote {0} is not closed in \"{1}\"")]
    Quote(char, String),
    /// The command line has no words.
    #[error("no engine program was given")]
    Empty,
}

impl ExternalSpec {
    /// Parses a command line. It is either the path of a file, which may contain spaces, or a program
    /// and its arguments, separated by spaces that are not in quotes.
    pub(crate) fn of_command(command: &str) -> Result<ExternalSpec, CommandError> {
        if Path::new(command).is_file() {
            return Ok(ExternalSpec { program: command.to_owned(), ..ExternalSpec::default() });
        }
        let mut words = split_words(command)?.into_iter();
        let program = words.next().ok_or(CommandError::Empty)?;
        Ok(ExternalSpec { program, arguments: words.collect(), ..ExternalSpec::default() })
    }

    /// The program's name without directory and extension.
    pub(crate) fn short_name(&self) -> &str {
        let name = Path::new(&self.program).file_stem().and_then(|name| name.to_str());
        name.unwrap_or(&self.program)
    }

    /// Sets an option. An earlier value is replaced. Names are not case-sensitive.
    pub(crate) fn set(&mut self, name: &str, value: &str) {
        self.options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.options.push((name.to_owned(), value.to_owned()));
    }
}

/// Splits a string at spaces that are not in quotes. The quotes are removed, and may be inside a
/// word.
pub fn split_words(text: &str) -> Result<Vec<String>, CommandError> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for c in text.chars() {
        match quote {
            Some(open) if c == open => quote = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                quote = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    if let Some(open) = quote {
        return Err(CommandError::Quote(open, text.to_owned()));
    }
    words.extend(word);
    Ok(words)
}
