//! `tune data`: positions with results.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use crate::tune::TuningError;
use crate::tune::positions::{PositionsHeader, PositionsOutput, PositionsSummary, convert};
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
    /// Stop when the file holds this many games with this seed
    #[arg(long, default_value_t = SelfPlay::default().games)]
    games: u64,
    /// Nodes per move
    #[arg(long, default_value_t = SelfPlay::default().nodes, value_parser = clap::value_parser!(u64).range(1..))]
    nodes: u64,
    /// Record only one position in three, and search the other moves with NODES nodes, to play more
    /// games in the same time; 0 records every position
    #[arg(long, value_name = "NODES", default_value_t = 0)]
    between: u64,
    /// Seed for the openings
    #[arg(long, default_value_t = SelfPlay::default().seed)]
    seed: u64,
    /// Number of games to play at once
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: u16,
    #[command(flatten)]
    network: NetworkArguments,
    /// Import lines of the form FEN;result;centipawns from this text file instead of playing
    #[arg(long, value_name = "TEXT", conflicts_with = "count")]
    convert: Option<PathBuf>,
    /// Take random walks from the positions in this file instead of playing, and record the static
    /// evaluation where they end
    #[arg(
        long,
        value_name = "GAMES",
        conflicts_with_all = ["count", "convert", "games", "nodes", "between", "threads"]
    )]
    around: Option<PathBuf>,
    /// Number of walks from each position
    #[arg(long, value_name = "N", default_value_t = 8, requires = "around")]
    walks: usize,
    /// Record the score of a search with NODES nodes instead; 0 uses the static evaluation
    #[arg(long, value_name = "NODES", default_value_t = 0, requires = "around")]
    look: u64,
    /// Print statistics of the file instead of playing
    #[arg(long)]
    count: bool,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    if arguments.count {
        writeln!(out, "{}", PositionsSummary::of(&arguments.file)?)?;
        return Ok(CommandOutcome::Done);
    }
    match &arguments.convert {
        Some(text) => import_text(text, &arguments.file, out),
        None => play(arguments, out),
    }
}

fn import_text(text: &Path, file: &Path, out: &mut dyn Write) -> CommandResult {
    let maker = format!("the text {}", text.display());
    let done = convert(text, file, &PositionsHeader { maker, command: command_line() })?;
    writeln!(
        out,
        "{} positions added to {}, {} lines unreadable",
        done.positions,
        file.display(),
        done.unreadable
    )?;
    Ok(CommandOutcome::Done)
}

fn play(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let total = match &arguments.around {
        Some(games) => PositionsSummary::of(games)?.games as u64,
        None => arguments.games,
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
        let options =
            Surroundings { seed: arguments.seed, walks: arguments.walks, nodes: arguments.look };
        return augment(&options, network, games, to, tally);
    }
    let options = SelfPlay {
        seed: arguments.seed,
        games: arguments.games,
        nodes: arguments.nodes,
        between: arguments.between,
        threads: usize::from(arguments.threads),
        ..SelfPlay::default()
    };
    make_games(&options, network, to, tally)
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
