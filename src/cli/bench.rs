//! `bench`: the signature of the search, and its speed.
//!
//! A fixed list of positions is searched to a fixed depth on one thread, each with an empty
//! table: the sum of nodes changes when the search or the evaluation does something else. Of every third of
//! them all moves are valued at the usual depth, and the digest of all values at all depths tells whether
//! what was stored, fitted or measured with values is still of this engine.

use std::io::Write;
use std::time::Instant;

use clap::Args;

use super::engine::NetworkArguments;
use super::outcome::{CommandOutcome, CommandResult};
use crate::board::{Game, Position};
use crate::evaluation::RootEvaluation;
use crate::math::fingerprint;
use crate::player::{Engine, USUAL_DEPTH};
use crate::search::{Controls, EvaluationRequest, Limits, NoObserver};
use crate::value::{Depth, MAX_PLY};

const POSITIONS: &str = include_str!("bench.epd");
const DEFAULT_DEPTH: Depth = 12;
/// MiB; the number of nodes depends on it.
const HASH: usize = 16;
/// All moves are valued of one position in so many.
const VALUED: usize = 3;

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

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let mut engine = Engine::new(arguments.network.file(), HASH)?;
    let started = Instant::now();
    let mut total = 0;
    for fen in POSITIONS.lines() {
        engine.clear();
        let game = Game::new(Position::from_fen(fen, false)?);
        let limits = Limits::depth(arguments.depth);
        let nodes = engine.best_move(&game, &limits, &Controls::new(), &mut NoObserver).nodes;
        total += nodes;
        writeln!(out, "{nodes:>10}  {fen}")?;
        out.flush()?;
    }
    let elapsed = started.elapsed();
    let depth = arguments.depth.min(USUAL_DEPTH);
    let digest = values(&mut engine, depth)?;
    writeln!(out, "{digest:016x}  all values of all moves, {depth} plies deep")?;
    let speed = (total as f64 / elapsed.as_secs_f64().max(0.001)).round();
    writeln!(out, "{total} nodes {speed} nps")?;
    Ok(CommandOutcome::Done)
}

/// A digest of what all moves of some positions are worth at all depths.
fn values(engine: &mut Engine, depth: Depth) -> anyhow::Result<u64> {
    let mut bytes = Vec::new();
    for fen in POSITIONS.lines().step_by(VALUED) {
        let game = Game::new(Position::from_fen(fen, false)?);
        let request = EvaluationRequest::depth(depth);
        let RootEvaluation { moves, nodes, .. } =
            engine.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
        for found in &moves {
            bytes.extend(found.mv.packed().0.to_le_bytes());
            bytes.extend(found.by_depth.iter().flat_map(|d| d.value.raw().to_le_bytes()));
        }
        bytes.extend(nodes.to_le_bytes());
    }
    Ok(fingerprint(&bytes))
}
