//! `tune winning`: fits win probabilities to evaluations.

use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};

use crate::tune::winning::ResultCounts;
use stopdown::cli::support::{CommandOutcome, CommandResult, check_outputs, command_line, save};
use stopdown::eval::WinModel;
use stopdown::eval::network::Parameters;

/// Fit the probability of a win for each evaluation to the results of games made by `tune data`
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files made by `tune data`
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// File to write the parameters to; the program is built with those in tuning/winning.toml
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
    /// Rescale NETWORK, which evaluated the games, so that one pawn in the middlegame means a 50%
    /// chance of winning, and write it to NEW
    #[arg(long, num_args = 2, value_names = ["NETWORK", "NEW"])]
    normalise: Option<Vec<PathBuf>>,
}

/// The number of pieces on the board that counts as a middlegame.
const MIDDLE: usize = 24;

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let networks = arguments.normalise.as_deref().unwrap_or_default();
    let (from, to) = networks.split_at(networks.len() / 2);
    let read: Vec<&PathBuf> = arguments.data.iter().chain(from).collect();
    check_outputs([&arguments.out].into_iter().chain(to), &read)?;
    let results = ResultCounts::load(&arguments.data)?;
    let fitted = results.fit();
    let factor = match arguments.normalise.as_deref() {
        Some([from, to]) => normalise(&fitted, from, to)?,
        _ => 1.0,
    };
    let rounded = |numbers: [f64; 3]| numbers.map(|n| (100.0 * factor * n).round() / 100.0);
    let (even, slope) = (rounded(fitted.even), rounded(fitted.slope));
    let mut text = format!(
        "# The win probability: the odds are e to the power of (score - even) / slope, in centipawns. even and\n\
         # slope are polynomials in the share of the 32 pieces that is left. Made by\n#   {}\n\
         # from {} positions.\n#\n# pieces     positions  even chance   error of win share\n",
        command_line(),
        results.positions
    );
    for range in results.fidelity(&fitted) {
        let (from, to) = range.pieces;
        text += &format!(
            "# {from:>2}-{to:<2} {:>12} {:>12.0} {:>20.1}%\n",
            range.positions,
            factor * range.even,
            100.0 * range.error
        );
    }
    text += &format!("\neven = {:?}\nslope = {:?}\n", even, slope);
    save(&arguments.out, &text)?;
    write!(out, "{text}")?;
    Ok(CommandOutcome::Done)
}

/// Writes a network in which a pawn has the standard value. Returns the factor by which evaluations
/// grew.
fn normalise(model: &WinModel, from: &Path, to: &Path) -> anyhow::Result<f64> {
    let pawn = model.even(MIDDLE);
    ensure!(
        pawn >= 1.0,
        "with {MIDDLE} pieces, no positive evaluation means a 50% chance of winning; play more games"
    );
    let named = || from.display().to_string();
    let bytes = std::fs::read(from).with_context(named)?;
    let network = Parameters::from_bytes(&bytes).with_context(named)?;
    let usual = f64::from(network.centipawns);
    let centipawns = (100.0 * usual / pawn).round();
    let network = Parameters { centipawns: centipawns as i32, ..network };
    let notes = format!("{}\nand by {}\n", Parameters::notes(&bytes), command_line());
    save(to, network.to_bytes(&notes).with_context(|| to.display().to_string())?)?;
    Ok(centipawns / usual)
}
