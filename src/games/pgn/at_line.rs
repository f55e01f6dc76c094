//! Errors with their line numbers.

use std::error::Error;
use std::fmt;

/// A fault and its line, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtLine<F> {
    /// The line, counted from 1.
    pub(crate) line: usize,
    /// The fault. Its message names neither the file nor the line.
    pub(crate) fault: F,
}

impl<F: fmt::Display> AtLine<F> {
    /// The message with the name of the file: `games.pgn:1204: ...`. Editors recognise this format.
    pub fn in_file(&self, file: impl fmt::Display) -> String {
        format!("{file}:{}: {}", self.line, self.fault)
    }
}

impl<F: fmt::Display> fmt::Display for AtLine<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.fault)
    }
}

impl<F: Error> Error for AtLine<F> {}
