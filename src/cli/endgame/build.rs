//! `endgame build`: builds endgame tables.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::bail;

use super::progress::TableProgress;
use super::tables::{TableArguments, report_notices};
use crate::cli::outcome::{CommandOutcome, CommandResult};
use crate::cli::output::write_json;
use crate::cli::value_parsers;
use crate::endgame::{self, MAX_PIECES, MIN_PIECES, Material, Metric, MetricError, plan};
use crate::report::endgame::{BuiltJson, built_line};

const EXAMPLES: &str = "\
Examples:
  stopdown endgame build KQKR
  stopdown endgame build KQKR KBNK --metric dtm
  stopdown endgame build --pieces 4";

/// Build endgame tables, including those that captures and promotions lead to
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Pieces of each table, such as KQKR
    #[arg(value_name = "MATERIAL", required_unless_present = "pieces")]
    materials: Vec<Material>,

    /// Build all tables with up to N pieces
    #[arg(long, value_name = "N", value_parser = value_parsers::whole(MIN_PIECES as u8..=MAX_PIECES as u8))]
    pieces: Option<u8>,

    /// Metric: dtc (depth to conversion), dtm (to mate), dtz (to a capture or pawn move) or all
    #[arg(long, default_value = "all", value_parser = metrics)]
    metric: Metrics,

    #[command(flatten)]
    tables: TableArguments,
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
    for pieces in MIN_PIECES..=arguments.pieces.map_or(0, usize::from) {
        materials.extend(Material::all(pieces));
    }
    let tables = arguments.tables.open();
    if tables.directory().is_none() {
        bail!("this system has no cache folder; choose a folder with --dir");
    }
    let jobs = plan(&tables, materials.iter().copied(), &arguments.metric.0);
    report_notices(&tables);
    if jobs.is_empty() && !arguments.tables.json {
        writeln!(out, "all tables already exist")?;
    }
    endgame::check_memory(&jobs)?;
    let progress = TableProgress::new();
    let last = materials.last().copied();
    for (index, &job) in jobs.iter().enumerate() {
        progress.set_index(index, jobs.len());
        for built in endgame::build(&tables, &[job], arguments.tables.threads(), &progress)? {
            progress.line.clear();
            if arguments.tables.json {
                write_json(&BuiltJson::new(&built), out)?;
            } else {
                writeln!(out, "{}", built_line(&built))?;
            }
            out.flush()?;
        }
    }
    let measured = last.filter(|_| !jobs.is_empty() && !arguments.tables.json);
    if let Some(time) = measured.and_then(|material| endgame::probing_time(&tables, material)) {
        let (held, read) = (time.cached.as_nanos(), time.uncached.as_micros());
        writeln!(
            out,
            "a lookup takes {held} ns, or {read} \u{b5}s if a block must be read from disk"
        )?;
    }
    Ok(CommandOutcome::Done)
}
