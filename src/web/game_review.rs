//! The analysis of games in the background, with progress reports for the page.
//!
//! The result is the page that `stopdown analyse --html` makes. A thread does the work. It stores
//! its progress under a mutex, and the threads of event streams wait for news on a condition
//! variable. The page can stop an analysis at any time.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use serde_json::{Value as Json, json};

use super::opponent::OpponentRequest;
use crate::analyser::{
    HONEST_PLAYERS, Measured, RatingScale, ReportedMove, StudyPlan, StudyReport,
};
use crate::board::Colour;
use crate::games::pgn::{PgnError, PgnGame, PgnStream, count_scales, most_common_scale};
use crate::player::{Elo, Engine, Levels};
use crate::report::{AnalysisPage, PageResults};
use crate::review::{EvaluationObserver, PositionCounts, ReviewJob};
use crate::threads::{STACK, cores};
use crate::value::Depth;

/// The games to analyse, and how to analyse them.
#[derive(Debug)]
pub struct AnalysisRequest {
    pub pgn: Vec<u8>,
    pub depth: Depth,
    /// The side and rating of the player for whom lessons are made. With `None`, both sides get
    /// lessons.
    pub student: Option<(Colour, Elo)>,
    /// The opponent to make instead of a report, if any.
    pub opponent: Option<OpponentRequest>,
    /// The hash size of each thread in MiB.
    pub hash: usize,
}

/// The progress of an analysis.
#[derive(Debug, Default)]
struct AnalysisProgress {
    version: u64,
    done: u64,
    all: u64,
    games: usize,
    /// Messages about the first skipped games.
    skipped: Vec<String>,
    /// The number of skipped games without a message.
    more_skipped: usize,
    /// A message about the new opponent.
    opponent_notice: Option<String>,
    /// The name of the new opponent's profile.
    opponent: Option<String>,
    /// The finished page, or the reason why there is none.
    outcome: Option<Result<String, String>>,
}

/// An analysis that is running or finished.
#[derive(Debug, Default)]
pub struct Analysis {
    progress: Mutex<AnalysisProgress>,
    /// The request, until the analysis begins.
    request: Mutex<Option<AnalysisRequest>>,
    changed: Condvar,
    is_stopped: AtomicBool,
}

/// The maximum number of threads. Each has its own hash table.
const MAX_THREADS: usize = 8;
/// The maximum number of messages about skipped games.
const MAX_NOTICES: usize = 5;

impl Analysis {
    /// Prepares an analysis. If `on_thread` is set, it runs on a thread of its own. Otherwise the
    /// caller must call [`Analysis::run`].
    pub fn open(request: AnalysisRequest, on_thread: bool) -> std::io::Result<Arc<Analysis>> {
        let request = Mutex::new(Some(request));
        let analysis = Arc::new(Analysis { request, ..Analysis::default() });
        if on_thread {
            let worker = Arc::clone(&analysis);
            Builder::new().stack_size(STACK).spawn(move || worker.run(&mut |_| ()))?;
        }
        Ok(analysis)
    }

    /// Runs the analysis, if it has not begun yet. `tell` is called with every progress report.
    pub fn run(&self, tell: &mut dyn FnMut(&Json)) {
        let request = self.request.lock().unwrap_or_else(PoisonError::into_inner).take();
        let Some(request) = request else { return };
        let result = catch_unwind(AssertUnwindSafe(|| self.analyse(&request, tell)));
        let outcome = match result {
            Ok(outcome) => outcome.map_err(|error| format!("{error:#}")),
            Err(_) => Err("internal error; please report these games as a bug".to_owned()),
        };
        self.change(|progress| progress.outcome = Some(outcome));
        tell(&self.look(AnalysisProgress::report));
    }

    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.look(|progress| progress.outcome.is_some())
    }

    /// Returns the page of a finished analysis.
    pub fn page(&self) -> Option<String> {
        self.look(|progress| progress.outcome.as_ref()?.as_ref().ok().cloned())
    }

    fn look<T>(&self, look: impl FnOnce(&AnalysisProgress) -> T) -> T {
        look(&self.progress.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut AnalysisProgress)) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut progress);
        progress.version += 1;
        drop(progress);
        self.changed.notify_all();
    }

    /// Waits up to `timeout` for a version of the progress other than `seen`. Returns the version,
    /// the progress as JSON, and whether the analysis is over.
    pub fn wait(&self, seen: u64, timeout: Duration) -> Option<(u64, Json, bool)> {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(progress, timeout, |p| p.version == seen);
        let (progress, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (progress.version != seen)
            .then(|| (progress.version, progress.report(), progress.outcome.is_some()))
    }

    fn analyse(
        &self,
        request: &AnalysisRequest,
        tell: &mut dyn FnMut(&Json),
    ) -> anyhow::Result<String> {
        let mut games = Vec::new();
        for game in PgnStream::new(request.pgn.as_slice()) {
            match game {
                Ok(game) => games.push(game),
                Err(error) => self.change(|progress| progress.skip(error.to_string())),
            }
        }
        anyhow::ensure!(!games.is_empty(), "there are no games in this file");
        let scale = match &request.opponent {
            Some(opponent) => RatingScale::of_people(opponent.kind),
            None => RatingScale::of(most_common_scale(&count_scales(&games))),
        };
        let plan = StudyPlan::usual(scale, request.depth);
        let all = match &request.opponent {
            Some(opponent) => opponent.positions(&games, &plan),
            None => games.iter().map(|game| game.moves.len() as u64 + 1).sum(),
        };
        let count = games.len();
        self.change(|progress| (progress.all, progress.games) = (all, count));
        let threads = cores().clamp(1, MAX_THREADS);
        let engines: Vec<Engine> = (0..threads).map(|_| Engine::built_in(request.hash)).collect();
        if let Some(opponent) = &request.opponent {
            let mut observer = AnalysisObserver { analysis: self, tell };
            let made = opponent.make(&plan, engines, games, &mut observer)?;
            self.change(|progress| {
                progress.opponent_notice = made.notice;
                progress.opponent = Some(made.profile);
            });
            // There is no report.
            return Ok(String::new());
        }
        let job = ReviewJob::of_all(&plan, Measured::Everything, engines);
        let student = request.student;
        let mut page =
            student.map_or_else(AnalysisPage::default, |(_, level)| AnalysisPage::for_level(level));
        let mut observer = AnalysisObserver { analysis: self, tell };
        let games = games.into_iter().map(Ok);
        let (summaries, counts) = job.summarise(games, &mut observer, |evaluated| {
            let entries = ReportedMove::of_game(&plan, evaluated);
            let is_student = |colour| student.is_none_or(|(side, _)| side == colour);
            page.add(evaluated, &entries, &plan, is_student);
            anyhow::Ok(())
        })?;
        anyhow::ensure!(counts.evaluated > 0, "none of these games could be read");
        self.change(|progress| progress.games = counts.evaluated);
        let reports: Vec<StudyReport> = summaries.reports(0).collect();
        Ok(page.finish(&PageResults {
            reports: &reports,
            summaries: &summaries,
            tournament: None,
            honest: HONEST_PLAYERS,
            made_by: "stopdown web",
        })?)
    }
}

impl AnalysisProgress {
    fn report(&self) -> Json {
        let AnalysisProgress { done, all, games, opponent, outcome, .. } = self;
        json!({
            "done": done,
            "all": all,
            "games": games,
            "notices": self.notices(),
            "opponent": opponent,
            "over": outcome.is_some(),
            "error": outcome.as_ref().and_then(|outcome| outcome.as_ref().err()),
        })
    }

    /// Returns the messages for the user.
    fn notices(&self) -> Vec<String> {
        let mut notices = self.skipped.clone();
        match self.more_skipped {
            0 => {}
            1 => notices.push("1 more game was skipped".to_owned()),
            number => notices.push(format!("{number} more games were skipped")),
        }
        notices.extend(self.opponent_notice.clone());
        notices
    }

    /// Counts a skipped game. `notice` says why it was skipped.
    fn skip(&mut self, notice: String) {
        match self.skipped.len() < MAX_NOTICES {
            true => self.skipped.push(notice),
            false => self.more_skipped += 1,
        }
    }
}

/// Stores the progress of an analysis, and reports it.
struct AnalysisObserver<'a> {
    analysis: &'a Analysis,
    tell: &'a mut dyn FnMut(&Json),
}

impl EvaluationObserver for AnalysisObserver<'_> {
    fn positions(&mut self, counts: PositionCounts) {
        self.analysis.change(|progress| progress.done = counts.done);
        (self.tell)(&self.analysis.look(AnalysisProgress::report));
    }

    fn left_out(&mut self, _game: &PgnGame, error: &PgnError) {
        let notice = format!("{error}; the game was skipped");
        self.analysis.change(|progress| progress.skip(notice));
    }

    fn is_stopped(&self) -> bool {
        self.analysis.is_stopped.load(Ordering::Relaxed)
    }
}

/// Returns the depths that the page offers: a quick one, and the depth of the rating scale.
pub fn depths() -> [Depth; 2] {
    [8, Levels::built_in().depth]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_skipped_games_are_reported() {
        let mut progress = AnalysisProgress::default();
        for number in 1..=MAX_NOTICES + 2 {
            progress.skip(format!("game {number}"));
        }
        let notices = progress.notices();
        assert_eq!(notices.len(), MAX_NOTICES + 1);
        assert_eq!(notices.last().map(String::as_str), Some("2 more games were skipped"));
    }
}
