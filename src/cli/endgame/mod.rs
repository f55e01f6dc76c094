//! `endgame`: tables of endings.

mod build;
pub(crate) mod common;
mod probe;

use std::io::Write;

use clap::Subcommand;

use super::CommandOutcome;

const EXAMPLES: &str = "\
Examples:
  stopdown endgame build KQKR --metric dtc
  stopdown endgame probe --fen \"8/8/8/8/Q7/5k2/8/K3r3 w - - 0 1\"

What can be learnt from them is studied by stopdown-lab endgame.";

/// Make and use endgame tables
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Arguments),
    Probe(probe::Arguments),
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<CommandOutcome> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments, out),
        Command::Probe(arguments) => probe::run(arguments, out),
    }
}
