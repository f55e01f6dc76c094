//! The study of similarity as a page: who is like whom, as a table of shades and as a tree.

use std::fmt::Write;

use super::in_words;
use super::page::{Page, escape, shaded};
use super::similarity::{SUSPICIOUS, deviations, odds};
use crate::arena::similarity::{Column, Likeness, SimilarityStudy};
use crate::math::upgma::Cluster;

/// How many pairs are listed.
const LISTED: usize = 50;

pub fn similarity_page(study: &SimilarityStudy, columns: &[Column], made_by: &str) -> String {
    let mut page = Page::new("How alike players choose");
    page.paragraph(&format!(
        "{} players were asked about {} positions. For every two it is counted how often they chose \
         the same move (A. Hair, A Pairwise Comparison of Chess Engine Move Selections, 2012).",
        study.names.len(),
        study.positions,
    ));
    if study.unrelated > 1 {
        page.paragraph(&format!(
            "{} unrelated pairs agree on {:.2} % on average, with a standard deviation of {:.2}; \
             {SUSPICIOUS} deviations above that, at {:.2} %, likeness is no coincidence.",
            study.unrelated,
            study.mean,
            study.deviation,
            study.percent_at(SUSPICIOUS)
        ));
    }
    page.heading("Tree");
    if let Some(tree) = &study.tree {
        page.figure(
            &dendrogram(tree, &study.names),
            "Branches meet where the mean likeness of what they join is (UPGMA).",
        );
    }
    page.heading("Matched moves, per cent");
    page.paragraph("On the diagonal: how often a player chose the same when he was asked again.");
    matrix(study, &mut page);
    page.heading("The most alike");
    pairs(study, &mut page);
    if study.distances.iter().flatten().any(|distance| distance.is_some_and(|d| d > 0.0)) {
        page.heading("Distance of what would be chosen");
        page.paragraph(
            "Where it is known how likely each move is to be a player's: the mean Jensen-Shannon \
             distance, 0 for equal and 1 for without anything in common.",
        );
        distances(study, &mut page);
    }
    page.heading("Players");
    players(study, columns, &mut page);
    page.finish(made_by)
}

/// In the order of the tree, so that families stand together.
fn order(study: &SimilarityStudy) -> Vec<usize> {
    study.tree.as_ref().map_or(Vec::new(), Cluster::leaves)
}

fn matrix(study: &SimilarityStudy, page: &mut Page) {
    let order = order(study);
    let heads: Vec<String> = (1..=order.len()).map(|number| number.to_string()).collect();
    // Half a colour for three deviations: what is usual stays pale.
    let shade = |percent: f64| ((percent - study.mean) / study.deviation / 6.0).clamp(-1.0, 1.0);
    let cell = |row: usize, column: usize| match (row == column, study.self_similarity[row]) {
        (true, Some(percent)) => (format!("{percent:.1}"), 0.0),
        (true, None) => (String::new(), 0.0),
        (false, _) => match study.percents[row][column] {
            percent if percent.is_nan() => (String::new(), 0.0),
            percent => (format!("{percent:.1}"), shade(percent)),
        },
    };
    let rows = order.iter().zip(1..).map(|(&row, number)| {
        let cells = order.iter().map(|&column| cell(row, column)).collect();
        (format!("{number} {}", study.names[row]), cells)
    });
    page.raw(&shaded("player", &heads, &rows.collect::<Vec<_>>()));
}

fn distances(study: &SimilarityStudy, page: &mut Page) {
    let known = |&player: &usize| study.distances[player].iter().flatten().count() > 1;
    let order: Vec<usize> = order(study).into_iter().filter(known).collect();
    let heads: Vec<String> = (1..=order.len()).map(|number| number.to_string()).collect();
    let rows = order.iter().zip(1..).map(|(&row, number)| {
        let cell = |&column: &usize| match study.distances[row][column] {
            Some(distance) if row != column => (format!("{distance:.3}"), 1.0 - 2.0 * distance),
            _ => (String::new(), 0.0),
        };
        (format!("{number} {}", study.names[row]), order.iter().map(cell).collect())
    });
    page.raw(&shaded("player", &heads, &rows.collect::<Vec<_>>()));
}

fn pairs(study: &SimilarityStudy, page: &mut Page) {
    let row = |pair: &Likeness| {
        vec![
            format!("{} / {}", study.names[pair.one], study.names[pair.other]),
            format!("{:.2}", pair.percent),
            in_words(pair.interval, |percent| format!("{percent:.2}")),
            deviations(pair.z),
            in_words(pair.z_interval, deviations),
            odds(pair.one_in),
            if pair.related { "related".to_owned() } else { String::new() },
        ]
    };
    let rows: Vec<Vec<String>> = study.pairs.iter().take(LISTED).map(row).collect();
    page.table(&["pair", "matched %", "95 %", "deviations", "95 %", "one in", ""], &rows);
}

fn players(study: &SimilarityStudy, columns: &[Column], page: &mut Page) {
    let or_nothing = |value: f64, digits: usize| match value.is_finite() {
        true => format!("{value:.digits$}"),
        false => String::new(),
    };
    let row = |column: &Column| {
        let record = &column.record;
        let place = study.names.iter().position(|name| *name == column.name);
        let own = place.and_then(|place| study.self_similarity[place]);
        vec![
            column.name.clone(),
            record.answers.to_string(),
            record.failures.to_string(),
            record.early.to_string(),
            record.late.to_string(),
            or_nothing(record.mean_ms, 1),
            or_nothing(record.mean_depth, 1),
            own.map_or(String::new(), |percent| format!("{percent:.1}")),
        ]
    };
    let rows: Vec<Vec<String>> = columns.iter().map(row).collect();
    let heads =
        ["player", "answers", "none", "early", "late", "mean ms", "mean depth", "to himself %"];
    page.table(&heads, &rows);
}

/// The tree with its leaves to the right; the scale is matched moves.
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
         aria-label=\"Tree of likeness\"><g stroke=\"#0072b2\" stroke-width=\"1.5\" fill=\"none\">{}",
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
             x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{:.0} %</text>",
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
    /// Leaves drawn so far.
    next: usize,
    /// Units of length for a distance of 1.
    scale: f64,
}

impl Drawing<'_> {
    /// Draws a part of the tree and says where its branch begins.
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
