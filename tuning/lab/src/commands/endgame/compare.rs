//! `endgame compare`: the best move against a fallible opponent.

use std::collections::BTreeSet;
use std::io::Write;

use anyhow::{Context, ensure};

use super::input::Law;
use crate::report::endgame::{comparison_json, comparison_text};
use crate::study::endgame::{Comparison, candidates};
use stopdown::board::{Move, Position};
use stopdown::cli::support::{CommandOutcome, CommandResult};
use stopdown::endgame::Material;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab endgame compare --fen \"8/8/6Q1/2K5/5r2/4k3/8/8 b - - 0 1\"";

/// Compare moves by the expected result after the opponent's reply, for each competence of the opponent
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Position to study
    #[arg(long)]
    fen: String,

    /// Moves to compare [default: all optimal moves]
    #[arg(long, value_name = "SAN", num_args = 1..)]
    moves: Vec<String>,

    #[command(flatten)]
    law: Law,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let position = Position::from_fen(&arguments.fen, false)?;
    let (material, _) = Material::of(&position);
    ensure!(material.is_tabulated(), "{material} has no tablebase; tablebases have 3 to 5 pieces");
    let Law { metric, place, .. } = &arguments.law;
    let tables = place.open();
    place.prepare(&tables, &BTreeSet::from([material]), &[*metric])?;
    let report = tables.report(&position).context("the tablebases do not contain this position")?;
    let moves: Vec<Move> = if arguments.moves.is_empty() {
        candidates(&report, *metric, false)
    } else {
        arguments.moves.iter().map(|san| position.parse_san(san)).collect::<Result<_, _>>()?
    };
    if moves.is_empty() {
        return Ok(CommandOutcome::Negative);
    }
    let comparison = Comparison::new(&tables, &position, &moves, arguments.law.player())
        .context("the tablebases do not contain the position after a move")?;
    if place.json {
        writeln!(out, "{}", comparison_json(&position, &comparison))?;
    } else {
        write!(out, "{}", comparison_text(&position, &comparison))?;
    }
    Ok(CommandOutcome::Done)
}
