//! The command line of `stopdown-lab`, with one file for each command.

#![deny(clippy::unwrap_used, clippy::panic, clippy::todo, clippy::unimplemented)]

mod calibrate;
mod depth;
mod endgame;
mod puzzles;
mod similarity;
mod tune;

use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use stopdown::cli::support::{
    self, BecomeArguments, CommandResult, Completions, ManPages, run_become,
};

const AFTER: &str = "\
The manual is in the main program: see stopdown help calibration, match, endgames or papers.";

/// The laboratory of Stopdown: calibration, training, and the experiments from the papers
#[derive(Debug, Parser)]
#[command(name = "stopdown-lab", version, after_help = AFTER, arg_required_else_help = true)]
struct Arguments {
    /// Read option defaults and profiles from this file [default: the first engine.toml found]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

/// Each file in this folder has a variant here and a line in `run`.
#[derive(Debug, Subcommand)]
enum Command {
    Calibrate(Box<calibrate::Arguments>),
    #[command(subcommand)]
    Tune(tune::TuneStep),
    Depth(depth::Arguments),
    Similarity(Box<similarity::Arguments>),
    Puzzles(puzzles::Arguments),
    #[command(subcommand)]
    Endgame(endgame::StudyCommand),
    #[command(name = stopdown::external::GUARD_COMMAND, hide = true)]
    Become(BecomeArguments),
    #[command(hide = true)]
    Completions(Completions),
    #[command(hide = true)]
    Man(ManPages),
}

/// Runs the program with the command-line arguments of the process.
pub fn main() -> ExitCode {
    match support::parse::<Arguments>() {
        Err(error) => support::print_usage(&error),
        Ok(arguments) => support::exit_code(run(&arguments), "stopdown-lab"),
    }
}

fn run(arguments: &Arguments) -> CommandResult {
    let config = support::load_with_warnings(arguments.config.as_deref())?;
    support::with_output(|out: &mut dyn Write| match &arguments.command {
        Command::Calibrate(arguments) => calibrate::run(arguments, out),
        Command::Tune(step) => tune::run(step, out),
        Command::Depth(arguments) => depth::run(arguments, &config, out),
        Command::Similarity(arguments) => similarity::run(arguments, &config, out),
        Command::Puzzles(arguments) => puzzles::run(arguments, out),
        Command::Endgame(command) => endgame::run(command, out),
        Command::Become(arguments) => run_become(arguments, out),
        Command::Completions(arguments) => arguments.run(Arguments::command(), out),
        Command::Man(arguments) => arguments.run(Arguments::command()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_named_by_the_other_program_exist() {
        let mut root = Arguments::command();
        root.build();
        for words in support::LAB_COMMANDS {
            let found = words
                .split(' ')
                .try_fold(&mut root, |command, word| command.find_subcommand_mut(word));
            assert!(found.is_some(), "{words}");
            root = Arguments::command();
            root.build();
        }
    }
}
