//! `tune data`: positions with results.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use crate::tune::TuningError;
use crate::tune::positions::{PositionsOutput, PositionsSummary};
use crate::tune::selfplay::{GameObserver, SelfPlay, make_games};
use crate::tune::surroundings::{Surroundings, augment};
use stopdown::cli::support::{
    CommandOutcome, CommandResult, NetworkArguments, Progress, command_line,
};
use stopdown::eval::Network;

/// Make training positions from games that the engine plays against itself, continuing an earlier run if there is one
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// File to append positions to; several runs with different seeds may share it
    file: PathBuf,
    #[command(flatten)]
    play: SelfPlay,
    #[command(flatten)]
    network: NetworkArguments,
    /// Take random walks from the positions in this file instead of playing, and record the static
    /// evaluation where they end
    #[arg(
        long,
        value_name = "GAMES",
        conflicts_with_all = ["count", "games", "nodes", "between", "threads"]
    )]
    around: Option<PathBuf>,
    #[command(flatten)]
    walks: Surroundings,
    /// Print statistics of the file instead of playing
    #[arg(long)]
    count: bool,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    if arguments.count {
        writeln!(out, "{}", PositionsSummary::of(&arguments.file)?)?;
        return Ok(CommandOutcome::Done);
    }
    let total = match &arguments.around {
        Some(games) => PositionsSummary::of(games)?.games as u64,
        None => arguments.play.games,
    };
    let started = Instant::now();
    let mut tally = DataTally { line: Progress::new(), total, games: 0, positions: 0, started };
    make(arguments, &Arc::new(arguments.network.load()?), &mut tally)?;
    tally.line.clear();
    writeln!(
        out,
        "{} positions from {} games added to {}, {:.0} a second",
        tally.positions,
        tally.games,
        arguments.file.display(),
        tally.speed()
    )?;
    Ok(CommandOutcome::Done)
}

fn make(
    arguments: &Arguments,
    network: &Arc<Network>,
    tally: &mut DataTally,
) -> Result<(), TuningError> {
    let to = PositionsOutput { path: &arguments.file, command: &command_line() };
    if let Some(games) = &arguments.around {
        let options = Surroundings { seed: arguments.play.seed, ..arguments.walks };
        return augment(&options, network, games, to, tally);
    }
    make_games(&arguments.play, network, to, tally)
}

/// Counts the results of a run.
struct DataTally {
    line: Progress,
    total: u64,
    /// Games made by this run.
    games: u64,
    positions: usize,
    started: Instant,
}

impl DataTally {
    /// Positions per second.
    fn speed(&self) -> f64 {
        self.positions as f64 / self.started.elapsed().as_secs_f64().max(0.001)
    }
}

impl GameObserver for DataTally {
    fn game_finished(&mut self, games: u64, positions: usize) {
        self.games += 1;
        self.positions += positions;
        self.line.show(format_args!(
            "{games} of {} games, {} positions, {:.0} a second",
            self.total,
            self.positions,
            self.speed()
        ));
    }
}
