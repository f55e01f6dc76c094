//! `endgame`: what can be learnt from tables of endings.

mod compare;
mod profile;
mod study;
mod verify;

use std::io::Write;

use clap::Subcommand;

use crate::cli::CommandOutcome;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab endgame study KQKR --competence 0:50:1
  stopdown-lab endgame profile --pgn browne.pgn --side white
  stopdown-lab endgame compare --fen \"8/8/6Q1/2K5/5r2/4k3/8/8 b - - 0 1\"

Tables are made by `stopdown endgame build`.";

/// Study endings with their tables
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Study(study::Arguments),
    Profile(profile::Arguments),
    Compare(compare::Arguments),
    Verify(verify::Arguments),
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<CommandOutcome> {
    match &arguments.command {
        Command::Study(arguments) => study::run(arguments, out),
        Command::Profile(arguments) => profile::run(arguments, out),
        Command::Compare(arguments) => compare::run(arguments, out),
        Command::Verify(arguments) => verify::run(arguments, out),
    }
}
