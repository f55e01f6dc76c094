//! Options that several subcommands share.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context, anyhow, bail, ensure};

use super::build::TableProgress;
use crate::board::Game;
use crate::cli::analyse::source::Source;
use crate::endgame::{self, Material, Metric, Rfep, TableKey, Tables, default_directory, plan};
use crate::player::is_made_unasked;
use crate::threads::cores;

/// Where the tables are and how results are written: for every subcommand.
#[derive(Debug, clap::Args)]
pub struct TableArguments {
    /// The directory of the tables; the user's cache directory by default
    #[arg(long, value_name = "DIRECTORY")]
    dir: Option<PathBuf>,

    /// Threads for making tables; all of the machine by default
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=512))]
    threads: Option<u16>,

    /// Write JSON
    #[arg(long)]
    pub json: bool,
}

/// How fallible players choose: for the subcommands that model them.
#[derive(Debug, clap::Args)]
pub struct Law {
    /// What depths are counted to: dtc, dtm or dtz
    #[arg(long, default_value = "dtc")]
    pub metric: Metric,

    /// The constant of the power law
    #[arg(long, default_value_t = 1.0, value_parser = kappa)]
    pub kappa: f64,

    #[command(flatten)]
    pub place: TableArguments,
}

fn kappa(text: &str) -> anyhow::Result<f64> {
    let kappa = text.parse().with_context(|| format!("\"{text}\" is not a number"))?;
    ensure!((0.0..=1000.0).contains(&kappa), "it is a number from 0 to 1000");
    Ok(kappa)
}

impl TableArguments {
    pub fn open(&self) -> Tables {
        match self.dir.clone().or_else(default_directory) {
            Some(directory) => Tables::in_directory(directory),
            None => Tables::in_memory(),
        }
    }

    pub fn threads(&self) -> usize {
        self.threads.map_or_else(cores, usize::from)
    }

    /// Makes what is missing, unless it is so large that the user should ask for it.
    pub fn prepare(
        &self,
        tables: &Tables,
        materials: &BTreeSet<Material>,
        metrics: &[Metric],
    ) -> anyhow::Result<()> {
        let jobs: Vec<TableKey> = plan(tables, materials.iter().copied(), metrics);
        if let Some(job) = jobs.iter().find(|job| !is_made_unasked(job.material)) {
            return Err(not_made(job.material, job.metric));
        }
        if !jobs.is_empty() {
            endgame::build(tables, &jobs, self.threads(), &TableProgress::new())?;
        }
        report_notices(tables);
        Ok(())
    }
}

/// Where a table is too large to be made unasked.
pub fn not_made(material: Material, metric: Metric) -> anyhow::Error {
    anyhow!(
        "there is no table of {material} in {metric}; `stopdown endgame build {material} --metric {metric}` \
         makes it"
    )
}

impl Law {
    /// The player of the paper under this law, the competence still open.
    pub fn player(&self) -> Rfep {
        Rfep { kappa: self.kappa, metric: self.metric, ..Rfep::of_the_paper(0.0) }
    }
}

/// Says on the standard error what was wrong with files.
pub fn report_notices(tables: &Tables) {
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

/// The games of a file that can be played over; what is wrong with others is told on standard error.
pub fn games(path: &Path) -> anyhow::Result<Vec<Game>> {
    let name = path.display().to_string();
    let mut games = Vec::new();
    for game in Source::open(&name)? {
        let played = game.and_then(|game| {
            game.replay(None).map_err(|error| format!("{name}: {error}; the game is left out"))
        });
        match played {
            Ok(game) => games.push(game),
            Err(fault) => writeln!(io::stderr(), "stopdown: {fault}")?,
        }
    }
    Ok(games)
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
