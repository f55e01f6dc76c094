//! The first part of a report: ratings, mistakes and accuracy of all players or groups.

use crate::analyser::{By, CostlyMove, CostlyMoves, RatingWithResults, StudyPlan, StudyReport};
use crate::player::not_enough_moves;
use crate::report::document::{Column, Document, Table};
use crate::words::counted;

/// If there are more players than this, the table replaces the introductory sentences, and mistakes
/// are not listed.
const MAX_SENTENCES: usize = CostlyMoves::MAX_SUBJECTS;

/// The coverage of the rating intervals.
const PROBABILITY: f64 = 0.8;
const PERCENT: u32 = 80;

/// Collects the results of players or groups.
#[derive(Debug)]
pub struct Overview<'p> {
    plan: &'p StudyPlan,
    sentences: Vec<String>,
    rows: Vec<Row>,
}

/// The results of one player or group.
#[derive(Debug)]
struct Row {
    name: String,
    pgn_rating: Option<f64>,
    rating: Option<[String; 2]>,
    games: usize,
    moves: usize,
    /// The accuracy, the best moves, the average loss and the mistakes.
    accuracy: Option<[String; 4]>,
}

impl Overview<'_> {
    /// Creates an overview without players.
    pub fn new(plan: &StudyPlan) -> Overview<'_> {
        Overview { plan, sentences: Vec::new(), rows: Vec::new() }
    }

    /// Returns whether the overview has no players.
    pub(crate) fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// Adds a row for a player, and a sentence if there are not too many already.
    pub fn add(&mut self, report: &StudyReport) {
        let (plan, averages) = (self.plan, &report.averages);
        if self.rows.len() < MAX_SENTENCES {
            self.sentences.push(sentence(report, plan));
        }
        let rating = report.rating.as_ref().and_then(|of| of.shown(&plan.scale, PROBABILITY));
        self.rows.push(Row {
            name: report.name.clone(),
            pgn_rating: report.known_rating,
            rating: rating.map(|rating| [rating.to_string(), rating.interval_text()]),
            games: report.games,
            moves: report.tally.used,
            accuracy: (averages.decisions > 0).then(|| {
                [
                    format!("{:.0}%", averages.accuracy),
                    format!("{:.0}%", 100.0 * averages.best),
                    format!("{:.2} pawns", averages.centipawn_loss / 100.0),
                    format!("{:.1}%", 100.0 * averages.blunders),
                ]
            }),
        });
    }

    /// The ratings, the mistakes if they were collected, and the accuracy.
    pub fn document(&self, costly: Option<&CostlyMoves>) -> Document {
        let mut document = self.ratings();
        for mistakes in costly.iter().flat_map(|costly| self.mistakes(costly)) {
            document.section(mistakes);
        }
        document.blocks.extend(self.accuracy().blocks);
        document
    }

    fn is_short(&self) -> bool {
        self.rows.len() <= MAX_SENTENCES
    }

    /// The sentences and the table of ratings.
    pub(crate) fn ratings(&self) -> Document {
        let mut document = Document::default();
        if self.is_short() {
            self.sentences.iter().for_each(|sentence| document.paragraph(sentence));
        }
        document.table(self.players());
        // The sentences name the scale.
        if !self.is_short() || self.plan.caveat().is_some() {
            document.paragraph(format!("Scale: {}.", self.plan.described_scale()));
        }
        document
    }

    /// The costliest mistakes of each player or group, unless there are too many.
    pub(crate) fn mistakes(&self, costly: &CostlyMoves) -> Vec<Document> {
        let rows = self.rows.iter().filter(|row| self.is_short() && row.moves > 0);
        rows.map(|row| mistakes(&row.name, costly.of(&row.name), row.games > 1)).collect()
    }

    /// The accuracy of all players or groups, if any moves count.
    pub(crate) fn accuracy(&self) -> Document {
        let mut document = Document::default();
        if self.rows.iter().any(|row| row.accuracy.is_some()) {
            document.heading("Accuracy");
            document.table(self.accuracies());
        }
        document
    }

    fn players(&self) -> Table {
        let has_pgn_ratings = self.rows.iter().any(|row| row.pgn_rating.is_some());
        let mut columns = vec![Column::left(subject(self.plan.by))];
        let numbers = ["rating", "80% range", "games", "moves"];
        columns.extend(numbers.map(Column::right));
        if has_pgn_ratings {
            columns.push(Column::right("PGN rating"));
        }
        let mut table = Table::new(columns);
        for row in &self.rows {
            let [rating, range] =
                row.rating.clone().unwrap_or_else(|| ["-", "-"].map(str::to_owned));
            let pgn_rating = row.pgn_rating.map_or("-".to_owned(), |elo| format!("{elo:.0}"));
            let cells =
                [row.name.clone(), rating, range, row.games.to_string(), row.moves.to_string()];
            table.row(cells.into_iter().chain(has_pgn_ratings.then_some(pgn_rating)));
        }
        table
    }

    fn accuracies(&self) -> Table {
        let name = subject(self.plan.by);
        let headers = [name, "accuracy", "best moves", "average loss", "lost a pawn or more"];
        let mut table = Table::of_numbers(headers);
        for row in &self.rows {
            let cells = row.accuracy.clone().unwrap_or_else(|| ["-"; 4].map(str::to_owned));
            table.row(std::iter::once(row.name.clone()).chain(cells));
        }
        table
    }
}

/// The rating and its range in one sentence.
fn sentence(report: &StudyReport, plan: &StudyPlan) -> String {
    let StudyReport { name, games, tally, .. } = report;
    let rating = report.rating.as_ref().and_then(|rating| rating.shown(&plan.scale, PROBABILITY));
    let Some(rating) = rating else {
        return format!("{name}: {}.", not_enough_moves("a", tally.used));
    };
    let rating = rating.described(plan.scale.name, PERCENT);
    let based = format!("based on {} moves in {}", tally.used, counted(*games, "game"));
    let text = match plan.by {
        By::Player => format!("{name} played like a player rated {rating}, {based}."),
        _ => format!("{name}: the moves are like those of players rated {rating}, {based}."),
    };
    text + &results(report, plan).unwrap_or_default()
}

/// A second sentence, with the rating from moves and results.
fn results(report: &StudyReport, plan: &StudyPlan) -> Option<String> {
    let with_results = report.with_results.as_ref()?;
    let rating = with_results.rating.shown(&plan.scale, PROBABILITY)?;
    let RatingWithResults { games, score, opponents, .. } = with_results;
    let games = counted(*games, "game");
    let points = if *score == 1.0 { "point" } else { "points" };
    Some(format!(
        " Counting results as well ({score} {points} from {games} against opponents rated {opponents:.0} on average), \
         the rating is {}.",
        rating.described(plan.scale.name, PERCENT)
    ))
}

/// The column header for the names.
fn subject(by: By) -> &'static str {
    match by {
        By::Player => "player",
        By::Event => "event",
        By::RatingBand => "PGN ratings",
        By::Colour => "colour",
        By::Phase => "phase",
        By::Year => "year",
    }
}

fn mistakes(name: &str, moves: &[CostlyMove], has_many_games: bool) -> Document {
    let mut section = Document::new(format!("Costliest mistakes: {name}"));
    if moves.is_empty() {
        section
            .paragraph("No move that counts lost 10 or more percentage points of winning chances.");
        return section;
    }
    let mut columns =
        vec![Column::left("move"), Column::left("better"), Column::right("winning chances")];
    columns.extend(has_many_games.then(|| Column::left("game")));
    let mut table = Table::new(columns);
    for CostlyMove { game, san, best, chances: [before, after] } in moves {
        let cells = [san.clone(), best.clone(), format!("{before:.0}% to {after:.0}%")];
        table.row(cells.into_iter().chain(has_many_games.then(|| game.clone())));
    }
    section.table(table);
    section
}
