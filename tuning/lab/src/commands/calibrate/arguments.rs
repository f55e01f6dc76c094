//! The arguments of `stopdown-lab calibrate`.

use std::path::PathBuf;

use stopdown::cli::support::value_parsers;
use stopdown::player::USUAL_DEPTH;
use stopdown::value::Depth;

const HELP: &str = "\
The command evaluates human games, and fits every curve to the moves as a function of the rating. Players \
of all curves, from random moves to the best move, then play each other in rounds, and one rating list is \
fitted to all games. Other engines in /usr/games take part if they are installed. The folder --work keeps \
every finished game. If you start an interrupted run again, it continues where it stopped. You can also \
raise --games later. Use a new folder for different players or a different seed.

The stages run in this order. By default, --ladder and --card run:
  --people   evaluate GAMES, fit the curves, and write people.toml and people.json. Players use the
             built-in parameters: rebuild the program to use the new ones
  --ladder   play games, fit ratings, and write levels.toml and ladder.json
  --card     write card.html and levels.svg from the files of the other stages

Examples:
  stopdown-lab calibrate --work target/calibration --people games/*.pgn
  stopdown-lab calibrate --work target/calibration
  stopdown-lab calibrate --work target/calibration --games 400 --ladder
  stopdown-lab calibrate --work more --seed 2 --after tuning/calibration/ladder.json --ladder
  stopdown-lab calibrate --work try --out try --coarse --games 20 --depth 3";

/// Fit the curves to human games, rate players of every curve in matches, and write the results
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Folder for finished games
    #[arg(long, value_name = "FOLDER")]
    pub work: PathBuf,
    /// Folder for results
    #[arg(long, value_name = "FOLDER", default_value = "tuning/calibration")]
    pub out: PathBuf,
    /// Number of games for each player of the default curve; other players play a third as many. It
    /// must be even, because every opening is played with both colours. With 0, fit the ladder to
    /// the games of --after
    #[arg(long, default_value_t = 200)]
    pub games: usize,
    /// Search depth of the players
    #[arg(long, value_name = "PLIES", default_value_t = USUAL_DEPTH, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub depth: Depth,
    /// Seed for the pairings
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Also count the games in this earlier ladder.json, which must have a different seed
    #[arg(long, value_name = "FILE")]
    pub after: Option<PathBuf>,
    /// Number of games to play at once
    #[arg(long, default_value_t = 2, value_parser = value_parsers::at_least_one)]
    pub concurrency: usize,
    /// Use only nine players, for a quick test
    #[arg(long)]
    pub coarse: bool,
    #[command(flatten)]
    pub people: PeopleArguments,
    /// Play games, and rate players of every curve
    #[arg(long)]
    pub ladder: bool,
    /// Write a page with the results
    #[arg(long)]
    pub card: bool,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of the stage that reads human games.
#[derive(Debug, clap::Args)]
pub struct PeopleArguments {
    /// PGN files of human games with ratings, compressed or not
    #[arg(long, value_name = "GAMES", num_args = 1..)]
    pub people: Vec<String>,
    /// Evaluate about N moves for each range of 100 Elo
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub turns: usize,
    /// For each range of 100 Elo, also evaluate ten games by each of N players
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub players: usize,
    /// Fit the curves and rate players from single games only with games that were held out from
    /// training (one in ten); the games of --players and the test of the imitator may be any
    #[arg(long)]
    pub unseen: bool,
    /// Skip any kind of game with fewer than N moves
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub least: usize,
    /// Evaluate to this depth, which may be above --depth to reuse cached evaluations [default: --depth]
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub values: Option<Depth>,
}

impl PeopleArguments {
    pub fn is_requested(&self) -> bool {
        !self.people.is_empty()
    }
}
