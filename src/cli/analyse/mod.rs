//! `analyse`: estimates competence, ratings and likelihoods from the moves of games.

#[cfg(feature = "parquet")]
mod moves;
mod outputs;
mod second_evaluator;
pub(crate) mod source;
pub(super) mod study;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;

use self::outputs::{Outputs, PersistentOutput, StatisticsFile};
use self::second_evaluator::{BestMoves, beside, engine};
use self::study::StudyArguments;
use super::outcome::{CommandOutcome, CommandResult};
use super::output::{command_line, write_json, write_text};
use super::report::{ReportForm, Reports};
use crate::analyser::{
    By, EvaluatedGame, Gain, HONEST_PLAYERS, Measured, RatingScale, Sides, StudiedMove,
    StudyAccumulator, StudyPart, StudyPlan, StudyReport, StudySettings,
};
use crate::board::Colour;
use crate::cli::value_parsers;
use crate::config::Settings;
use crate::player::{EloScale, Profile, all_ratings, rating_range};
use crate::policy::GameKind;
use crate::report::{AgreementLine, GameLine, LineConditions, PageResults, PlayerJson};
use crate::selector::Family;
use crate::value::Depth;

const EXAMPLES: &str = "\
Examples:
  stopdown analyse games.pgn
  stopdown analyse game.pgn --html game.html --csv game.csv
  stopdown analyse games.pgn.zst --player Carlsen --store values.db \\
      --depth 12
  stopdown analyse games.pgn --by rating-band --json > bands.jsonl
  zcat games.pgn.gz | stopdown analyse - --depth 6 --cap 4
  stopdown analyse games.pgn --shard 3/100 --statistics 3.stats \\
      --tolerate 10
  stopdown report *.stats";

/// Report on the players in PGN files: rating, accuracy and mistakes
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(flatten)]
    study: StudyArguments,

    /// Curve used to calculate the apparent competence
    #[arg(long, value_name = "NAME", default_value = "levelled")]
    curve: Family,

    /// Also show apparent competence at these depths
    #[arg(long, value_name = "P,P,...", value_delimiter = ',', value_parser = value_parsers::depth)]
    at: Vec<Depth>,

    /// How to group the moves; each group gets a report
    #[arg(long, value_name = "GROUP", value_enum, default_value_t)]
    by: By,

    #[arg(help = format!("Rating, {}, to assume for players who have no rating in the games", rating_range()))]
    #[arg(long, value_name = "ELO", value_parser = value_parsers::rating)]
    rating: Option<f64>,

    /// Compare players with this profile instead of with a rating; for example, with a profile made from
    /// their earlier games (see `stopdown help profile`)
    #[arg(long, value_name = "PROFILE", conflicts_with = "rating")]
    against: Option<String>,

    /// Show all figures, among them the N consecutive moves with the strongest evidence of outside assistance
    /// [default: 20]
    #[arg(long, value_name = "N", value_parser = value_parsers::at_least_one)]
    window: Option<usize>,

    /// Show all figures: competence, projections, and a comparison with players of the same rating
    #[arg(long)]
    full: bool,

    /// Show all figures, and estimate how many of N honest players would match the engine's moves as
    /// often as the player did [default: 1000]
    #[arg(long, value_name = "N", value_parser = value_parsers::from_one)]
    honest: Option<f64>,

    /// Add normally distributed noise with this variance, in pawns squared, to the scores
    #[arg(long, value_name = "V", value_parser = value_parsers::from_zero)]
    noise: Option<f64>,

    /// Seed for the noise
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = value_parsers::count::<u64>)]
    seed: u64,

    /// Print a line of JSON for each report
    #[arg(long)]
    json: bool,

    /// Print a line of JSON for each game as soon as it is evaluated, instead of reports
    #[arg(long, conflicts_with_all = ["html", "csv", "moves", "tournament", "by", "min_moves"])]
    per_game: bool,

    /// Instead of reports, write totals for `stopdown report` to this file; `-` is standard output.
    /// FILE.manifest.json records the settings and the skipped games
    #[arg(long, value_name = "FILE", conflicts_with_all = ["per_game", "beside", "json", "html", "min_moves"])]
    statistics: Option<PathBuf>,

    /// Print performance ratings and expected scores, calculated from the gain of every move (Ferreira 2013)
    #[arg(long)]
    tournament: bool,

    /// How to find the score after a move when calculating its gain, for --tournament, --json and --html;
    /// Ferreira uses `across`
    #[arg(long, value_name = "WAY", value_enum, default_value_t)]
    gain: Gain,

    /// Also evaluate with this UCI engine, and show how closely it agrees; may be repeated
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["per_game"])]
    beside: Vec<String>,

    /// Write a web page with a board to step through the games, and with exercises based on the mistakes
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,

    /// Write a CSV table of all moves
    #[arg(long, value_name = "FILE")]
    csv: Option<PathBuf>,

    /// Write a Parquet table of all evaluated moves (needs a build with the feature `parquet`)
    #[arg(long, value_name = "FILE")]
    moves: Option<PathBuf>,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    if arguments.html.is_none() && arguments.csv.is_none() && arguments.moves.is_none() {
        return run_analysis(arguments, config, out);
    }
    let mut out = PersistentOutput { out, broken_pipe: None };
    let outcome = run_analysis(arguments, config, &mut out)?;
    out.broken_pipe.map_or(Ok(outcome), |error| Err(error.into()))
}

fn run_analysis(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let (plan, study) = (arguments.plan(config)?, &arguments.study);
    if arguments.per_game {
        return arguments.each_game(&plan, config, out);
    }
    // Before evaluating all games, find out whether the engines can be started.
    for program in &arguments.beside {
        engine(program).start()?;
    }
    let statistics = arguments.statistics.as_deref().map(StatisticsFile::new);
    let files = statistics.iter().flat_map(StatisticsFile::paths);
    let named = [&arguments.html, &arguments.csv, &arguments.moves].map(Option::as_ref);
    let mut outputs = Outputs::new(named, files, &study.inputs())?;
    // A tournament needs the gains of all moves, opening moves included. A move-by-move report
    // should also cover the opening.
    let needed = if arguments.tournament { 0 } else { study.skip };
    let opening = if outputs.need_all_moves() { 0 } else { needed };
    // Move-by-move reports, and gains that use the next position, need both sides' moves.
    let needs_both =
        outputs.need_all_moves() || arguments.gain == Gain::Across || !arguments.beside.is_empty();
    if study.sample.is_some() && (needs_both || opening != study.skip) {
        anyhow::bail!(
            "--sample cannot be combined with --html, --csv, --moves, --beside, --tournament or --gain across, which \
             need more positions; leave out one of them"
        );
    }
    let mut job = study.job(&study.engine, &plan, Measured::Everything, config)?;
    study.warn(&plan)?;
    job.conditions.opening = opening;
    if needs_both {
        job.conditions.sides = Sides::Both;
    }
    let evaluator = job.conditions.evaluator.identity.clone();
    let mut engine_moves = BestMoves::default();
    let (mut part, sides) = (StudyPart::new(study.shard), study.sides());
    let (summaries, missing) = study.review(|input, progress| {
        job.summarise(input, progress, |evaluated| {
            if !arguments.beside.is_empty() {
                engine_moves.record(evaluated);
            }
            part.add(&evaluated.pgn);
            outputs.add(evaluated, &plan, &sides)
        })
    })?;
    let made_by = command_line();
    let results = PageResults {
        reports: &[],
        summaries: &summaries,
        tournament: None,
        honest: arguments.honest(),
        made_by: &made_by,
    };
    if let Some(statistics) = statistics {
        outputs.finish(&results)?;
        let settings = StudySettings::new(&plan, &evaluator, &study.players, study.sample);
        let write = |file: &StatisticsFile, out: &mut dyn Write| {
            file.write(&summaries, &settings, study, (&part, &missing), out)
        };
        let Err(skipped) = study.check_skipped(&missing) else {
            write(&statistics, out)?;
            return Ok(CommandOutcome::Done);
        };
        let Some((name, incomplete)) = statistics.incomplete() else {
            return Err(skipped);
        };
        write(&incomplete, out)?;
        anyhow::bail!("{skipped}, or rename {}, which has the other games", name.display());
    }
    // Keep the reports only if they are needed later.
    let mut kept = Vec::new();
    let form = ReportForm::of(&plan, arguments.is_full(), arguments.json);
    let mut reports = Reports::new(&plan, arguments.honest(), form, arguments.tournament);
    for report in summaries.reports(study.min_moves) {
        reports.add(&report, out)?;
        if arguments.html.is_some() || form == ReportForm::Full {
            kept.push(report);
        }
    }
    reports.write_overview(Some(&summaries.costly), out)?;
    if form == ReportForm::Full {
        kept.iter().try_for_each(|report| reports.write_figures(report, out))?;
    }
    let tournament = reports.write_tournament(out)?;
    outputs.finish(&PageResults { reports: &kept, tournament: tournament.as_ref(), ..results })?;
    for program in &arguments.beside {
        let agreement = beside(program, &engine_moves, study, &plan, config)?;
        if arguments.json {
            write_json(&AgreementLine { agreement }, out)?;
        } else {
            write_text(&agreement.document(), out)?;
            writeln!(out)?;
        }
    }
    reports.write_caution(out)?;
    out.flush()?;
    study.check_skipped(&missing)?;
    Ok(if reports.is_empty {
        study.report_nothing_found(&summaries)?
    } else {
        CommandOutcome::Done
    })
}

impl Arguments {
    fn plan(&self, config: &Settings) -> anyhow::Result<StudyPlan> {
        anyhow::ensure!(
            self.beside.is_empty() || !self.study.can_be_read_only_once(),
            "--beside reads the games twice, so they cannot come from a pipe; give a file"
        );
        let curve = self.curve;
        let deepest = self.study.depth;
        if let Some(depth) = self.at.iter().find(|&&depth| depth == 0 || depth > deepest) {
            anyhow::bail!(
                "--at {depth} is out of range: depths must be from 1 to --depth, which is {deepest}"
            );
        }
        let mut depths = self.at.clone();
        depths.push(deepest);
        depths.sort_unstable();
        depths.dedup();
        anyhow::ensure!(
            curve.pool().is_none(),
            "--curve {curve} has no competence; choose another curve"
        );
        let against = self.against.as_deref().map(|name| config.profiles.get(name)).transpose()?;
        let parts = against.into_iter().flat_map(Profile::parts);
        let pools = parts.filter_map(|(_, skill)| skill.selector.curve.family().pool());
        let pools: Vec<GameKind> = pools.collect();
        // A profile can be compared only on the scale of its curve.
        let scale = match (&self.study.scale, pools.first()) {
            (None, Some(&pool)) => RatingScale::of(EloScale::of(Family::human(pool))),
            _ => self.study.scale_of_most_games()?,
        };
        if let Some(pool) = pools.into_iter().find(|&pool| scale.family().pool() != Some(pool)) {
            anyhow::bail!(
                "the profile given to --against uses the curve \"{}\"; set --scale {}",
                Family::human(pool),
                EloScale::of(Family::human(pool))
            );
        }
        let plan = self.study.plan(&scale, config)?;
        let noise = self.noise.map(|variance| (variance, self.seed));
        Ok(StudyPlan {
            by: self.by,
            depths,
            family: curve,
            rating: self.rating,
            against: against.cloned().map(Profile::into_observed),
            gain: self.gain,
            gains_of_all: self.tournament,
            window: self.window.unwrap_or(plan.window),
            noise,
            ..plan
        })
    }

    /// Whether to show all figures. Options that only affect these ask for them.
    fn is_full(&self) -> bool {
        self.full || self.honest.is_some() || self.window.is_some()
    }

    fn honest(&self) -> f64 {
        self.honest.unwrap_or(HONEST_PLAYERS)
    }

    /// Writes a line for each game, in order. The lines are independent of each other.
    fn each_game(&self, plan: &StudyPlan, config: &Settings, out: &mut dyn Write) -> CommandResult {
        let study = &self.study;
        let mut job = study.job(&study.engine, plan, Measured::Everything, config)?;
        study.warn(plan)?;
        job.conditions.sides = Sides::Both;
        let (conditions, sides) = (LineConditions::new(&job.conditions), study.sides());
        let (family, threads) = (plan.scale.family(), job.engines.len());
        let accumulator = StudyAccumulator::new(plan, Measured::Everything, threads);
        let line = |evaluated: EvaluatedGame| -> anyhow::Result<()> {
            let is_wanted = |colour| sides.has(&evaluated.pgn, colour);
            let ratings = |colour| if is_wanted(colour) { all_ratings() } else { Vec::new() };
            let decisions = evaluated.decisions(&plan.decision_settings(family), threads, ratings);
            let report = |colour: Colour| {
                let name = evaluated.pgn.name(colour).unwrap_or("?");
                let own = decisions.iter().filter(|(_, decision)| decision.colour == colour);
                let own: Vec<StudiedMove> = own.map(|(_, decision)| decision.clone()).collect();
                StudyReport::of_game(&accumulator, name, own, &evaluated.pgn)
            };
            let wanted = [Colour::White, Colour::Black].into_iter().filter(|&c| is_wanted(c));
            let reports: Vec<StudyReport> = wanted.map(report).collect();
            let reports = reports.iter().map(|report| PlayerJson::new(report, plan, self.honest()));
            let line = GameLine::new(&evaluated, conditions.clone(), reports.collect());
            write_json(&line, out)?;
            Ok(out.flush()?)
        };
        let ((), missing) =
            study.review(|games, progress| Ok(((), job.each_game(games, progress, line)?)))?;
        study.check_skipped(&missing)?;
        // Finding no games is not a failure, because a shard may be empty.
        Ok(CommandOutcome::Done)
    }
}
