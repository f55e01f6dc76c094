//! How far the making of tables is.

use std::cell::Cell;
use std::io::{IsTerminal, Write};
use std::sync::Mutex;

use crate::endgame::{BuildObserver, SolvingObserver, TableJob};

/// A line on the terminal that says how far the work is; nothing where there is no terminal.
#[derive(Debug)]
pub struct TableProgress {
    visible: bool,
    state: Mutex<ProgressState>,
}

#[derive(Debug, Default)]
struct ProgressState {
    job: String,
    index: usize,
    total: usize,
    shown: Cell<bool>,
}

/// Characters of a full bar.
const BAR: usize = 30;

impl TableProgress {
    pub fn new() -> TableProgress {
        TableProgress { visible: std::io::stderr().is_terminal(), state: Mutex::default() }
    }

    /// So many of the tables are done.
    pub fn place(&self, index: usize, total: usize) {
        let mut state = self.state.lock().expect("no thread panics while it draws");
        (state.index, state.total) = (index, total);
    }

    fn draw(&self, share: f64, words: &str) {
        if !self.visible {
            return;
        }
        let state = self.state.lock().expect("no thread panics while it draws");
        let done = (state.index as f64 + share) / state.total.max(1) as f64;
        let bar = "=".repeat((done * BAR as f64) as usize);
        let _ = write!(std::io::stderr(), "\r\x1b[K[{bar:<BAR$}] {} {words}", state.job);
        state.shown.set(true);
    }

    /// Takes the line away.
    pub fn clear(&self) {
        let state = self.state.lock().expect("no thread panics while it draws");
        if state.shown.replace(false) {
            let _ = write!(std::io::stderr(), "\r\x1b[K");
        }
    }
}

impl Drop for TableProgress {
    fn drop(&mut self) {
        self.clear();
    }
}

impl SolvingObserver for TableProgress {
    fn round(&self, plies: u16, decided: u64, positions: u64) {
        self.draw(decided as f64 / positions.max(1) as f64, &format!("{plies} plies"));
    }
}

impl BuildObserver for TableProgress {
    fn begins(&self, job: TableJob, number: usize, total: usize) {
        {
            let mut state = self.state.lock().expect("no thread panics while it draws");
            state.job = format!("{} {}", job.material, job.metric);
            if total > 1 {
                (state.index, state.total) = (number - 1, total);
            }
        }
        self.draw(0.0, "");
    }
}
