//! Players rated by their moves, as a table.

use crate::analyser::{Rating, StudyPlan};
use crate::player::MIN_RATED_MOVES;
use crate::report::document::{Document, Table};

/// A player in the list.
#[derive(Debug)]
pub struct RatedPlayer {
    pub name: String,
    /// `None` if the moves are not informative.
    pub rating: Option<Rating>,
    /// The number of moves that count.
    pub moves: usize,
}

/// The coverage of the rating intervals.
const PROBABILITY: f64 = 0.95;

/// The list in the given order.
pub fn rating_list(players: &[RatedPlayer], plan: &StudyPlan) -> Document {
    let mut document = Document::default();
    let mut table = Table::of_numbers(["player", "rating", "95% range", "moves"]);
    let mut has_gaps = false;
    for RatedPlayer { name, rating, moves } in players {
        let shown = rating.as_ref().and_then(|rating| rating.shown(&plan.scale, PROBABILITY));
        has_gaps |= shown.is_none();
        let [rating, range] = match shown {
            Some(rating) => [rating.to_string(), rating.interval_text()],
            None => ["-", "-"].map(str::to_owned),
        };
        table.row([name.clone(), rating, range, moves.to_string()]);
    }
    document.table(table);
    if has_gaps {
        document
            .paragraph(format!("Players with fewer than {MIN_RATED_MOVES} moves are not rated."));
    }
    document.paragraph(format!("Scale: {}.", plan.described_scale()));
    document
}
