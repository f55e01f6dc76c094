//! Games that are read while the page waits: the analysis that `stopdown analyse --html` makes, with
//! word of how far it is, and an end when nobody wants it any more.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use serde_json::{Value as Json, json};

use crate::analyser::{
    EvaluationConditions, HONEST_PLAYERS, Lessons, Measured, RatingScale, ReportedMove, Sides,
    StudyAccumulator, StudyPlan, StudyReport,
};
use crate::board::Colour;
use crate::games::EvaluatorIdentity;
use crate::games::pgn::{PgnError, PgnGame, PgnStream};
use crate::player::{Elo, Engine, Levels};
use crate::policy::Pool;
use crate::report::AnalysisPage;
use crate::review::{EvaluationObserver, PositionCounts, ReviewJob};
use crate::search::EvaluationRequest;
use crate::threads::{STACK, cores};
use crate::value::Depth;

/// What is to be read, and how.
#[derive(Debug)]
pub struct ReadingWork {
    pub pgn: Vec<u8>,
    pub depth: Depth,
    /// Whose lessons are wanted, of what level.
    pub pupil: Option<(Colour, Elo)>,
    /// MiB of table for each thread.
    pub hash: usize,
}

/// How far it is.
#[derive(Debug, Default)]
struct ReadingProgress {
    version: u64,
    done: u64,
    all: u64,
    games: usize,
    /// What went wrong, or what had to be left out.
    notices: Vec<String>,
    outcome: Option<Result<String, String>>,
}

/// An analysis under way, or done.
#[derive(Debug, Default)]
pub struct Reading {
    progress: Mutex<ReadingProgress>,
    changed: Condvar,
    is_stopped: AtomicBool,
}

/// Engines that value positions, at most: each has a table.
const MOST_THREADS: usize = 8;
/// What is said of left-out games, at most.
const MOST_NOTICES: usize = 5;

impl Reading {
    /// Begins to read.
    pub fn start(work: ReadingWork) -> std::io::Result<Arc<Reading>> {
        let reading = Arc::new(Reading::default());
        let worker = Arc::clone(&reading);
        Builder::new().stack_size(STACK).spawn(move || {
            let read = catch_unwind(AssertUnwindSafe(|| worker.read(&work)));
            let outcome = match read {
                Ok(outcome) => outcome.map_err(|error| format!("{error:#}")),
                Err(_) => Err("the program has made a mistake; please report the games".to_owned()),
            };
            worker.change(|progress| progress.outcome = Some(outcome));
        })?;
        Ok(reading)
    }

    pub fn stop(&self) {
        self.is_stopped.store(true, Ordering::Relaxed);
    }

    pub fn is_over(&self) -> bool {
        self.look(|progress| progress.outcome.is_some())
    }

    /// The page, when it is done.
    pub fn page(&self) -> Option<String> {
        self.look(|progress| progress.outcome.as_ref()?.as_ref().ok().cloned())
    }

    fn look<T>(&self, look: impl FnOnce(&ReadingProgress) -> T) -> T {
        look(&self.progress.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change(&self, change: impl FnOnce(&mut ReadingProgress)) {
        let mut progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut progress);
        progress.version += 1;
        drop(progress);
        self.changed.notify_all();
    }

    /// Waits for word later than this version, or so long. Whether that was the last comes with it.
    pub fn wait(&self, seen: u64, long: Duration) -> Option<(u64, Json, bool)> {
        let progress = self.progress.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.changed.wait_timeout_while(progress, long, |p| p.version == seen);
        let (progress, _) = waited.unwrap_or_else(PoisonError::into_inner);
        let ReadingProgress { version, done, all, games, notices, outcome } = &*progress;
        let word = json!({
            "done": done,
            "all": all,
            "games": games,
            "notices": notices,
            "over": outcome.is_some(),
            "error": outcome.as_ref().and_then(|outcome| outcome.as_ref().err()),
        });
        (*version != seen).then_some((*version, word, outcome.is_some()))
    }

    fn read(&self, work: &ReadingWork) -> anyhow::Result<String> {
        let mut games = Vec::new();
        for game in PgnStream::new(work.pgn.as_slice()) {
            match game {
                Ok(game) => games.push(game),
                Err(error) => self.change(|progress| progress.notice(&error)),
            }
        }
        anyhow::ensure!(!games.is_empty(), "there are no games in this file");
        let all = games.iter().map(|game| game.moves.len() as u64 + 1).sum();
        let count = games.len();
        self.change(|progress| (progress.all, progress.games) = (all, count));

        // The plan of `analyse` without options.
        let scale = RatingScale::of_people(Pool::Board);
        let departures = scale.departure(work.depth).into_iter().collect();
        let plan =
            StudyPlan { depths: vec![work.depth], scale, departures, ..StudyPlan::default() };
        let threads = cores().clamp(1, MOST_THREADS);
        let engines: Vec<Engine> = (0..threads).map(|_| Engine::built_in(work.hash)).collect();
        let identity = engines.first().map(Engine::identity).unwrap_or_default();
        let request = EvaluationRequest::depth(work.depth);
        let job = ReviewJob {
            accumulator: StudyAccumulator::new(&plan, Measured::Everything, threads),
            sides: Sides::Both,
            shard: None,
            conditions: EvaluationConditions::of_all(request, EvaluatorIdentity::new(identity)),
            engines,
            store: None,
        };
        let mut page = AnalysisPage::default();
        let mut observer = self;
        let games = games.into_iter().map(Ok);
        let (summaries, counts) = job.summarise(games, &mut observer, |evaluated| {
            page.add(evaluated, &ReportedMove::of_game(&plan, evaluated));
            if let Some((colour, level)) = work.pupil {
                page.teach(Lessons::of(evaluated, colour, level, work.depth));
            }
            anyhow::Ok(())
        })?;
        anyhow::ensure!(counts.evaluated > 0, "none of these games can be followed");
        let reports: Vec<StudyReport> = summaries.reports(0).collect();
        let page = page.finish(&reports, None, &plan, HONEST_PLAYERS, "stopdown web");
        Ok(page.replacen("<body>", "<body>\n<p><a href=\"./\">Back to the board</a></p>", 1))
    }
}

impl ReadingProgress {
    fn notice(&mut self, notice: &dyn std::fmt::Display) {
        if self.notices.len() < MOST_NOTICES {
            self.notices.push(notice.to_string());
        }
    }
}

impl EvaluationObserver for &Reading {
    fn positions(&mut self, counts: PositionCounts) {
        self.change(|progress| progress.done = counts.done);
    }

    fn left_out(&mut self, _game: &PgnGame, error: &PgnError) {
        self.change(|progress| progress.notice(error));
    }

    fn is_stopped(&self) -> bool {
        self.is_stopped.load(Ordering::Relaxed)
    }
}

/// The depths that games are read at: quickly, or as the ratings were calibrated.
pub fn depths() -> [Depth; 2] {
    [8, Levels::built_in().depth]
}
