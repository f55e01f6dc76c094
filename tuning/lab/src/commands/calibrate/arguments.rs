//! The arguments of `stopdown-lab calibrate`.

use std::path::PathBuf;

use stopdown::cli::support::value_parsers;
use stopdown::player::USUAL_DEPTH;
use stopdown::value::Depth;

const HELP: &str = "\
Games of people are valued, and the curves fitted to their moves as functions of their ratings. Then
players of all curves, from those who move at random to the best, meet each other in rounds, and one
list of ratings is fitted to all games. Engines of others (/usr/games) are measured beside them if
they are installed. Every finished game is kept in the folder --work: a run that was broken off goes
on where it was when it is started again, and more --games may be asked for later. Games of other
players or another seed want another folder.

The stages, in this order; without any of these words the last three are done:
  --people   value GAMES, fit, and write people.toml and people.json; players play by the numbers that
             are built in, so those written count once the program is built with them
  --ladder   play, fit, and write levels.toml and ladder.json
  --card     write card.html and levels.svg from what the others have written

Examples:
  stopdown-lab calibrate --work target/calibration --people games/*.pgn
  stopdown-lab calibrate --work target/calibration
  stopdown-lab calibrate --work target/calibration --games 400 --ladder
  stopdown-lab calibrate --work more --seed 2 --after tuning/calibration/ladder.json --ladder
  stopdown-lab calibrate --work try --out try --coarse --games 20 --depth 3";

/// Fit the curves to games of people, find out by games which rating each player has, and write the
/// tables of both
#[derive(Debug, clap::Args)]
#[command(after_help = HELP)]
pub struct Arguments {
    /// Where games are kept
    #[arg(long, value_name = "FOLDER")]
    pub work: PathBuf,
    /// Where results are written
    #[arg(long, value_name = "FOLDER", default_value = "tuning/calibration")]
    pub out: PathBuf,
    /// Games of every player of the dial's own curve, a third as many of all others; an even number,
    /// for openings are played with both colours. With 0 the ladder is fitted to those of --after
    #[arg(long, default_value_t = 200)]
    pub games: usize,
    /// How far ahead players look
    #[arg(long, value_name = "PLIES", default_value_t = USUAL_DEPTH, value_parser = clap::value_parser!(u8).range(1..=100))]
    pub depth: Depth,
    /// Who meets whom is drawn from this
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// The ladder.json of an earlier ladder whose games count too; they are of another seed
    #[arg(long, value_name = "FILE")]
    pub after: Option<PathBuf>,
    /// How many games are played at once
    #[arg(long, default_value_t = 2, value_parser = value_parsers::at_least_one)]
    pub concurrency: usize,
    /// Only a dozen players, to see whether all works
    #[arg(long)]
    pub coarse: bool,
    #[command(flatten)]
    pub people: PeopleArguments,
    /// Measure the players of all curves
    #[arg(long)]
    pub ladder: bool,
    /// Write the page of the results
    #[arg(long)]
    pub card: bool,
    /// Print the results as JSON
    #[arg(long)]
    pub json: bool,
}

/// The arguments of the stage that reads human games.
#[derive(Debug, clap::Args)]
pub struct PeopleArguments {
    /// Games of people with their ratings, PGN files, packed or not
    #[arg(long, value_name = "GAMES", num_args = 1..)]
    pub people: Vec<String>,
    /// About so many turns of every hundred Elo are valued
    #[arg(long, value_name = "N", default_value_t = 3000)]
    pub turns: usize,
    /// Ten games of so many players of every hundred Elo are valued besides
    #[arg(long, value_name = "N", default_value_t = 3)]
    pub players: usize,
    /// Turns are taken of such games only as nothing was learnt from: one in ten, by their moves
    #[arg(long)]
    pub unseen: bool,
    /// A kind of game with fewer turns is left as it is
    #[arg(long, value_name = "N", default_value_t = 2000)]
    pub least: usize,
    /// Use values that were found up to this depth, if it is another than --depth
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..=100))]
    pub values: Option<Depth>,
}

impl PeopleArguments {
    pub fn is_asked_for(&self) -> bool {
        !self.people.is_empty()
    }
}
