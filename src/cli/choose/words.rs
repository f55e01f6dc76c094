//! What a player would do, with values that are given or found: as a table or as a line of JSON.

use std::io::{self, Write};

use anyhow::Context as _;
use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use crate::board::{Game, Position};
use crate::cli::engine;
use crate::endgame::Material;
use crate::evaluation::RootEvaluation;
use crate::math::exact::exp;
use crate::player::{self, EndgameRule, Engine, Profile, Skill, is_made_unasked};
use crate::search::{Controls, EvaluationRequest, Silent};
use crate::selector::{Distribution, Values};

#[derive(Serialize)]
struct ChoiceLine<'a> {
    curve: String,
    parameters: Map<String, Json>,
    moves: Vec<ChoiceMove<'a>>,
    chosen: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<String>,
}

#[derive(Serialize)]
struct ChoiceMove<'a> {
    #[serde(rename = "move")]
    name: &'a str,
    value: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    by_values: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    policy: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    games: Option<u64>,
    probability: f64,
}

impl ChoiceReport {
    pub fn write_json(&self, who: &Profile, out: &mut dyn Write) -> io::Result<()> {
        let moves = (0..self.names.len()).map(|j| ChoiceMove {
            name: &self.names[j],
            value: self.pawns[j],
            by_values: self.reasons.as_ref().map(|reasons| reasons[j][0]),
            policy: self.reasons.as_ref().map(|reasons| reasons[j][1]),
            games: self.games.as_ref().map(|games| games[j]),
            probability: self.distribution.probability(j),
        });
        let (curve, parameters) = self.describe(who);
        let chosen = self.chosen.map(|j| self.names[j].as_str());
        let tables = self.tables.map(|material| material.to_string());
        let line = ChoiceLine { curve, parameters, moves: moves.collect(), chosen, tables };
        serde_json::to_writer(&mut *out, &line)?;
        writeln!(out)
    }

    pub fn write_table(&self, who: &Profile, out: &mut dyn Write) -> io::Result<()> {
        if self.names.is_empty() {
            return writeln!(out, "there is no legal move to choose");
        }
        let (curve, parameters) = self.describe(who);
        write!(out, "{curve}")?;
        for (name, value) in &parameters {
            let words = value.as_str().map_or(value.to_string(), str::to_owned);
            write!(out, "  {name} {words}")?;
        }
        write!(out, "\n\n{:<8}{:>9}", "move", "value")?;
        if self.reasons.is_some() {
            write!(out, "{:>13}{:>13}", "by values", "by policy")?;
        }
        if self.games.is_some() {
            write!(out, "{:>8}", "games")?;
        }
        writeln!(out, "{:>13}", "probability")?;
        for (j, name) in self.names.iter().enumerate() {
            let mark = if self.chosen == Some(j) { "  <" } else { "" };
            let probability = self.distribution.probability(j);
            write!(out, "{name:<8}{:>+9.2}", self.pawns[j])?;
            if let Some([by_values, policy]) = self.reasons.as_ref().map(|reasons| reasons[j]) {
                write!(out, "{by_values:>13.6}{policy:>13.6}")?;
            }
            if let Some(games) = &self.games {
                write!(out, "{:>8}", games[j])?;
            }
            writeln!(out, "{probability:>13.6}{mark}")?;
        }
        let entropy = self.distribution.entropy();
        let expected = self.distribution.expected(&self.pawns);
        writeln!(out, "\nexpected value {expected:+.3}, entropy {entropy:.3} bits")?;
        if let Some(material) = self.tables {
            writeln!(
                out,
                "this is by values alone: with tables of {material} at hand he goes by their depths"
            )?;
        }
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

    /// The curve's name and its parameters; a composite profile of which no part was drawn is a mix.
    fn describe(&self, who: &Profile) -> (String, Map<String, Json>) {
        let mut parameters = Map::new();
        if !who.name.is_empty() {
            parameters.insert("profile".to_owned(), json!(who.name));
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

/// The answer, in the order in which the moves were given or best first.
#[derive(Debug)]
pub struct ChoiceReport {
    pub names: Vec<String>,
    pub pawns: Vec<f64>,
    pub distribution: Distribution,
    /// Whoever chooses so, as the position's phase has it; `None` of a mix.
    skill: Option<Skill>,
    /// In how many games each move was chosen, where the profile knows the opening.
    games: Option<Vec<u64>>,
    /// For curves about people: what the values alone would make of each move, and what the
    /// policy says.
    pub reasons: Option<Vec<[f64; 2]>>,
    pub chosen: Option<usize>,
    /// Where small tables are at hand, the player goes by these and not by values.
    pub tables: Option<Material>,
}

impl ChoiceReport {
    /// The moves are called 1, 2, ... in the order given.
    pub fn to_values(
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
        let skill = alone(profile, part).map(|part| profile.parts()[part].1.clone());
        let (games, reasons) = (None, None);
        let (chosen, tables) = (None, None);
        Ok(ChoiceReport { names, pawns, distribution, skill, games, reasons, chosen, tables })
    }

    pub fn to_position(
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
        let evaluation = engine.evaluate(&game, &request, &Controls::new(), &mut Silent);
        engine::check(engine)?.map_err(anyhow::Error::msg)?;
        let distribution = match part {
            Some(part) => player::distribution(&game, &evaluation, profile, part),
            None => player::expectation(&game, &evaluation, profile),
        };
        let moves = &evaluation.moves;
        let skill = alone(profile, part);
        let skill = skill.map(|part| profile.skill(part, game.position()).into_owned());
        let reasons = skill.as_ref().and_then(|skill| reasons(&game, &evaluation, skill));
        let games = profile.repertoire.games(game.position(), moves.iter().map(|m| m.mv));
        Ok(ChoiceReport {
            names: moves.iter().map(|m| game.position().uci(m.mv)).collect(),
            pawns: moves.iter().map(|m| m.value().pawns()).collect(),
            distribution,
            skill,
            games,
            reasons,
            chosen: None,
            tables: (is_known && profile.endgame != EndgameRule::Blind).then_some(material),
        })
    }
}

/// The part of a profile that chooses, where it is one.
fn alone(profile: &Profile, part: Option<usize>) -> Option<usize> {
    if profile.parts().len() == 1 { Some(0) } else { part }
}

/// What the values alone would make of each move, and the policy.
fn reasons(game: &Game, evaluation: &RootEvaluation, skill: &Skill) -> Option<Vec<[f64; 2]>> {
    let (selector, curve) = (&skill.selector, &skill.selector.curve);
    let ratings = [curve.scale()];
    let seen = player::seen(game, evaluation, skill.depth, curve.family(), &ratings);
    let policy = seen.ln_shares(curve.scale())?;
    let by_values = selector.distribution(&Values::of(evaluation, skill.depth));
    let pair = |(&value, ln_share): (&f64, &f64)| [value, exp(*ln_share)];
    Some(by_values.probabilities().iter().zip(&policy).map(pair).collect())
}
