//! How closely another engine agrees with ours about the moves of games, as text and as JSON.

use serde::Serialize;

use super::document::{Document, Fact};

/// How closely another engine agrees with ours.
#[derive(Serialize)]
pub struct Agreement<'a> {
    pub engine: &'a str,
    pub positions: usize,
    /// The share of positions with the same best move.
    pub same_first_choice: f64,
    /// The mean difference between the evaluations of the best moves, in pawns.
    pub mean_difference: f64,
    pub players: Vec<PlayerCompetence>,
}

#[derive(Serialize)]
pub struct AgreementLine<'a> {
    pub agreement: Agreement<'a>,
}

/// A player's competence according to the other engine.
#[derive(Serialize)]
pub struct PlayerCompetence {
    pub name: String,
    pub c: f64,
    pub range_90: (f64, f64),
}

impl Agreement<'_> {
    pub fn document(&self) -> Document {
        let Agreement { engine, positions, same_first_choice, mean_difference, players } = self;
        let mut document = Document::default();
        document.paragraph(format!(
            "{engine} has the same first choice in {:.1}% of {positions} positions. The two \
             evaluations of the best move differ by {mean_difference:.2} pawns on average.",
            100.0 * same_first_choice
        ));
        let fact = |player: &PlayerCompetence| {
            let (low, high) = player.range_90;
            let text = format!("c = {:.2}, 90% range {low:.2} to {high:.2}", player.c);
            Fact::new(&player.name, text)
        };
        document.facts(players.iter().map(fact).collect());
        document
    }
}
