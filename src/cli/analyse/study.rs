//! The common arguments of the commands that study games: the games, the players, the rules for which moves
//! count, and the evaluator. They decide the rating scale, and describe the review job, which they run on files.

use std::collections::BTreeSet;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::source::{AnalysisProgress, STANDARD_INPUT, Source};
use crate::analyser::{
    Measured, PlayerSummaries, PlayerSummary, RatingScale, Sides, StudyPlan, StudyRules,
};
use crate::board::Colour;
use crate::cli::engine::{EngineArguments, NetworkArguments};
use crate::cli::outcome::{CommandOutcome, accept_unreadable, counted_once};
use crate::cli::output::reject_duplicates;
use crate::cli::store::evaluator;
use crate::cli::value_parsers;
use crate::config::Settings;
use crate::files::is_device_or_pipe;
use crate::games::Shard;
use crate::games::pgn::{PgnGame, count_scales, most_common_scale};
use crate::player::{EloScale, Engine, Levels};
use crate::review::{ReviewCounts, ReviewJob};
use crate::threads::cores;
use crate::value::Depth;

#[derive(Args, Clone, Debug)]
pub struct StudyArguments {
    /// PGN files, which may be compressed (.gz, .zst); `-` reads standard input
    #[arg(value_name = "GAMES", required = true)]
    pub games: Vec<String>,

    /// Rating scale [default: the scale of the games]. The scales Regan-Fitted and Regan-Published are about
    /// 60 ms faster per move, but less accurate
    #[arg(long, value_parser = value_parsers::rating_scale())]
    pub scale: Option<RatingScale>,

    /// Search depth
    #[arg(long, short, value_name = "PLIES", default_value_t = Levels::built_in().depth)]
    #[arg(value_parser = value_parsers::depth)]
    pub depth: Depth,

    /// Include only players whose name contains NAME; may be repeated
    #[arg(long = "player", value_name = "NAME")]
    pub players: Vec<String>,

    /// The whole name of the only player to study, once it is known.
    #[arg(skip)]
    pub only: Option<String>,

    /// Treat the first N moves of each player as the opening; they count only through the choice of
    /// opening
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = value_parsers::count::<usize>)]
    pub skip: usize,

    /// Ignore the opening moves. Use this for games whose openings the players did not choose. By
    /// default, the choice of opening shifts the rating
    #[arg(long)]
    no_openings: bool,

    /// Skip positions where one side is ahead by more than this
    #[arg(long, value_name = "PAWNS", default_value_t = 3.0)]
    #[arg(value_parser = value_parsers::pawns)]
    advantage: f64,

    /// Skip moves in decided positions, where the best move and the move played both score above this,
    /// or both below minus this
    #[arg(long, value_name = "PAWNS", value_parser = value_parsers::pawns)]
    decided: Option<f64>,

    /// Include repeated positions
    #[arg(long)]
    repetitions: bool,

    /// Include positions with only one legal move
    #[arg(long)]
    forced: bool,

    /// Leave out players with fewer than N counted moves. A rating always needs at least 20 moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = value_parsers::count::<usize>)]
    pub min_moves: usize,

    /// Compute only upper bounds for moves that score at least this much less than the best move
    #[arg(long, value_name = "PAWNS", value_parser = value_parsers::cap)]
    pub(super) cap: Option<i32>,

    /// Number of analysis threads. Results do not depend on it [default: all cores]
    #[arg(long, value_name = "N", value_parser = value_parsers::whole(1..=512_u16))]
    pub(super) threads: Option<u16>,

    #[command(flatten)]
    pub engine: EngineArguments,

    #[command(flatten)]
    pub(super) network: NetworkArguments,

    /// Cache evaluations in this file
    #[arg(long, value_name = "FILE")]
    pub store: Option<PathBuf>,

    /// Analyse only shard I of N. The shard of a game depends on its tags and moves, not on its file
    #[arg(long, value_name = "I/N")]
    pub shard: Option<Shard>,

    /// Evaluate only K positions of each game, the same ones in every run
    #[arg(long, value_name = "K", value_parser = value_parsers::at_least_one)]
    pub(super) sample: Option<usize>,

    /// Accept up to N unreadable games
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = value_parsers::count::<usize>)]
    pub(super) tolerate: usize,
}

/// A rating scale and the number of games rated on it.
type ScaleCount = (EloScale, usize);

impl StudyArguments {
    /// Creates the part of the plan that is common to all commands, with this rating scale.
    pub fn plan(&self, scale: &RatingScale, config: &Settings) -> anyhow::Result<StudyPlan> {
        self.engine.reject_built_in_options(&[
            ("--cap", self.cap.is_some()),
            ("--eval-file", self.network.is_given()),
        ])?;
        let mut plan = StudyPlan::usual(scale.clone(), self.depth);
        plan.rules = StudyRules {
            opening: self.skip,
            rated_openings: !self.no_openings && self.sample.is_none(),
            repetitions: !self.repetitions,
            advantage: Some(self.advantage),
            forced: !self.forced,
            decided: self.decided,
        };
        if !scale.is_provisional() {
            plan.differences.extend(self.other_differences(config));
        }
        Ok(plan)
    }

    /// The differences, other than the depth, between these evaluations and those that the scale was fitted to.
    fn other_differences(&self, config: &Settings) -> Vec<String> {
        let cap =
            self.cap.map(|cap| format!("a cap of {} instead of none", f64::from(cap) / 100.0));
        let evaluator = match self.engine.program() {
            Some(program) => Some(format!("evaluations by {program} instead of Stopdown")),
            None => self
                .network
                .or_configured(config)
                .map(|file| format!("the network {} instead of the built-in one", file.display())),
        };
        cap.into_iter().chain(evaluator).collect()
    }

    /// Prints the caveat about the meaning of ratings on standard error.
    pub fn warn(&self, plan: &StudyPlan) -> io::Result<()> {
        let text = plan.caveat().filter(|_| !plan.differences.is_empty());
        text.map_or(Ok(()), |text| writeln!(io::stderr(), "stopdown: {text}"))
    }

    /// The files that the command reads. Results must not overwrite them.
    pub fn inputs(&self) -> Vec<PathBuf> {
        self.games.iter().map(PathBuf::from).chain(self.store.clone()).collect()
    }

    /// Explains why there was nothing to report. `summaries` contains all subjects found.
    pub fn report_nothing_found(&self, summaries: &PlayerSummaries) -> io::Result<CommandOutcome> {
        let (min_moves, subjects) = (self.min_moves.max(1), summaries.ranked());
        let most = subjects.iter().map(|(_, summary)| summary.tally().used).max().unwrap_or(0);
        let why = match (self.players.is_empty(), subjects.is_empty()) {
            (false, true) if self.only.is_some() => "no moves by this player count".to_owned(),
            (false, true) => {
                format!("no player has a name that contains \"{}\"", self.players.join("\" or \""))
            }
            (true, _) if min_moves == 1 => "no moves in these games count".to_owned(),
            (true, _) => {
                format!("no player has {min_moves} or more counted moves; the most is {most}")
            }
            (false, false) if min_moves == 1 => "no moves by these players count".to_owned(),
            (false, false) => {
                format!(
                    "these players have fewer than {min_moves} counted moves; the most is {most}"
                )
            }
        };
        let mut all = PlayerSummary::default();
        subjects.iter().for_each(|(_, summary)| all += summary);
        let reasons = all.tally().reasons();
        let left_out = if reasons.is_empty() { "" } else { "; left out: " };
        writeln!(io::stderr(), "stopdown: {why}{left_out}{reasons}")?;
        Ok(CommandOutcome::Negative)
    }

    /// Returns an error if too many games were skipped.
    pub fn check_skipped(&self, missing: &[String]) -> anyhow::Result<()> {
        accept_unreadable(missing.len(), self.tolerate)
    }

    /// Whether the players did not choose their openings.
    pub fn ignores_openings(&self) -> bool {
        self.no_openings
    }

    /// The sides whose moves are studied.
    pub fn sides(&self) -> Sides {
        match &self.only {
            Some(only) => Sides::Player(only.clone()),
            None if self.players.is_empty() => Sides::Both,
            None => Sides::Named(self.players.clone()),
        }
    }

    /// Returns the name of the only player in the games whose name is one of the given names. If
    /// there is none, returns that of the only player whose name contains one. The result is `None`
    /// if no name does, or if the games can be read only once.
    pub fn find_only_player(&self) -> anyhow::Result<Option<String>> {
        if self.can_be_read_only_once() {
            return Ok(None);
        }
        let sides = self.sides();
        let mut names: BTreeSet<String> = BTreeSet::new();
        self.read_all()?.for_each(|game| {
            let chosen = Colour::ALL.into_iter().filter(|&side| sides.has(&game, side));
            names.extend(chosen.filter_map(|side| Some(game.name(side)?.trim().to_owned())));
        });
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        Ok(only_player(&self.players, &names)?.map(str::to_owned))
    }

    /// All readable games. The files are read again.
    fn read_all(&self) -> anyhow::Result<impl Iterator<Item = PgnGame> + use<>> {
        let files = self.games.iter().map(|name| Source::open(name));
        let files = files.collect::<anyhow::Result<Vec<Source>>>()?;
        Ok(files.into_iter().flatten().filter_map(Result::ok))
    }

    /// Counts the selected players' games on each rating scale, most frequent scale first. The
    /// result is empty if games come from a pipe, which can be read only once. It is also
    /// empty for a shard, which must use the same scale as all other shards.
    fn scales_of_games(&self) -> anyhow::Result<Vec<ScaleCount>> {
        if !self.can_detect_scale() {
            return Ok(Vec::new());
        }
        let sides = self.sides();
        let has_sides = |game: &PgnGame| Colour::ALL.iter().any(|&side| sides.has(game, side));
        Ok(count_scales(self.read_all()?.filter(has_sides)))
    }

    /// The scales to rate the games on. The second value selects the games for that scale: those
    /// with ratings on it, or all games if it is `None`.
    pub fn scales(&self) -> anyhow::Result<Vec<(RatingScale, Option<EloScale>)>> {
        if let Some(scale) = &self.scale {
            return Ok(vec![(scale.clone(), None)]);
        }
        let found = self.scales_of_games()?;
        let of = |(scale, _): ScaleCount| (RatingScale::of(scale), Some(scale));
        match found[..] {
            [] => Ok(vec![(RatingScale::of(EloScale::default()), None)]),
            [(only, _)] => Ok(vec![(RatingScale::of(only), None)]),
            _ => Ok(found.into_iter().map(of).collect()),
        }
    }

    /// The scale to use for all games together: the one that most of them are on. If the games are
    /// on several scales, a message on standard error says so.
    pub fn scale_of_most_games(&self) -> anyhow::Result<RatingScale> {
        if let Some(scale) = &self.scale {
            return Ok(scale.clone());
        }
        let found = self.scales_of_games()?;
        let most = most_common_scale(&found);
        if found.len() > 1 {
            let counts: Vec<String> =
                found.iter().map(|(scale, count)| format!("{count} {scale}")).collect();
            writeln!(
                io::stderr(),
                "stopdown: the games are on several rating scales ({}); all are rated on the scale {most}; \
                 to change it, use --scale",
                counts.join(", ")
            )?;
        }
        Ok(RatingScale::of(most))
    }

    /// Warns on standard error about games whose scale differs from the one that they were rated
    /// on.
    fn report_other_scales(&self, games: usize) -> io::Result<()> {
        if games == 0 || self.scale.is_some() || self.can_detect_scale() {
            return Ok(());
        }
        let (were, default) =
            (if games == 1 { "game is" } else { "games are" }, EloScale::default());
        writeln!(
            io::stderr(),
            "stopdown: {games} {were} not on the scale {default}; set --scale, because the scale \
             is not detected when games come from a pipe or --shard is used"
        )
    }

    fn can_detect_scale(&self) -> bool {
        self.shard.is_none() && !self.can_be_read_only_once()
    }

    /// Whether some games come from standard input or another pipe.
    pub fn can_be_read_only_once(&self) -> bool {
        self.games.iter().any(|name| name == STANDARD_INPUT || is_device_or_pipe(Path::new(name)))
    }

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
        let mut files = files.collect::<anyhow::Result<Vec<Source>>>()?;
        let mut progress = AnalysisProgress::new(&files);
        let mut others = 0;
        let mut games = files.iter_mut().flatten().filter(is_wanted).inspect(|game| {
            let is_other = |game: &PgnGame| game.rating_scale() != EloScale::default();
            others += usize::from(game.as_ref().is_ok_and(is_other));
        });
        let (result, counts) = run(&mut games, &mut progress)?;
        drop(games);
        progress.finish();
        // If a file ends early, an unknown number of games is missing, so --tolerate does not apply.
        let failure = files.iter().find_map(Source::failure);
        for fault in counts.unreadable.iter().filter(|fault| Some(fault.as_str()) != failure) {
            writeln!(io::stderr(), "{fault}")?;
        }
        if let Some(failure) = failure {
            anyhow::bail!("{failure}");
        }
        if counts.duplicates > 0 {
            writeln!(io::stderr(), "stopdown: {}", counted_once(counts.duplicates))?;
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

/// Returns the only player whose name is one of the wanted names. If there is none, returns the only
/// player whose name contains one. All `names` contain one.
pub fn only_player<'a>(wanted: &[String], names: &[&'a str]) -> anyhow::Result<Option<&'a str>> {
    let is_exact = |name: &&str| wanted.iter().any(|p| p.to_lowercase() == name.to_lowercase());
    let exact: Vec<&str> = names.iter().copied().filter(is_exact).collect();
    match (&exact[..], names) {
        (&[one], _) | ([], &[one]) => Ok(Some(one)),
        ([], []) => Ok(None),
        ([one, other, ..], _) | ([], [one, other, ..]) => anyhow::bail!(
            "several players match, for example \"{one}\" and \"{other}\"; give more of the name"
        ),
    }
}
