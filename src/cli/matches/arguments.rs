//! The words of `stopdown match`.

use std::path::PathBuf;

use clap::ValueEnum;

use crate::arena::{DrawRule, ResignRule};
use crate::math::sprt::Sprt;

const PLAYERS: &str = "\
A player is a list of words:
  self                     our own engine; option.Hash=16, option.Evaluation=Network,
                           option.EvalFile=FILE
  profile=NAME             as a player of engine.toml; depth= then bounds what it sees
  imitator=N               follows its opponent, N Elo above him
  elo=N                    at this rating (provisional), depth=PLIES ahead
  competence=C             as Ep(c); curve=NAME, kappa=, sensitivity=, consistency=,
                           depth-weights=0.5,0,0.5 as in engine.toml
  seed=N                   what its moves are drawn from (1 for --a, 2 for --b)
  cmd=PROGRAM              any UCI engine; quote a program with arguments: cmd='engine -x'
  dir=DIRECTORY            where that engine is started
  option.NAME=VALUE        one of its options
  name=NAME                what to call it
  tc=[MOVES/]TIME[+INCREMENT], st=SECONDS, depth=PLIES, nodes=NODES
  margin=MILLISECONDS      what the clock forgives on every move (50)
  patience=SECONDS         how long an engine without a clock may be silent (120)

Examples:
  stopdown match --a self --b \"cmd=/usr/games/toga2 option.Hash=16\" --tc 10+0.1 --games 100
  stopdown match --a \"self profile=club\" --b \"self competence=7 depth=4\"
  stopdown match --a \"self depth=6\" --b \"self depth=5\" --games 200 --concurrency 2
  stopdown match --a cmd=./new --b cmd=./old --tc 5+0.05 --games 40000 --sprt 0:5 \\
      --openings book.epd --order random --pgn test.pgn --resume";

/// Play a match between two players
#[derive(Debug, clap::Args)]
#[command(after_help = PLAYERS)]
pub struct Arguments {
    /// The first player, whose score is given
    #[arg(long, value_name = "PLAYER")]
    pub(super) a: String,
    /// The second player
    #[arg(long, value_name = "PLAYER")]
    pub(super) b: String,
    /// Words that hold for both players unless they say otherwise
    #[arg(long, value_name = "WORDS", default_value = "")]
    pub(super) each: String,
    /// The clock of both players: [MOVES/]TIME[+INCREMENT] in seconds
    #[arg(long, value_name = "CONTROL")]
    pub(super) tc: Option<String>,
    /// Seconds for every move of both players
    #[arg(long, value_name = "SECONDS", conflicts_with = "tc")]
    pub(super) st: Option<String>,
    /// The depth of both players
    #[arg(long, value_name = "PLIES")]
    pub(super) depth: Option<String>,
    /// The nodes of both players for every move
    #[arg(long, value_name = "NODES")]
    pub(super) nodes: Option<String>,
    /// How many games, colours alternating on every opening
    #[arg(long, default_value_t = 100)]
    pub(super) games: usize,
    /// How many games are played at once
    #[arg(long, default_value_t = 1)]
    pub(super) concurrency: usize,
    /// Openings from an EPD, FEN or PGN file instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub(super) openings: Option<PathBuf>,
    /// The order of the openings
    #[arg(long, value_enum, default_value_t = OrderName::Sequential)]
    pub(super) order: OrderName,
    /// What a random order is drawn from
    #[arg(long, default_value_t = 1)]
    pub(super) seed: u64,
    /// Take at most this many plies of an opening
    #[arg(long)]
    pub(super) plies: Option<usize>,
    /// Draw games: from move FROM on, after MOVES moves within CENTIPAWNS of zero, as 40:8:10
    #[arg(long, value_name = "FROM:MOVES:CENTIPAWNS", value_parser = parse_draw)]
    pub(super) draw: Option<DrawRule>,
    /// Give up games: after MOVES moves lost by CENTIPAWNS, as 3:600
    #[arg(long, value_name = "MOVES:CENTIPAWNS", value_parser = parse_resign)]
    pub(super) resign: Option<ResignRule>,
    /// Draw games that have this many moves
    #[arg(long, value_name = "MOVES")]
    pub(super) max_moves: Option<u32>,
    /// Stop when a difference of ELO0 or of ELO1 (normalised) is established, as 0:5
    #[arg(long, value_name = "ELO0:ELO1[:ALPHA:BETA]", value_parser = parse_sprt)]
    #[arg(allow_hyphen_values = true)]
    pub(super) sprt: Option<Sprt>,
    /// Write the games to this file, and what --resume needs to FILE.jsonl
    #[arg(long, value_name = "FILE")]
    pub(super) pgn: Option<PathBuf>,
    /// Go on with the match in the PGN file, if there is one
    #[arg(long, requires = "pgn")]
    pub(super) resume: bool,
    /// Print the standing after every so many games; 0 only at the end
    #[arg(long, value_name = "GAMES", default_value_t = 10)]
    pub(super) interval: u64,
    /// Print the result as JSON
    #[arg(long)]
    pub(super) json: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum OrderName {
    Sequential,
    Random,
}

fn parse_draw(text: &str) -> Result<DrawRule, String> {
    match numbers(text)?[..] {
        [from, moves, centipawns] if from >= 0.0 && moves >= 1.0 && centipawns >= 0.0 => {
            let (from, moves) = (from as u32, moves as u32);
            Ok(DrawRule { from, moves, centipawns: centipawns as i32 })
        }
        _ => Err("write FROM:MOVES:CENTIPAWNS, as 40:8:10".to_owned()),
    }
}

fn parse_resign(text: &str) -> Result<ResignRule, String> {
    match numbers(text)?[..] {
        [moves, centipawns] if moves >= 1.0 && centipawns >= 1.0 => {
            Ok(ResignRule { moves: moves as u32, centipawns: centipawns as i32 })
        }
        _ => Err("write MOVES:CENTIPAWNS, as 3:600".to_owned()),
    }
}

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let sprt = match numbers(text)?[..] {
        [elo0, elo1] => Sprt::new(elo0, elo1, 0.05, 0.05),
        [elo0, elo1, alpha, beta] => Sprt::new(elo0, elo1, alpha, beta),
        _ => return Err("write ELO0:ELO1 or ELO0:ELO1:ALPHA:BETA, as 0:5".to_owned()),
    };
    sprt.map_err(|error| error.to_string())
}

fn numbers(text: &str) -> Result<Vec<f64>, String> {
    let number = |part: &str| part.parse().map_err(|_| format!("\"{part}\" is not a number"));
    text.split(':').map(number).collect()
}
