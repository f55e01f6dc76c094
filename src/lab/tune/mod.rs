//! `tune`: games of the engine against itself, and what is learnt from them.

mod choices;
mod data;
mod margins;
mod net;
mod values;
mod winning;

use std::io::Write;

use clap::{Args, Subcommand};

use crate::cli::CommandOutcome;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab tune data games.bin --games 10000 --nodes 1500
  stopdown-lab tune data games.bin --count
  stopdown-lab tune net games.bin --out network.bin";

/// Tune the evaluation by games of the engine against itself
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    step: TuneStep,
}

#[derive(Subcommand, Debug)]
enum TuneStep {
    Choices(choices::Arguments),
    Data(data::Arguments),
    Margins(margins::Arguments),
    Values(values::Arguments),
    Net(net::Arguments),
    Winning(winning::Arguments),
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<CommandOutcome> {
    match &arguments.step {
        TuneStep::Choices(arguments) => choices::run(arguments, out),
        TuneStep::Data(arguments) => data::run(arguments, out),
        TuneStep::Margins(arguments) => margins::run(arguments, out),
        TuneStep::Values(arguments) => values::run(arguments, out),
        TuneStep::Net(arguments) => net::run(arguments, out),
        TuneStep::Winning(arguments) => winning::run(arguments, out),
    }
}
