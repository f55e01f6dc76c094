//! `tune`: games of the engine against itself, and what is learnt from them.

mod choices;
mod data;
mod margins;
mod net;
mod values;
mod winning;

use std::io::Write;

use clap::{Args, Subcommand};

use crate::cli::Outcome;

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
    step: Step,
}

#[derive(Subcommand, Debug)]
enum Step {
    Choices(choices::Arguments),
    Data(data::Arguments),
    Margins(margins::Arguments),
    Values(values::Arguments),
    Net(net::Arguments),
    Winning(winning::Arguments),
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match &arguments.step {
        Step::Choices(arguments) => choices::run(arguments, out),
        Step::Data(arguments) => data::run(arguments, out),
        Step::Margins(arguments) => margins::run(arguments, out),
        Step::Values(arguments) => values::run(arguments, out),
        Step::Net(arguments) => net::run(arguments, out),
        Step::Winning(arguments) => winning::run(arguments, out),
    }
}
