//! `perft`: counts move sequences.

use std::io::Write;
use std::time::Instant;

use clap::Args;

use super::outcome::{CommandOutcome, CommandResult};
use super::value_parsers;
use crate::board::{Position, STARTING_FEN, divide, perft};

const EXAMPLES: &str = "\
Examples:
  stopdown perft 6
  stopdown perft 4 --divide --fen \"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1\"";

/// Count move sequences, to test the move generator
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Length of the move sequences, in plies
    #[arg(value_name = "PLIES", allow_negative_numbers = true)]
    #[arg(value_parser = value_parsers::whole(0..=30_u32))]
    depth: u32,

    /// Position to start from [default: the starting position]
    #[arg(long, default_value = STARTING_FEN, hide_default_value = true)]
    fen: String,

    /// Show the count for each first move
    #[arg(long)]
    divide: bool,

    /// Write castling as in Chess960: the king takes the rook
    #[arg(long)]
    chess960: bool,
}

pub fn run(arguments: &Arguments, out: &mut dyn Write) -> CommandResult {
    let position = Position::from_fen(&arguments.fen, arguments.chess960)?;
    let started = Instant::now();
    let nodes = if arguments.divide && arguments.depth > 0 {
        let parts = divide(&position, arguments.depth);
        for &(m, nodes) in &parts {
            writeln!(out, "{}: {nodes}", position.uci(m))?;
        }
        parts.iter().map(|(_, nodes)| nodes).sum()
    } else {
        perft(&position, arguments.depth)
    };
    let seconds = started.elapsed().as_secs_f64();
    writeln!(out, "Time: {seconds:.3} s")?;
    writeln!(out, "Nodes: {nodes}")?;
    Ok(CommandOutcome::Done)
}
