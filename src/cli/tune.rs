//! `tune`: games of the engine against itself, and weights that foretell their results.

use std::io::{IsTerminal, Write};
use std::path::PathBuf;
use std::sync::Arc;

use clap::{Args, Subcommand};

use super::Outcome;
use crate::eval::{Handcrafted, Weights};
use crate::tuning::fit::{FitObserver, FitOptions, Losses, fit};
use crate::tuning::samples::Samples;
use crate::tuning::selfplay::{GameObserver, SelfPlay, make_games};

const EXAMPLES: &str = "\
Examples:
  stopdown tune data games.txt --games 10000 --nodes 1500
  stopdown tune weights games.txt --out tuning/weights.toml";

/// Tune the weights of the evaluation (Texel's method)
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    step: Step,
}

#[derive(Subcommand, Debug)]
enum Step {
    /// Play games of the engine against itself; goes on where an earlier run stopped
    Data(DataArguments),
    /// Fit the weights to the positions of such games
    Weights(WeightsArguments),
}

#[derive(Args, Debug)]
struct DataArguments {
    /// The file that positions are appended to; several runs with different seeds may share it
    file: PathBuf,
    /// Games of this seed in the file when all is done
    #[arg(long, default_value_t = SelfPlay::default().games)]
    games: u64,
    /// Nodes for every move
    #[arg(long, default_value_t = SelfPlay::default().nodes)]
    nodes: u64,
    /// What the openings are drawn from
    #[arg(long, default_value_t = SelfPlay::default().seed)]
    seed: u64,
    /// Play with these weights instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
}

#[derive(Args, Debug)]
struct WeightsArguments {
    /// The file of positions
    file: PathBuf,
    /// Where to write the weights; an old file is replaced only by a complete new one
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Start from these weights instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// How often to go over all positions
    #[arg(long, default_value_t = FitOptions::default().epochs)]
    epochs: usize,
    /// Centipawns that a weight moves in a step, at first
    #[arg(long, default_value_t = FitOptions::default().rate)]
    rate: f32,
    /// How strongly weights are pulled back to where they began
    #[arg(long, default_value_t = FitOptions::default().pull)]
    pull: f32,
    /// How much what the search saw counts beside the result, from 0 to 1
    #[arg(long, default_value_t = FitOptions::default().blend)]
    blend: f32,
    /// What the order of positions is drawn from
    #[arg(long, default_value_t = FitOptions::default().seed)]
    seed: u64,
    #[arg(long, default_value_t = FitOptions::default().threads)]
    threads: usize,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match &arguments.step {
        Step::Data(arguments) => play(arguments, out),
        Step::Weights(arguments) => fit_weights(arguments, out),
    }
}

fn play(arguments: &DataArguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let options = SelfPlay {
        seed: arguments.seed,
        games: arguments.games,
        nodes: arguments.nodes,
        ..SelfPlay::default()
    };
    let evaluator = Arc::new(Handcrafted::with_weights(weights(arguments.weights.as_ref())?));
    let mut progress = Progress { total: arguments.games, positions: 0 };
    make_games(&options, evaluator, &arguments.file, &mut progress)?;
    writeln!(out, "{} positions added to {}", progress.positions, arguments.file.display())?;
    Ok(Outcome::Done)
}

fn fit_weights(arguments: &WeightsArguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let start = weights(arguments.weights.as_ref())?;
    let samples = Samples::load(&arguments.file, &Handcrafted::with_weights(start.clone()))?;
    writeln!(out, "{} positions, {} lines unreadable", samples.len(), samples.unreadable)?;
    let options = FitOptions {
        seed: arguments.seed,
        epochs: arguments.epochs,
        rate: arguments.rate,
        pull: arguments.pull,
        blend: arguments.blend,
        threads: arguments.threads,
        ..FitOptions::default()
    };
    let fit = fit(&options, &start, &samples, &mut Epochs(out));
    fit.write(&arguments.out, &command_line())?;
    writeln!(
        out,
        "held-out error {:.6} -> {:.6}; weights in {}",
        fit.before.held_out,
        fit.after.held_out,
        arguments.out.display()
    )?;
    Ok(Outcome::Done)
}

fn weights(path: Option<&PathBuf>) -> anyhow::Result<Weights> {
    Ok(path.map_or_else(|| Ok(Weights::embedded()), |path| Weights::load(path))?)
}

fn command_line() -> String {
    let words = std::env::args().skip(1);
    std::iter::once("stopdown".to_owned()).chain(words).collect::<Vec<_>>().join(" ")
}

/// Counts games on a terminal.
struct Progress {
    total: u64,
    positions: usize,
}

impl GameObserver for Progress {
    fn game_finished(&mut self, games: u64, positions: usize) {
        self.positions += positions;
        let mut terminal = std::io::stderr();
        if terminal.is_terminal() {
            // A terminal that is gone is no reason to stop playing.
            let _ = write!(terminal, "\r{games} of {} games ", self.total);
        }
    }
}

/// Writes a line for each epoch.
struct Epochs<'a>(&'a mut dyn Write);

impl FitObserver for Epochs<'_> {
    fn epoch_finished(&mut self, epoch: usize, losses: Losses) {
        let Losses { training, held_out } = losses;
        let _ = writeln!(self.0, "epoch {epoch:>3}: {training:.6}, held out {held_out:.6}");
        let _ = self.0.flush();
    }
}
