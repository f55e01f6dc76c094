//! `tune`: self-play games, and training on them.

mod choices;
mod data;
mod net;
mod search_params;
mod styles;
mod winning;

use std::fs::{File, Metadata};
use std::io::{Read as _, Write};
use std::path::Path;

use anyhow::Context as _;
use clap::Subcommand;

use stopdown::cli::support::{CommandResult, Progress, Source};
use stopdown::games::pgn::PgnGame;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab tune data games.bin --games 10000 --nodes 1500
  stopdown-lab tune data games.bin --count
  stopdown-lab tune net games.bin --out network.bin";

/// Train the networks, and tune the search in games that the engine plays against itself
#[derive(Subcommand, Debug)]
#[command(after_help = EXAMPLES)]
pub enum TuneStep {
    Choices(choices::Arguments),
    Data(data::Arguments),
    #[command(name = "search-params", alias = "margins")]
    SearchParams(search_params::Arguments),
    Styles(styles::StyleArguments),
    StyleCounts(styles::CountArguments),
    Traits(styles::TraitArguments),
    Values(choices::ValuesArguments),
    Net(net::Arguments),
    Winning(winning::Arguments),
}

pub fn run(step: &TuneStep, out: &mut dyn Write) -> CommandResult {
    match step {
        TuneStep::Choices(arguments) => choices::run(arguments, out),
        TuneStep::Data(arguments) => data::run(arguments, out),
        TuneStep::SearchParams(arguments) => search_params::run(arguments, out),
        TuneStep::Styles(arguments) => styles::run_styles(arguments, out),
        TuneStep::StyleCounts(arguments) => styles::run_count(arguments, out),
        TuneStep::Traits(arguments) => styles::run_traits(arguments, out),
        TuneStep::Values(arguments) => choices::run_values(arguments, out),
        TuneStep::Net(arguments) => net::run(arguments, out),
        TuneStep::Winning(arguments) => winning::run(arguments, out),
    }
}

/// The number of bytes at the start of a file that [`refuse_foreign`] shows to its check.
const START: usize = 512;

/// Refuses to overwrite a file that the command did not make, such as the user's games when the files are given in the
/// wrong order. `is_ours` receives the start of the file and its length.
fn refuse_foreign(path: &Path, is_ours: impl FnOnce(&[u8], u64) -> bool) -> anyhow::Result<()> {
    // A missing file, a device and a pipe have nothing to lose.
    let there = std::fs::metadata(path).ok().filter(Metadata::is_file);
    let Some(length) = there.map(|file| file.len()) else { return Ok(()) };
    let mut start = Vec::new();
    File::open(path)
        .and_then(|file| file.take(START as u64).read_to_end(&mut start))
        .with_context(|| path.display().to_string())?;
    anyhow::ensure!(
        start.is_empty() || is_ours(&start, length),
        "{} already exists, and this command did not make it; give the output file first, and then the games, or \
         remove the file",
        path.display()
    );
    Ok(())
}

/// Calls `each` with every game in a file, or with `None` and a message on the terminal for a game that cannot be read.
/// A file that ends early is an error, because an unknown number of games is missing.
fn read_games(
    name: &str,
    progress: &Progress,
    mut each: impl FnMut(Option<PgnGame>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let mut games = Source::open(name)?;
    while let Some(game) = games.next() {
        if let Some(failure) = games.failure() {
            anyhow::bail!("{failure}; the games after it are missing, so get the file again");
        }
        match game {
            Ok(game) => each(Some(game))?,
            Err(message) => {
                progress.tell(message);
                each(None)?;
            }
        }
    }
    Ok(())
}
