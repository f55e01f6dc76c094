//! `endgame`: builds and probes endgame tables.

mod build;
mod probe;
mod progress;
mod tables;

use std::io::Write;

use clap::Subcommand;

pub use self::tables::TableArguments;
use super::outcome::CommandResult;

const EXAMPLES: &str = "\
Examples:
  stopdown endgame build KQKR --metric dtc
  stopdown endgame probe --fen \"8/8/8/8/Q7/5k2/8/K3r3 w - - 0 1\"

To study endgames with these tables, use a separate program: stopdown-lab endgame.";

/// Build endgame tables and look up positions
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum EndgameCommand {
    Build(build::Arguments),
    Probe(probe::Arguments),
}

pub fn run(command: &EndgameCommand, out: &mut dyn Write) -> CommandResult {
    match command {
        EndgameCommand::Build(arguments) => build::run(arguments, out),
        EndgameCommand::Probe(arguments) => probe::run(arguments, out),
    }
}
