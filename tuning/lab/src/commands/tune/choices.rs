//! `tune choices` and `tune values`: human choices, and the evaluations of the available moves.

use std::fs::File;
use std::io::{BufReader, Read as _, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use anyhow::Context as _;

use crate::tune::choices::{Form, GatherCounts, Gatherer, HumanGame, TITLE, evaluate_choices};
use stopdown::cli::support::{
    CommandOutcome, CommandResult, NetworkArguments, Progress, Source, check_outputs, save_by,
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
    spare_texts(path)?;
    let form = if arguments.compact { Form::Games } else { Form::Choices };
    let GatherCounts { games, again, unusable, choices } = save_by(path, |draft| {
        let mut gatherer = Gatherer::new(draft, form)?;
        for name in &arguments.games {
            add_file(&mut gatherer, name)?;
        }
        Ok(gatherer.finish()?)
    })?;
    let what = match form {
        Form::Choices => format!("{choices} choices from {games} games"),
        Form::Games => format!("{games} games"),
    };
    writeln!(
        out,
        "{what} in {}; {again} duplicates and {unusable} unusable games skipped",
        path.display()
    )?;
    Ok(CommandOutcome::Done)
}

fn add_file<W: Write>(gatherer: &mut Gatherer<W>, name: &str) -> anyhow::Result<()> {
    if let Ok(mut file) = File::open(name) {
        let mut title = [0; TITLE.len()];
        if file.read_exact(&mut title).is_ok() && title == TITLE {
            let games = BufReader::new(file);
            return gatherer.add_compact(games).with_context(|| name.to_owned());
        }
    }
    for game in Source::open(name)? {
        gatherer.add(game.ok().and_then(|pgn| HumanGame::of(&pgn)))?;
    }
    Ok(())
}

/// Prevents a game file from being overwritten if the files are given in the wrong order.
fn spare_texts(path: &Path) -> anyhow::Result<()> {
    let Ok(file) = File::open(path) else { return Ok(()) };
    let mut start = Vec::new();
    file.take(400).read_to_end(&mut start).with_context(|| path.display().to_string())?;
    let is_text = !start.is_empty() && !start.iter().any(|&byte| byte < b'\t');
    anyhow::ensure!(
        !is_text,
        "{} already exists and is a text file; give the output file first, and then the games",
        path.display()
    );
    Ok(())
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
    let done = evaluate_choices(choices, values, *depth, &network, &mut show_progress)?;
    progress.clear();
    writeln!(out, "{done} choices have evaluations in {}", values.display())?;
    Ok(CommandOutcome::Done)
}
