//! `endgame`: tables, and what can be learnt from them.

mod build;
mod common;
mod compare;
mod probe;
mod profile;
mod progress;
mod study;
mod verify;

use std::io::Write;

use clap::Subcommand;

use super::Outcome;

const EXAMPLES: &str = "\
Examples:
  stopdown endgame build KQKR --metric dtc
  stopdown endgame probe --fen \"8/8/8/8/Q7/5k2/8/K3r3 w - - 0 1\"
  stopdown endgame study KQKR --competence 0:50:1
  stopdown endgame profile --pgn browne.pgn --side white
  stopdown endgame compare --fen \"8/8/6Q1/2K5/5r2/4k3/8/8 b - - 0 1\"";

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
    Study(study::Arguments),
    Profile(profile::Arguments),
    Compare(compare::Arguments),
    Verify(verify::Arguments),
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments, out),
        Command::Probe(arguments) => probe::run(arguments, out),
        Command::Study(arguments) => study::run(arguments, out),
        Command::Profile(arguments) => profile::run(arguments, out),
        Command::Compare(arguments) => compare::run(arguments, out),
        Command::Verify(arguments) => verify::run(arguments, out),
    }
}
