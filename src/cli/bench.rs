//! `bench`: the signature of the search, and its speed.
//!
//! A fixed list of positions is searched to a fixed depth on one thread, each with an empty hash
//! table. The node count changes whenever the search or the evaluation function changes. For every
//! third position, all moves are also evaluated at the default depth. The digest of these
//! evaluations shows whether cached evaluations and fitted parameters are still valid.

use std::io::Write;
use std::time::Instant;

use clap::Args;

use super::engine::NetworkArguments;
use super::outcome::{CommandOutcome, CommandResult};
use super::value_parsers;
use crate::board::{Game, Position};
use crate::evaluation::RootEvaluation;
use crate::math::fingerprint;
use crate::player::{Engine, USUAL_DEPTH};
use crate::search::{Controls, EvaluationRequest, Limits, NoObserver};
use crate::value::{Depth, plies};

const POSITIONS: &str = include_str!("bench.epd");
const DEFAULT_DEPTH: Depth = 12;
/// The hash size in MiB. The number of nodes depends on it.
const HASH: usize = 16;
/// All moves are evaluated in every third position.
const EVALUATED_EVERY: usize = 3;

const EXAMPLES: &str = "\
Examples:
  stopdown bench      print the signature, which is the same on every machine
  stopdown bench 14   search longer, to measure the speed more precisely";

/// The signature must not depend on the configuration.
const NETWORK: &str =
    "Evaluation network [default: the built-in one, even if engine.toml sets another]";

/// Search fixed positions, and print the node signature and the speed
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, mut_arg("eval_file", |arg| arg.help(NETWORK)))]
pub struct Arguments {
    /// Search depth
    #[arg(value_name = "PLIES", default_value_t = DEFAULT_DEPTH)]
    #[arg(value_parser = value_parsers::depth, allow_negative_numbers = true)]
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
    let digest = evaluation_digest(&mut engine, depth)?;
    writeln!(out, "{digest:016x}  digest of the scores of all moves, {}", plies(depth))?;
    let speed = (total as f64 / elapsed.as_secs_f64().max(0.001)).round();
    writeln!(out, "{total} nodes {speed} nps")?;
    Ok(CommandOutcome::Done)
}

/// A digest of the evaluations of all moves in some positions.
fn evaluation_digest(engine: &mut Engine, depth: Depth) -> anyhow::Result<u64> {
    let mut bytes = Vec::new();
    for fen in POSITIONS.lines().step_by(EVALUATED_EVERY) {
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
