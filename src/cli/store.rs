//! The evaluation cache used by other commands, and the command `store`, which shows its contents.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::outcome::{CommandOutcome, CommandResult};
use super::output::{write_json, write_text};
use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::games::{CachedEvaluation, EvaluationCache, EvaluationKey, EvaluatorIdentity};
use crate::player::Engine;
use crate::report::{CachedLine, cached_epd, store_summary};
use crate::search::{Controls, EvaluationRequest, NoObserver, values_digest};

const EXAMPLES: &str = "\
Examples:
  stopdown evaluate --epd positions.epd --depth 8 --store values.db
  stopdown store values.db
  stopdown store values.db --export json > values.jsonl
  stopdown store all.db --merge first.db second.db
  stopdown store values.db --export epd --evaluator 0123456789abcdef > values.epd";

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
    #[arg(long, value_name = "FINGERPRINT", requires = "export")]
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
    let mut store = match arguments.merge.is_empty() {
        true => EvaluationCache::open_existing(&arguments.file)?,
        false => EvaluationCache::open(&arguments.file)?,
    };
    arguments.merge.iter().try_for_each(|other| store.import(other))?;
    let Some(form) = arguments.export else {
        let holdings = store.contents()?;
        write_text(&store_summary(&holdings), out)?;
        return Ok(if holdings.is_empty() {
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

/// Evaluates positions that are not in a cache yet, and adds them to it.
#[derive(Debug)]
pub struct StoredEvaluations {
    store: EvaluationCache,
    evaluator: EvaluatorIdentity,
    found: u64,
    added: u64,
}

impl StoredEvaluations {
    /// Opens the cache for evaluations by this evaluator.
    pub fn open(path: &Path, evaluator: EvaluatorIdentity) -> anyhow::Result<StoredEvaluations> {
        Ok(StoredEvaluations { store: EvaluationCache::open(path)?, evaluator, found: 0, added: 0 })
    }

    /// Returns the cached evaluation, or evaluates the position and caches the result.
    pub fn evaluate(
        &mut self,
        engine: &mut Engine,
        game: &Game,
        request: &EvaluationRequest,
    ) -> anyhow::Result<RootEvaluation> {
        let key = EvaluationKey::new(game, &self.evaluator, request.depth);
        let known = key.map(|key| self.store.find(&key, game)).transpose()?.flatten();
        if let Some(evaluation) = known {
            self.found += 1;
            return Ok(evaluation);
        }
        let evaluation = engine.evaluate(game, request, &Controls::new(), &mut NoObserver);
        if let Some(key) = key.filter(|_| !engine.has_failed()) {
            self.store.put(key, &self.evaluator, &evaluation)?;
            self.added += 1;
        }
        Ok(evaluation)
    }

    /// Writes pending evaluations and prints a summary on standard error.
    pub fn close(mut self) -> anyhow::Result<()> {
        self.store.commit()?;
        let (found, added) = (self.found, self.added);
        writeln!(io::stderr(), "{found} evaluations were in the cache, {added} are new")?;
        Ok(())
    }
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
