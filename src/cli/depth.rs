//! `stopdown depth`: what a ply of search is worth, from a table of scores.

use std::io::Write;
use std::path::PathBuf;

use anyhow::{Context, ensure};

use super::Outcome;
use crate::arena::depth::{Anchor, DepthStudy, ScoreMatrix};
use crate::report::{depth_json, depth_tables};

const EXAMPLES: &str = "\
The table is comma-separated: a first line of depths, then for each depth its scores against all.

Examples:
  stopdown depth --matrix scores.csv
  stopdown depth --matrix scores.csv --anchor 2893.9 --anchor-error 35.4 --json";

/// Find out what a ply of search is worth (Ferreira's study)
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Take the scores between the depths from this table
    #[arg(long, value_name = "FILE")]
    matrix: PathBuf,
    /// The rating of the anchored depth
    #[arg(long, value_name = "ELO", default_value_t = 0.0, allow_hyphen_values = true)]
    anchor: f64,
    /// Half the width of the rating's interval
    #[arg(long, value_name = "ELO", default_value_t = 0.0)]
    anchor_error: f64,
    /// The depth of which the rating is known [default: the last one]
    #[arg(long, value_name = "PLIES")]
    anchor_depth: Option<u32>,
    /// Print the result as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let path = &arguments.matrix;
    let text = std::fs::read_to_string(path).with_context(|| path.display().to_string())?;
    let matrix: ScoreMatrix = text.parse().with_context(|| path.display().to_string())?;
    let last = *matrix.depths.last().expect("a table has depths");
    let depth = arguments.anchor_depth.unwrap_or(last);
    ensure!(matrix.depths.contains(&depth), "depth {depth} is not among those of the study");
    let anchor = Anchor { depth, elo: arguments.anchor, error: arguments.anchor_error };
    let study = DepthStudy::new(matrix, anchor);
    match arguments.json {
        true => writeln!(out, "{}", depth_json(&study))?,
        false => write!(out, "{}", depth_tables(&study))?,
    }
    Ok(Outcome::Done)
}
