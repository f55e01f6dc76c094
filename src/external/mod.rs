//! Other people's engines: processes that speak UCI, under supervision.
//!
//! A [`UciClient`] starts an engine and talks to it, whatever that does: every wait has an end, and
//! an engine that fails is ended and can be started afresh. An [`Analyst`] has such an engine value
//! all moves of a position at all depths, as our own search does, so that anything that chooses
//! among valued moves can be had of it (Haworth 2007, 4.1: c is "applicable to all engines E").

mod analyst;
mod client;
mod process;
mod search;
mod sheet;
mod valuing;
mod wait;
mod wire;

use std::path::{Path, PathBuf};

pub use analyst::Analyst;
pub use client::{Fault, PATIENCE, UciClient};
pub use process::{GUARD_COMMAND, become_program, evaluates_for_stopdown, guard_program};
pub use search::{ChosenMove, EngineSearch};
pub use wait::Wait;
pub use wire::{Declared, Info, Pulse};

/// How to start a UCI engine, and with what options.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExternalSpec {
    pub program: String,
    pub arguments: Vec<String>,
    pub directory: Option<PathBuf>,
    pub options: Vec<(String, String)>,
}

/// Why a text starts no engine.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    #[error("the quote {0} is not closed in \"{1}\"")]
    Quote(char, String),
    #[error("the name of an engine's program is missing")]
    Empty,
}

impl ExternalSpec {
    /// A program with its arguments, as a shell takes them: blanks part them, quotes hold them
    /// together.
    pub fn of_command(command: &str) -> Result<ExternalSpec, CommandError> {
        let mut words = split_words(command)?.into_iter();
        let program = words.next().ok_or(CommandError::Empty)?;
        Ok(ExternalSpec { program, arguments: words.collect(), ..ExternalSpec::default() })
    }

    /// The same where a file's path is more likely than arguments: a path may have blanks and no quotes.
    pub fn of_program(text: &str) -> Result<ExternalSpec, CommandError> {
        match Path::new(text).is_file() {
            true => Ok(ExternalSpec { program: text.to_owned(), ..ExternalSpec::default() }),
            false => ExternalSpec::of_command(text),
        }
    }

    /// The name of the program without its folder.
    pub fn short_name(&self) -> &str {
        let name = Path::new(&self.program).file_stem().and_then(|name| name.to_str());
        name.unwrap_or(&self.program)
    }

    /// Sets an option; of two values of one option the last counts.
    pub fn set(&mut self, name: &str, value: &str) {
        self.options.retain(|(known, _)| !known.eq_ignore_ascii_case(name));
        self.options.push((name.to_owned(), value.to_owned()));
    }
}

/// Splits at blanks outside quotes. Quotes may stand within a word and are taken off.
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
