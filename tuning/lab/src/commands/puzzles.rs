//! `stopdown-lab puzzles`: how often levels solve rated puzzles.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::report::{puzzle_chart, puzzle_report};
use crate::study::puzzles::{Puzzle, PuzzleStudy, Solvers};
use stopdown::cli::support::{
    CommandOutcome, CommandResult, Progress, check_outputs, close_cache, command_line, evaluator,
    read_text, save, value_parsers, write_text,
};
use stopdown::player::{EloScale, Engine};
use stopdown::report::{drawing, html};
use stopdown::review::KnownEvaluations;
use stopdown::search::{Controls, EvaluationRequest, NoObserver};
use stopdown::value::Depth;

/// The hash size that levels were measured with, in MiB.
const HASH: usize = 16;

const EXAMPLES: &str = "\
FILE is a table with the columns id, fen, moves and rating, separated by tabs. It may be compressed (.gz, .zst). The moves are in UCI \
notation, starting with the solver's. If there is a column rd, puzzles whose rating deviation is above 110 or missing \
are left out. If a solution ends in mate, any mating move counts as its last move.

Examples:
  stopdown-lab puzzles puzzles.tsv --store puzzles.db
  stopdown-lab puzzles puzzles.tsv --store puzzles.db --per-bin 20 --scale FIDE
  stopdown-lab puzzles puzzles.tsv --store puzzles.db --html study.html --svg solved.svg --json";

/// Measure how often levels solve rated puzzles
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Table of puzzles
    file: PathBuf,
    /// Number of puzzles for each 200 rating points
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = value_parsers::at_least_one)]
    per_bin: usize,
    /// Rating scale of the levels
    #[arg(long, value_name = "SCALE", default_value = EloScale::LichessBlitz.name(), value_parser = value_parsers::elo_scale())]
    scale: EloScale,
    /// Search depth
    #[arg(long, value_name = "PLIES", default_value_t = 12, value_parser = value_parsers::depth)]
    depth: Depth,
    /// Cache evaluations in this file; an interrupted run continues from it
    #[arg(long, value_name = "FILE")]
    store: Option<PathBuf>,
    /// Write the chart to this file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Write the results to this file as an HTML page
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Print the results as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let path = &arguments.file;
    let read: Vec<&PathBuf> = [path].into_iter().chain(&arguments.store).collect();
    check_outputs(arguments.svg.iter().chain(&arguments.html), &read)?;
    let puzzles =
        Puzzle::read_all(&read_text(path)?).with_context(|| path.display().to_string())?;
    let puzzles = Puzzle::select(puzzles, arguments.per_bin);
    ensure!(!puzzles.is_empty(), "{} has no puzzles rated 600 to 2800", path.display());
    let study = study(arguments, &puzzles)?;
    if let Some(path) = &arguments.svg {
        save(path, drawing::svg(&puzzle_chart(&study)))?;
    }
    let report = puzzle_report(&study);
    if let Some(path) = &arguments.html {
        save(path, html::page(&report, &command_line()))?;
    }
    match arguments.json {
        true => writeln!(out, "{}", serde_json::to_string_pretty(&study)?)?,
        false => write_text(&report, out)?,
    }
    Ok(CommandOutcome::Done)
}

fn study(arguments: &Arguments, puzzles: &[Puzzle]) -> anyhow::Result<PuzzleStudy> {
    let mut engine = Engine::built_in(HASH);
    let identity = evaluator(&engine, Some(HASH), None, None);
    let open = |path: &PathBuf| KnownEvaluations::open(Some(path), identity.clone());
    let mut store = arguments.store.as_ref().map(open).transpose()?;
    let solvers = Solvers::new(arguments.scale, arguments.depth);
    let request = EvaluationRequest::depth(arguments.depth);
    let progress = Progress::new();
    let mut solved = Vec::new();
    for (number, puzzle) in puzzles.iter().enumerate() {
        progress.show(format_args!("{} of {} puzzles", number + 1, puzzles.len()));
        let mut evaluations = Vec::new();
        for step in puzzle.steps() {
            let evaluation = match &mut store {
                Some(store) => store.evaluate(&mut engine, &step.game, &request)?,
                None => engine.evaluate(&step.game, &request, &Controls::new(), &mut NoObserver),
            };
            evaluations.push((step, evaluation));
        }
        solved.extend(solvers.solve(puzzle, &evaluations));
    }
    progress.clear();
    store.map_or(Ok(()), close_cache)?;
    Ok(PuzzleStudy::new(&solvers, &solved))
}
