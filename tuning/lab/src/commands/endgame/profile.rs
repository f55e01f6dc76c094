//! `endgame profile`: estimates a player's competence from a game.

use std::io::{self, Write};
use std::path::PathBuf;

use super::input::{Law, Range, games, materials};
use crate::report::endgame::{profile_json, profile_text};
use crate::study::endgame::profile;
use stopdown::board::Colour;
use stopdown::cli::support::{CommandOutcome, CommandResult, value_parsers};
use stopdown::math::grid::Posterior;

const EXAMPLES: &str = "\
Examples:
  stopdown-lab endgame profile --pgn games.pgn --side white
  stopdown-lab endgame profile --pgn games.pgn --side black --prior 0:50:0.5 --json";

/// Estimate a player's competence move by move, from endgames that tablebases cover
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Games to study; the estimate from each game is the prior for the next
    #[arg(long, value_name = "FILE")]
    pgn: PathBuf,

    /// Side whose moves to study
    #[arg(long, value_parser = value_parsers::colour())]
    side: Colour,

    /// Competences of the flat prior, as first:last:step
    #[arg(long, value_name = "RANGE", default_value = "0:100:1")]
    prior: Range,

    #[command(flatten)]
    law: Law,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let Law { metric, place, .. } = &arguments.law;
    let tables = place.open();
    let player = arguments.law.player();
    let mut belief = Posterior::uniform(arguments.prior.0.clone())?;
    let mut found = false;
    for game in games(&arguments.pgn)? {
        place.prepare(&tables, &materials(&game), &[*metric])?;
        let profile = profile(&tables, &game, arguments.side, &player, belief);
        if place.json {
            writeln!(out, "{}", profile_json(&profile))?;
        } else {
            writeln!(out, "{}", profile_text(&profile))?;
        }
        found |= !profile.moves.is_empty();
        belief = profile.belief;
    }
    if !found {
        let (name, side) = (arguments.pgn.display(), arguments.side);
        writeln!(io::stderr(), "stopdown-lab: {name}: no moves of {side} in endgames with tables")?;
        return Ok(CommandOutcome::Negative);
    }
    Ok(CommandOutcome::Done)
}
