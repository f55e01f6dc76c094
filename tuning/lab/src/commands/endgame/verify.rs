//! `endgame verify`: compares our tables with Syzygy's.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use crate::report::endgame::{agreement_heading, agreement_json, agreement_lines};
use crate::study::endgame::against_syzygy;
use stopdown::board::SyzygyFiles;
use stopdown::cli::support::{CommandOutcome, CommandResult, TableArguments};
use stopdown::endgame::{Material, Metric};
use stopdown::player::is_built_automatically;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab endgame verify --syzygy tables
  stopdown-lab endgame verify --syzygy tables KPK KQKR --step 100";

/// Compare every position in our tables with Syzygy files
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Endgames to compare, such as KQKR [default: all with 3 or 4 pieces in --syzygy]
    #[arg(value_name = "MATERIAL")]
    materials: Vec<Material>,

    /// Directory of the Syzygy files
    #[arg(long, value_name = "DIRECTORY")]
    syzygy: PathBuf,

    /// Compare only every Nth position
    #[arg(long, value_name = "N", default_value_t = 1)]
    step: usize,

    #[command(flatten)]
    place: TableArguments,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let mut files = SyzygyFiles::default();
    let mut held = BTreeSet::new();
    let directory = arguments.syzygy.display();
    for entry in std::fs::read_dir(&arguments.syzygy).with_context(|| directory.to_string())? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "rtbw" || e == "rtbz") {
            files.add(&path).with_context(|| path.display().to_string())?;
            let name = path.file_stem().and_then(|name| name.to_str());
            held.extend(name.and_then(|name| name.parse::<Material>().ok()));
        }
    }
    let mut materials: BTreeSet<Material> = arguments.materials.iter().copied().collect();
    for material in &materials {
        ensure!(held.contains(material), "{directory} has no Syzygy file for {material}");
    }
    if materials.is_empty() {
        materials.extend(held.into_iter().filter(|&material| is_built_automatically(material)));
        ensure!(!materials.is_empty(), "{directory} has no Syzygy files with 3 or 4 pieces");
    }
    let tables = arguments.place.open();
    arguments.place.prepare(&tables, &materials, &[Metric::Dtz])?;
    if !arguments.place.json {
        writeln!(out, "{}", agreement_heading())?;
    }
    let mut differences = 0;
    for material in materials {
        let found = against_syzygy(&tables, &files, material, arguments.step)
            .with_context(|| format!("there is no tablebase for {material}"))?;
        differences += found.differences;
        if arguments.place.json {
            writeln!(out, "{}", agreement_json(material, &found))?;
        } else {
            write!(out, "{}", agreement_lines(material, &found))?;
        }
        out.flush()?;
    }
    Ok(if differences == 0 { CommandOutcome::Done } else { CommandOutcome::Negative })
}
