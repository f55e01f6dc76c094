//! `choose`: how likely a player is to choose each move, and the move that he draws.

mod answer;
mod words;

use std::io::Write;

use anyhow::Context as _;
use clap::Args;

use self::answer::Answer;
use super::Outcome;
use super::engine::EngineArguments;
use crate::board::{Position, STARTING_FEN};
use crate::config::Config;
use crate::math::streams::Occasion;
use crate::player::{self, Engine, Profile, Skill, USUAL_RATING, usual_depth};
use crate::selector::{Competence, Curve, DepthWeights, Family, Selector};
use crate::value::{Depth, MAX_PLY};

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
    #[arg(long, conflicts_with_all = ["curve", "competence", "sensitivity", "consistency", "kappa", "rating", "depth", "depth_weights"])]
    profile: Option<String>,

    /// haworth, levelled, regan, ipa, ipb, secha, sechb, Regan's also with -share; human,
    /// human-rapid, human-blitz, human-bullet
    #[arg(long, default_value = "levelled")]
    curve: String,

    /// c of haworth and levelled: any number, inf or -inf [default: 7]; of human [default: 1]
    #[arg(long, allow_hyphen_values = true)]
    competence: Option<String>,

    /// s of Regan's curves [default: 0.1]
    #[arg(long, allow_hyphen_values = true)]
    sensitivity: Option<f64>,

    /// c of Regan's curves [default: 0.5]
    #[arg(long, allow_hyphen_values = true)]
    consistency: Option<String>,

    /// κ of haworth and levelled [default: 1]
    #[arg(long, allow_hyphen_values = true)]
    kappa: Option<f64>,

    /// Of the people whose curve it is, for human and its like [default: 1500]
    #[arg(long, value_name = "ELO", value_parser = clap::value_parser!(u16).range(1..=4000))]
    rating: Option<u16>,

    /// p: plies to look ahead [default: 12]
    #[arg(long, value_parser = clap::value_parser!(u8).range(1..MAX_PLY as i64))]
    depth: Option<Depth>,

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

pub fn run(arguments: &Arguments, config: &Config, out: &mut dyn Write) -> anyhow::Result<Outcome> {
    let profile = match &arguments.profile {
        Some(name) => config.profiles.get(name)?.clone(),
        None => Profile::plain("", arguments.skill()?),
    };
    let occasion =
        arguments.seed.map(|seed| Occasion { seed, game: arguments.game, ply: arguments.ply });
    let part = occasion.map(|occasion| profile.part_at(occasion));
    let mut answer = match &arguments.values {
        Some(text) => Answer::to_values(text, &profile, part)?,
        None => {
            let fen = arguments.fen.as_deref().unwrap_or(STARTING_FEN);
            let mut engine = match arguments.engine.start()? {
                Some(analyst) => Engine::External(Box::new(analyst)),
                None => own_engine(config)?,
            };
            Answer::to_position(Position::from_fen(fen, false)?, &mut engine, &profile, part)?
        }
    };
    answer.chosen = occasion.and_then(|occasion| player::draw(&answer.distribution, occasion));
    if arguments.json {
        answer.write_json(&profile, part, out)?;
    } else {
        answer.write_table(&profile, part, out)?;
    }
    Ok(if answer.names.is_empty() { Outcome::Negative } else { Outcome::Done })
}

impl Arguments {
    fn skill(&self) -> anyhow::Result<Skill> {
        let family: Family = self.curve.parse()?;
        let is_human = family.pool().is_some();
        let given = [
            ("competence", self.competence.is_some()),
            ("kappa", self.kappa.is_some()),
            ("consistency", self.consistency.is_some()),
            ("sensitivity", self.sensitivity.is_some()),
            ("rating", self.rating.is_some()),
            ("depth-weights", self.depth_weights.is_some() && is_human),
        ];
        let own = family.numbers();
        if let Some((name, _)) = given.iter().find(|(name, given)| *given && !own.contains(name)) {
            anyhow::bail!("--{name} does not belong to the curve \"{family}\"; remove it");
        }
        let (exponent, scale) = match family.is_power_law() {
            _ if is_human => (
                self.competence.as_deref().unwrap_or("1"),
                self.rating.map_or(USUAL_RATING, f64::from),
            ),
            true => (self.competence.as_deref().unwrap_or("7"), self.kappa.unwrap_or(1.0)),
            false => {
                (self.consistency.as_deref().unwrap_or("0.5"), self.sensitivity.unwrap_or(0.1))
            }
        };
        let exponent: Competence = exponent.parse()?;
        let weights = match &self.depth_weights {
            Some(text) => DepthWeights::parse(text).context("--depth-weights")?,
            None => DepthWeights::deepest(),
        };
        let selector = Selector { curve: Curve::new(family, exponent, scale)?, weights };
        Ok(Skill { selector, depth: self.depth.unwrap_or_else(|| usual_depth(family)) })
    }
}

fn own_engine(config: &Config) -> anyhow::Result<Engine> {
    let mut engine = Engine::new(config.settings.network(), 1)?;
    engine.set_hash(usize::try_from(config.settings.hash)?)?;
    Ok(engine)
}
