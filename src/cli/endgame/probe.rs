//! `endgame probe`: looks up a position in the endgame tables.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, bail, ensure};

use super::tables::{TableArguments, not_made, report_notices};
use crate::board::Position;
use crate::cli::outcome::{CommandOutcome, CommandResult};
use crate::cli::output::{write_json, write_text};
use crate::endgame::{Material, Metric, check_pieces};
use crate::player::is_built_automatically;
use crate::report::endgame::{ProbeJson, probe};

const EXAMPLES: &str = "\
Examples:
  stopdown endgame probe --fen \"8/8/8/8/Q7/5k2/8/K3r3 w - - 0 1\"
  stopdown endgame probe --fen \"8/8/4k3/8/3PK3/8/8/8 b - - 0 1\" --json";

/// Show the result and the distances to mate, conversion and zeroing, for a position and for each
/// legal move
///
/// Distances are in plies. The distance of a move is counted from the position after it. It is 0 if
/// the move mates or otherwise reaches the goal that the distance is measured to.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Position to look up, without castling rights
    #[arg(long)]
    fen: String,

    #[command(flatten)]
    tables: TableArguments,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let position = Position::from_fen(&arguments.fen, false)?;
    let (material, _) = Material::of(&position);
    check_pieces("the position", material.pieces())?;
    if position.castling_rooks().any() {
        bail!("tables do not contain positions with castling rights: {}", position.fen());
    }
    let tables = arguments.tables.open();
    let mut materials: BTreeSet<Material> = BTreeSet::from([material]);
    materials.extend(material.conversions().into_iter().filter(|m| m.is_tabulated()));
    // A large table is not built here, and needs to exist for only one metric.
    let (small, large): (BTreeSet<_>, BTreeSet<_>) =
        materials.into_iter().partition(|&material| is_built_automatically(material));
    for material in large {
        let is_there = Metric::ALL.iter().any(|&metric| tables.lookup(material, metric).is_some());
        report_notices(&tables);
        ensure!(is_there, not_made(material, Metric::Dtc));
    }
    arguments.tables.prepare(&tables, &small, &Metric::ALL)?;
    let report = tables.report(&position);
    report_notices(&tables);
    let report = report.with_context(|| {
        format!(
            "a table for this position is missing or corrupt; build it with \
             `stopdown endgame build {material}`"
        )
    })?;
    if arguments.tables.json {
        write_json(&ProbeJson::new(&position, &report), out)?;
    } else {
        write_text(&probe(&position, &report), out)?;
    }
    Ok(CommandOutcome::Done)
}
