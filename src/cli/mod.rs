//! The command line: a list of subcommands, one file each. Without one the program speaks UCI.
//!
//! Exit codes: 0 is success, 1 says that nothing was found or a check failed, 2 that the command
//! line or an input was wrong. A reader that has seen enough and closes the pipe is no error.

#![deny(clippy::unwrap_used, clippy::panic, clippy::todo, clippy::unimplemented)]

mod analyse;
mod archive;
mod bench;
mod bounds;
mod calibrate;
mod choose;
mod conditions;
mod deposits;
mod depth;
mod endgame;
mod engine;
mod evaluate;
mod guard;
mod help;
mod ladder;
mod lineup;
mod matches;
mod network;
mod page;
mod perft;
mod play;
mod profile;
mod progress;
mod proxy;
mod rate;
mod report;
mod similarity;
mod store;
mod tune;

use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::config::Config;
use crate::external::Analyst;
use crate::uci;

#[derive(Debug, Parser)]
#[command(
    name = "stopdown",
    version,
    about,
    override_help = help::OVERVIEW,
    disable_help_subcommand = true
)]
struct Arguments {
    /// Take the defaults of all options from this file instead of looking for an engine.toml
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: Option<Command>,
}

/// One variant and one line in `run_command` for each file of this folder.
#[derive(Debug, Subcommand)]
enum Command {
    Analyse(Box<analyse::Arguments>),
    Bench(bench::Arguments),
    Calibrate(Box<calibrate::Arguments>),
    Choose(choose::Arguments),
    Endgame(endgame::Arguments),
    Depth(depth::Arguments),
    Evaluate(evaluate::Arguments),
    Ladder(Box<ladder::Arguments>),
    Match(Box<matches::Arguments>),
    #[command(name = crate::external::GUARD_COMMAND, hide = true)]
    Become(guard::Arguments),
    Help(help::Arguments),
    Perft(perft::Arguments),
    Play(play::Arguments),
    Profile(Box<profile::Arguments>),
    Proxy(proxy::Arguments),
    Rate(Box<rate::Arguments>),
    Report(report::Arguments),
    Similarity(Box<similarity::Arguments>),
    Store(store::Arguments),
    Tune(tune::Arguments),
}

/// How a subcommand ended that met no error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    Done,
    /// Nothing was found, or a check failed.
    Negative,
}

/// Runs the program on the arguments of the process.
pub fn main() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version come this way too. Should the terminal be gone, nobody is there to tell.
            let _ = error.print();
            return if error.use_stderr() { ExitCode::from(2) } else { ExitCode::SUCCESS };
        }
    };
    let result = match &arguments.command {
        None => speak_uci(&arguments, None),
        // The session has standard output to itself.
        Some(Command::Proxy(proxy)) => {
            proxy.start().and_then(|engine| speak_uci(&arguments, Some(engine)))
        }
        // Help is there even where a configuration file is broken.
        Some(Command::Help(words)) => help::run(words),
        Some(command) => run_command(command, &arguments),
    };
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Negative) => ExitCode::from(1),
        Err(error) if is_broken_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(io::stderr(), "stopdown: {error:#}");
            ExitCode::from(2)
        }
    }
}

fn run_command(command: &Command, arguments: &Arguments) -> anyhow::Result<Outcome> {
    let config = Config::load(arguments.config.as_deref())?;
    let out = &mut BufWriter::new(io::stdout().lock());
    let outcome = match command {
        Command::Analyse(arguments) => analyse::run(arguments, &config, out),
        Command::Bench(arguments) => bench::run(arguments, out),
        Command::Calibrate(arguments) => calibrate::run(arguments, out),
        Command::Choose(arguments) => choose::run(arguments, &config, out),
        Command::Endgame(arguments) => endgame::run(arguments, out),
        Command::Depth(arguments) => depth::run(arguments, &config, out),
        Command::Evaluate(arguments) => evaluate::run(arguments, &config, out),
        Command::Ladder(arguments) => ladder::run(arguments, &config, out),
        Command::Match(arguments) => matches::run(arguments, &config, out),
        Command::Become(arguments) => guard::run(arguments, out),
        Command::Perft(arguments) => perft::run(arguments, out),
        Command::Play(arguments) => play::run(arguments, &config, out),
        Command::Profile(arguments) => profile::run(arguments, &config, out),
        Command::Proxy(_) | Command::Help(_) => Ok(Outcome::Done),
        Command::Rate(arguments) => rate::run(arguments, &config, out),
        Command::Report(arguments) => report::run(arguments, out),
        Command::Similarity(arguments) => similarity::run(arguments, &config, out),
        Command::Store(arguments) => store::run(arguments, out),
        Command::Tune(arguments) => tune::run(arguments, out),
    }?;
    out.flush()?;
    Ok(outcome)
}

/// A GUI cannot mend a configuration file: it is told, and the game goes on with defaults.
fn speak_uci(arguments: &Arguments, engine: Option<Analyst>) -> anyhow::Result<Outcome> {
    let (config, complaint) = match Config::load(arguments.config.as_deref()) {
        Ok(config) => (config, None),
        Err(error) => (Config::default(), Some(format!("{error}; going on with defaults"))),
    };
    let on_terminal = engine.is_none() && io::stdin().is_terminal() && io::stdout().is_terminal();
    uci::run(&config, engine, complaint.as_deref(), on_terminal)?;
    Ok(Outcome::Done)
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(|cause| {
        cause.downcast_ref::<io::Error>().is_some_and(|e| e.kind() == io::ErrorKind::BrokenPipe)
    })
}
