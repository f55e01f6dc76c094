//! `choose`: how likely a player is to choose each move, and the move that he draws.

use std::io::{self, Write};

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::Outcome;
use super::engine::{self, EngineArguments};
use crate::board::{Game, Position, STARTING_FEN};
use crate::config::Config;
use crate::evaluation::RootEvaluation;
use crate::math::exact::exp;
use crate::math::streams::Occasion;
use crate::player::{self, Engine, Profile, Purpose, Skill};
use crate::search::{Controls, EvaluationRequest, Silent};
use crate::selector::human::Human;
use crate::selector::{Competence, Curve, DepthWeights, Distribution, Family, Selector, Values};
use crate::value::{Depth, MAX_PLY};

const EXAMPLES: &str = "\
Examples:
  stopdown choose --values 0.5,0.2,-1.0 --curve haworth --competence 7
  stopdown choose --values \"0.9,0.1;-3,0.2\" --depth-weights 0.7,0.3   (values at depths 1 and 2)
  stopdown choose --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --profile club --seed 7
  stopdown choose --curve regan --sensitivity 0.1 --consistency 0.5 --depth 8 --json
  stopdown choose --curve human --rating 1400
  stopdown choose --engine stockfish --competence 12 --depth 10";

/// Show how likely a player is to choose each move, and draw one
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

    /// p: plies to look ahead [default: 8; human 12]
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

const USUAL_DEPTH: Depth = 8;

/// The answer, in the order in which the moves were given or best first.
#[derive(Debug)]
struct Answer {
    names: Vec<String>,
    pawns: Vec<f64>,
    distribution: Distribution,
    /// For curves about people: what the values alone would make of each move, and what draws the
    /// eye.
    reasons: Option<Vec<[f64; 2]>>,
    chosen: Option<usize>,
}

#[derive(Serialize)]
struct Line<'a> {
    curve: String,
    parameters: Map<String, Json>,
    moves: Vec<MoveLine<'a>>,
    chosen: Option<&'a str>,
}

#[derive(Serialize)]
struct MoveLine<'a> {
    #[serde(rename = "move")]
    name: &'a str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_values: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    eye: Option<f64>,
    probability: f64,
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
        Some(text) => from_values(text, &profile, part)?,
        None => {
            let fen = arguments.fen.as_deref().unwrap_or(STARTING_FEN);
            let mut engine = match arguments.engine.start()? {
                Some(analyst) => Engine::External(Box::new(analyst)),
                None => own_engine(config)?,
            };
            from_position(Position::from_fen(fen, false)?, &mut engine, &profile, part)?
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
            _ if is_human => {
                (self.competence.as_deref().unwrap_or("1"), self.rating.map_or(1500.0, f64::from))
            }
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
        let usual = family.pool().map_or(USUAL_DEPTH, |pool| Human::built_in().depth(pool));
        Ok(Skill { selector, depth: self.depth.unwrap_or(usual) })
    }
}

/// The moves are called 1, 2, ... in the order given.
fn from_values(text: &str, profile: &Profile, part: Option<usize>) -> anyhow::Result<Answer> {
    let number = |word: &str| {
        let word = word.trim();
        word.parse::<f64>().with_context(|| {
            format!("--values: \"{word}\" is not a value in pawns (write 0.5,0.2,-1.0)")
        })
    };
    let rows: anyhow::Result<Vec<Vec<f64>>> =
        text.split(';').map(|row| row.split(',').map(number).collect()).collect();
    let values = Values::by_depth(&rows?).context("--values")?;
    let of_part = |part: usize| profile.parts()[part].1.selector.distribution(&values);
    let distribution = match part {
        Some(part) => of_part(part),
        None => {
            let parts = profile.parts().iter().enumerate();
            let parts: Vec<_> = parts.map(|(i, (weight, _))| (*weight, of_part(i))).collect();
            Distribution::mixture(&parts)
        }
    };
    let names = (1..=values.moves()).map(|j| j.to_string()).collect();
    let pawns = values.deepest().to_vec();
    Ok(Answer { names, pawns, distribution, reasons: None, chosen: None })
}

fn own_engine(config: &Config) -> anyhow::Result<Engine> {
    let mut engine = Engine::new(&config.settings.chosen_evaluation(Purpose::Levels)?, 1)?;
    engine.set_hash(usize::try_from(config.settings.hash)?)?;
    Ok(engine)
}

fn from_position(
    position: Position,
    engine: &mut Engine,
    profile: &Profile,
    part: Option<usize>,
) -> anyhow::Result<Answer> {
    let game = Game::new(position);
    let depth = part.map_or(profile.depth(), |part| profile.parts()[part].1.depth);
    let request = EvaluationRequest::depth(depth);
    let evaluation = engine.evaluate(&game, &request, &Controls::new(), &mut Silent);
    engine::check(engine)?.map_err(anyhow::Error::msg)?;
    let distribution = match part {
        Some(part) => player::distribution(&game, &evaluation, profile, part),
        None => player::expectation(&game, &evaluation, profile),
    };
    let moves = &evaluation.moves;
    let alone = if profile.parts().len() == 1 { Some(0) } else { part };
    let reasons = alone.and_then(|part| reasons(&game, &evaluation, &profile.parts()[part].1));
    Ok(Answer {
        names: moves.iter().map(|m| game.position().uci(m.mv)).collect(),
        pawns: moves.iter().map(|m| m.value().pawns()).collect(),
        distribution,
        reasons,
        chosen: None,
    })
}

/// What the values alone would make of each move, and what draws the eye.
fn reasons(game: &Game, evaluation: &RootEvaluation, skill: &Skill) -> Option<Vec<[f64; 2]>> {
    let (selector, curve) = (&skill.selector, &skill.selector.curve);
    let ratings = [curve.scale()];
    let seen = player::seen(game, evaluation, skill.depth, curve.family(), &ratings);
    let eye = seen.ln_shares(curve.scale())?;
    let by_values = selector.distribution(&Values::of(evaluation, skill.depth));
    let pair = |(&value, ln_share): (&f64, &f64)| [value, exp(*ln_share)];
    Some(by_values.probabilities().iter().zip(&eye).map(pair).collect())
}

impl Answer {
    fn write_json(
        &self,
        who: &Profile,
        part: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        let moves = (0..self.names.len()).map(|j| MoveLine {
            name: &self.names[j],
            value: self.pawns[j],
            by_values: self.reasons.as_ref().map(|reasons| reasons[j][0]),
            eye: self.reasons.as_ref().map(|reasons| reasons[j][1]),
            probability: self.distribution.probability(j),
        });
        let (curve, parameters) = describe(who, part);
        let chosen = self.chosen.map(|j| self.names[j].as_str());
        let line = Line { curve, parameters, moves: moves.collect(), chosen };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)
    }

    fn write_table(
        &self,
        who: &Profile,
        part: Option<usize>,
        out: &mut dyn Write,
    ) -> io::Result<()> {
        if self.names.is_empty() {
            return writeln!(out, "there is no legal move to choose");
        }
        let (curve, parameters) = describe(who, part);
        write!(out, "{curve}")?;
        for (name, value) in &parameters {
            let words = value.as_str().map_or(value.to_string(), str::to_owned);
            write!(out, "  {name} {words}")?;
        }
        write!(out, "\n\n{:<8}{:>9}", "move", "value")?;
        if self.reasons.is_some() {
            write!(out, "{:>13}{:>13}", "by values", "by the eye")?;
        }
        writeln!(out, "{:>13}", "probability")?;
        for (j, name) in self.names.iter().enumerate() {
            let mark = if self.chosen == Some(j) { "  <" } else { "" };
            let probability = self.distribution.probability(j);
            write!(out, "{name:<8}{:>+9.2}", self.pawns[j])?;
            if let Some([by_values, eye]) = self.reasons.as_ref().map(|reasons| reasons[j]) {
                write!(out, "{by_values:>13.6}{eye:>13.6}")?;
            }
            writeln!(out, "{probability:>13.6}{mark}")?;
        }
        let entropy = self.distribution.entropy();
        let expected = self.distribution.expected(&self.pawns);
        writeln!(out, "\nexpected value {expected:+.3}, entropy {entropy:.3} bits")?;
        if let Some(j) = self.chosen {
            let (rank, surprise) = (self.distribution.rank(j), self.distribution.surprise(j));
            let probability = self.distribution.probability(j);
            writeln!(
                out,
                "chosen {}: rank {rank}, probability {probability:.6}, surprise {surprise:.3} bits",
                self.names[j]
            )?;
        }
        Ok(())
    }
}

/// The curve's name and its parameters; a composite profile of which no part was drawn is a mix.
fn describe(who: &Profile, part: Option<usize>) -> (String, Map<String, Json>) {
    let mut parameters = Map::new();
    if !who.name.is_empty() {
        parameters.insert("profile".to_owned(), json!(who.name));
    }
    let part = if who.parts().len() == 1 { Some(0) } else { part };
    let Some((_, skill)) = part.map(|part| &who.parts()[part]) else {
        return ("mix".to_owned(), parameters);
    };
    let curve = skill.selector.curve;
    for (name, value) in curve.parameters() {
        // JSON has no infinities.
        let written = if value.is_finite() { json!(value) } else { json!(value.to_string()) };
        parameters.insert(name.to_owned(), written);
    }
    parameters.insert("depth".to_owned(), json!(skill.depth));
    if let Some(weights) = skill.selector.weights.explicit() {
        // They were made to add up to 1, which leaves a trace in the last digits.
        let weights: Vec<f64> = weights.iter().map(|w| (w * 1e12).round() / 1e12).collect();
        parameters.insert("depth_weights".to_owned(), json!(weights));
    }
    (curve.family().to_string(), parameters)
}
