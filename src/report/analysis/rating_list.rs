//! Players rated by their moves, as a table.

use crate::analyser::{Rating, RatingWithResults, StudyPlan};
use crate::player::{EloScale, MIN_RATED_MOVES, ShownRating};
use crate::report::document::{Document, Table};

/// A player in the list.
#[derive(Debug)]
pub struct RatedPlayer {
    pub name: String,
    /// `None` if the moves are not informative.
    pub rating: Option<Rating>,
    /// `None` if no result against an opponent with a known rating is known.
    pub with_results: Option<RatingWithResults>,
    /// The number of moves that count.
    pub moves: usize,
}

/// What the table shows if there is no rating.
const GAP: &str = "-";
/// The coverage of the rating intervals.
const PROBABILITY: f64 = 0.95;

/// The notes below a list, or below several lists.
#[derive(Clone, Copy, Debug, Default)]
pub struct RatingListNotes {
    /// Whether a player has no rating.
    has_gaps: bool,
    /// Whether a list has the columns that count results.
    have_results: bool,
}

/// The list in the given order, with its notes and its scale.
pub fn rating_list(players: &[RatedPlayer], plan: &StudyPlan) -> Document {
    let mut notes = RatingListNotes::default();
    let mut document = Document::default();
    document.table(rating_table(players, plan, &mut notes));
    document.blocks.extend(notes.document().blocks);
    document.paragraph(format!("Scale: {}.", plan.described_scale()));
    document
}

/// One of several lists on different scales, with the scale as its heading. Its notes are added to
/// those of the other lists.
pub fn rating_list_of_scale(
    players: &[RatedPlayer],
    plan: &StudyPlan,
    notes: &mut RatingListNotes,
) -> Document {
    let name = plan.scale.name;
    let is_fide = name == EloScale::Fide.name();
    let mut document = Document::default();
    document.heading(if is_fide { format!("{name} (games over the board)") } else { name.into() });
    document.table(rating_table(players, plan, notes));
    if let Some(caveat) = plan.caveat() {
        document.paragraph(format!("{name}: {caveat}."));
    }
    document
}

impl RatingListNotes {
    /// The notes as paragraphs.
    pub fn document(self) -> Document {
        let mut document = Document::default();
        if self.has_gaps {
            document.paragraph(format!(
                "Players with fewer than {MIN_RATED_MOVES} moves are not rated."
            ));
        }
        if self.have_results {
            document.paragraph(
                "The rating and the first range are from moves alone. The last two columns also count \
                 the results against opponents whose ratings are in the file.",
            );
        }
        document
    }
}

fn rating_table(players: &[RatedPlayer], plan: &StudyPlan, notes: &mut RatingListNotes) -> Table {
    let shown =
        |rating: Option<&Rating>| rating.and_then(|rating| rating.shown(&plan.scale, PROBABILITY));
    let of_results =
        |player: &RatedPlayer| shown(player.with_results.as_ref().map(|of| &of.rating));
    let have_results = players.iter().any(|player| of_results(player).is_some());
    let columns = ["player", "rating", "95% range", "moves", "rating with results", "95% range"];
    let shown_columns = if have_results { columns.len() } else { columns.len() - 2 };
    notes.have_results |= have_results;
    let mut table = Table::of_numbers(columns.into_iter().take(shown_columns));
    let cells = |rating: Option<ShownRating>| match rating {
        Some(rating) => [rating.to_string(), rating.interval_text()],
        None => [GAP, GAP].map(str::to_owned),
    };
    for player in players {
        let [rating, range] = cells(shown(player.rating.as_ref()));
        let [combined, combined_range] = cells(of_results(player));
        notes.has_gaps |= rating == GAP;
        let (name, moves) = (player.name.clone(), player.moves.to_string());
        let row = [name, rating, range, moves, combined, combined_range];
        table.row(row.into_iter().take(shown_columns));
    }
    table
}
