//! `endgame build`: makes tables.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::bail;

use super::progress::TableProgress;
use super::tables::{TableArguments, report_notices};
use crate::cli::outcome::{CommandOutcome, CommandResult};
use crate::cli::output::write_json;
use crate::endgame::{self, MAX_PIECES, Material, Metric, MetricError, plan};
use crate::report::endgame::{BuiltJson, built_line};

const EXAMPLES: &str = "\
Examples:
  stopdown endgame build KQKR
  stopdown endgame build KQKR KBNK --metric dtm
  stopdown endgame build --pieces 4";

/// Make tables, with all that captures and promotions lead to
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Materials, as in KQKR
    #[arg(value_name = "MATERIAL", required_unless_present = "pieces")]
    materials: Vec<Material>,

    /// All materials of up to so many pieces
    #[arg(long, alias = "men", value_name = "N", value_parser = clap::value_parser!(u8).range(3..=MAX_PIECES as i64))]
    pieces: Option<u8>,

    /// What depths are counted to: dtc, dtm, dtz or all
    #[arg(long, default_value = "all", value_parser = metrics)]
    metric: Metrics,

    #[command(flatten)]
    place: TableArguments,
}

#[derive(Clone, Debug)]
struct Metrics(Vec<Metric>);

fn metrics(text: &str) -> Result<Metrics, MetricError> {
    if text.eq_ignore_ascii_case("all") {
        return Ok(Metrics(Metric::ALL.to_vec()));
    }
    Ok(Metrics(vec![text.parse()?]))
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let mut materials: BTreeSet<Material> = arguments.materials.iter().copied().collect();
    for pieces in 3..=arguments.pieces.unwrap_or(0) {
        materials.extend(Material::all(usize::from(pieces)));
    }
    let tables = arguments.place.open();
    if tables.directory().is_none() {
        bail!("no cache directory is known on this system; say where with --dir");
    }
    let jobs = plan(&tables, materials.iter().copied(), &arguments.metric.0);
    report_notices(&tables);
    if jobs.is_empty() && !arguments.place.json {
        writeln!(out, "all of them are there already")?;
    }
    endgame::check_memory(&jobs)?;
    let progress = TableProgress::new();
    let last = materials.last().copied();
    for (index, &job) in jobs.iter().enumerate() {
        progress.place(index, jobs.len());
        for built in endgame::build(&tables, &[job], arguments.place.threads(), &progress)? {
            progress.line.clear();
            if arguments.place.json {
                write_json(&BuiltJson::new(&built), out)?;
            } else {
                writeln!(out, "{}", built_line(&built))?;
            }
            out.flush()?;
        }
    }
    let speed = last.and_then(|material| endgame::probing_time(&tables, material));
    if let Some(time) = speed.filter(|_| !arguments.place.json) {
        let (held, read) = (time.held.as_nanos(), time.read.as_micros());
        writeln!(out, "a look-up takes {held} ns, {read} \u{b5}s where a block has to be read")?;
    }
    Ok(CommandOutcome::Done)
}
