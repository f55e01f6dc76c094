//! `tune weights`: the hand-crafted evaluation, fitted (Texel's method).

use std::io::Write;
use std::path::PathBuf;

use super::{Outcome, load_weights};
use crate::cli::bounds;
use crate::cli::page::{can_save, command_line};
use crate::eval::Handcrafted;
use crate::tuning::fit::{FitObserver, FitOptions, Losses, fit};
use crate::tuning::samples::Samples;

/// Fit the weights to the positions of such games
#[derive(clap::Args, Debug)]
pub struct Arguments {
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
    #[arg(long, default_value_t = FitOptions::default().blend, value_parser = bounds::part::<f32>)]
    blend: f32,
    /// What the order of positions is drawn from
    #[arg(long, default_value_t = FitOptions::default().seed)]
    seed: u64,
    /// Threads to share the work; in the last digits the weights depend on it
    #[arg(long, default_value_t = FitOptions::default().threads)]
    threads: usize,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    can_save([&arguments.out], &[&arguments.file])?;
    let start = load_weights(arguments.weights.as_ref())?;
    let samples = Samples::load(&arguments.file, &Handcrafted::with_weights(start.clone()))?;
    writeln!(out, "{} positions, {} unreadable", samples.len(), samples.unreadable)?;
    let options = FitOptions {
        seed: arguments.seed,
        epochs: arguments.epochs,
        rate: arguments.rate,
        pull: arguments.pull,
        blend: arguments.blend,
        threads: arguments.threads,
        ..FitOptions::default()
    };
    let fit = fit(&options, &start, &samples, &mut Epochs(out))?;
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

/// Writes a line for each epoch.
struct Epochs<'a>(&'a mut dyn Write);

impl FitObserver for Epochs<'_> {
    fn epoch_finished(&mut self, epoch: usize, losses: Losses) {
        let Losses { training, held_out } = losses;
        let _ = writeln!(self.0, "epoch {epoch:>3}: {training:.6}, held out {held_out:.6}");
        let _ = self.0.flush();
    }
}
