//! The sources of games, and the progress of an analysis with an estimate of the time left.

use std::collections::HashSet;
use std::fmt;
use std::fs::Metadata;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use anyhow::Context as _;

use crate::cli::output::{Progress, in_words};
use crate::games::pgn::{
    PgnError, PgnGame, PgnStream, PgnText, StreamError, open_text, open_text_later, unpacked,
};
use crate::review::{EvaluationObserver, PositionCounts};

/// The games in a file.
pub struct Source {
    name: Arc<str>,
    /// The number of bytes read so far.
    read: Arc<AtomicU64>,
    /// The length of the file, if known.
    length: Option<u64>,
    games: PgnStream<Box<dyn BufRead + Send>>,
    /// The message about a fault that ended the file early.
    failure: Option<String>,
}

/// The file name that stands for standard input.
pub const STANDARD_INPUT: &str = "-";

impl Source {
    /// Opens a PGN file, compressed or not. `-` is standard input.
    pub fn open(name: &str) -> anyhow::Result<Source> {
        let read = Arc::default();
        let is_file = |file: &Metadata| name != STANDARD_INPUT && file.is_file();
        let length = std::fs::metadata(name).ok().filter(is_file).map(|file| file.len());
        let text: io::Result<Box<dyn BufRead + Send>> = match (name, length) {
            (STANDARD_INPUT, _) => unpacked(BufReader::new(io::stdin())),
            (path, Some(_)) => {
                open_text_later(Path::new(path), &read).map(|text| Box::new(text) as _)
            }
            // A pipe can be opened only once.
            (path, None) => open_text(Path::new(path), &read),
        };
        let text = text.with_context(|| name.to_owned())?;
        let name = if name == STANDARD_INPUT { "standard input" } else { name };
        let games = PgnStream::new(text);
        Ok(Source { name: name.into(), read, length, games, failure: None })
    }
}

impl Source {
    /// The path as given on the command line, or "standard input".
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The message about a fault that ended the file early. `None` if there was none.
    pub fn failure(&self) -> Option<&str> {
        self.failure.as_deref()
    }

    /// The text of the next game, for commands that copy games.
    pub(crate) fn next_text(&mut self) -> Option<Result<PgnText, StreamError>> {
        self.games.next_text()
    }
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}

impl Iterator for Source {
    type Item = Result<PgnGame, String>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(match self.games.next()? {
            Ok(game) => Ok(PgnGame { file: Some(self.name.clone()), ..game }),
            Err(error) => {
                let message = error.in_file(&self.name);
                self.failure = error.fault.ends_text().then(|| message.clone());
                Err(message)
            }
        })
    }
}

/// Shows the progress of an analysis.
#[derive(Debug)]
pub struct AnalysisProgress {
    progress: Progress,
    started: Instant,
    /// For each file, the number of bytes read and its length. `None` if the length of any file is
    /// unknown.
    read: Option<Vec<(Arc<AtomicU64>, u64)>>,
    /// A message for each skipped game.
    pub(crate) left_out: Vec<String>,
    /// The engine messages so far, without repetitions.
    notices: HashSet<String>,
}

/// The maximum number of engine messages to print. There could be one for every position.
const MAX_NOTICES: usize = 10;

/// The minimum running time before the speed is estimated.
const MIN_ELAPSED: Duration = Duration::from_secs(2);

impl AnalysisProgress {
    /// Creates the progress display of an analysis. The fraction read is known only if all sources
    /// are files.
    pub fn new(sources: &[Source]) -> AnalysisProgress {
        let of = |source: &Source| Some((Arc::clone(&source.read), source.length?));
        AnalysisProgress {
            progress: Progress::new(),
            started: Instant::now(),
            read: sources.iter().map(of).collect(),
            left_out: Vec::new(),
            notices: HashSet::new(),
        }
    }

    /// Clears the status line and prints how many engine messages were left out.
    pub fn finish(&self) {
        if let more @ 1.. = self.notices.len().saturating_sub(MAX_NOTICES) {
            self.progress.tell(format_args!("engine messages not shown: {more}"));
        }
        self.progress.clear();
    }

    /// The fraction of all bytes in the files that has been read.
    fn fraction_read(&self) -> Option<f64> {
        let files = self.read.as_ref()?;
        let read: u64 = files.iter().map(|(read, _)| read.load(Ordering::Relaxed)).sum();
        let total: u64 = files.iter().map(|(_, length)| length).sum();
        (read > 0).then(|| (read as f64 / total as f64).min(1.0))
    }
}

impl EvaluationObserver for AnalysisProgress {
    fn positions(&mut self, counts: PositionCounts) {
        let elapsed = self.started.elapsed();
        let part = if counts.is_complete { Some(1.0) } else { self.fraction_read() };
        let left = part.filter(|_| elapsed > MIN_ELAPSED);
        let left = left.and_then(|part| seconds_left(counts, part, elapsed.as_secs_f64()));
        let left = left.map_or(String::new(), |seconds| format!(", {} left", in_words(seconds)));
        self.progress.show(format_args!("{}{left}", describe(counts, part)));
    }

    fn notice(&mut self, notice: &str) {
        if self.notices.insert(notice.to_owned()) && self.notices.len() <= MAX_NOTICES {
            self.progress.tell(notice);
        }
    }

    fn left_out(&mut self, game: &PgnGame, error: &PgnError) {
        let message =
            game.file.as_ref().map_or_else(|| error.to_string(), |file| error.in_file(file));
        self.progress.tell(&message);
        self.left_out.push(message);
    }
}

/// Describes the progress, given the fraction of the input that has been read.
fn describe(counts: PositionCounts, part: Option<f64>) -> String {
    let PositionCounts { taken, done, known, is_complete } = counts;
    let total = part.map_or(String::new(), |part| {
        let about = if is_complete { "" } else { "about " };
        format!(" of {about}{:.0}", taken as f64 / part)
    });
    let cached =
        if known > 0 { format!(", {known} of them from the cache") } else { String::new() };
    format!("{done}{total} positions evaluated{cached}")
}

/// Estimates the time left from the speed so far. Cached positions take almost no time, but how
/// many are still to come is unknown. If any position so far was not in the cache, the estimate
/// assumes that none of the remaining ones are.
fn seconds_left(counts: PositionCounts, part: f64, elapsed: f64) -> Option<f64> {
    let PositionCounts { taken, done, known, .. } = counts;
    let remaining = taken as f64 / part - done as f64;
    let evaluated = if done > known { done - known } else { done };
    (evaluated > 0).then(|| elapsed * remaining / evaluated as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn progress_names_the_total_when_it_is_known() {
        let counts = PositionCounts { taken: 60, done: 50, ..PositionCounts::default() };
        assert_eq!(describe(counts, None), "50 positions evaluated");
        assert_eq!(describe(counts, Some(0.2)), "50 of about 300 positions evaluated");
        let counts = PositionCounts { known: 4, is_complete: true, ..counts };
        let text = "50 of 60 positions evaluated, 4 of them from the cache";
        assert_eq!(describe(counts, Some(1.0)), text);
    }

    #[test]
    fn time_left_follows_from_the_speed_so_far() {
        let counts = PositionCounts { taken: 60, done: 50, ..PositionCounts::default() };
        // A fifth of the input contained 60 positions, so there are 300 in total. Fifty have been evaluated, so 250 are
        // left, at five per second.
        let left = seconds_left(counts, 0.2, 10.0).expect("there is a speed");
        assert!((left - 50.0).abs() < 1e-9);
        // If 40 positions were cached, only ten were evaluated in that time.
        let left = seconds_left(PositionCounts { known: 40, ..counts }, 0.2, 10.0);
        assert!((left.expect("there is a speed") - 250.0).abs() < 1e-9);
        assert_eq!(seconds_left(PositionCounts::default(), 0.2, 10.0), None);
        assert_eq!([80.0, 100.0, 7200.0].map(in_words), ["80 s", "2 min", "2.0 h"]);
    }
}
