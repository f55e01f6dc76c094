//! The similarity study as a document with shaded matrices and a tree, and as JSON.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::in_words;
use crate::study::similarity::upgma::Cluster;
use crate::study::similarity::{Column as PlayerColumn, PairSimilarity, SimilarityStudy};
use stopdown::report::Document;
use stopdown::report::document::{Cell, Column, Table};
use stopdown::report::html::{escape, figure};

/// The number of standard deviations beyond which two players are considered related, as in Hair's
/// similarity test.
const SUSPICIOUS: f64 = 5.0;

/// The maximum number of pairs that are listed.
const LISTED: usize = 50;

/// The report. The matrices are in the order of the tree, which places families together.
pub fn similarity_report(study: &SimilarityStudy, columns: &[PlayerColumn]) -> Document {
    let mut report = Document::new("Similarity of move choices");
    report.paragraph(format!(
        "{} players were asked about {} positions. For each pair of players, the study counts how \
         often they chose the same move (A. Hair, A Pairwise Comparison of Chess Engine Move \
         Selections, 2012).",
        study.names.len(),
        study.positions,
    ));
    // At least two pairs are needed for a deviation.
    report.paragraph(match study.unrelated > 1 {
        true => format!(
            "{} unrelated pairs agree on {:.2}% of the moves on average, with a standard deviation of \
             {:.2}. At {SUSPICIOUS} deviations above the average, {:.2}%, a pair is too similar for \
             coincidence.",
            study.unrelated,
            study.mean,
            study.deviation,
            study.percent_at(SUSPICIOUS)
        ),
        false => format!("Too few pairs are unrelated to determine the usual similarity: {}.", study.unrelated),
    });
    if let Some(tree) = &study.tree {
        report.heading("Tree");
        report.embed(figure(
            &dendrogram(tree, &study.names),
            "Two branches meet at the mean similarity of their players (UPGMA).",
        ));
    }
    report.heading("Matched moves, per cent");
    report.table(matched(study));
    report.heading("Most similar pairs");
    report.table(likeliest(study));
    if study.pairs.len() > LISTED {
        report.paragraph(format!("and {} more pairs", study.pairs.len() - LISTED));
    }
    if has_distances(study) {
        report.heading("Distance between move probabilities");
        report.paragraph(
            "The mean Jensen-Shannon distance, for players with known move probabilities. 0 means equal \
             probabilities, and 1 means no moves in common.",
        );
        report.table(distances(study));
    }
    report.heading("Players");
    report.table(players(columns));
    report
}

/// Whether any two players have known move probabilities.
fn has_distances(study: &SimilarityStudy) -> bool {
    study.distances.iter().flatten().any(|distance| distance.is_some_and(|d| d > 0.0))
}

/// Formats a distance in standard deviations, if the usual similarity is known.
fn deviations(z: f64) -> String {
    if z.is_nan() { "-".to_owned() } else { format!("{z:+.2}") }
}

/// A whole number in groups of three digits, or in scientific notation if it is very large.
fn odds(one_in: f64) -> String {
    if one_in.is_nan() {
        return "-".to_owned();
    }
    if !one_in.is_finite() || one_in >= 1e15 {
        return format!("{one_in:.0e}");
    }
    let digits = format!("{one_in:.0}");
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<&str> =
        groups.map(|group| std::str::from_utf8(group).unwrap_or_default()).collect();
    groups.join(",")
}

/// All results. Unknown values are null.
pub fn similarity_json(study: &SimilarityStudy, columns: &[PlayerColumn]) -> Json {
    let pair = |pair: &PairSimilarity| {
        json!({
            "one": study.names[pair.one],
            "other": study.names[pair.other],
            "positions": pair.positions,
            "percent": pair.percent,
            "interval": pair.interval,
            "z": pair.z,
            "z_interval": pair.z_interval,
            "one_in": pair.one_in,
            "related": pair.related,
            "distance": study.distances[pair.one][pair.other],
        })
    };
    let player = |column: &PlayerColumn| {
        json!({
            "name": column.name,
            "families": column.families,
            "answers": column.record.answers,
            "failures": column.record.failures,
            "early": column.record.early,
            "late": column.record.late,
            "mean_ms": column.record.mean_ms,
            "mean_depth": column.record.mean_depth,
        })
    };
    json!({
        "positions": study.positions,
        "players": columns.iter().map(player).collect::<Vec<Json>>(),
        "mean": study.mean,
        "deviation": study.deviation,
        "unrelated_pairs": study.unrelated,
        "threshold": study.percent_at(SUSPICIOUS),
        "pairs": study.pairs.iter().map(pair).collect::<Vec<Json>>(),
        "newick": study.tree.as_ref().map(|tree| tree.newick(&study.names)),
    })
}

/// The players in the order of the tree.
fn order(study: &SimilarityStudy) -> Vec<usize> {
    study.tree.as_ref().map_or_else(|| (0..study.names.len()).collect(), Cluster::leaves)
}

fn matrix(study: &SimilarityStudy, order: &[usize], cell: impl Fn(usize, usize) -> Cell) -> Table {
    let numbers = (1..=order.len()).map(|number| Column::right(number.to_string()));
    let mut table = Table::new(std::iter::once(Column::left("player")).chain(numbers));
    for (&row, number) in order.iter().zip(1..) {
        let name = Cell::from(format!("{number} {}", study.names[row]));
        table.row(std::iter::once(name).chain(order.iter().map(|&column| cell(row, column))));
    }
    table
}

fn matched(study: &SimilarityStudy) -> Table {
    // Three standard deviations give half of the full colour, so that ordinary values stay pale.
    let shade = |percent: f64| ((percent - study.mean) / study.deviation / 6.0).clamp(-1.0, 1.0);
    matrix(study, &order(study), |row, column| match study.percents[row][column] {
        // There is no value on the diagonal, or for a pair without a common position.
        percent if percent.is_nan() => Cell::shaded("", 0.0),
        percent => Cell::shaded(format!("{percent:.2}"), shade(percent)),
    })
}

fn distances(study: &SimilarityStudy) -> Table {
    let known = |&player: &usize| study.distances[player].iter().flatten().count() > 1;
    let order: Vec<usize> = order(study).into_iter().filter(known).collect();
    matrix(study, &order, |row, column| match study.distances[row][column] {
        Some(distance) if row != column => {
            Cell::shaded(format!("{distance:.3}"), 1.0 - 2.0 * distance)
        }
        _ => Cell::shaded("", 0.0),
    })
}

fn likeliest(study: &SimilarityStudy) -> Table {
    let headers = ["pair", "matched %", "95%", "deviations", "95%", "one in", ""];
    let mut table = Table::of_numbers(headers);
    for pair in study.pairs.iter().take(LISTED) {
        table.row([
            format!("{} / {}", study.names[pair.one], study.names[pair.other]),
            format!("{:.2}", pair.percent),
            in_words(pair.interval, |percent| format!("{percent:.2}")),
            deviations(pair.z),
            in_words(pair.z_interval, deviations),
            odds(pair.one_in),
            if pair.related { "(related)".to_owned() } else { String::new() },
        ]);
    }
    table
}

fn players(columns: &[PlayerColumn]) -> Table {
    let headers = ["player", "answers", "missing", "early", "late", "mean ms", "mean depth"];
    let mut table = Table::of_numbers(headers);
    let or_empty =
        |value: f64| if value.is_finite() { format!("{value:.1}") } else { String::new() };
    for column in columns {
        let record = &column.record;
        table.row([
            column.name.clone(),
            record.answers.to_string(),
            record.failures.to_string(),
            record.early.to_string(),
            record.late.to_string(),
            or_empty(record.mean_ms),
            or_empty(record.mean_depth),
        ]);
    }
    table
}

/// The tree with its leaves on the right. The scale is the percentage of matched moves.
fn dendrogram(tree: &Cluster, names: &[String]) -> String {
    let leaves = tree.leaves();
    let longest = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let mut drawing = Drawing {
        names,
        lines: String::new(),
        next: 0,
        scale: PLOT / (2.0 * tree.height()).max(1e-9),
    };
    drawing.draw(tree);
    let height = LINE * leaves.len() as f64 + 40.0;
    let width = LEFT + PLOT + 16.0 + 7.2 * longest as f64;
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" \
         width=\"{width:.0}\" font-family=\"sans-serif\" font-size=\"13\" role=\"img\" \
         aria-label=\"Tree of similarity\"><g stroke=\"#0072b2\" stroke-width=\"1.5\" fill=\"none\">{}",
        drawing.lines
    );
    let reach = 200.0 * tree.height();
    let step = [1.0, 2.0, 5.0, 10.0, 20.0].into_iter().find(|step| reach / step <= 8.0);
    let step = step.unwrap_or(25.0);
    for mark in 0..=(reach / step) as u32 {
        let percent = step * f64::from(mark);
        let (x, y) = (LEFT + PLOT - drawing.scale * percent / 100.0, height - 26.0);
        let _ = write!(
            svg,
            "<path stroke=\"#5b646e\" d=\"M{x:.1} {y}v5\"/><text stroke=\"none\" fill=\"#5b646e\" \
             x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{:.0}%</text>",
            y + 20.0,
            100.0 - percent
        );
    }
    svg + "</g></svg>"
}

const LINE: f64 = 20.0;
const LEFT: f64 = 24.0;
const PLOT: f64 = 420.0;

struct Drawing<'a> {
    names: &'a [String],
    lines: String,
    /// The number of leaves drawn so far.
    next: usize,
    /// The length at which a distance of 1 is drawn.
    scale: f64,
}

impl Drawing<'_> {
    /// Draws a subtree and returns the starting point of its branch.
    fn draw(&mut self, tree: &Cluster) -> (f64, f64) {
        match tree {
            Cluster::Leaf(leaf) => {
                let y = LINE * self.next as f64 + 14.0;
                self.next += 1;
                let _ = write!(
                    self.lines,
                    "<text stroke=\"none\" fill=\"#1c2024\" x=\"{}\" y=\"{}\">{}</text>",
                    LEFT + PLOT + 8.0,
                    y + 4.0,
                    escape(&self.names[*leaf])
                );
                (LEFT + PLOT, y)
            }
            Cluster::Pair { left, right, distance } => {
                let (upper, lower) = (self.draw(left), self.draw(right));
                let x = LEFT + PLOT - self.scale * distance;
                let _ = write!(
                    self.lines,
                    "<path d=\"M{:.1} {:.1}H{x:.1}V{:.1}H{:.1}\"/>",
                    upper.0, upper.1, lower.1, lower.0
                );
                (x, (upper.1 + lower.1) / 2.0)
            }
        }
    }
}
