//! `tune choices` and `tune values`: human choices, and the evaluations of the available moves.

use std::fs::File;
use std::io::{BufReader, Read as _, Write};
use std::path::PathBuf;
use std::sync::Arc;

use anyhow::Context as _;

use super::files::{read_games, refuse_foreign};
use crate::tune::choices::{
    EvaluatedChoices, Form, GatherCounts, Gatherer, HumanGame, TITLE, are_choices, evaluate_choices,
};
use stopdown::cli::support::{
    CommandOutcome, CommandResult, NetworkArguments, Progress, check_outputs, save_by,
};
use stopdown::player::USUAL_DEPTH;
use stopdown::value::Depth;

/// Collect the choices of human players from their games, to train the policy network
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// File to write the choices to; tuning/lab/src/tune/choices/record.rs describes its format
    file: PathBuf,
    /// PGN files, which may be compressed (.gz, .zst), or files made with --compact; duplicate
    /// games are skipped
    #[arg(required = true)]
    games: Vec<String>,
    /// Write the games instead of the choices; tuning/lab/src/tune/choices/human_game.rs describes the format
    #[arg(long)]
    compact: bool,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let path = &arguments.file;
    // A bad path is reported before anything is written.
    check_outputs([path], &arguments.games)?;
    refuse_foreign(path, |start, length| start.starts_with(TITLE) || are_choices(start, length))?;
    let form = if arguments.compact { Form::Games } else { Form::Choices };
    let GatherCounts { games, again, unusable, choices } = save_by(path, |draft| {
        let mut gatherer = Gatherer::new(draft, form)?;
        let progress = Progress::new();
        for name in &arguments.games {
            progress.show(format_args!("reading {name}"));
            add_file(&mut gatherer, name, &progress)?;
        }
        progress.clear();
        Ok(gatherer.finish()?)
    })?;
    let games = number_of(games, "game");
    let what = match form {
        Form::Choices => format!("{} from {games}", number_of(choices, "choice")),
        Form::Games => games,
    };
    writeln!(
        out,
        "{what} in {}; {} and {} skipped",
        path.display(),
        number_of(again, "duplicate"),
        number_of(unusable, "unusable game")
    )?;
    Ok(CommandOutcome::Done)
}

/// A number of things whose name takes an s in the plural.
fn number_of(count: usize, thing: &str) -> String {
    let ending = if count == 1 { "" } else { "s" };
    format!("{count} {thing}{ending}")
}

fn add_file<W: Write>(
    gatherer: &mut Gatherer<W>,
    name: &str,
    progress: &Progress,
) -> anyhow::Result<()> {
    // Only a regular file can be opened a second time and still have its first bytes.
    if std::fs::metadata(name).is_ok_and(|file| file.is_file())
        && let Ok(mut file) = File::open(name)
    {
        let mut title = [0; TITLE.len()];
        if file.read_exact(&mut title).is_ok() && title == TITLE {
            let games = BufReader::new(file);
            return gatherer.add_compact(games).with_context(|| name.to_owned());
        }
    }
    read_games(name, progress, |game| Ok(gatherer.add(game.and_then(|pgn| HumanGame::of(&pgn)))?))
}

/// Evaluate all legal moves of each choice at every depth, and continue where an earlier run stopped
#[derive(clap::Args, Debug)]
pub struct ValuesArguments {
    /// File made by `tune choices`
    choices: PathBuf,
    /// File to append the evaluations to; tuning/lab/src/tune/choices/values.rs describes its format
    values: PathBuf,
    /// Plies to search before the quiescence search
    #[arg(long, default_value_t = USUAL_DEPTH, value_parser = clap::value_parser!(u8).range(1..=30))]
    depth: Depth,
    #[command(flatten)]
    network: NetworkArguments,
}

pub fn run_values(arguments: &ValuesArguments, out: &mut dyn Write) -> CommandResult {
    let ValuesArguments { choices, values, depth, .. } = arguments;
    let progress = Progress::new();
    let mut show_progress = |done: usize, all: usize| {
        progress.show(format_args!("{done} of {all} choices evaluated"));
    };
    let network = Arc::new(arguments.network.load()?);
    let EvaluatedChoices { evaluated, illegal } =
        evaluate_choices(choices, values, *depth, &network, &mut show_progress)?;
    progress.clear();
    let have = if evaluated == 1 { "has" } else { "have" };
    let choices = number_of(evaluated, "choice");
    write!(out, "{choices} {have} evaluations in {}", values.display())?;
    match illegal {
        0 => writeln!(out)?,
        _ => writeln!(out, "; {} cannot be evaluated", number_of(illegal, "illegal choice"))?,
    }
    Ok(CommandOutcome::Done)
}
