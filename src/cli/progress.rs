//! What is told on standard error while something long runs.

use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// The line that lives at the bottom of a terminal; elsewhere only what matters is told. Should the
/// terminal be gone, nobody is there to be told.
#[derive(Debug)]
pub struct Progress {
    on_terminal: bool,
}

impl Progress {
    pub fn new() -> Progress {
        Progress { on_terminal: std::io::stderr().is_terminal() }
    }

    /// Replaces the line.
    pub fn show(&self, line: impl Display) {
        if self.on_terminal {
            let mut stderr = std::io::stderr();
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
        let _ = writeln!(std::io::stderr(), "{line}");
    }
}

/// A time that is left: `80 s`, `2 min`, `1.5 h`.
pub fn in_words(seconds: f64) -> String {
    match seconds {
        s if s < 90.0 => format!("{s:.0} s"),
        s if s < 5400.0 => format!("{:.0} min", s / 60.0),
        s => format!("{:.1} h", s / 3600.0),
    }
}
