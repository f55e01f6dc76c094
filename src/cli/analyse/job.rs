//! Creates the review job described by the arguments, and runs it on files.

use std::io::{self, Write as _};

use anyhow::Context as _;

use super::source::{AnalysisProgress, Source};
use super::study::StudyArguments;
use crate::analyser::{Measured, StudyPlan};
use crate::cli::engine::EngineArguments;
use crate::cli::output::reject_duplicates;
use crate::cli::store::evaluator;
use crate::config::Settings;
use crate::games::pgn::PgnGame;
use crate::player::{EloScale, Engine};
use crate::review::{ReviewCounts, ReviewJob};
use crate::threads::cores;

impl StudyArguments {
    /// The job that evaluates the moves of the selected sides after the opening. Its engines match
    /// those of `evaluate`, so that both commands can share a cache.
    pub fn job(
        &self,
        engine: &EngineArguments,
        plan: &StudyPlan,
        measured: Measured,
        config: &Settings,
    ) -> anyhow::Result<ReviewJob> {
        let threads = self.threads.map_or_else(cores, usize::from);
        let network = self.network.or_configured(config);
        let engines = (0..threads).map(|_| engine.engine(network, config));
        let engines = engines.collect::<anyhow::Result<Vec<Engine>>>()?;
        let first = engines.first().context("no analysis thread could be started")?;
        let own_hash = (!engine.is_given()).then_some(usize::try_from(config.hash)?);
        let evaluator = evaluator(first, own_hash, self.cap, None);
        let mut job = ReviewJob::of_all(plan, measured, engines).of_sides(self.sides());
        job.conditions.evaluator = evaluator;
        job.conditions.request.cap = self.cap;
        job.conditions.sample = self.sample;
        (job.shard, job.store) = (self.shard, self.store.clone());
        Ok(job)
    }

    /// Runs a job on the games in the files, and shows its progress on standard error. Returns its
    /// result, and a message for each skipped game.
    pub fn review<T>(
        &self,
        run: impl FnOnce(
            &mut dyn Iterator<Item = Result<PgnGame, String>>,
            &mut AnalysisProgress,
        ) -> anyhow::Result<(T, ReviewCounts)>,
    ) -> anyhow::Result<(T, Vec<String>)> {
        self.review_some(|_| true, run)
    }

    /// Like [`StudyArguments::review`], but only for the games that `is_wanted` selects.
    /// `is_wanted` also decides whether unreadable games are counted.
    pub fn review_some<T>(
        &self,
        is_wanted: impl Fn(&Result<PgnGame, String>) -> bool,
        run: impl FnOnce(
            &mut dyn Iterator<Item = Result<PgnGame, String>>,
            &mut AnalysisProgress,
        ) -> anyhow::Result<(T, ReviewCounts)>,
    ) -> anyhow::Result<(T, Vec<String>)> {
        reject_duplicates(&self.games)?;
        let files = self.games.iter().map(|name| Source::open(name));
        let files = files.collect::<anyhow::Result<Vec<Source>>>()?;
        let mut progress = AnalysisProgress::new(&files);
        let mut others = 0;
        let mut games = files.into_iter().flatten().filter(is_wanted).inspect(|game| {
            let is_other = |game: &PgnGame| game.rating_scale() != EloScale::default();
            others += usize::from(game.as_ref().is_ok_and(is_other));
        });
        let (result, counts) = run(&mut games, &mut progress)?;
        drop(games);
        progress.finish();
        for fault in &counts.unreadable {
            writeln!(io::stderr(), "{fault}")?;
        }
        if counts.duplicates > 0 {
            let games = if counts.duplicates == 1 { "game was" } else { "games were" };
            let count = counts.duplicates;
            writeln!(io::stderr(), "stopdown: {count} duplicate {games} counted once")?;
        }
        self.report_other_scales(others)?;
        if counts.seen == 0 {
            writeln!(io::stderr(), "stopdown: no games in {}", self.games.join(", "))?;
        }
        let mut missing = counts.unreadable;
        missing.extend(progress.left_out);
        Ok((result, missing))
    }
}
