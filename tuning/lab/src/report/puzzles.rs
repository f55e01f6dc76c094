//! The study of puzzles as a document.

use crate::study::puzzles::{BIN, PuzzleBin, PuzzleStudy, Share};
use stopdown::report::Document;
use stopdown::report::chart::{Chart, ChartCurve};
use stopdown::report::document::{Column, Table};

pub fn puzzle_report(study: &PuzzleStudy) -> Document {
    let mut report = Document::new("Puzzles solved by levels");
    let puzzles: usize = study.bins.iter().map(|bin| bin.puzzles).sum();
    report.paragraph(format!(
        "Rated puzzles: {puzzles}. {} levels, {} plies. The shares are exact probabilities, because a \
         level draws its move from a distribution. Shares are in per cent.",
        study.scale, study.depth
    ));
    report.heading("Whole solution");
    report.table(shares(study, |bin| &bin.whole));
    report.chart(puzzle_chart(study));
    report.heading("First move");
    report.table(shares(study, |bin| &bin.first));
    report.heading("Whole solution, without the exponent used in play");
    report.table(shares(study, |bin| &bin.players));
    report.heading("Rating at which a level solves half");
    report.paragraph(
        "A normal curve through the shares of the whole solution. The spread is its standard deviation.",
    );
    report.table(half(study));
    report.heading("First moves");
    report.paragraph(
        "The table shows how often the first move is the best one at 1, 4 and all plies. The other \
         columns are the parts of the log odds of the first move against the likeliest other move, for \
         the level at the start of the bin. Negative numbers count against the solution.",
    );
    report.table(reasons(study));
    report
}

/// The share of whole solutions by puzzle rating, for every second level.
pub fn puzzle_chart(study: &PuzzleStudy) -> Chart {
    let curve = |(place, level): (usize, &u16)| {
        let point = |bin: &PuzzleBin| {
            let Share { share, error } = bin.whole[place];
            (f64::from(bin.rating + BIN / 2), share, error)
        };
        ChartCurve::measured(&level.to_string(), study.bins.iter().map(point))
    };
    let curves = study.levels.iter().enumerate().step_by(2).map(curve).collect();
    Chart::new("Puzzles solved by levels", "puzzle rating", "share solved", curves)
        .with_caption("The bars are standard errors.")
}

fn bin_name(bin: &PuzzleBin) -> String {
    format!("{}-{}", bin.rating, bin.rating + BIN)
}

fn shares(study: &PuzzleStudy, of: fn(&PuzzleBin) -> &[Share]) -> Table {
    let levels = study.levels.iter().map(|level| Column::right(level.to_string()));
    let head = [Column::left("puzzles"), Column::right("number")];
    let mut table = Table::new(head.into_iter().chain(levels));
    for bin in &study.bins {
        let cells = of(bin).iter().map(|share| format!("{:.0}", 100.0 * share.share));
        table.row([bin_name(bin), bin.puzzles.to_string()].into_iter().chain(cells));
    }
    table
}

fn half(study: &PuzzleStudy) -> Table {
    let mut table = Table::of_numbers(["level", "as it plays", "without exponent", "spread"]);
    let text = |number: Option<f64>| number.map_or("-".to_owned(), |n| format!("{n:.0}"));
    for row in &study.half {
        table.row([row.level.to_string(), text(row.played), text(row.players), text(row.spread)]);
    }
    table
}

fn reasons(study: &PuzzleStudy) -> Table {
    let head =
        ["moves", "best at 1", "4", "all", "policy", "loss at 1", "loss at 4", "loss at all"];
    let columns = head.into_iter().map(Column::right);
    let mut table = Table::new([Column::left("puzzles")].into_iter().chain(columns));
    for bin in &study.bins {
        let terms = &bin.terms;
        let best = bin.best_at.map(|share| format!("{:.0}%", 100.0 * share));
        let terms = [terms.policy, terms.depth_1, terms.depth_4, terms.full_depth];
        let terms = terms.map(|term| format!("{term:+.2}"));
        let head = [bin_name(bin), format!("{:.1}", bin.moves)];
        table.row(head.into_iter().chain(best).chain(terms));
    }
    table
}
