//! `stopdown play`: a game against a human in the terminal, or through a pipe.

mod board;
mod session;
mod words;

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use self::board::Style;
use self::session::TerminalSession;
use super::{CommandOutcome, CommandResult, bounds};
use crate::board::{Colour, Position, STARTING_FEN};
use crate::config::Settings;
use crate::files::{read_if_there, write_whole};
use crate::player::{Aim, Dial, Elo, EloScale, Library, PlayerSpec, USUAL_DEPTH};
use crate::sparring::{Opponent, OpponentSpec, SparringTable, fresh_seed};
use crate::value::{Depth, MAX_PLY};

const EXAMPLES: &str = "\
Moves are written Nf3 or g1f3; help lists what else can be said.

Examples:
  stopdown play --elo 1500
  stopdown play --profile club --colour black --save games.pgn
  stopdown play --imitator
  stopdown play --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --depth 10";

/// Play a game in the terminal
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Play at this rating, or at the nearest there is
    #[arg(long, value_name = "ELO", conflicts_with_all = ["profile", "imitator"])]
    elo: Option<f64>,
    /// Whose ratings are meant: FIDE's, or those of blitz or rapid games on Lichess
    #[arg(long, value_name = "SCALE", requires = "elo")]
    #[arg(default_value = EloScale::Fide.word(), value_parser = bounds::elo_scale())]
    elo_scale: EloScale,
    /// Play as a player of engine.toml, such as beginner, club or master
    #[arg(long, value_name = "NAME", conflicts_with = "imitator")]
    profile: Option<String>,
    /// Find out how strong you are, and play as well as you do
    #[arg(long)]
    imitator: bool,
    /// Your colour
    #[arg(long, default_value = "white", value_parser = bounds::colour())]
    colour: Colour,
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

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let human = arguments.colour;
    let position = Position::from_fen(arguments.fen.as_deref().unwrap_or(STARTING_FEN), false)?;
    let (opponent, seed) = (arguments.opponent(config)?, fresh_seed());
    let spec = opponent.make(seed)?;
    if let Some(introduction) = opponent.introduction() {
        writeln!(out, "Your opponent is {introduction}.")?;
    }
    let table = SparringTable::new(position, human);
    let style = Style::detect(human, arguments.ascii);
    let library = Library::new(config.table_sources());
    for notice in library.take_notices() {
        writeln!(out, "{notice}")?;
    }
    let mut session =
        TerminalSession::new(table, (opponent, seed), Opponent::new(spec, library)?, style)?;
    session.keeper = arguments.save.as_deref().map(Keeper::new);
    session.run(&mut io::stdin().lock(), out)?;
    Ok(CommandOutcome::Done)
}

impl Arguments {
    /// The opponent of the command line; where it names none, that of the options in engine.toml.
    fn opponent(&self, settings: &Settings) -> anyhow::Result<OpponentSpec> {
        let mut player = PlayerSpec::default();
        match (self.elo, &self.profile) {
            (Some(elo), _) => {
                player = PlayerSpec::rated(Dial::new(Elo(elo), None, self.elo_scale));
            }
            (None, Some(name)) => player.set_profile(name, &settings.profiles)?,
            (None, None) if self.imitator => player.imitator = Some(Aim::Equal),
            (None, None) => {
                player = settings.player();
                // Who plays at the usual depth has no depth to be spoken of.
                player.depth = player.depth.filter(|&depth| depth != USUAL_DEPTH);
            }
        }
        player.depth = self.depth.or(player.depth);
        let set = u64::try_from(settings.seed).ok().filter(|&seed| seed > 0);
        Ok(OpponentSpec { player, seed: self.seed.or(set), engine: Vec::new() })
    }
}

/// Keeps one game at the end of a file.
#[derive(Debug)]
struct Keeper {
    path: PathBuf,
    /// What this game looked like when it was last written.
    written: String,
}

impl Keeper {
    pub fn new(path: &Path) -> Keeper {
        Keeper { path: path.to_owned(), written: String::new() }
    }

    /// Writes the game in place of what it was before, behind the other games of the file.
    fn keep(&mut self, pgn: String) -> io::Result<()> {
        let mut content = read_if_there(&self.path)?;
        if content.ends_with(self.written.as_bytes()) {
            content.truncate(content.len() - self.written.len());
        }
        while !content.is_empty() && !content.ends_with(b"\n\n") {
            content.push(b'\n');
        }
        content.extend(pgn.as_bytes());
        write_whole(&self.path, &content)?;
        self.written = pgn;
        Ok(())
    }
}
