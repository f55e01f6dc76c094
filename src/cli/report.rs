//! `report`: merges the statistics of many runs. The result is the same as the report of a single
//! run over all games.

use std::fs::File;
use std::io::{self, BufReader, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use clap::Args;

use super::outcome::{CommandOutcome, CommandResult};
use super::output::{
    check_outputs, reject_duplicates, report_width, save_by, write_json, write_text,
};
use super::rate::RatingReport;
use super::value_parsers;
use crate::analyser::{
    CostlyMoves, HONEST_PLAYERS, Measured, PlayerSummary, ShardError, ShardReader, ShardWriter,
    StudyAccumulator, StudyPart, StudyParts, StudyPlan, StudyReport, StudySettings, merge,
};
use crate::files::{is_device_or_pipe, open_existing};
use crate::report::text::wrap;
use crate::report::{
    BRIEF_CAUTION, CAUTION, Overview, PlayerJson, TournamentPlayer, TournamentTables, all_figures,
};
use crate::words::counted;

const EXAMPLES: &str = "\
Examples:
  stopdown report *.stats
  stopdown report *.stats --rate --min-moves 100
  stopdown report part-*.stats --sum all.stats";

/// Merge the statistics of many runs into one report
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Files written by `analyse --statistics` or `report --sum`
    #[arg(value_name = "FILES", required = true)]
    files: Vec<PathBuf>,

    /// Instead of a report, write the merged statistics to this file
    #[arg(long, value_name = "FILE", conflicts_with_all = SHOWN)]
    sum: Option<PathBuf>,

    /// Report on the available games even if shards are missing
    #[arg(long)]
    partial: bool,

    /// Print one line per player, like `stopdown rate`
    #[arg(long, conflicts_with = "tournament")]
    rate: bool,

    /// Print a line of JSON for each report
    #[arg(long)]
    json: bool,

    /// Print performance ratings and expected scores, if the statistics were made with --tournament
    #[arg(long)]
    tournament: bool,

    /// Leave out players with fewer than N counted moves
    #[arg(long, value_name = "N", default_value_t = 1)]
    #[arg(value_parser = value_parsers::count::<usize>)]
    min_moves: usize,

    /// Show all figures, like `stopdown analyse --full`
    #[arg(long)]
    full: bool,

    /// Show all figures, and estimate how many of N honest players would match the engine's moves as
    /// often as the player did [default: 1000]
    #[arg(long, value_name = "N", value_parser = value_parsers::from_one)]
    honest: Option<f64>,
}

/// The options that only affect the report.
const SHOWN: [&str; 7] = ["json", "rate", "tournament", "min_moves", "full", "honest", "partial"];

/// The number of files that are merged at the same time. If there are more, they are first merged in
/// groups. Some systems allow a process only 256 open files, and groups of groups need three times
/// this number.
const MAX_OPEN_FILES: usize = 60;

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    reject_duplicates(&arguments.files)?;
    check_outputs(&arguments.sum, &arguments.files)?;
    if let Some(pipe) = arguments.files.iter().find(|file| is_device_or_pipe(file)) {
        anyhow::bail!(
            "{} is not a regular file; the statistics are read several times, so a pipe does not work",
            pipe.display()
        );
    }
    let settings = open(&arguments.files[0])?.settings;
    let parts = read_parts(&arguments.files, &settings)?;
    if let Some(path) = &arguments.sum {
        let parts = parts.merged();
        save_by(path, |draft| sum(&arguments.files, &parts, &settings, draft))?;
        return Ok(CommandOutcome::Done);
    }
    arguments.check_complete(&parts)?;
    let plan = &settings.plan;
    anyhow::ensure!(
        !arguments.tournament || plan.gains_of_all,
        "--tournament needs statistics written by analyse --tournament"
    );
    let accumulator = StudyAccumulator::new(plan, Measured::Everything, 1);
    // The summaries of all subjects may not fit in memory, so they are buffered in a file.
    // `entries` contains their places in that file.
    let mut buffer = BufWriter::new(tempfile::tempfile()?);
    let mut entries = Vec::new();
    let mut offset = 0;
    let mut list = RatingReport::default();
    merge_files(&arguments.files, &settings, |name, summary| {
        anyhow::ensure!(accumulator.accepts(&summary), ShardError::Damaged(name.to_owned()));
        if summary.tally().used < arguments.min_moves.max(usize::from(arguments.rate)) {
            return Ok(());
        }
        if arguments.rate {
            list.add(name, &summary, &accumulator);
            return Ok(());
        }
        let bytes = postcard::to_allocvec(&summary)?;
        buffer.write_all(&bytes)?;
        entries.push((summary.tally().decisions(), name.to_owned(), offset, bytes.len()));
        offset += bytes.len() as u64;
        Ok(())
    })?;
    if arguments.rate {
        let is_empty = list.write(plan, arguments.json, None, out)?;
        return arguments.outcome(is_empty);
    }
    entries.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(&b.1)));
    let mut buffer = buffer.into_inner().map_err(std::io::IntoInnerError::into_error)?;
    let is_full = arguments.full || arguments.honest.is_some();
    let form = ReportForm::of(plan, is_full, arguments.json);
    let honest = arguments.honest.unwrap_or(HONEST_PLAYERS);
    let mut reports = Reports::new(plan, honest, form, arguments.tournament);
    let mut each = |take: &mut dyn FnMut(&StudyReport) -> io::Result<()>| -> anyhow::Result<()> {
        for (_, name, offset, length) in &entries {
            let summary = read(&mut buffer, *offset, *length)?;
            take(&StudyReport::new(&accumulator, name, &summary))?;
        }
        Ok(())
    };
    each(&mut |report| reports.add(report, out))?;
    reports.write_overview(None, out)?;
    if form == ReportForm::Full {
        each(&mut |report| reports.write_figures(report, out))?;
    }
    reports.write_tournament(out)?;
    reports.write_caution(out)?;
    arguments.outcome(entries.is_empty())
}

impl Arguments {
    /// The outcome of the command. Says so if there is nothing to report.
    fn outcome(&self, is_empty: bool) -> CommandResult {
        if !is_empty {
            return Ok(CommandOutcome::Done);
        }
        let least = counted(self.min_moves.max(1), "counted move");
        writeln!(io::stderr(), "stopdown: no player has at least {least}")?;
        Ok(CommandOutcome::Negative)
    }

    /// Returns an error if shards are missing. If the user accepts that, prints a warning instead.
    fn check_complete(&self, parts: &StudyParts) -> anyhow::Result<()> {
        let Some(missing) = parts.missing() else { return Ok(()) };
        anyhow::ensure!(self.partial, "{missing}; to report on the others, use --partial");
        Ok(writeln!(io::stderr(), "stopdown: {missing}")?)
    }
}

/// The format of reports.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ReportForm {
    Short,
    Full,
    Json,
}

impl ReportForm {
    /// Chooses the form of a report. Some settings of a plan need the full report.
    pub fn of(plan: &StudyPlan, full: bool, json: bool) -> ReportForm {
        let needs_full = plan.against.is_some() || plan.noise.is_some() || plan.depths.len() > 1;
        match (json, full || needs_full) {
            (true, _) => ReportForm::Json,
            (false, true) => ReportForm::Full,
            (false, false) => ReportForm::Short,
        }
    }
}

/// Prints the parts of a report: either lines of JSON, or an overview of all subjects followed by
/// their figures.
pub(super) struct Reports<'p> {
    plan: &'p StudyPlan,
    honest: f64,
    form: ReportForm,
    is_tournament: bool,
    entrants: Vec<TournamentPlayer>,
    overview: Overview<'p>,
    pub is_empty: bool,
}

impl Reports<'_> {
    pub fn new(
        plan: &StudyPlan,
        honest: f64,
        form: ReportForm,
        is_tournament: bool,
    ) -> Reports<'_> {
        let (entrants, overview) = (Vec::new(), Overview::new(plan));
        Reports { plan, honest, form, is_tournament, entrants, overview, is_empty: true }
    }

    /// Adds a subject. A line of JSON is written at once.
    pub fn add(&mut self, report: &StudyReport, out: &mut dyn Write) -> io::Result<()> {
        self.is_empty = false;
        if self.is_tournament {
            self.entrants.push(TournamentPlayer::new(report));
        }
        match self.form {
            ReportForm::Json => write_json(&PlayerJson::new(report, self.plan, self.honest), out),
            ReportForm::Short | ReportForm::Full => {
                self.overview.add(report);
                Ok(())
            }
        }
    }

    /// Prints the ratings, mistakes and accuracy of all subjects.
    pub fn write_overview(
        &self,
        costly: Option<&CostlyMoves>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.overview.is_empty() {
            return Ok(());
        }
        write_text(&self.overview.document(costly), out)?;
        writeln!(out)
    }

    /// Prints all figures of a subject.
    pub fn write_figures(&self, report: &StudyReport, out: &mut dyn Write) -> io::Result<()> {
        write_text(&all_figures(report, self.plan, self.honest), out)?;
        writeln!(out)
    }

    /// Prints the tables of a tournament, if they were requested and there are players.
    pub fn write_tournament(
        &mut self,
        out: &mut dyn Write,
    ) -> io::Result<Option<TournamentTables>> {
        let entrants = std::mem::take(&mut self.entrants);
        let tournament = (!entrants.is_empty()).then(|| TournamentTables::new(entrants));
        match &tournament {
            Some(tournament) if self.form == ReportForm::Json => {
                write_json(&tournament.json(), out)?
            }
            Some(tournament) => writeln!(out, "{}", tournament.text())?,
            None => {}
        }
        Ok(tournament)
    }

    /// Prints the note of caution about interpreting the reports.
    pub fn write_caution(&self, out: &mut dyn Write) -> io::Result<()> {
        match self.form {
            _ if self.is_empty => Ok(()),
            ReportForm::Json => Ok(()),
            ReportForm::Short => writeln!(out, "{BRIEF_CAUTION}"),
            ReportForm::Full => writeln!(out, "{}", wrap(CAUTION, report_width()).join("\n")),
        }
    }
}

fn read(file: &mut File, offset: u64, length: usize) -> anyhow::Result<PlayerSummary> {
    let mut bytes = vec![0; length];
    file.seek(SeekFrom::Start(offset))?;
    std::io::Read::read_exact(file, &mut bytes)?;
    Ok(postcard::from_bytes(&bytes)?)
}

fn open(path: &Path) -> anyhow::Result<ShardReader<BufReader<File>>> {
    let path_name = || path.display().to_string();
    ShardReader::new(BufReader::new(open_existing(path).with_context(path_name)?))
        .with_context(path_name)
}

/// Finds out which games the files include, and checks that all files belong to one study.
fn read_parts(files: &[PathBuf], settings: &StudySettings) -> anyhow::Result<StudyParts> {
    let mut parts = StudyParts::default();
    for path in files {
        let name = path.display().to_string();
        let reader = open(path)?;
        reader.settings.fit(settings).with_context(|| name.clone())?;
        parts.add(&reader.parts, &name).with_context(|| name.clone())?;
    }
    Ok(parts)
}

/// Writes the sum of several files.
fn sum(
    files: &[PathBuf],
    parts: &[StudyPart],
    settings: &StudySettings,
    out: impl Write,
) -> anyhow::Result<()> {
    let mut shard = ShardWriter::new(out, parts, settings)?;
    merge_files(files, settings, |name, summary| Ok(shard.put(name, &summary)?))?;
    Ok(shard.finish()?)
}

/// Merges any number of files and passes the subjects to `take` one by one, sorted by name.
fn merge_files(
    files: &[PathBuf],
    settings: &StudySettings,
    take: impl FnMut(&str, PlayerSummary) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let failed = |file: &str, error: ShardError| anyhow::Error::new(error).context(file.to_owned());
    let mut readers = Vec::new();
    if files.len() > MAX_OPEN_FILES {
        for (number, part) in files.chunks(files.len().div_ceil(MAX_OPEN_FILES)).enumerate() {
            let mut file = BufWriter::new(tempfile::tempfile()?);
            sum(part, &[], settings, &mut file)?;
            let mut file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            file.rewind()?;
            let name = format!("merged group {}", number + 1);
            readers.push((name, ShardReader::new(BufReader::new(file))?));
        }
        return merge(readers, failed, take);
    }
    for path in files {
        readers.push((path.display().to_string(), open(path)?));
    }
    merge(readers, failed, take)
}
