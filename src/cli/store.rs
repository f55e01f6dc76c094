//! The evaluation cache used by other commands, and the command `store`, which shows its contents.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::outcome::{CommandOutcome, CommandResult};
use super::output::{write_json, write_text};
use crate::games::{CachedEvaluation, EvaluationCache, EvaluatorIdentity};
use crate::player::Engine;
use crate::report::{CachedLine, cached_epd, store_summary};
use crate::review::KnownEvaluations;
use crate::search::values_digest;

const EXAMPLES: &str = "\
Examples:
  stopdown evaluate --epd positions.epd --depth 8 --store values.db
  stopdown store values.db
  stopdown store values.db --export json > values.jsonl
  stopdown store all.db --merge first.db second.db
  stopdown store values.db --export epd --evaluator 0123456789abcdef \\
      > values.epd";

/// List, export or merge evaluation caches
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Cache file, as written by --store
    file: PathBuf,

    /// Print all evaluations, one per line
    #[arg(long, value_name = "FORMAT", value_enum)]
    export: Option<ExportFormat>,

    /// Copy the evaluations from these files into the cache
    #[arg(long, value_name = "FILES", num_args = 1.., conflicts_with = "export")]
    merge: Vec<PathBuf>,

    /// Export only the evaluations by the evaluator with this fingerprint; without --export, the command lists the fingerprints
    #[arg(long, value_name = "FINGERPRINT", requires = "export", conflicts_with = "merge")]
    #[arg(value_parser = parse_fingerprint)]
    evaluator: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// All moves at all depths, like evaluate --json
    Json,
    /// The best move with its score and line, and the other scores as a comment
    Epd,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    for other in &arguments.merge {
        // A mistyped name must not leave an empty cache behind.
        EvaluationCache::open_existing(other)?;
    }
    let mut store = match arguments.merge.is_empty() {
        true => EvaluationCache::open_existing(&arguments.file)?,
        false => EvaluationCache::open(&arguments.file)?,
    };
    arguments.merge.iter().try_for_each(|other| store.import(other))?;
    let Some(form) = arguments.export else {
        let contents = store.contents()?;
        write_text(&store_summary(&contents), out)?;
        return Ok(if contents.is_empty() {
            CommandOutcome::Negative
        } else {
            CommandOutcome::Done
        });
    };
    let mut count = 0_u64;
    store.each(arguments.evaluator, |cached: CachedEvaluation| -> anyhow::Result<()> {
        count += 1;
        match form {
            ExportFormat::Json => write_json(&CachedLine::new(&cached), out)?,
            ExportFormat::Epd => writeln!(out, "{}", cached_epd(&cached))?,
        }
        Ok(())
    })?;
    Ok(if count == 0 { CommandOutcome::Negative } else { CommandOutcome::Done })
}

fn parse_fingerprint(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text, 16)
        .map_err(|_| "write up to 16 hexadecimal digits, as listed without --export".to_owned())
}

/// Writes waiting evaluations to the cache and prints a summary on standard error.
pub fn close_cache(mut cache: KnownEvaluations) -> anyhow::Result<()> {
    cache.commit()?;
    let (found, added) = cache.found_and_added();
    writeln!(io::stderr(), "evaluations: {found} from the cache, {added} new")?;
    Ok(())
}

/// The identity of an engine in the cache. It includes settings that the engine itself does not report. Commands with
/// the same identity share their evaluations.
pub fn evaluator(
    engine: &Engine,
    own_hash: Option<usize>,
    cap: Option<i32>,
    tables: Option<u64>,
) -> EvaluatorIdentity {
    let mut words = vec![engine.identity()];
    if let Some(hash) = own_hash {
        words.push(format!("values {}", values_digest()));
        words.push(format!("Hash={hash}"));
    }
    words.extend(cap.map(|cap| format!("cap {cap}")));
    words.extend(tables.map(|tables| format!("tables {tables:016x}")));
    EvaluatorIdentity::new(words.join(", "))
}
