//! `endgame probe`: what the tables know of a position.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, bail, ensure};

use super::tables::{TableArguments, not_made};
use crate::board::Position;
use crate::cli::outcome::{CommandOutcome, CommandResult};
use crate::cli::output::{write_json, write_text};
use crate::endgame::{Material, Metric};
use crate::player::is_made_unasked;
use crate::report::endgame::{ProbeJson, probe};

const EXAMPLES: &str = "\
Examples:
  stopdown endgame probe --fen \"8/8/8/8/Q7/5k2/8/K3r3 w - - 0 1\"
  stopdown endgame probe --fen \"8/8/4k3/8/3PK3/8/8/8 b - - 0 1\" --json";

/// The result and depths of a position and of every legal move
///
/// Depths are in plies. Those of a move are what is left after it, 0 when it mates or otherwise
/// reaches the metric's goal.
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The position
    #[arg(long)]
    fen: String,

    #[command(flatten)]
    place: TableArguments,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let position = Position::from_fen(&arguments.fen, false)?;
    let (material, _) = Material::of(&position);
    if !material.is_tabulated() {
        bail!("{material} has {} pieces; there are tables for 3 to 5", material.pieces());
    }
    if position.castling_rooks().any() {
        bail!("positions with castling rights are in no table: {}", position.fen());
    }
    let tables = arguments.place.open();
    let mut materials: BTreeSet<Material> = BTreeSet::from([material]);
    materials.extend(material.conversions().into_iter().filter(|m| m.is_tabulated()));
    // Of large ones any table will do.
    let (small, large): (BTreeSet<_>, BTreeSet<_>) =
        materials.into_iter().partition(|&material| is_made_unasked(material));
    for material in large {
        let is_there = Metric::ALL.iter().any(|&metric| tables.is_saved(material, metric));
        ensure!(is_there, not_made(material, Metric::Dtc));
    }
    arguments.place.prepare(&tables, &small, &Metric::ALL)?;
    let report = tables.report(&position).context("the tables do not hold this position")?;
    if arguments.place.json {
        write_json(&ProbeJson::new(&position, &report), out)?;
    } else {
        write_text(&probe(&position, &report), out)?;
    }
    Ok(CommandOutcome::Done)
}
