//! `choose`: shows the probability that a player chooses each move, and draws a move. Evaluations
//! are given or computed. The output is a table or a line of JSON.

use std::io::{self, Write};

use anyhow::Context as _;
use clap::Args;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::engine;
use super::engine::EngineArguments;
use super::likely_moves::{self, RatingsArguments};
use super::outcome::{CommandOutcome, CommandResult};
use super::output::five_digits;
use crate::board::{Game, Position, STARTING_FEN};
use crate::config::Settings;
use crate::endgame::Material;
use crate::evaluation::RootEvaluation;
use crate::math::exact::exp;
use crate::math::streams::Occasion;
use crate::player::{self, EndgameRule, Engine, PlayerSpec, Profile, Skill, is_made_unasked};
use crate::search::{Controls, EvaluationRequest, NoObserver};
use crate::selector::{Distribution, Values};

const EXAMPLES: &str = "\
Examples:
  stopdown choose --values 0.5,0.2,-1.0 --curve haworth --competence 7
  stopdown choose --values \"0.9,0.1;-3,0.2\" --depth-weights 0.7,0.3   (values at depths 1 and 2)
  stopdown choose --fen \"8/8/8/4k3/8/8/4P3/4K3 w - - 0 1\" --profile club --seed 7
  stopdown choose --curve regan --sensitivity 0.1 --consistency 0.5 --depth 8 --json
  stopdown choose --curve human --rating 1400
  stopdown choose --ratings 1000,1400,1800,2200 --plot moves.svg
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
    by_rating: RatingsArguments,

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

pub fn run(arguments: &Arguments, config: &Settings, out: &mut dyn Write) -> CommandResult {
    if arguments.by_rating.is_given() {
        let request = likely_moves::Request {
            fen: arguments.fen.as_deref(),
            depth: arguments.depth.as_deref(),
            json: arguments.json,
            engine: &arguments.engine,
        };
        return arguments.by_rating.run(&request, config, out);
    }
    let profile = match &arguments.profile {
        Some(name) => config.profiles.get(name)?.clone(),
        None => Profile::plain("", arguments.spec()?.skill()?),
    };
    let occasion =
        arguments.seed.map(|seed| Occasion { seed, game: arguments.game, ply: arguments.ply });
    let part = occasion.map(|occasion| profile.part_at(occasion));
    let mut report = match &arguments.values {
        Some(text) => ChoiceReport::from_values(text, &profile, part)?,
        None => {
            let fen = arguments.fen.as_deref().unwrap_or(STARTING_FEN);
            let mut engine = arguments.engine.engine(config.network(), config)?;
            ChoiceReport::for_position(
                Position::from_fen(fen, false)?,
                &mut engine,
                &profile,
                part,
            )?
        }
    };
    report.chosen = occasion.and_then(|occasion| player::draw(&report.distribution, occasion));
    match arguments.json {
        true => report.write_json(&profile, out)?,
        false => report.write_table(&profile, out)?,
    }
    Ok(if report.moves.is_empty() { CommandOutcome::Negative } else { CommandOutcome::Done })
}

impl Arguments {
    /// The player that the arguments describe.
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

/// The choices of a player. Moves are in the order given, or best first.
struct ChoiceReport {
    moves: Vec<ChoiceMove>,
    distribution: Distribution,
    /// The player in this phase of the game. `None` for a mix.
    skill: Option<Skill>,
    chosen: Option<usize>,
    /// The tablebase that the player uses instead of evaluations, if there is one.
    tables: Option<Material>,
}

#[derive(Default, Serialize)]
struct ChoiceMove {
    #[serde(rename = "move")]
    name: String,
    /// In pawns.
    value: f64,
    /// For human curves: the probabilities from the evaluations alone and from the policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    by_values: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<f64>,
    /// The number of games in which the move was chosen, if the profile knows this opening
    /// position.
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    probability: f64,
}

#[derive(Serialize)]
struct ChoiceLine<'a> {
    curve: String,
    parameters: Map<String, Json>,
    moves: &'a [ChoiceMove],
    chosen: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<String>,
}

impl ChoiceReport {
    /// Choices between given evaluations. Moves are called 1, 2, ... in the order given.
    fn from_values(
        text: &str,
        profile: &Profile,
        part: Option<usize>,
    ) -> anyhow::Result<ChoiceReport> {
        let number = |word: &str| {
            let word = word.trim();
            word.parse::<f64>().with_context(|| {
                format!("--values: \"{word}\" is not a value in pawns (write 0.5,0.2,-1.0)")
            })
        };
        let rows = text.split(';').map(|row| row.split(',').map(number).collect());
        let rows: Vec<Vec<f64>> = rows.collect::<anyhow::Result<_>>()?;
        let values = Values::by_depth(&rows).context("--values")?;
        let of_part = |part: usize| profile.parts()[part].1.selector.distribution(&values);
        let distribution = match part {
            Some(part) => of_part(part),
            None => {
                let parts = profile.parts().iter().enumerate();
                let parts: Vec<_> = parts.map(|(i, (weight, _))| (*weight, of_part(i))).collect();
                Distribution::mixture(&parts)
            }
        };
        let moves = values.deepest().iter().enumerate().map(|(j, &value)| ChoiceMove {
            name: (j + 1).to_string(),
            value,
            probability: distribution.probability(j),
            ..ChoiceMove::default()
        });
        let moves = moves.collect();
        let skill = single_component(profile, part).map(|part| profile.parts()[part].1.clone());
        Ok(ChoiceReport { moves, distribution, skill, chosen: None, tables: None })
    }

    fn for_position(
        position: Position,
        engine: &mut Engine,
        profile: &Profile,
        part: Option<usize>,
    ) -> anyhow::Result<ChoiceReport> {
        let (material, _) = Material::of(&position);
        let is_known = is_made_unasked(material) && position.castling_rooks().is_empty();
        let game = Game::new(position);
        let depth = part.map_or(profile.depth(), |part| profile.parts()[part].1.depth);
        let request = EvaluationRequest::depth(depth);
        let evaluation = engine.evaluate(&game, &request, &Controls::new(), &mut NoObserver);
        engine::check(engine)?.map_err(anyhow::Error::msg)?;
        let distribution = match part {
            Some(part) => player::distribution(&game, &evaluation, profile, part),
            None => player::expectation(&game, &evaluation, profile),
        };
        let skill = single_component(profile, part)
            .map(|part| profile.skill(part, game.position()).into_owned());
        let pairs =
            skill.as_ref().and_then(|skill| separate_probabilities(&game, &evaluation, skill));
        let found = evaluation.moves.iter();
        let games = profile.repertoire.games(game.position(), found.clone().map(|m| m.mv));
        let moves = found.enumerate().map(|(j, found)| ChoiceMove {
            name: game.position().uci(found.mv),
            value: found.value().pawns(),
            by_values: pairs.as_ref().map(|pairs| pairs[j][0]),
            policy: pairs.as_ref().map(|pairs| pairs[j][1]),
            games: games.as_ref().map(|games| games[j]),
            probability: distribution.probability(j),
        });
        let moves = moves.collect();
        let tables = (is_known && profile.endgame != EndgameRule::Blind).then_some(material);
        Ok(ChoiceReport { moves, distribution, skill, chosen: None, tables })
    }

    fn write_json(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let (curve, parameters) = self.describe(profile);
        let chosen = self.chosen.map(|j| self.moves[j].name.as_str());
        let tables = self.tables.map(|material| material.to_string());
        let line = ChoiceLine { curve, parameters, moves: &self.moves, chosen, tables };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)
    }

    fn write_table(&self, profile: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let Some(first) = self.moves.first() else {
            return writeln!(out, "there is no legal move to choose");
        };
        let (curve, parameters) = self.describe(profile);
        write!(out, "{curve}")?;
        for (name, value) in &parameters {
            let words = match value {
                Json::String(words) => words.clone(),
                Json::Number(n) if n.is_f64() => json!(n.as_f64().map(five_digits)).to_string(),
                other => other.to_string(),
            };
            write!(out, "  {name} {words}")?;
        }
        write!(out, "\n\n{:<8}{:>9}", "move", "value")?;
        if first.policy.is_some() {
            write!(out, "{:>13}{:>13}", "by values", "by policy")?;
        }
        if first.games.is_some() {
            write!(out, "{:>8}", "games")?;
        }
        writeln!(out, "{:>13}", "probability")?;
        for (j, ChoiceMove { name, value, by_values, policy, games, probability }) in
            self.moves.iter().enumerate()
        {
            write!(out, "{name:<8}{value:>+9.2}")?;
            if let Some((by_values, policy)) = by_values.zip(*policy) {
                write!(out, "{by_values:>13.6}{policy:>13.6}")?;
            }
            if let Some(games) = games {
                write!(out, "{games:>8}")?;
            }
            let mark = if self.chosen == Some(j) { "  <" } else { "" };
            writeln!(out, "{probability:>13.6}{mark}")?;
        }
        let pawns: Vec<f64> = self.moves.iter().map(|m| m.value).collect();
        let (expected, entropy) = (self.distribution.expected(&pawns), self.distribution.entropy());
        writeln!(out, "\nexpected value {expected:+.3}, entropy {entropy:.3} bits")?;
        if let Some(material) = self.tables {
            writeln!(
                out,
                "this is by values alone: with tables of {material} at hand he goes by their depths"
            )?;
        }
        if let Some(j) = self.chosen {
            let (rank, surprise) = (self.distribution.rank(j), self.distribution.surprise(j));
            let ChoiceMove { name, probability, .. } = &self.moves[j];
            writeln!(
                out,
                "chosen {name}: rank {rank}, probability {probability:.6}, surprise {surprise:.3} bits"
            )?;
        }
        Ok(())
    }

    /// The name and parameters of the curve. A composite profile is called a mix unless one
    /// component was drawn.
    fn describe(&self, profile: &Profile) -> (String, Map<String, Json>) {
        let mut parameters = Map::new();
        if !profile.name.is_empty() {
            parameters.insert("profile".to_owned(), json!(profile.name));
        }
        let Some(skill) = &self.skill else { return ("mix".to_owned(), parameters) };
        let curve = skill.selector.curve;
        for (name, value) in curve.parameters() {
            // JSON has no infinities.
            let written = if value.is_finite() { json!(value) } else { json!(value.to_string()) };
            parameters.insert(name.to_owned(), written);
        }
        parameters.insert("depth".to_owned(), json!(skill.depth));
        if let Some(weights) = skill.selector.weights.rounded() {
            parameters.insert("depth_weights".to_owned(), json!(weights));
        }
        (curve.family().to_string(), parameters)
    }
}

/// The component of the profile that chooses, if there is only one or one was drawn.
fn single_component(profile: &Profile, part: Option<usize>) -> Option<usize> {
    if profile.parts().len() == 1 { Some(0) } else { part }
}

/// The probabilities of each move from the evaluations alone and from the policy.
fn separate_probabilities(
    game: &Game,
    evaluation: &RootEvaluation,
    skill: &Skill,
) -> Option<Vec<[f64; 2]>> {
    let (selector, curve) = (&skill.selector, &skill.selector.curve);
    let ratings = [curve.scale()];
    let seen = player::seen(game, evaluation, skill.depth, curve.family(), &ratings);
    let policy = seen.ln_shares(curve.scale())?;
    let by_values = selector.distribution(&Values::of(evaluation, skill.depth));
    let pair = |(&value, ln_share): (&f64, &f64)| [value, exp(*ln_share)];
    Some(by_values.probabilities().iter().zip(&policy).map(pair).collect())
}
