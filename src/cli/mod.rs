//! The command line: a list of subcommands, one file each. Without a subcommand, the program speaks
//! UCI.

#![deny(clippy::unwrap_used, clippy::panic, clippy::todo, clippy::unimplemented)]

mod analyse;
mod bench;
mod boards;
mod choose;
mod endgame;
mod engine;
mod evaluate;
mod help;
mod laboratory;
mod ladder;
mod lichess_bot;
mod likely_moves;
mod matches;
mod outcome;
mod output;
mod parsing;
mod perft;
mod play;
mod profile;
mod rate;
mod report;
mod split;
mod store;
#[doc(hidden)]
pub mod support;
mod tournament;
pub mod value_parsers;
mod web;

use std::io::{self, IsTerminal, Write as _};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use self::outcome::{CommandOutcome, CommandResult, exit_code, print_usage, with_output};
use self::output::words;
use crate::config::{ConfigError, Settings, built_in_with_players, load_settings};
use crate::external::ExternalEvaluator;
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
    /// Read option defaults and profiles from this file [default: the first engine.toml found]
    #[arg(long, global = true, value_name = "FILE")]
    config: Option<PathBuf>,

    #[command(subcommand)]
    command: Option<Command>,
}

/// The subcommands. Each has a variant here, a line in `run_command`, and a file or folder in
/// `cli`.
#[derive(Debug, Subcommand)]
enum Command {
    Analyse(Box<analyse::Arguments>),
    Bench(bench::Arguments),
    Boards(boards::Arguments),
    Choose(Box<choose::Arguments>),
    #[command(subcommand)]
    Endgame(endgame::EndgameCommand),
    Evaluate(evaluate::Arguments),
    #[command(alias = "tournament")]
    Ladder(Box<ladder::Arguments>),
    LichessBot(lichess_bot::Arguments),
    #[command(hide = true)]
    Man(help::ManPages),
    Match(Box<matches::Arguments>),
    #[command(name = crate::external::GUARD_COMMAND, hide = true)]
    Become(engine::BecomeArguments),
    #[command(hide = true)]
    Completions(help::Completions),
    Help(help::Arguments),
    Perft(perft::Arguments),
    Play(play::Arguments),
    Profile(Box<profile::Arguments>),
    Proxy(engine::ProxyArguments),
    Rate(Box<rate::Arguments>),
    Report(report::Arguments),
    Split(split::Arguments),
    Store(store::Arguments),
    Web(web::Arguments),
}

/// Runs the program with the arguments of the process.
pub fn main() -> ExitCode {
    let arguments = match parsing::parse::<Arguments>() {
        Ok(arguments) => arguments,
        Err(error) => {
            let words: Vec<String> = words().skip(1).collect();
            let hint = laboratory::redirection(&words).or_else(|| position_hint(&words));
            return match hint.filter(|_| error.use_stderr()) {
                Some(sentence) => exit_code(Err(anyhow::Error::msg(sentence)), "stopdown"),
                None => print_usage(&error),
            };
        }
    };
    let result = match &arguments.command {
        None => run_uci(&arguments, None),
        // The UCI session owns standard output.
        Some(Command::Proxy(proxy)) => {
            proxy.prepare().and_then(|engine| run_uci(&arguments, Some(engine)))
        }
        // Help must work even if a configuration file is broken.
        Some(Command::Help(words)) => help::run(words, Arguments::command()),
        // The working directory is that of the engine to start. A configuration file there is not ours.
        Some(Command::Become(program)) => with_output(|out| engine::run_become(program, out)),
        Some(command) => run_command(command, &arguments),
    };
    exit_code(result, "stopdown")
}

/// Suggests the right syntax if these words contain a position without `--fen` or without quotes.
fn position_hint(words: &[String]) -> Option<String> {
    let looks_like_board = |word: &String| {
        let placed = word.split(' ').next().unwrap_or(word);
        placed.matches('/').count() == 7
            && placed.chars().all(|c| "/12345678kqrbnpKQRBNP".contains(c))
    };
    let first = words.iter().position(looks_like_board)?;
    let has_option = first > 0 && words[first - 1] == "--fen";
    let in_quotes = words.get(first + 1).is_none_or(|next| next != "w" && next != "b");
    let end = words[first..].iter().position(|word| word.starts_with("--"));
    let fen = words[first..end.map_or(words.len(), |end| first + end)].join(" ");
    (!(has_option && in_quotes))
        .then(|| format!("write positions in quotes after --fen: --fen \"{fen}\""))
}

fn run_command(command: &Command, arguments: &Arguments) -> CommandResult {
    let config = load_with_warnings(arguments.config.as_deref())?;
    with_output(|out| match command {
        Command::Analyse(arguments) => analyse::run(arguments, &config, out),
        Command::Bench(arguments) => bench::run(arguments, out),
        Command::Boards(arguments) => boards::run(arguments, out),
        Command::Choose(arguments) => choose::run(arguments, &config, out),
        Command::Endgame(command) => endgame::run(command, out),
        Command::Evaluate(arguments) => evaluate::run(arguments, &config, out),
        Command::Ladder(arguments) => ladder::run(arguments, &config, out),
        Command::LichessBot(arguments) => lichess_bot::run(arguments, out),
        Command::Match(arguments) => matches::run(arguments, &config, out),
        Command::Completions(arguments) => arguments.run(Arguments::command(), out),
        Command::Man(arguments) => arguments.run(Arguments::command()),
        Command::Perft(arguments) => perft::run(arguments, out),
        Command::Play(arguments) => play::run(arguments, &config, out),
        Command::Profile(arguments) => profile::run(arguments, &config, out),
        Command::Proxy(_) | Command::Help(_) | Command::Become(_) => Ok(CommandOutcome::Done),
        Command::Rate(arguments) => rate::run(arguments, &config, out),
        Command::Report(arguments) => report::run(arguments, out),
        Command::Split(arguments) => split::run(arguments, out),
        Command::Store(arguments) => store::run(arguments, out),
        Command::Web(arguments) => web::run(arguments, config, out),
    })
}

/// Loads the settings, and warns on standard error about players that are left out.
pub fn load_with_warnings(given: Option<&Path>) -> anyhow::Result<Settings> {
    let (config, errors) = load_settings(given)?;
    for error in &errors {
        writeln!(io::stderr(), "stopdown: {}", left_out(error))?;
    }
    Ok(config)
}

/// The message about a file or folder of players that cannot be used.
fn left_out(error: &ConfigError) -> String {
    format!("{error}; no players were loaded from it")
}

/// Starts a UCI session. If the configuration file is broken, the GUI receives a message and the
/// session uses the defaults, because a GUI cannot repair the file.
fn run_uci(arguments: &Arguments, engine: Option<ExternalEvaluator>) -> CommandResult {
    let ((config, errors), broken) = match load_settings(arguments.config.as_deref()) {
        Ok(loaded) => (loaded, None),
        Err(error) => {
            (built_in_with_players(), Some(format!("{error}; the defaults are used instead")))
        }
    };
    let warnings: Vec<String> = broken.into_iter().chain(errors.iter().map(left_out)).collect();
    let on_terminal = engine.is_none() && io::stdin().is_terminal() && io::stdout().is_terminal();
    uci::run(&config, engine, &warnings, on_terminal)?;
    Ok(CommandOutcome::Done)
}
