//! The words of `stopdown match`.

use std::path::PathBuf;

use crate::cli::bounds;
use crate::cli::conditions::{MatchConditions, numbers, player_words};
use crate::math::sprt::Sprt;

const PLAYERS: &str = concat!(
    player_words!(),
    "
Examples:
  stopdown match --a self --b \"cmd=/usr/games/toga2 option.Hash=16\" --tc 10+0.1 --games 100
  stopdown match --a \"self profile=club\" --b \"self competence=7 depth=4\"
  stopdown match --a \"self engine=stockfish profile=club\" --b self --st 1
  stopdown match --a \"self depth=6\" --b \"self depth=5\" --games 200 --concurrency 2
  stopdown match --a cmd=./new --b cmd=./old --tc 5+0.05 --games 40000 --sprt 0:5 \\
      --openings book.epd --order random --pgn test.pgn --resume"
);

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
    #[command(flatten)]
    pub(super) conditions: MatchConditions,
    /// How many games, colours alternating on every opening
    #[arg(long, default_value_t = 100, value_parser = bounds::games)]
    pub(super) games: usize,
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

fn parse_sprt(text: &str) -> Result<Sprt, String> {
    let sprt = match numbers(text)?[..] {
        [elo0, elo1] => Sprt::new(elo0, elo1, 0.05, 0.05),
        [elo0, elo1, alpha, beta] => Sprt::new(elo0, elo1, alpha, beta),
        _ => return Err("write ELO0:ELO1 or ELO0:ELO1:ALPHA:BETA, as 0:5".to_owned()),
    };
    sprt.map_err(|error| error.to_string())
}
