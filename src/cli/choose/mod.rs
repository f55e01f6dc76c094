//! `choose`: how likely a player is to choose each move, and the move that he draws.

mod words;

use std::io::Write;

use clap::Args;

use self::words::ChoiceReport;
use super::CommandOutcome;
use super::engine::EngineArguments;
use crate::board::{Position, STARTING_FEN};
use crate::config::Settings;
use crate::math::streams::Occasion;
use crate::player::{self, PlayerSpec, Profile};

const EXAMPLES: &str = "\
Examples:
  stopdown choose --values 0.5,0.2,-1.0 --curve haworth --competence 7
  stopdown choose --values \"0.9,0.1;-3,0.2\" --depth-weights 0.7,0.3   (values at depths 1 and 2)
  stopdown choose --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --profile club --seed 7
  stopdown choose --curve regan --sensitivity 0.1 --consistency 0.5 --depth 8 --json
  stopdown choose --curve human --rating 1400
  stopdown choose --engine stockfish --competence 12 --depth 10";

/// Show how likely a player is to choose each move by its values, and draw one
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub struct Arguments {
    /// The position; the starting position if nothing else is given
    #[arg(long, conflicts_with = "values")]
    fen: Option<String>,

    /// Values in pawns instead of a position, commas between; semicolons between depths
    #[arg(long, allow_hyphen_values = true)]
    values: Option<String>,

    /// A player of engine.toml
    #[arg(long, conflicts_with_all = ["elo", "curve", "competence", "sensitivity", "consistency", "kappa", "rating", "depth", "depth_weights"])]
    profile: Option<String>,

    /// A player of this rating (FIDE's), by the curve human if none is named
    #[arg(long, allow_hyphen_values = true)]
    elo: Option<String>,

    /// haworth, levelled [default], regan, human, human-rapid, human-blitz, human-bullet
    #[arg(long)]
    curve: Option<String>,

    /// c of haworth and levelled: any number, inf or -inf [default: 7]; of human [default: 1]
    #[arg(long, allow_hyphen_values = true)]
    competence: Option<String>,

    /// s of Regan's curve [default: 0.143]
    #[arg(long, allow_hyphen_values = true)]
    sensitivity: Option<String>,

    /// c of Regan's curve [default: 0.464]
    #[arg(long, allow_hyphen_values = true)]
    consistency: Option<String>,

    /// κ of haworth and levelled [default: 1]
    #[arg(long, allow_hyphen_values = true)]
    kappa: Option<String>,

    /// Of the people whose curve it is, for human and its like [default: 1500]
    #[arg(long, value_name = "ELO", allow_hyphen_values = true)]
    rating: Option<String>,

    /// p: plies to look ahead [default: 12]
    #[arg(long, allow_hyphen_values = true)]
    depth: Option<String>,

    /// Weights of depth 1, 2, ...; without them the deepest counts
    #[arg(long, allow_hyphen_values = true)]
    depth_weights: Option<String>,

    #[command(flatten)]
    engine: EngineArguments,

    /// Draw a move with this seed
    #[arg(long)]
    seed: Option<u64>,

    /// The number of the game, for the draw
    #[arg(long, default_value_t = 0, requires = "seed")]
    game: u64,

    /// The ply of the game, for the draw
    #[arg(long, default_value_t = 0, requires = "seed")]
    ply: u64,

    /// Write JSON instead of a table
    #[arg(long)]
    json: bool,
}

pub fn run(
    arguments: &Arguments,
    config: &Settings,
    out: &mut dyn Write,
) -> anyhow::Result<CommandOutcome> {
    let profile = match &arguments.profile {
        Some(name) => config.profiles.get(name)?.clone(),
        None => Profile::plain("", arguments.spec()?.skill()?),
    };
    let occasion =
        arguments.seed.map(|seed| Occasion { seed, game: arguments.game, ply: arguments.ply });
    let part = occasion.map(|occasion| profile.part_at(occasion));
    let mut answer = match &arguments.values {
        Some(text) => ChoiceReport::to_values(text, &profile, part)?,
        None => {
            let fen = arguments.fen.as_deref().unwrap_or(STARTING_FEN);
            let mut engine = arguments.engine.engine(config.network(), config)?;
            ChoiceReport::to_position(Position::from_fen(fen, false)?, &mut engine, &profile, part)?
        }
    };
    answer.chosen = occasion.and_then(|occasion| player::draw(&answer.distribution, occasion));
    if arguments.json {
        answer.write_json(&profile, out)?;
    } else {
        answer.write_table(&profile, out)?;
    }
    Ok(if answer.names.is_empty() { CommandOutcome::Negative } else { CommandOutcome::Done })
}

impl Arguments {
    /// The player of these words.
    fn spec(&self) -> anyhow::Result<PlayerSpec> {
        let mut spec = PlayerSpec::default();
        for (field, value) in [
            ("elo", &self.elo),
            ("curve", &self.curve),
            ("competence", &self.competence),
            ("sensitivity", &self.sensitivity),
            ("consistency", &self.consistency),
            ("kappa", &self.kappa),
            ("rating", &self.rating),
            ("depth", &self.depth),
            ("depth-weights", &self.depth_weights),
        ] {
            if let Some(value) = value {
                spec.set(field, value)?;
            }
        }
        Ok(spec)
    }
}
