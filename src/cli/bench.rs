//! `bench`: the signature of the search, and its speed.
//!
//! A fixed list of positions is searched to a fixed depth on one thread, each with an empty
//! table. The sum of nodes changes exactly when the search or the evaluation does something else.

use std::io::Write;
use std::time::Instant;

use clap::Args;

use super::Outcome;
use super::network::NetworkArguments;
use crate::board::{Game, Position};
use crate::player::Engine;
use crate::search::{Controls, Limits, Silent};
use crate::value::{Depth, MAX_PLY};

const POSITIONS: &str = include_str!("bench.epd");
const DEFAULT_DEPTH: Depth = 12;
/// MiB; the number of nodes depends on it.
const HASH: usize = 16;

const EXAMPLES: &str = "\
Examples:
  stopdown bench        the signature: equal on every machine and run
  stopdown bench 14     longer, for a steadier figure of speed";

/// Search built-in positions to a fixed depth: a signature and a figure of speed
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Depth of the searches in plies
    #[arg(default_value_t = DEFAULT_DEPTH, value_parser = clap::value_parser!(u8).range(1..MAX_PLY as i64))]
    depth: Depth,

    #[command(flatten)]
    network: NetworkArguments,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let mut engine = Engine::new(arguments.network.file(), HASH)?;
    let started = Instant::now();
    let mut total = 0;
    for fen in POSITIONS.lines() {
        engine.clear();
        let game = Game::new(Position::from_fen(fen, false)?);
        let limits = Limits::depth(arguments.depth);
        let nodes = engine.best_move(&game, &limits, &Controls::new(), &mut Silent).nodes;
        total += nodes;
        writeln!(out, "{nodes:>10}  {fen}")?;
        out.flush()?;
    }
    let speed = (total as f64 / started.elapsed().as_secs_f64().max(0.001)).round();
    writeln!(out, "{total} nodes {speed} nps")?;
    Ok(Outcome::Done)
}
