//! The tables of a tournament from the gains of its players (Ferreira, "The Impact of Search Depth on
//! Chess Playing Strength", section 4).

use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::analyser::{Gains, StudyReport, TournamentStrength, strengths};

/// A player with what is needed of him.
#[derive(Clone, Debug)]
pub struct TournamentPlayer {
    name: String,
    rating: Option<f64>,
    gains: Gains,
}

/// The tables of all players.
#[derive(Clone, Debug)]
pub struct TournamentTables {
    /// With what came of each, those with the best scores first.
    players: Vec<(TournamentPlayer, TournamentStrength)>,
    /// The engine's rating from those of the players, and half of its 95 % interval.
    engine: Option<(f64, f64)>,
}

impl TournamentPlayer {
    pub fn new(report: &StudyReport) -> TournamentPlayer {
        let (name, gains) = (report.name.clone(), report.gains.clone());
        TournamentPlayer { name, rating: report.known_rating, gains }
    }
}

impl TournamentTables {
    pub fn new(entrants: Vec<TournamentPlayer>) -> TournamentTables {
        let given: Vec<(Option<f64>, &Gains)> =
            entrants.iter().map(|entrant| (entrant.rating, &entrant.gains)).collect();
        let (engine, found) = strengths(&given);
        let mut players: Vec<(TournamentPlayer, TournamentStrength)> =
            entrants.into_iter().zip(found).collect();
        players.sort_by(|a, b| b.1.score.total_cmp(&a.1.score).then(a.0.name.cmp(&b.0.name)));
        TournamentTables { players, engine }
    }

    /// Names and rows of the table of performances.
    pub fn rows(&self) -> Vec<Vec<String>> {
        let known = |number: Option<f64>| number.filter(|number| number.is_finite());
        let or_nothing = |text: Option<String>| text.unwrap_or("-".to_owned());
        let whole = |number| or_nothing(known(number).map(|x| format!("{x:.0}")));
        let row = |(entrant, strength): &(TournamentPlayer, TournamentStrength)| {
            vec![
                entrant.name.clone(),
                entrant.gains.moves().to_string(),
                whole(entrant.rating),
                format!("{:.4}", strength.score),
                or_nothing(known(Some(strength.difference)).map(|x| format!("{x:+.1}"))),
                whole(strength.performance),
            ]
        };
        self.players.iter().map(row).collect()
    }

    /// What the engine is worth by this tournament.
    pub fn engine(&self) -> Option<String> {
        let (rating, reach) = self.engine.filter(|(rating, _)| rating.is_finite())?;
        let reach = if reach.is_finite() { format!(" ± {reach:.0}") } else { String::new() };
        Some(format!(
            "By the ratings of the players the engine is worth {rating:.0}{reach} (95 %)."
        ))
    }

    /// The expected score of the player of the row against that of the column.
    fn score(&self, row: usize, column: usize) -> f64 {
        self.players[row].0.gains.score_against(&self.players[column].0.gains)
    }

    /// Expected scores in percent, everybody against everybody.
    pub fn crosses(&self) -> Vec<(String, Vec<(String, f64)>)> {
        let cell = |row: usize, column: usize| match row == column {
            true => (String::new(), 0.0),
            false => {
                let score = self.score(row, column);
                (format!("{:.1}", 100.0 * score), 2.0 * score - 1.0)
            }
        };
        let cells = |row: usize| (0..self.players.len()).map(|column| cell(row, column)).collect();
        let name = |row: usize| format!("{} {}", row + 1, self.players[row].0.name);
        (0..self.players.len()).map(|row| (name(row), cells(row))).collect()
    }

    pub fn text(&self) -> String {
        let mut text = String::from("Performances by the gains of the moves\n");
        let width = self.players.iter().map(|(p, _)| p.name.chars().count()).max().unwrap_or(0);
        let width = width.max(6);
        let heads = TOURNAMENT_HEADS.map(str::to_owned).to_vec();
        for row in std::iter::once(heads).chain(self.rows()) {
            let _ = writeln!(
                text,
                "{:<width$} {:>6} {:>7} {:>7} {:>8} {:>12}",
                row[0], row[1], row[2], row[3], row[4], row[5]
            );
        }
        text.extend(self.engine().map(|line| line + "\n"));
        text += "\nExpected scores in percent, row against column\n";
        for (name, cells) in self.crosses() {
            let cells: String = cells.iter().map(|(cell, _)| format!(" {cell:>5}")).collect();
            let _ = writeln!(text, "{name:<0$}{cells}", width + 4);
        }
        text
    }

    /// What is infinite becomes null.
    pub fn json(&self) -> Json {
        let player =
            |(row, (entrant, strength)): (usize, &(TournamentPlayer, TournamentStrength))| {
                let against = (0..self.players.len()).filter(|&column| column != row);
                let scores: serde_json::Map<String, Json> = against
                    .map(|column| {
                        (self.players[column].0.name.clone(), json!(self.score(row, column)))
                    })
                    .collect();
                json!({
                    "name": entrant.name,
                    "moves": entrant.gains.moves(),
                    "rating": entrant.rating,
                    "score_against_engine": strength.score,
                    "difference": strength.difference,
                    "performance": strength.performance,
                    "scores": scores,
                })
            };
        let engine =
            self.engine.map(|(rating, reach)| json!({"rating": rating, "interval_95": reach}));
        let players: Vec<Json> = self.players.iter().enumerate().map(player).collect();
        json!({"tournament": {"players": players, "engine": engine}})
    }
}

/// Over the columns of [`TournamentTables::rows`].
pub const TOURNAMENT_HEADS: [&str; 6] =
    ["player", "moves", "rating", "score", "Elo", "performance"];
