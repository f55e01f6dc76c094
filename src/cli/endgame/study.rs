//! `endgame study`: how hard an endgame is.

use std::collections::BTreeSet;
use std::fs;
use std::io::{IsTerminal, Write};
use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::{Outcome, Place, Range};
use crate::endgame::{self, Material, Metric, Plan};
use crate::report::endgame::{study_json, study_text};

/// How hard an endgame is: averages by depth, the critical competence, games played out
#[derive(Debug, clap::Args)]
pub struct Arguments {
    /// The material, as in KQKR
    material: Material,

    /// Competences for the averages, as first:last:step
    #[arg(long, value_name = "RANGE", default_value = "0:50:1")]
    competence: Range,

    /// Competences for the games played out
    #[arg(long, value_name = "C", value_delimiter = ',', default_value = "20,30")]
    players: Vec<f64>,

    /// Games played out for each pair of players; 0 for none
    #[arg(long, default_value_t = 1000)]
    games: u64,

    /// What the games are drawn from
    #[arg(long, default_value_t = 1)]
    seed: u64,

    /// What depths are counted to: dtc, dtm or dtz
    #[arg(long, default_value = "dtc")]
    metric: Metric,

    /// The constant of the power law
    #[arg(long, default_value_t = 1.0)]
    kappa: f64,

    /// Also write study.txt and study.json to this directory
    #[arg(long, value_name = "DIRECTORY")]
    out: Option<PathBuf>,

    #[command(flatten)]
    place: Place,

    /// Write JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    ensure!((0.0..=1000.0).contains(&arguments.kappa), "--kappa is a number from 0 to 1000");
    ensure!(arguments.players.iter().all(|c| !c.is_nan()), "--players are competences");
    let material = arguments.material;
    let tables = arguments.place.open();
    arguments.place.prepare(&tables, &BTreeSet::from([material]), &[arguments.metric])?;
    let plan = Plan {
        material,
        metric: arguments.metric,
        kappa: arguments.kappa,
        competences: arguments.competence.0.clone(),
        players: arguments.players.clone(),
        games: arguments.games,
        seed: arguments.seed,
        longest_game: 5_000,
    };
    let visible = std::io::stderr().is_terminal();
    let study = endgame::study(plan, &tables, &mut |share| {
        if visible {
            let _ = write!(std::io::stderr(), "\r\x1b[K{:.0} %", 100.0 * share);
        }
    })?;
    if visible {
        let _ = write!(std::io::stderr(), "\r\x1b[K");
    }
    let (text, json) = (study_text(&study), study_json(&study));
    if let Some(directory) = &arguments.out {
        let write = |name: &str, content: &str| {
            let path = directory.join(name);
            fs::write(&path, content).with_context(|| path.display().to_string())
        };
        fs::create_dir_all(directory).with_context(|| directory.display().to_string())?;
        write("study.txt", &text)?;
        write("study.json", &format!("{json:#}\n"))?;
    }
    if arguments.json {
        writeln!(out, "{json}")?
    } else {
        write!(out, "{text}")?
    }
    Ok(Outcome::Done)
}
