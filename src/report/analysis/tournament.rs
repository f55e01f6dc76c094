//! The tables of a tournament, based on the gains of the players' moves (Ferreira, "The Impact of
//! Search Depth on Chess Playing Strength", section 4).

use std::collections::BTreeMap;

use serde::Serialize;

use crate::analyser::{Gains, StudyReport, TournamentStrength, strengths};
use crate::report::document::{Cell, Column, Document, Table};
use crate::report::text;

/// A player in the tournament.
#[derive(Clone, Debug)]
pub struct TournamentPlayer {
    name: String,
    rating: Option<f64>,
    gains: Gains,
}

/// The tables of all players.
#[derive(Clone, Debug)]
pub struct TournamentTables {
    /// The players with their results, highest score first.
    players: Vec<(TournamentPlayer, TournamentStrength)>,
    /// The engine's rating, estimated from the players' ratings, and half the width of its 95%
    /// interval.
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

    /// The expected score of the row's player against the column's player.
    fn score(&self, row: usize, column: usize) -> f64 {
        self.players[row].0.gains.score_against(&self.players[column].0.gains)
    }

    pub fn document(&self) -> Document {
        let mut document = Document::default();
        document.heading("Performance ratings");
        document.paragraph(
            "The gain of a move is the change in the score that it causes. From the gains of a player's moves, \
             the table predicts the score against the engine, the rating difference that corresponds to \
             this score, and the player's performance rating in this field (D. Ferreira, The Impact of \
             Search Depth on Chess Playing Strength, section 4).",
        );
        document.table(self.performances());
        if let Some((rating, reach)) = self.engine.filter(|(rating, _)| rating.is_finite()) {
            let interval = match reach.is_finite() {
                true => format!(" ± {reach:.0} (95% interval)"),
                false => String::new(),
            };
            document.paragraph(format!(
                "On the scale of these ratings, the engine is rated {rating:.0}{interval}."
            ));
        }
        document.heading("Expected scores");
        document.paragraph(
            "Each cell is the expected score (%) of the row's player \
             against the column's player.",
        );
        document.table(self.crosstable());
        document
    }

    fn performances(&self) -> Table {
        let headers = ["player", "moves", "rating", "score", "Elo", "performance"];
        let mut table = Table::of_numbers(headers);
        let finite = |number: Option<f64>| number.filter(|number| number.is_finite());
        let or_dash = |text: Option<String>| text.unwrap_or("-".to_owned());
        let whole_number = |number| or_dash(finite(number).map(|x| format!("{x:.0}")));
        for (entrant, strength) in &self.players {
            table.row([
                entrant.name.clone(),
                entrant.gains.moves().to_string(),
                whole_number(entrant.rating),
                format!("{:.4}", strength.score),
                or_dash(finite(Some(strength.difference)).map(|x| format!("{x:+.1}"))),
                whole_number(strength.performance),
            ]);
        }
        table
    }

    fn crosstable(&self) -> Table {
        let count = self.players.len();
        let numbers = (1..=count).map(|number| Column::right(number.to_string()));
        let mut table = Table::new(std::iter::once(Column::left("player")).chain(numbers));
        for (row, (entrant, _)) in self.players.iter().enumerate() {
            let name = Cell::from(format!("{} {}", row + 1, entrant.name));
            let cells = (0..count).map(|column| match row == column {
                true => Cell::default(),
                false => {
                    let score = self.score(row, column);
                    Cell::shaded(format!("{:.1}", 100.0 * score), 2.0 * score - 1.0)
                }
            });
            table.row(std::iter::once(name).chain(cells));
        }
        table
    }

    pub fn text(&self) -> String {
        text::render(&self.document(), text::MAX_WIDTH)
    }

    /// The tables as JSON. Infinite values become null.
    pub fn json(&self) -> TournamentJson<'_> {
        let players = (0..self.players.len()).map(|row| self.player_json(row)).collect();
        let engine = self.engine.map(|(rating, error_95)| EngineJson { rating, error_95 });
        TournamentJson { tournament: TablesJson { players, engine } }
    }

    fn player_json(&self, row: usize) -> PlayerJson<'_> {
        let (entrant, strength) = &self.players[row];
        let others = self.players.iter().enumerate().filter(|&(column, _)| column != row);
        PlayerJson {
            name: &entrant.name,
            moves: entrant.gains.moves(),
            rating: entrant.rating,
            score_against_engine: strength.score,
            difference: strength.difference,
            performance: strength.performance,
            scores: others
                .map(|(column, (other, _))| (&*other.name, self.score(row, column)))
                .collect(),
        }
    }
}

/// The tables as a line of JSON.
#[derive(Debug, Serialize)]
pub struct TournamentJson<'a> {
    tournament: TablesJson<'a>,
}

#[derive(Debug, Serialize)]
struct TablesJson<'a> {
    players: Vec<PlayerJson<'a>>,
    engine: Option<EngineJson>,
}

#[derive(Debug, Serialize)]
struct PlayerJson<'a> {
    name: &'a str,
    moves: usize,
    rating: Option<f64>,
    score_against_engine: f64,
    difference: f64,
    performance: Option<f64>,
    scores: BTreeMap<&'a str, f64>,
}

#[derive(Debug, Serialize)]
struct EngineJson {
    rating: f64,
    /// Half the width of the 95% interval.
    error_95: f64,
}
