//! How likely a player is to choose each move, as a table and as JSON.

use serde::Serialize;
use serde_json::{Map, Value as Json, json};

use super::document::{Document, Table};
use crate::board::Phase;
use crate::endgame::Material;
use crate::player::{EloScale, Profile, Skill};
use crate::selector::Distribution;
use crate::value::plies;

/// A player's choices. Moves are in the order given on the command line, or otherwise best first.
pub struct ChoiceReport {
    /// `checkmate` or `stalemate`, if there is no legal move.
    pub ending: Option<&'static str>,
    /// The position. `None` if the scores were given on the command line.
    pub fen: Option<String>,
    pub moves: Vec<ChoiceMove>,
    pub distribution: Distribution,
    /// The player's skill in this phase of the game. `None` for a mix unless one component was
    /// picked.
    pub skill: Option<Skill>,
    /// Whether the scores come from a search. Otherwise, the skill's search limits had no effect.
    pub is_searched: bool,
    /// The player's rating in this phase of the game minus the overall rating, if they differ.
    pub phase: Option<(Phase, f64)>,
    pub chosen: Option<usize>,
    /// Whether the player plays the best move instead, because the opponent has only a king.
    pub mates_bare_king: bool,
    /// The tablebase that the player uses instead of evaluations, if there is one.
    pub tables: Option<Material>,
}

#[derive(Default, Serialize)]
pub struct ChoiceMove {
    #[serde(rename = "move")]
    pub name: String,
    /// The move in standard notation, if there is a position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub san: Option<String>,
    /// The evaluation of the move, in pawns.
    pub value: f64,
    /// For human curves, the probabilities from the evaluations alone and from the policy alone.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_values: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub policy: Option<f64>,
    /// The number of games in which the player chose this move, if the profile includes this
    /// opening position.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub games: Option<u64>,
    pub probability: f64,
}

#[derive(Serialize)]
pub struct ChoiceLine<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    fen: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<&'static str>,
    curve: String,
    parameters: Map<String, Json>,
    moves: &'a [ChoiceMove],
    chosen: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    tables: Option<String>,
}

impl ChoiceReport {
    /// The choices as a line of JSON.
    pub fn line(&self, profile: &Profile) -> ChoiceLine<'_> {
        let (curve, parameters) = self.describe(profile);
        let chosen = self.chosen.map(|j| self.moves[j].name.as_str());
        let tables = self.tables.map(|material| material.to_string());
        let fen = self.fen.as_deref();
        let ending = self.ending;
        ChoiceLine { fen, ending, curve, parameters, moves: &self.moves, chosen, tables }
    }

    /// The choices as a table of the moves, with a few sentences. There must be a legal move.
    pub fn document(&self, profile: &Profile) -> Document {
        let mut document = Document::default();
        document.paragraph(self.player(profile));
        if let Some((phase, elo)) = self.phase {
            let side = if elo > 0.0 { "above" } else { "below" };
            document.paragraph(format!(
                "In the {phase}, this player's rating is {:.0} points {side} the overall rating.",
                elo.abs()
            ));
        }
        document.table(self.table());
        if let (Some(skill), Some(_)) = (&self.skill, self.node_limit()) {
            document.paragraph(format!(
                "The scores come from an evaluation of all moves at {}. The player's own search may disagree.",
                plies(skill.depth)
            ));
        }
        let pawns: Vec<f64> = self.moves.iter().map(|m| m.value).collect();
        let (mean, entropy) = (self.distribution.expected(&pawns), self.distribution.entropy());
        document.paragraph(format!("Mean score {mean:+.3} pawns, entropy {entropy:.3} bits."));
        if let Some(material) = self.tables {
            document.paragraph(format!(
                "These probabilities are based on scores. In a game, the player uses the {material} table."
            ));
        }
        if self.mates_bare_king {
            document.paragraph("In a game, the player plays the best move against a bare king.");
        }
        if let Some(j) = self.chosen {
            let (rank, surprise) = (self.distribution.rank(j), self.distribution.surprise(j));
            let ChoiceMove { name, probability, .. } = &self.moves[j];
            document.paragraph(format!(
                "Chosen: {name}, rank {rank}, probability {probability:.6}, surprise {surprise:.3} \
                 bits."
            ));
        }
        document
    }

    /// The number of nodes that the player searches, if it plays the best move of a search.
    fn node_limit(&self) -> Option<u64> {
        self.skill.as_ref()?.nodes.filter(|_| self.is_searched)
    }

    /// The player in one line, such as `levelled, competence 7, kappa 1, depth 12`.
    fn player(&self, profile: &Profile) -> String {
        if let Some(nodes) = self.node_limit() {
            return format!("The best move of a search of {nodes} nodes.");
        }
        let (curve, parameters) = self.describe(profile);
        let parameters = parameters.iter().map(|(name, value)| match value {
            Json::String(words) => format!(", {name} {words}"),
            Json::Number(n) if n.is_f64() => {
                format!(", {name} {}", five_digits(n.as_f64().unwrap_or_default()))
            }
            other => format!(", {name} {other}"),
        });
        format!("{curve}{}", parameters.collect::<String>())
    }

    fn table(&self) -> Table {
        let [has_policy, has_games] = [
            self.moves.iter().any(|found| found.policy.is_some()),
            self.moves.iter().any(|found| found.games.is_some()),
        ];
        let columns = [
            ("move", true),
            ("score", true),
            ("by score", has_policy),
            ("by policy", has_policy),
            ("games", has_games),
            ("probability", true),
        ];
        let shown = columns.iter().filter(|(_, is_shown)| *is_shown).map(|(header, _)| *header);
        let mut table = Table::of_numbers(shown);
        for ChoiceMove { name, value, by_values, policy, games, probability, .. } in &self.moves {
            let shares =
                [*by_values, *policy].map(|share| share.map(|share| format!("{share:.6}")));
            let cells =
                [Some(name.clone()), Some(format!("{value:+.2}"))].into_iter().chain(shares);
            let games = games.map(|games| games.to_string());
            let cells = cells.chain([games, Some(format!("{probability:.6}"))]);
            table.row(cells.flatten());
        }
        table
    }

    /// The name and parameters of the curve. A composite profile is called a mix unless one
    /// component was picked.
    fn describe(&self, profile: &Profile) -> (String, Map<String, Json>) {
        let mut parameters = Map::new();
        if !profile.name.is_empty() {
            parameters.insert("profile".to_owned(), json!(profile.name));
        }
        let Some(skill) = &self.skill else { return ("mix".to_owned(), parameters) };
        let curve = skill.selector.curve;
        for (name, value) in curve.parameters() {
            // JSON cannot represent infinite numbers.
            let written = if value.is_finite() { json!(value) } else { json!(value.to_string()) };
            parameters.insert(name.to_owned(), written);
        }
        // The rating of a human curve is on the curve's own scale.
        if let Some(stated) = profile.rating
            && stated.scale != EloScale::of(curve.family())
        {
            parameters.insert("level".to_owned(), json!(stated.to_string()));
        }
        if let Some(style) = skill.style {
            parameters.insert("style".to_owned(), json!(style.name().to_lowercase()));
        }
        if let Some(nodes) = self.node_limit() {
            parameters.insert("nodes".to_owned(), json!(nodes));
        }
        if self.is_searched {
            parameters.insert("depth".to_owned(), json!(skill.depth));
        }
        if let Some(weights) = skill.selector.weights.rounded() {
            parameters.insert("depth_weights".to_owned(), json!(weights));
        }
        (curve.family().to_string(), parameters)
    }
}

/// Rounds a number to five significant digits, for readability.
fn five_digits(number: f64) -> f64 {
    format!("{number:.4e}").parse().unwrap_or(number)
}
