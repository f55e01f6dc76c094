//! `tune choices`: what people chose.

use std::fs::File;
use std::io::{self, BufWriter, Read as _, Write};
use std::path::{Path, PathBuf};

use anyhow::Context as _;

use crate::cli::CommandOutcome;
use crate::cli::analyse::source::Source;
use crate::cli::output::can_save;
use crate::files::Draft;
use crate::tuning::choices::{Gatherer, Harvest};

/// Gather what people chose in their games, for the training of the policy network
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// The file of choices to write; its format stands in the source (tuning/choices/record.rs)
    file: PathBuf,
    /// Files of games (PGN, also .gz and .zst); a game that comes again is left out
    #[arg(required = true)]
    games: Vec<String>,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<CommandOutcome> {
    let path = &arguments.file;
    // A name that is wrong is told before anything is written.
    can_save([path], &arguments.games)?;
    spare_texts(path)?;
    let sources: Vec<Source> =
        arguments.games.iter().map(|name| Source::open(name)).collect::<anyhow::Result<_>>()?;
    let cannot_write = || format!("cannot write {}", path.display());
    let draft = Draft::new(path).with_context(cannot_write)?;
    let mut file = BufWriter::with_capacity(1 << 20, draft);
    let mut gatherer = Gatherer::new(&mut file);
    for game in sources.into_iter().flatten() {
        match game {
            Ok(game) => gatherer.add(&game).context("cannot write the choices")?,
            Err(_) => gatherer.harvest.unusable += 1,
        }
    }
    let Harvest { games, again, unusable, choices } = gatherer.finish()?;
    let written = file.into_inner().map_err(io::IntoInnerError::into_error);
    written.and_then(Draft::finish).with_context(cannot_write)?;
    writeln!(
        out,
        "{choices} choices of {games} games in {}; {again} games came again, {unusable} are unusable",
        path.display()
    )?;
    Ok(CommandOutcome::Done)
}

/// Whoever gives his games and no file first must not lose them.
fn spare_texts(path: &Path) -> anyhow::Result<()> {
    let Ok(file) = File::open(path) else { return Ok(()) };
    let mut start = Vec::new();
    file.take(400).read_to_end(&mut start).with_context(|| path.display().to_string())?;
    let is_text = !start.is_empty() && !start.iter().any(|&byte| byte < b'\t');
    anyhow::ensure!(
        !is_text,
        "{} is there and is a text: the file to write comes first, then the games",
        path.display()
    );
    Ok(())
}
