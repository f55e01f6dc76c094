//! `stopdown play`: a game against a human in the terminal or through a pipe.

mod board;
mod game_saver;
mod rating;
mod session;
mod user_command;

use std::io::{self, Write};
use std::path::PathBuf;

use anyhow::Context as _;

use self::board::Style;
use self::game_saver::GameSaver;
use self::rating::OwnRating;
use self::session::TerminalSession;
use super::outcome::{CommandOutcome, CommandResult};
use super::value_parsers;
use crate::board::{Colour, Position, STARTING_FEN};
use crate::config::{Settings, StrengthSetting};
use crate::player::{
    Aim, Elo, EloScale, PlayerSpec, PlayingStyle, Tablebases, TargetRating, Who, rating_range,
};
use crate::session::{CasualGame, OpponentSpec, fresh_seed};
use crate::value::{Depth, plies};

const EXAMPLES: &str = "\
Enter moves as Nf3 or g1f3. During the game, type help for a list of commands.
If you do not choose an opponent, stopdown play asks for your rating once, and the opponent plays \
at that level.

Examples:
  stopdown play
  stopdown play --elo 1500
  stopdown play --profile club --colour black --save games.pgn
  stopdown play --imitator
  stopdown play --elo 1500 --style attacker
  stopdown play --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --depth 10";

/// Play a game in the terminal
#[derive(Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
#[command(group = clap::ArgGroup::new("rated").multiple(true).args(["elo", "rating"]))]
pub struct Arguments {
    #[arg(help = format!("Play against an opponent with this rating, {}", rating_range()))]
    #[arg(long, value_name = "ELO", conflicts_with_all = ["profile", "imitator"])]
    #[arg(value_parser = value_parsers::elo)]
    elo: Option<f64>,
    /// Your own rating, which is remembered; enter "none" if you do not have one. The opponent
    /// plays at that level, unless you choose another opponent
    #[arg(long, value_name = "ELO")]
    rating: Option<String>,
    /// Play against Stopdown at full strength
    #[arg(long, conflicts_with_all = ["elo", "profile", "imitator"])]
    full: bool,
    /// Rating scale of --elo and --rating
    #[arg(long, alias = "elo-scale", value_name = "SCALE", requires = "rated")]
    #[arg(default_value = EloScale::Fide.name(), value_parser = value_parsers::elo_scale())]
    scale: EloScale,
    /// Play against a named opponent: a built-in one, such as beginner, club or master, or one that you made
    /// with stopdown profile --add
    #[arg(long, value_name = "NAME", conflicts_with = "imitator")]
    profile: Option<String>,
    /// Play against an opponent that adapts to your strength
    #[arg(long)]
    imitator: bool,
    /// Playing style of an opponent that plays like a human, such as one set by --elo
    #[arg(long, value_parser = value_parsers::style(), conflicts_with = "full")]
    style: Option<PlayingStyle>,
    /// Your colour
    #[arg(long, default_value = "white", value_parser = value_parsers::colour())]
    colour: Colour,
    /// Start from this position [default: the starting position]
    #[arg(long)]
    fen: Option<String>,
    /// Search depth; with --profile or --imitator, an upper limit [default: 12, or 500000 nodes per
    /// move at full strength]
    #[arg(long, value_name = "PLIES")]
    #[arg(value_parser = value_parsers::depth)]
    depth: Option<Depth>,
    /// Seed for the opponent's choices. With the same seed, the opponent answers the same moves in the same
    /// way [default: random]
    #[arg(long, value_name = "N", value_parser = value_parsers::count::<u64>)]
    seed: Option<u64>,
    /// Append the game to this PGN file, and update it after every move
    #[arg(long, value_name = "FILE")]
    save: Option<PathBuf>,
    /// Add the score, time, nodes and probability of the opponent's moves to the PGN as comments, and a tag that
    /// describes the opponent
    #[arg(long)]
    details: bool,
    /// Draw the board with letters instead of chess symbols
    #[arg(long)]
    ascii: bool,
}

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    let human = arguments.colour;
    let position = Position::from_fen(arguments.fen.as_deref().unwrap_or(STARTING_FEN), false)?;
    let saver = arguments.save.as_deref().map(GameSaver::new);
    if let Some(saver) = &saver {
        saver.check().with_context(|| format!("cannot write {}", saver.path.display()))?;
    }
    let mut input = io::stdin().lock();
    let named = arguments.named_opponent(config)?;
    let mut rating = arguments.own_rating(out)?;
    if named.is_none() && rating.is_none() {
        let Some(answer) = OwnRating::ask(&mut input, config.scale(), out)? else {
            return Ok(CommandOutcome::Done);
        };
        answer.remember(out)?;
        rating = Some(answer);
    }
    let player = named.or_else(|| Some(rating?.opponent())).unwrap_or_default();
    let opponent = arguments.opponent(player, config);
    let seed = fresh_seed();
    opponent.make(seed)?;
    writeln!(out, "{}", introduction(&opponent))?;
    let sources = config.table_sources();
    for notice in Tablebases::new(sources.clone()).take_notices() {
        writeln!(out, "{notice}")?;
    }
    let style = Style::detect(human, arguments.ascii);
    let start = CasualGame::new(position, human);
    let mut session = TerminalSession::new(start, sources, (opponent, seed), style)?;
    session.saver = saver;
    session.own_rating = rating.and_then(OwnRating::rating);
    session.is_detailed = arguments.details;
    session.run(&mut input, out)?;
    Ok(CommandOutcome::Done)
}

/// Describes the opponent in one sentence.
fn introduction(opponent: &OpponentSpec) -> String {
    if let Some(introduction) = opponent.introduction() {
        return format!("Your opponent plays {introduction}.");
    }
    match (opponent.player.player().unwrap_or_default(), opponent.player.depth) {
        (Who::Imitator(_), _) => "Your opponent adapts to your strength.".to_owned(),
        (Who::Profile(profile), _) if profile.name.is_empty() => {
            format!("Your opponent plays as {profile}.")
        }
        // The name of a profile from a player's games is in lowercase. The description has the player's
        // name as it is spelt in the games.
        (Who::Profile(profile), _) if !profile.description.is_empty() => {
            format!("Your opponent: {}.", profile.description.trim_end_matches('.'))
        }
        (Who::Profile(profile), _) => format!("Your opponent plays like {}.", profile.name),
        (Who::FullStrength, None) => "Your opponent plays at full strength.".to_owned(),
        (Who::FullStrength, Some(depth)) => format!("Your opponent searches {}.", plies(depth)),
    }
}

impl Arguments {
    /// The opponent named on the command line or in engine.toml. `None` if the user's rating decides.
    fn named_opponent(&self, settings: &Settings) -> anyhow::Result<Option<PlayerSpec>> {
        let mut player = PlayerSpec::default();
        match (self.elo, &self.profile) {
            (Some(elo), _) => {
                player = PlayerSpec::rated(TargetRating::new(Elo(elo), None, self.scale));
            }
            (None, Some(name)) => player.profile = Some(settings.profiles.get(name)?.clone()),
            (None, None) if self.imitator => player.imitator = Some(Aim::Equal),
            (None, None) if self.full => {}
            (None, None) if settings.plays_below_full_strength() => {
                player = settings.player();
            }
            // Without --rating, --depth selects an opponent at full strength. So does
            // Strength = "Full" in engine.toml.
            (None, None) => {
                let is_set = self.depth.is_some() && self.rating.is_none();
                let is_full = settings.strength == StrengthSetting::Full;
                return Ok((is_set || is_full).then_some(player));
            }
        }
        Ok(Some(player))
    }

    /// The user's rating from the command line, which is then remembered. If there is none, the remembered
    /// rating.
    fn own_rating(&self, out: &mut dyn Write) -> anyhow::Result<Option<OwnRating>> {
        let Some(text) = &self.rating else { return Ok(OwnRating::remembered()) };
        let rating = OwnRating::parse(text, self.scale);
        let rating = rating.map_err(|message| anyhow::anyhow!("--rating: {message}"))?;
        rating.remember(out)?;
        Ok(Some(rating))
    }

    fn opponent(&self, player: PlayerSpec, settings: &Settings) -> OpponentSpec {
        let depth = self.depth.or(player.depth);
        let set = u64::try_from(settings.seed).ok().filter(|&seed| seed > 0);
        let player = PlayerSpec { depth, style: self.style.or(player.style), ..player };
        OpponentSpec { player, seed: self.seed.or(set), engine: Vec::new() }
    }
}
