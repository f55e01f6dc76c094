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

/// What is expected after the opponent's reply to each move, by his competence
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The position
    #[arg(long)]
    fen: String,

    /// Moves to compare; all that keep the result at its best depth if none is given
    #[arg(long, value_name = "SAN", num_args = 1..)]
    moves: Vec<String>,

    /// Compare all moves that keep the result, whatever their depth
    #[arg(long, conflicts_with = "moves")]
    any: bool,

    /// The largest competence looked at
    #[arg(long, value_name = "C", default_value_t = 50.0)]
    limit: f64,

    #[command(flatten)]
    law: Law,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    ensure!((0.1..=1000.0).contains(&arguments.limit), "--limit is a number from 0.1 to 1000");
    let position = Position::from_fen(&arguments.fen, false)?;
    let (material, _) = Material::of(&position);
    ensure!(material.is_tabulated(), "{material} is not in the zone of tables (3 to 5 pieces)");
    let Law { metric, place, .. } = &arguments.law;
    let tables = place.open();
    place.prepare(&tables, &BTreeSet::from([material]), &[*metric])?;
    let report = tables.report(&position).context("the tables do not hold this position")?;
    let moves: Vec<Move> = if arguments.moves.is_empty() {
        candidates(&report, *metric, arguments.any)
    } else {
        arguments.moves.iter().map(|san| position.parse_san(san)).collect::<Result<_, _>>()?
    };
    if moves.is_empty() {
        return Ok(CommandOutcome::Negative);
    }
    let comparison = Comparison::new(&tables, &position, &moves, arguments.law.player())
        .context("the tables do not hold what a move leads to")?;
    if place.json {
        writeln!(out, "{}", comparison_json(&position, &comparison, arguments.limit))?;
    } else {
        write!(out, "{}", comparison_text(&position, &comparison, arguments.limit))?;
    }
    Ok(CommandOutcome::Done)
}
