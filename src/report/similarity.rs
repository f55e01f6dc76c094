//! The study of similarity as tables and as JSON.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::in_brackets;
use crate::arena::similarity::{Column, Likeness, SimilarityStudy};

/// Beyond so many standard deviations two players are taken for related (Hair).
pub const SUSPICIOUS: f64 = 5.0;

/// How many pairs are listed.
const LISTED: usize = 30;

/// The tables, each line ended.
pub fn similarity_tables(study: &SimilarityStudy) -> String {
    let mut text = format!("{} positions\n\n", study.positions);
    for (number, name) in (1..).zip(&study.names) {
        let _ = writeln!(text, "{number:>3}) {name}");
    }
    text += "\nMatched moves in per cent; on the diagonal, of a player asked twice\n";
    text += &matrix(study.names.len(), &|row, column| match row == column {
        true => study.self_similarity[row],
        false => Some(study.percents[row][column]),
    });
    let _ = write!(text, "\nUnrelated pairs: {}", study.unrelated);
    // It takes two to differ.
    let _ = match study.unrelated > 1 {
        true => writeln!(
            text,
            ", mean {:.2}, standard deviation {:.2}; {SUSPICIOUS} deviations above it: {:.2}",
            study.mean,
            study.deviation,
            study.percent_at(SUSPICIOUS)
        ),
        false => writeln!(text, ", too few to say what is usual"),
    };
    text += &pairs(study);
    if study.distances.iter().flatten().any(|distance| distance.is_some_and(|d| d > 0.0)) {
        text += "\nMean Jensen-Shannon distance of what would be chosen, 0 to 1\n";
        text += &matrix(study.names.len(), &|row, column| match row == column {
            true => None,
            false => study.distances[row][column],
        });
    }
    if let Some(tree) = &study.tree {
        let _ = writeln!(text, "\nTree (UPGMA, Newick)\n{}", tree.newick(&study.names));
    }
    text
}

fn matrix(size: usize, cell: &dyn Fn(usize, usize) -> Option<f64>) -> String {
    let heads: String = (1..=size).map(|number| format!("{number:>6}")).collect();
    let mut text = format!("     {heads}\n");
    for row in 0..size {
        let cells: String = (0..size)
            .map(|column| match cell(row, column).filter(|cell| !cell.is_nan()) {
                Some(value) => format!(" {value:>5.2}"),
                None => " -----".to_owned(),
            })
            .collect();
        let _ = writeln!(text, "{:>4}.{cells}", row + 1);
    }
    text
}

fn pairs(study: &SimilarityStudy) -> String {
    let mut text =
        String::from("\nThe most alike\nmatched  95 % interval   deviations              one in\n");
    for pair in study.pairs.iter().take(LISTED) {
        let _ = writeln!(
            text,
            "{:>7.2}  {}  {:>10}  {:>18}  {} / {}{}",
            pair.percent,
            in_brackets(pair.interval, 2),
            deviations(pair.z),
            odds(pair.one_in),
            study.names[pair.one],
            study.names[pair.other],
            if pair.related { "  (related)" } else { "" }
        );
    }
    if study.pairs.len() > LISTED {
        let _ = writeln!(text, "and {} pairs more", study.pairs.len() - LISTED);
    }
    text
}

/// So many deviations, where it is known what is usual.
pub fn deviations(z: f64) -> String {
    if z.is_nan() { "-".to_owned() } else { format!("{z:+.2}") }
}

/// A whole number, in groups of three digits as long as that can be read.
pub fn odds(one_in: f64) -> String {
    if one_in.is_nan() {
        return "-".to_owned();
    }
    if !one_in.is_finite() || one_in >= 1e15 {
        return format!("{one_in:.0e}");
    }
    let digits = format!("{one_in:.0}");
    let groups: Vec<&str> = digits
        .as_bytes()
        .rchunks(3)
        .rev()
        .map(|group| std::str::from_utf8(group).unwrap_or_default())
        .collect();
    groups.join(",")
}

/// Everything that is known; what is not is null.
pub fn similarity_json(study: &SimilarityStudy, columns: &[Column]) -> Json {
    let pair = |pair: &Likeness| {
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
    let player = |column: &Column| {
        let place = study.names.iter().position(|name| *name == column.name);
        json!({
            "name": column.name,
            "families": column.families,
            "answers": column.record.answers,
            "failures": column.record.failures,
            "early": column.record.early,
            "late": column.record.late,
            "mean_ms": column.record.mean_ms,
            "mean_depth": column.record.mean_depth,
            "self_similarity": place.and_then(|place| study.self_similarity[place]),
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
