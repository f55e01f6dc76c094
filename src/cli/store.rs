//! `store`: what a store of evaluations holds.

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context as _;
use clap::{Args, ValueEnum};

use super::CommandOutcome;
use crate::games::{Store, StoredEvaluation};
use crate::report::{deposit_epd, deposit_json, holdings_table};

const EXAMPLES: &str = "\
Examples:
  stopdown evaluate --epd positions.epd --depth 8 --store values.db
  stopdown store values.db
  stopdown store values.db --export json > values.jsonl
  stopdown store all.db --take-in first.db second.db
  stopdown store values.db --export epd --evaluator 0123456789abcdef > values.epd";

/// Show what a store of evaluations holds, or write it out
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The store, as evaluate --store makes it
    file: PathBuf,

    /// Write all evaluations, one a line
    #[arg(long, value_enum)]
    export: Option<Form>,

    /// Take over what other stores hold, as several runs have filled them
    #[arg(long, value_name = "STORE", num_args = 1.., conflicts_with = "export")]
    take_in: Vec<PathBuf>,

    /// Only those with this fingerprint, which the table shows
    #[arg(long, alias = "assessor", value_name = "FINGERPRINT", requires = "export")]
    #[arg(value_parser = parse_fingerprint)]
    evaluator: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Form {
    /// All moves at all depths, as evaluate --json writes them
    Json,
    /// The best move with its value and line; the values of the others as a comment
    Epd,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<CommandOutcome> {
    let mut store = match arguments.take_in.is_empty() {
        true => Store::open_existing(&arguments.file)?,
        false => Store::open(&arguments.file)?,
    };
    arguments.take_in.iter().try_for_each(|other| store.take_in(other))?;
    let Some(form) = arguments.export else {
        let holdings = store.holdings()?;
        write!(out, "{}", holdings_table(&holdings))?;
        return Ok(if holdings.is_empty() {
            CommandOutcome::Negative
        } else {
            CommandOutcome::Done
        });
    };
    let mut count = 0_u64;
    store.each(arguments.evaluator, |deposit: StoredEvaluation| -> anyhow::Result<()> {
        count += 1;
        let line = match form {
            Form::Json => deposit_json(&deposit).context("JSON")?,
            Form::Epd => deposit_epd(&deposit),
        };
        writeln!(out, "{line}")?;
        Ok(())
    })?;
    Ok(if count == 0 { CommandOutcome::Negative } else { CommandOutcome::Done })
}

fn parse_fingerprint(text: &str) -> Result<u64, String> {
    u64::from_str_radix(text, 16).map_err(|_| "write 16 hexadecimal digits".to_owned())
}
