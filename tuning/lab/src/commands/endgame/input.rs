//! Arguments that several subcommands take, and the games that they read.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;
use std::str::FromStr;

use anyhow::{Context, anyhow, bail, ensure};

use stopdown::board::Game;
use stopdown::cli::support::{Source, TableArguments, numbers};
use stopdown::endgame::{Material, Metric, Rfep};
use stopdown::player::is_built_automatically;

/// The model of a fallible player, for the subcommands that use one.
#[derive(Debug, clap::Args)]
pub struct Law {
    /// Metric of the depths: dtc (to conversion), dtm (to mate) or dtz (to a zeroing move)
    #[arg(long, default_value = "dtc")]
    pub metric: Metric,

    /// Constant kappa in the power law
    #[arg(long, default_value_t = 1.0, value_parser = kappa)]
    pub kappa: f64,

    #[command(flatten)]
    pub place: TableArguments,
}

fn kappa(text: &str) -> anyhow::Result<f64> {
    let kappa = text.parse().with_context(|| format!("\"{text}\" is not a number"))?;
    ensure!((0.0..=1000.0).contains(&kappa), "must be from 0 to 1000");
    Ok(kappa)
}

impl Law {
    /// The paper's model of a player, with this power law. The competence is set later.
    pub fn player(&self) -> Rfep {
        Rfep { kappa: self.kappa, metric: self.metric, ..Rfep::as_published(0.0) }
    }
}

/// Numbers from first to last, written as `first:last:step`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range(pub Vec<f64>);

impl FromStr for Range {
    type Err = anyhow::Error;

    fn from_str(text: &str) -> anyhow::Result<Range> {
        let wrong = || format!("\"{text}\" is not a range; write first:last:step, as in 0:50:1");
        let numbers = numbers(text).map_err(|_| anyhow!(wrong()))?;
        let &[first, last, step] = numbers.as_slice() else { bail!(wrong()) };
        let count = (last - first) / step;
        if !numbers.iter().all(|x| x.is_finite()) || step <= 0.0 || !(0.0..=1e5).contains(&count) {
            bail!(wrong());
        }
        Ok(Range((0..=(count + 1e-9) as usize).map(|i| first + i as f64 * step).collect()))
    }
}

/// Reads the games in a file. Games with errors are skipped and reported on standard error.
pub fn games(path: &Path) -> anyhow::Result<Vec<Game>> {
    let name = path.display().to_string();
    let mut games = Vec::new();
    for game in Source::open(&name)? {
        let played = game.and_then(|game| {
            let played = game.replay(None);
            played.map_err(|error| format!("{}; the game was skipped", error.in_file(&name)))
        });
        match played {
            Ok(game) => games.push(game),
            Err(fault) => writeln!(io::stderr(), "stopdown-lab: {fault}")?,
        }
    }
    Ok(games)
}

/// The endgames in a game for which tables can be built automatically.
pub fn materials(game: &Game) -> BTreeSet<Material> {
    let mut position = game.start().clone();
    let mut found = BTreeSet::new();
    for m in game.moves().iter().map(Some).chain([None]) {
        let (material, _) = Material::of(&position);
        if is_built_automatically(material) {
            found.insert(material);
        }
        if let Some(&m) = m {
            position.play(m);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_include_both_ends_and_bad_ones_are_refused() {
        let Range(points) = "0:1:0.1".parse().expect("a range");
        assert_eq!(points.len(), 11);
        assert!((points[10] - 1.0).abs() < 1e-12);
        for text in ["", "1", "0:5", "0:5:0", "5:0:1", "0:5:-1", "a:b:c", "0:inf:1", "0:1e9:1e-9"] {
            let error = text.parse::<Range>().expect_err(text);
            assert!(error.to_string().contains("first:last:step"), "{error}");
        }
    }
}
