//! `tune net`: trains a network on positions.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use clap::builder::RangedU64ValueParser;

use crate::tune::network::{
    Dataset, Losses, NetOptions, QuantisedNetwork, Stage, Target, TrainedNetwork, TrainedShape,
    Training, TrainingObserver, checkpoint_path, error_of, rounded, train,
};
use stopdown::cli::support::{
    CommandOutcome, CommandResult, Progress, check_outputs, command_line, save, value_parsers,
};
use stopdown::eval::Network;
use stopdown::eval::network::{BLOCK, Parameters, WIDEST};
use stopdown::report::chart::{Chart, ChartCurve};
use stopdown::report::drawing;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab tune data games.bin --games 100000 --nodes 1500 --threads 2
  stopdown-lab tune net games.bin --out network.bin --width 64
  stopdown bench --eval-file network.bin

The state after every epoch is saved to FILE.training. To continue an interrupted training run, repeat the command.";

/// Train a network on positions made by `tune data`
#[derive(clap::Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Files made by `tune data`
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// File to write the network to; the learning curve is plotted to an SVG file next to it
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Number of neurons in each half of the hidden layer, a multiple of 32
    #[arg(long, value_name = "N", default_value_t = 128, value_parser = width)]
    width: usize,
    /// Number of sets of output weights; the number of pieces on the board selects a set
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u8).range(1..=8))]
    buckets: u8,
    /// Start from this network, and keep its shape [default: random weights]
    #[arg(long, value_name = "FILE", conflicts_with_all = ["width", "buckets"])]
    start: Option<PathBuf>,
    /// Number of passes over all positions
    #[arg(long, default_value_t = NetOptions::default().epochs, value_parser = RangedU64ValueParser::<usize>::new().range(1..))]
    epochs: usize,
    /// Positions per step
    #[arg(long, default_value_t = 16_384, value_parser = clap::value_parser!(u32).range(1..))]
    batch: u32,
    /// Highest learning rate
    #[arg(long, default_value_t = NetOptions::default().rate, value_parser = value_parsers::part::<f32>)]
    rate: f32,
    /// Weight decay towards the starting network; 5 is suitable if that network is good
    #[arg(long, default_value_t = NetOptions::default().decay, value_parser = value_parsers::decay)]
    decay: f32,
    /// Weight of the search score in the target, from 0 to 1; the rest is the game result
    #[arg(long, default_value_t = NetOptions::default().target.blend, value_parser = value_parsers::part::<f64>)]
    blend: f64,
    /// Number of centipawns in one logistic unit [default: as in --start, or else the best fit to the data]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=10_000))]
    centipawns: Option<u16>,
    /// Skip positions where either side is ahead by more than LIMIT centipawns
    #[arg(long, default_value_t = 2000, value_parser = clap::value_parser!(i16).range(1..))]
    limit: i16,
    /// Seed for the initial weights and for shuffling the positions
    #[arg(long, default_value_t = NetOptions::default().seed)]
    seed: u64,
    /// Number of threads; does not affect the resulting network
    #[arg(long, default_value_t = NetOptions::default().threads)]
    threads: usize,
}

fn width(text: &str) -> Result<usize, String> {
    let width = text.parse().ok().filter(|n| (BLOCK..=WIDEST).contains(n) && n % BLOCK == 0);
    width.ok_or_else(|| format!("must be a multiple of {BLOCK}, and at most {WIDEST}"))
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let chart = arguments.out.with_extension("svg");
    ensure!(
        chart != arguments.out,
        "the learning curve is written to {}; give the network a different extension",
        chart.display()
    );
    let read: Vec<&PathBuf> = arguments.data.iter().chain(&arguments.start).collect();
    check_outputs([&arguments.out, &chart], &read)?;
    let start = arguments.start.as_deref().map(Parameters::load).transpose()?;
    let data = Dataset::load(&arguments.data, arguments.limit)?;
    let kept = start.as_ref().map(|start| f64::from(start.centipawns));
    let centipawns = arguments.centipawns.map(f64::from).or(kept);
    let centipawns = centipawns.or_else(|| data.centipawns()).context(
        "the centipawns in one logistic unit cannot be fitted, because these positions have no \
         game results; give --centipawns",
    )?;
    let target = Target { blend: arguments.blend, centipawns };
    let options = NetOptions {
        seed: arguments.seed,
        epochs: arguments.epochs,
        batch: arguments.batch as usize,
        rate: arguments.rate,
        decay: arguments.decay,
        target,
        threads: arguments.threads,
    };
    let start = match &start {
        Some(start) => TrainedNetwork::resume(start),
        None => {
            let (width, buckets) = (arguments.width, usize::from(arguments.buckets));
            TrainedNetwork::new(TrainedShape { width, buckets }, arguments.seed)
        }
    };
    writeln!(
        out,
        "{} positions for training, {} held out, from {} games; {} unreadable; {} centipawns are \
         one logistic unit",
        data.training.len(),
        data.held_out.len(),
        data.games,
        data.unreadable,
        target.centipawns
    )?;
    let built_in = error_of(&Network::embedded(), &data.held_out, &target);
    writeln!(out, "held-out error of the built-in network: {built_in:.6}")?;
    out.flush()?;
    let checkpoint = checkpoint_path(&arguments.out);
    let (line, positions) = (Progress::new(), data.training.len());
    let mut progress = TrainingProgress { line, out, positions, epochs: options.epochs };
    let training = train(&options, &start, &data, &checkpoint, &mut progress)?;
    let QuantisedNetwork { network, clipped } =
        rounded(&training.best, &data, target.centipawns as i32);
    let best = best(&training);
    let notes = format!(
        "error: {:.6} on {} positions, {:.6} on {} held out\nmade by: Stopdown {} with the command\n\
         {}",
        best.training,
        data.training.len(),
        best.held_out,
        data.held_out.len(),
        env!("CARGO_PKG_VERSION"),
        command_line()
    );
    let bytes = network.to_bytes(&notes).context("the network cannot be written")?;
    save(&arguments.out, bytes)?;
    // The checkpoint is no longer needed. A leftover copy does no harm.
    let _ = std::fs::remove_file(&checkpoint);
    save(&chart, drawing::svg(&curve(&training)))?;
    writeln!(
        progress.out,
        "held-out error {:.6}, {:.6} after rounding to integers and with endgame knowledge;\n\
         {clipped} weights were too large for the file format and were clipped;\n\
         network in {}, learning curve in {}",
        best.held_out,
        error_of(&Network::new(&network), &data.held_out, &target),
        arguments.out.display(),
        chart.display()
    )?;
    Ok(CommandOutcome::Done)
}

/// The losses of the best epoch.
fn best(training: &Training) -> Losses {
    let none = Losses { training: f64::NAN, held_out: f64::NAN };
    let order = |a: &Losses, b: &Losses| a.held_out.total_cmp(&b.held_out);
    training.curve.iter().copied().min_by(order).unwrap_or(none)
}

fn curve(training: &Training) -> Chart {
    let points = |of: fn(&Losses) -> f64| {
        training.curve.iter().enumerate().map(|(n, losses)| ((n + 1) as f64, of(losses))).collect()
    };
    let curves = vec![
        ChartCurve::line("training", points(|losses| losses.training)),
        ChartCurve::line("held out", points(|losses| losses.held_out)),
    ];
    Chart::new("Mean squared error of the expected result", "epoch", "", curves)
}

/// Prints the progress of the training.
struct TrainingProgress<'a> {
    line: Progress,
    out: &'a mut dyn Write,
    positions: usize,
    epochs: usize,
}

impl TrainingObserver for TrainingProgress<'_> {
    fn resumed(&mut self, epochs: usize) {
        let _ = writeln!(self.out, "continuing after epoch {epochs}");
    }

    fn set_aside(&mut self, checkpoint: &Path) {
        let _ = writeln!(
            self.out,
            "a training run with different positions or options already existed; it was renamed to {}",
            checkpoint.display()
        );
    }

    fn batch_finished(&mut self, stage: &Stage) {
        self.line.show(format_args!(
            "epoch {} of {}: {:.0}%, error {:.6}, {:.0} positions a second",
            stage.epoch,
            self.epochs,
            100.0 * stage.done as f64 / self.positions.max(1) as f64,
            stage.loss,
            stage.speed
        ));
    }

    fn epoch_finished(&mut self, epoch: usize, losses: Losses) {
        let Losses { training, held_out } = losses;
        self.line.clear();
        let _ = writeln!(self.out, "epoch {epoch:>3}: {training:.6}, held out {held_out:.6}");
        let _ = self.out.flush();
    }
}
