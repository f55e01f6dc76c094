//! `tune winning`: what values mean.

use std::io::Write;
use std::path::PathBuf;

use super::{Outcome, command_line, spare_inputs};
use crate::eval::WinModel;
use crate::tuning::replace;
use crate::tuning::winning::Results;

/// Fit how likely a win is with a value, to the results of such games
#[derive(clap::Args, Debug)]
pub struct Arguments {
    /// Files of positions
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Where to write the figures; tuning/winning.toml is what is built in
    #[arg(long, short, value_name = "FILE")]
    out: PathBuf,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    spare_inputs(&arguments.out, &arguments.data)?;
    let results = Results::load(&arguments.data)?;
    let WinModel { even, slope } = results.fit();
    let rounded = |numbers: [f64; 3]| numbers.map(|number| (100.0 * number).round() / 100.0);
    let model = WinModel { even: rounded(even), slope: rounded(slope) };
    let mut text = format!(
        "# How likely a win is: odds of e to the power of (value - even) / slope, each a polynomial\n\
         # in the part of the 32 men that is left, in centipawns. Made by\n#   {}\n\
         # from {} positions.\n#\n# men     positions  even chance  share of wins off by\n",
        command_line(),
        results.positions
    );
    for range in results.fidelity(&model) {
        let (from, to) = range.men;
        text += &format!(
            "# {from:>2}-{to:<2} {:>12} {:>12.0} {:>20.1} %\n",
            range.positions,
            range.even,
            100.0 * range.error
        );
    }
    text += &format!("\neven = {:?}\nslope = {:?}\n", model.even, model.slope);
    replace(&arguments.out, text.as_bytes())?;
    write!(out, "{text}")?;
    Ok(Outcome::Done)
}
