//! `stopdown play`: a game against a human in the terminal, or through a pipe.

mod board;
mod keeper;
mod session;
mod table;
mod words;

use std::hash::{BuildHasher, Hasher, RandomState};
use std::io::{self, Write};
use std::path::PathBuf;

use clap::ValueEnum;

use self::board::Style;
use self::session::Session;
use self::table::Table;
use super::Outcome;
use crate::arena::{EngineSpec, Handicap, MoveLimits, PlayerSpec};
use crate::board::{Colour, Position, STARTING_FEN};
use crate::config::Config;
use crate::player::{Dial, Elo, EloScale, Library};
use crate::value::{Depth, MAX_PLY};

const EXAMPLES: &str = "\
Moves are written Nf3 or g1f3; help lists what else can be said.

Examples:
  stopdown play --elo 1500
  stopdown play --profile club --colour black --save games.pgn
  stopdown play --imitator
  stopdown play --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --depth 10";

/// Full strength without a depth: about half a second, and the same move on every machine.
const USUAL_NODES: u64 = 500_000;

/// Play a game in the terminal
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Play at this rating, or at the nearest there is
    #[arg(long, value_name = "ELO", conflicts_with_all = ["profile", "imitator"])]
    elo: Option<f64>,
    /// Whose ratings are meant: FIDE's, or those of blitz games on Lichess
    #[arg(long, value_enum, default_value_t = ScaleName::Fide, value_name = "SCALE")]
    #[arg(requires = "elo")]
    elo_scale: ScaleName,
    /// Play as a player of engine.toml, such as beginner, club or master
    #[arg(long, value_name = "NAME", conflicts_with = "imitator")]
    profile: Option<String>,
    /// Find out how strong you are, and play as well as you do
    #[arg(long)]
    imitator: bool,
    /// Your colour
    #[arg(long, value_enum, default_value_t = ColourName::White)]
    colour: ColourName,
    /// Begin from this position
    #[arg(long)]
    fen: Option<String>,
    /// How many plies Stopdown looks ahead; with --profile or --imitator, the most that it does
    #[arg(long, value_name = "PLIES", value_parser = clap::value_parser!(u8).range(1..MAX_PLY as i64))]
    depth: Option<Depth>,
    /// The same seed and moves give the same game; a new one if not given
    #[arg(long)]
    seed: Option<u64>,
    /// Add the game to this PGN file, after every move
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Draw the board with letters
    #[arg(long)]
    ascii: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ColourName {
    White,
    Black,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ScaleName {
    Fide,
    Lichess,
}

pub fn run(arguments: &Arguments, config: &Config, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let human = match arguments.colour {
        ColourName::White => Colour::White,
        ColourName::Black => Colour::Black,
    };
    let dial = arguments.dial();
    if let Some(dial) = dial.filter(|dial| !dial.elo.0.is_nan()) {
        let departure = arguments.depth.and_then(Dial::departure).unwrap_or_default();
        writeln!(out, "Your opponent is {dial}{departure}.")?;
    }
    let position = Position::from_fen(arguments.fen.as_deref().unwrap_or(STARTING_FEN), false)?;
    let mut opponent = PlayerSpec::of_words(&arguments.opponent(dial), &config.profiles)?;
    if opponent.limits == MoveLimits::default() {
        opponent.limits.nodes = Some(USUAL_NODES);
    }
    if let EngineSpec::Own(own) = &mut opponent.engine {
        let has_own = matches!(&own.handicap, Handicap::Profile(profile) if profile.seed > 0);
        own.seed = own.seed.or_else(|| (!has_own).then(fresh_seed));
        if let Some(dial) = dial.filter(|dial| dial.scale != EloScale::default()) {
            own.label = format!("{} {}", dial.scale, dial.nearest());
        }
    }
    let table = Table::new(position, human);
    let style = Style::detect(human, arguments.ascii);
    let library = Library::new(config.settings.table_sources());
    for notice in library.take_notices() {
        writeln!(out, "{notice}")?;
    }
    let mut session = Session::new(table, &opponent, library, style, arguments.save.as_deref())?;
    session.run(&mut io::stdin().lock(), out)?;
    Ok(Outcome::Done)
}

impl Arguments {
    fn dial(&self) -> Option<Dial> {
        let scale = match self.elo_scale {
            ScaleName::Fide => EloScale::Fide,
            ScaleName::Lichess => EloScale::Lichess,
        };
        self.elo.map(|elo| Dial::new(Elo(elo), None, scale))
    }

    /// The opponent in the words of `stopdown match`, which has FIDE's ratings.
    fn opponent(&self, dial: Option<Dial>) -> Vec<String> {
        let mut words = vec!["self".to_owned()];
        words.extend(self.seed.map(|seed| format!("seed={seed}")));
        words.extend(dial.iter().flat_map(|dial| {
            let Dial { elo, family, .. } = dial.on_fide();
            [format!("curve={family}"), format!("elo={}", elo.0)]
        }));
        words.extend(self.profile.as_ref().map(|name| format!("profile={name}")));
        words.extend(self.imitator.then(|| "imitator=0".to_owned()));
        words.extend(self.depth.map(|depth| format!("depth={depth}")));
        words
    }
}

/// From the system's entropy, and short enough to be typed again.
fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000
}
