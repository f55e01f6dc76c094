//! `endgame`: tables, and what can be learnt from them.

mod build;
mod compare;
mod probe;
mod profile;
mod study;
mod verify;

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::str::FromStr;

use anyhow::{Context, bail};
use clap::Subcommand;

use super::Outcome;
use crate::endgame::{self, Job, Material, Metric, Tables, default_directory, plan};

const EXAMPLES: &str = "\
Examples:
  stopdown endgame build KQKR --metric dtc
  stopdown endgame probe --fen \"8/8/8/8/Q7/5k2/8/K3r3 w - - 0 1\"
  stopdown endgame study KQKR --competence 0:50:1
  stopdown endgame profile --pgn browne.pgn --side white
  stopdown endgame compare --fen \"8/8/6Q1/2K5/5r2/4k3/8/8 b - - 0 1\"";

/// Make and use endgame tables
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Build(build::Arguments),
    Probe(probe::Arguments),
    Study(study::Arguments),
    Profile(profile::Arguments),
    Compare(compare::Arguments),
    Verify(verify::Arguments),
}

/// Where the tables are, for every subcommand.
#[derive(Debug, clap::Args)]
pub struct Place {
    /// The directory of the tables; the user's cache directory by default
    #[arg(long, value_name = "DIRECTORY")]
    dir: Option<PathBuf>,

    /// Threads for making tables; all of the machine by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    match &arguments.command {
        Command::Build(arguments) => build::run(arguments, out),
        Command::Probe(arguments) => probe::run(arguments, out),
        Command::Study(arguments) => study::run(arguments, out),
        Command::Profile(arguments) => profile::run(arguments, out),
        Command::Compare(arguments) => compare::run(arguments, out),
        Command::Verify(arguments) => verify::run(arguments, out),
    }
}

/// Materials with so many men are made without being asked for, when a command needs them.
const MADE_UNASKED: usize = 4;

impl Place {
    fn open(&self) -> Tables {
        match self.dir.clone().or_else(default_directory) {
            Some(directory) => Tables::in_directory(directory),
            None => Tables::in_memory(),
        }
    }

    fn threads(&self) -> usize {
        match self.threads {
            Some(threads) => usize::from(threads),
            None => std::thread::available_parallelism().map_or(1, usize::from),
        }
    }

    /// Makes what is missing, unless it is so large that the user should ask for it.
    fn prepare(
        &self,
        tables: &Tables,
        materials: &BTreeSet<Material>,
        metrics: &[Metric],
    ) -> anyhow::Result<()> {
        let jobs: Vec<Job> = plan(tables, materials.iter().copied(), metrics);
        if let Some(job) = jobs.iter().find(|job| job.material.men() > MADE_UNASKED) {
            let material = job.material;
            bail!("there is no table of {material}; `stopdown endgame build {material}` makes it");
        }
        if !jobs.is_empty() {
            endgame::build(tables, &jobs, self.threads(), &build::Progress::new())?;
        }
        report_notices(tables);
        Ok(())
    }
}

/// Says on the standard error what was wrong with files.
fn report_notices(tables: &Tables) {
    for notice in tables.take_notices() {
        let _ = writeln!(std::io::stderr(), "stopdown: {notice}");
    }
}

/// Numbers from first to last, written `first:last:step`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range(pub Vec<f64>);

impl FromStr for Range {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Range> {
        let wrong = || format!("\"{text}\" is not a range; write first:last:step, as in 0:50:1");
        let numbers: Vec<f64> = text
            .split(':')
            .map(|part| part.trim().parse::<f64>().with_context(wrong))
            .collect::<anyhow::Result<_>>()?;
        let &[first, last, step] = numbers.as_slice() else { bail!(wrong()) };
        let count = (last - first) / step;
        if !numbers.iter().all(|x| x.is_finite()) || step <= 0.0 || !(0.0..=1e5).contains(&count) {
            bail!(wrong());
        }
        Ok(Range((0..=(count + 1e-9) as usize).map(|i| first + i as f64 * step).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends_and_nonsense_is_refused() {
        let Range(points) = "0:1:0.1".parse().expect("a range");
        assert_eq!(points.len(), 11);
        assert!((points[10] - 1.0).abs() < 1e-12);
        for text in ["", "1", "0:5", "0:5:0", "5:0:1", "0:5:-1", "a:b:c", "0:inf:1", "0:1e9:1e-9"] {
            let error = text.parse::<Range>().expect_err(text);
            assert!(error.to_string().contains("first:last:step"), "{error}");
        }
    }
}
