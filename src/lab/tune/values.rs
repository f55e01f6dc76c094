//! `tune values`: what the moves of choices are worth.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;

use crate::cli::CommandOutcome;
use crate::cli::engine::NetworkArguments;
use crate::cli::output::Progress;
use crate::player::USUAL_DEPTH;
use crate::tuning::choices::value_choices;
use crate::value::Depth;

/// Value the moves of choices at every depth; goes on where an earlier run stopped
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Choices, as `tune choices` makes them
    choices: PathBuf,
    /// The file that values are appended to; its format stands in the source
    /// (tuning/choices/values.rs)
    values: PathBuf,
    /// Plies to search before quiescence
    #[arg(long, default_value_t = USUAL_DEPTH, value_parser = clap::value_parser!(u8).range(1..=30))]
    depth: Depth,
    #[command(flatten)]
    network: NetworkArguments,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<CommandOutcome> {
    let Arguments { choices, values, depth, .. } = arguments;
    let progress = Progress::new();
    let mut told = |done: usize, all: usize| {
        progress.show(format_args!("{done} of {all} choices valued"));
    };
    let network = Arc::new(arguments.network.load()?);
    let done = value_choices(choices, values, *depth, &network, &mut told)?;
    progress.clear();
    writeln!(out, "{done} choices are valued in {}", values.display())?;
    Ok(CommandOutcome::Done)
}
