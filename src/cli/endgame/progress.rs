//! The progress bar of a table build.

use std::sync::Mutex;

use crate::cli::output::Progress;
use crate::endgame::{BuildObserver, TableKey};

/// Shows the progress of a build as a line on the terminal.
#[derive(Debug)]
pub struct TableProgress {
    pub line: Progress,
    state: Mutex<ProgressState>,
}

#[derive(Debug, Default)]
struct ProgressState {
    job: String,
    index: usize,
    total: usize,
}

/// The width of a full progress bar, in characters.
const BAR: usize = 30;

impl TableProgress {
    pub fn new() -> TableProgress {
        TableProgress { line: Progress::new(), state: Mutex::default() }
    }

    /// Shows that `index` of `total` tables are finished.
    pub fn set_index(&self, index: usize, total: usize) {
        let mut state = self.state.lock().expect("no thread panics while it draws");
        (state.index, state.total) = (index, total);
    }

    fn draw(&self, share: f64, words: &str) {
        let state = self.state.lock().expect("no thread panics while it draws");
        let done = (state.index as f64 + share) / state.total.max(1) as f64;
        let bar = "=".repeat((done * BAR as f64) as usize);
        self.line.show(format_args!("[{bar:<BAR$}] {} {words}", state.job));
    }
}

impl Drop for TableProgress {
    fn drop(&mut self) {
        self.line.clear();
    }
}

impl BuildObserver for TableProgress {
    fn begins(&self, job: TableKey, number: usize, total: usize) {
        {
            let mut state = self.state.lock().expect("no thread panics while it draws");
            state.job = format!("{} {}", job.material, job.metric);
            if total > 1 {
                (state.index, state.total) = (number - 1, total);
            }
        }
        self.draw(0.0, "");
    }

    fn round(&self, plies: u16, decided: u64, positions: u64) {
        self.draw(decided as f64 / positions.max(1) as f64, &format!("{plies} plies"));
    }
}
