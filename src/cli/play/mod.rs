//! `stopdown play`: a game against a human in the terminal or through a pipe.

mod board;
mod keeper;
mod session;
mod words;

use std::io::{self, Write};
use std::path::PathBuf;

use self::board::Style;
use self::keeper::Keeper;
use self::session::TerminalSession;
use super::outcome::{CommandOutcome, CommandResult};
use super::value_parsers;
use crate::board::{Colour, Position, STARTING_FEN};
use crate::config::Settings;
use crate::player::{Aim, Elo, EloScale, PlayerSpec, Tablebases, TargetRating, USUAL_DEPTH};
use crate::session::{CasualGame, OpponentSpec, fresh_seed};
use crate::value::Depth;

const EXAMPLES: &str = "\
Enter moves as Nf3 or g1f3. During the game, help lists all commands.

Examples:
  stopdown play --elo 1500
  stopdown play --profile club --colour black --save games.pgn
  stopdown play --imitator
  stopdown play --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --depth 10";

/// Play a game in the terminal
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// Play against an opponent with this rating, from 400 to 2950
    #[arg(long, value_name = "ELO", conflicts_with_all = ["profile", "imitator"])]
    #[arg(allow_hyphen_values = true, value_parser = value_parsers::elo)]
    elo: Option<f64>,
    /// Rating scale of --elo
    #[arg(long, alias = "elo-scale", value_name = "SCALE", requires = "elo", ignore_case = true)]
    #[arg(default_value = EloScale::Fide.name(), value_parser = value_parsers::elo_scale())]
    scale: EloScale,
    /// Play against a profile of engine.toml, such as beginner, club or master
    #[arg(long, value_name = "NAME", conflicts_with = "imitator")]
    profile: Option<String>,
    /// Play against an opponent that adapts to your strength
    #[arg(long)]
    imitator: bool,
    /// Colour that you play
    #[arg(long, default_value = "white", value_parser = value_parsers::colour())]
    colour: Colour,
    /// Start from this position [default: the starting position]
    #[arg(long)]
    fen: Option<String>,
    /// Search depth, an upper limit for --profile and --imitator [default: 12; at full strength 500000
    /// nodes a move]
    #[arg(long, value_name = "PLIES", value_parser = value_parsers::depth)]
    depth: Option<Depth>,
    /// Seed of its choices; the same seed and moves repeat a game [default: random]
    #[arg(long, value_name = "N", value_parser = value_parsers::count::<u64>)]
    seed: Option<u64>,
    /// Append the game to this PGN file, and update it after every move
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Draw the board with letters instead of chess symbols
    #[arg(long)]
    ascii: bool,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let human = arguments.colour;
    let position = Position::from_fen(arguments.fen.as_deref().unwrap_or(STARTING_FEN), false)?;
    let (opponent, seed) = (arguments.opponent(config)?, fresh_seed());
    opponent.make(seed)?;
    if let Some(introduction) = opponent.introduction() {
        writeln!(out, "Your opponent plays {introduction}.")?;
    }
    let sources = config.table_sources();
    for notice in Tablebases::new(sources.clone()).take_notices() {
        writeln!(out, "{notice}")?;
    }
    let style = Style::detect(human, arguments.ascii);
    let start = CasualGame::new(position, human);
    let mut session = TerminalSession::new(start, sources, (opponent, seed), style)?;
    session.keeper = arguments.save.as_deref().map(Keeper::new);
    session.run(&mut io::stdin().lock(), out)?;
    Ok(CommandOutcome::Done)
}

impl Arguments {
    /// The opponent from the command line, or else from the options in engine.toml.
    fn opponent(&self, settings: &Settings) -> anyhow::Result<OpponentSpec> {
        let mut player = PlayerSpec::default();
        match (self.elo, &self.profile) {
            (Some(elo), _) => {
                player = PlayerSpec::rated(TargetRating::new(Elo(elo), None, self.scale));
            }
            (None, Some(name)) => player.profile = Some(settings.profiles.get(name)?.clone()),
            (None, None) if self.imitator => player.imitator = Some(Aim::Equal),
            (None, None) => {
                player = settings.player();
                // The default depth is not worth mentioning.
                player.depth = player.depth.filter(|&depth| depth != USUAL_DEPTH);
            }
        }
        player.depth = self.depth.or(player.depth);
        let set = u64::try_from(settings.seed).ok().filter(|&seed| seed > 0);
        Ok(OpponentSpec { player, seed: self.seed.or(set), engine: Vec::new() })
    }
}
