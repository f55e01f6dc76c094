//! `endgame`: studies based on endgame tables.

mod compare;
mod input;
mod profile;
mod study;
mod verify;

use std::io::Write;

use clap::Subcommand;

use stopdown::cli::support::CommandResult;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab endgame study KQKR --competence 0:50:1
  stopdown-lab endgame profile --pgn browne.pgn --side white
  stopdown-lab endgame compare --fen \"8/8/6Q1/2K5/5r2/4k3/8/8 b - - 0 1\"

`stopdown endgame build` builds the tablebases.";

/// Study endgames with tablebases
#[derive(Debug, Subcommand)]
#[command(after_help = EXAMPLES)]
pub enum StudyCommand {
    Study(study::Arguments),
    Profile(profile::Arguments),
    Compare(compare::Arguments),
    Verify(verify::Arguments),
}

pub fn run(command: &StudyCommand, out: &mut dyn Write) -> CommandResult {
    match command {
        StudyCommand::Study(arguments) => study::run(arguments, out),
        StudyCommand::Profile(arguments) => profile::run(arguments, out),
        StudyCommand::Compare(arguments) => compare::run(arguments, out),
        StudyCommand::Verify(arguments) => verify::run(arguments, out),
    }
}
