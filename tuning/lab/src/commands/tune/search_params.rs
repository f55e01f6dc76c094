//! `tune search-params`: tunes the search parameters to the network.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::files::refuse_foreign;
use crate::tune::search_params::{PairObserver, ParameterPath, ParameterSearch, compare, find};
use stopdown::cli::support::{
    CommandOutcome, CommandResult, NetworkArguments, Progress, check_outputs, command_line, save,
};
use stopdown::eval::{Evaluator, SPANS, SearchParams};
use stopdown::files::beside;
use stopdown::report::chart::{Chart, ChartCurve};
use stopdown::report::drawing;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab tune search-params params.toml --pairs 10000 --threads 2
  stopdown-lab tune search-params params.toml --pairs 20000 --threads 2
  stopdown-lab tune search-params more.toml --start params.toml --seed 2
  stopdown-lab tune search-params params.toml --pairs 500 --compare

The second command continues the first one up to 20,000 pairs, the third starts from its result, and the \
last compares it with the built-in parameters.

After every 20 pairs of games, the path of the search parameters is saved to FILE.way. At the end, it is \
plotted to an SVG file next to FILE. The path starts from the built-in parameters, or from those of --start.";

/// Tune the search parameters in games between players whose parameters differ slightly
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// File for the search parameters; replaced with the result after the last game
    file: PathBuf,
    #[command(flatten)]
    search: ParameterSearch,
    #[command(flatten)]
    network: NetworkArguments,
    /// Start from the parameters in this file [default: built-in]
    #[arg(long, value_name = "FILE")]
    start: Option<PathBuf>,
    /// Instead of tuning, play a match between the parameters in FILE and the built-in ones, or
    /// those of --start
    #[arg(long)]
    compare: bool,
}

/// The beginning of every file of search parameters that the command writes.
const TITLE: &str = "# Search parameters";

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let network = arguments.network.load()?;
    let search = &arguments.search;
    let mut progress = ParameterProgress { line: Progress::new(), pairs: search.pairs };
    let load =
        |path: &PathBuf| SearchParams::load(path).with_context(|| path.display().to_string());
    let start = arguments.start.as_ref().map(load).transpose()?;
    if arguments.compare {
        let ours = load(&arguments.file)?;
        let theirs = start.as_ref().unwrap_or(network.search_params());
        let outcomes = compare(search, &network, [&ours, theirs], &mut progress);
        progress.line.clear();
        let (elo, file) = (outcomes.elo(), arguments.file.display());
        writeln!(out, "pairs with 0, 0.5, 1, 1.5 and 2 points: {:?}", outcomes.0)?;
        match elo.value.is_finite() && elo.error.is_finite() {
            true => writeln!(out, "{:+.1} ± {:.1} Elo for {file}", elo.value, elo.error)?,
            false => writeln!(
                out,
                "there are too few results, or they are too one-sided, to compute the Elo of {file}"
            )?,
        }
        return Ok(CommandOutcome::Done);
    }
    refuse_foreign(&arguments.file, |start, _| start.starts_with(TITLE.as_bytes()))?;
    let chart = arguments.file.with_extension("svg");
    let start_file = arguments.start.as_deref();
    let read: Vec<&Path> = arguments.network.file().into_iter().chain(start_file).collect();
    check_outputs([&arguments.file, &chart], &read)?;
    let network = match start {
        Some(start) => network.with_search_params(start),
        None => network,
    };
    let tuned = find(search, &network, &beside(&arguments.file, "way"), &mut progress)?;
    progress.line.clear();
    let found = tuned.found();
    let text = format!(
        "{TITLE}: reductions, pruning, move ordering and history. Made by\n#   {}\n# from {} games.\n\n{}",
        command_line(),
        2 * tuned.pairs(),
        toml::to_string(&found)?
    );
    save(&arguments.file, text)?;
    save(&chart, drawing::svg(&curves(&tuned)))?;
    for ((span, was), is) in
        SPANS.iter().zip(network.search_params().numbers()).zip(found.numbers())
    {
        writeln!(out, "{:<27} {was:>5} -> {is:>5}", span.name)?;
    }
    writeln!(
        out,
        "search parameters in {}, plot of their path in {}",
        arguments.file.display(),
        chart.display()
    )?;
    Ok(CommandOutcome::Done)
}

/// The number of parameters to plot. They are those that moved furthest.
const DRAWN: usize = 6;

/// The parameters that moved furthest, in steps from their starting values.
fn curves(path: &ParameterPath) -> Chart {
    let gone = |point: &[f64], index: usize| {
        (point[index] - path.points[0][index]) / f64::from(SPANS[index].step)
    };
    let last = path.points.last().map_or(&[][..], |point| point);
    let mut order: Vec<usize> = (0..SPANS.len()).collect();
    order.sort_by(|&a, &b| gone(last, b).abs().total_cmp(&gone(last, a).abs()));
    let per_point = path.pairs() as f64 / (path.points.len() - 1).max(1) as f64;
    let curve = |&index: &usize| {
        let points = path.points.iter().enumerate();
        let points = points.map(|(n, point)| (n as f64 * per_point, gone(point, index)));
        ChartCurve::line(&SPANS[index].name.replace('_', " "), points.collect())
    };
    let curves = order.iter().take(DRAWN).map(curve).collect();
    let (x, y) = ("pairs of games", "steps from the start");
    Chart::new("Search parameters that moved furthest", x, y, curves)
}

struct ParameterProgress {
    line: Progress,
    pairs: usize,
}

impl PairObserver for ParameterProgress {
    fn set_aside(&mut self, path: &Path) {
        self.line.tell(format_args!(
            "a path with different options already existed; it was renamed to {}",
            path.display()
        ));
    }

    fn batch_finished(&mut self, pairs: usize) {
        self.line.show(format_args!("{pairs} of {} pairs of games", self.pairs));
    }
}
