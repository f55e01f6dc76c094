//! The study of search depths as tables and as JSON.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use super::interval::in_brackets;
use crate::arena::depth::DepthStudy;
use crate::math::score_fit::ScoreFit;

/// The tables, each line ended.
pub fn depth_tables(study: &DepthStudy) -> String {
    let mut text = String::from("Scores of each depth (row) against each (column), in per cent\n");
    text += &scores(study);
    text += "\nOne curve for each opponent's depth, with 95 % intervals\n";
    text += "depth    mu   sigma                 Elo per ply\n";
    for (depth, fit) in &study.fits {
        text += &match fit {
            None => format!("{depth:>5}    the scores determine no curve\n"),
            Some(fit) => fit_row(*depth, fit),
        };
    }
    text += "\nEach depth against the one before\ndepth  score    Elo\n";
    for step in &study.steps {
        let _ = writeln!(text, "{:>5} {:>6.3} {:>6.0}", step.depth, step.score, step.elo);
    }
    let anchor = study.anchor;
    let _ = writeln!(
        text,
        "\nStrength, with depth {} at {:.1} +- {:.1}\ndepth  difference     Elo  95 % interval",
        anchor.depth, anchor.elo, anchor.error
    );
    if study.strengths.is_empty() {
        text += "the scores against that depth determine no curve\n";
    }
    for row in &study.strengths {
        let (difference, elo) = (row.difference, row.elo);
        let interval = in_brackets([row.low, row.high], 0);
        let _ = writeln!(text, "{:>5} {difference:>11.0} {elo:>7.0}  {interval}", row.depth);
    }
    text
}

fn scores(study: &DepthStudy) -> String {
    let matrix = &study.matrix;
    let heads: String = matrix.depths.iter().map(|depth| format!("{depth:>6}")).collect();
    let mut text = format!("      {heads}\n");
    for (depth, row) in matrix.depths.iter().zip(&matrix.scores) {
        let cell = |score: &f64| match score.is_nan() {
            true => "     -".to_owned(),
            false => format!("{:>6.1}", 100.0 * score),
        };
        let cells: String = row.iter().map(cell).collect();
        let _ = writeln!(text, "{depth:>5} {cells}");
    }
    text
}

fn fit_row(depth: u32, fit: &ScoreFit) -> String {
    let spread = format!("{:.3} {}", fit.spread, in_brackets(fit.spread_interval(), 3));
    let elo = format!("{:.1} {}", fit.elo_per_unit(), in_brackets(fit.elo_interval(), 1));
    format!("{depth:>5} {:>6.2}  {spread:<21} {elo}\n", fit.centre)
}

/// The fits and the strengths; depths without a curve are left out, and what is unbounded is null.
pub fn depth_json(study: &DepthStudy) -> Json {
    let fits = study.fits.iter().filter_map(|(depth, fit)| fit.map(|fit| (depth, fit)));
    let fits: Vec<Json> = fits
        .map(|(depth, fit)| {
            json!({
                "depth": depth,
                "mu": fit.centre,
                "sigma": fit.spread,
                "sigma_ci": fit.spread_interval(),
                "eta": fit.elo_per_unit(),
                "eta_ci": fit.elo_interval(),
            })
        })
        .collect();
    let strengths: Vec<Json> = study
        .strengths
        .iter()
        .map(|row| {
            json!({
                "depth": row.depth,
                "difference": row.difference,
                "elo": row.elo,
                "low": row.low,
                "high": row.high,
            })
        })
        .collect();
    json!({ "fits": fits, "strength": strengths })
}
