//! The study of search depths as a document and as JSON.

use serde_json::{Value as Json, json};

use super::in_words;
use crate::study::depth::DepthStudy;
use crate::study::score_fit::ScoreFit;
use stopdown::math::outcomes::TWO_SIDED_95;
use stopdown::report::Document;
use stopdown::report::chart::{Chart, ChartCurve};
use stopdown::report::document::{Cell, Column, Table};

/// The number of points in a curve.
const POINTS: u32 = 120;

/// The report. `games` is the number of games between each pair of depths, if known.
pub fn depth_report(study: &DepthStudy, games: Option<u64>) -> Document {
    let mut report = Document::new("Elo per ply of search depth");
    report.paragraph(
        "The engine played itself at every pair of depths. The scores against one depth follow a \
         normal curve, and its width gives the Elo gain for each ply (D. Ferreira, The Impact of \
         Search Depth on Chess Playing Strength, ICGA Journal, 2013).",
    );
    report.heading("Scores");
    let count = games.map_or(String::new(), |games| format!(", {games} games for each pair"));
    report.paragraph(format!("Row against column, in per cent{count}."));
    report.table(scores(study));
    report.chart(curves(study).with_caption("Scores between all depths, and the fitted curves."));
    report.heading("Elo per ply");
    report.paragraph(
        "One curve for each opponent's depth: the depth at which the score is one half, the width in \
         plies, and the Elo gain per ply, with 95% intervals.",
    );
    report.table(fits(study));
    report.chart(centred(study).with_caption(
        "The curves, shifted to a common centre. A flatter curve means a smaller gain per ply.",
    ));
    steps(study, games, &mut report);
    strengths(study, &mut report);
    report
}

/// The fits and the strengths. Depths without a curve are omitted, and unbounded values are null.
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

fn scores(study: &DepthStudy) -> Table {
    let depths = &study.matrix.depths;
    let numbers = depths.iter().map(|depth| Column::right(depth.to_string()));
    let mut table = Table::new(std::iter::once(Column::left("depth")).chain(numbers));
    for (depth, row) in depths.iter().zip(&study.matrix.scores) {
        let cells = row.iter().map(|&score| match score.is_nan() {
            true => Cell::shaded("-", 0.0),
            false => Cell::shaded(format!("{:.1}", 100.0 * score), 2.0 * score - 1.0),
        });
        table.row(std::iter::once(Cell::from(depth.to_string())).chain(cells));
    }
    table
}

fn curves(study: &DepthStudy) -> Chart {
    let depths = study.matrix.depths.iter().map(|&depth| f64::from(depth));
    let (first, last) = (depths.clone().fold(f64::MAX, f64::min), depths.fold(0.0, f64::max));
    let at = |step: u32| first + (last - first) * f64::from(step) / f64::from(POINTS);
    let curve = |(place, (depth, fit)): (usize, &(u32, Option<ScoreFit>))| {
        let fit = (*fit)?;
        Some(ChartCurve {
            name: format!("against {depth}"),
            line: (0..=POINTS).map(|step| (at(step), fit.score_at(at(step)))).collect(),
            points: study.matrix.column(place),
            bars: Vec::new(),
        })
    };
    let curves = study.fits.iter().enumerate().filter_map(curve).collect();
    Chart::new("Score against each depth", "depth", "score", curves)
}

fn centred(study: &DepthStudy) -> Chart {
    let reach = study.matrix.depths.len() as f64;
    let at = |step: u32| reach * (2.0 * f64::from(step) / f64::from(POINTS) - 1.0);
    let curve = |(depth, fit): &(u32, Option<ScoreFit>)| {
        let fit = (*fit)?;
        let line = (0..=POINTS).map(|step| (at(step), fit.score_at(at(step) + fit.centre)));
        Some(ChartCurve::line(&format!("against {depth}"), line.collect()))
    };
    let x = "depth minus the depth at which the score is one half";
    let curves = study.fits.iter().filter_map(curve).collect();
    Chart::new("All curves, centred", x, "score", curves)
}

fn fits(study: &DepthStudy) -> Table {
    let mut table = Table::of_numbers(["depth", "centre", "width", "95%", "Elo per ply", "95%"]);
    for (depth, fit) in &study.fits {
        let depth = depth.to_string();
        match fit {
            None => table.row([depth, "no curve".to_owned()]),
            Some(fit) => table.row([
                depth,
                format!("{:.2}", fit.centre),
                format!("{:.3}", fit.spread),
                in_words(fit.spread_interval(), |spread| format!("{spread:.3}")),
                format!("{:.1}", fit.elo_per_unit()),
                in_words(fit.elo_interval(), |elo| format!("{elo:.1}")),
            ]),
        }
    }
    table
}

fn steps(study: &DepthStudy, games: Option<u64>, report: &mut Document) {
    report.heading("Gain from one more ply");
    // Draws make the true intervals slightly narrower.
    let reach =
        |score: f64, games: u64| TWO_SIDED_95 * (score * (1.0 - score) / games as f64).sqrt();
    let measured = study.steps.iter().map(|step| {
        let error = games.map_or(0.0, |games| reach(step.score, games));
        (f64::from(step.depth), step.score, error)
    });
    let mut curve = ChartCurve::measured("d against d - 1", measured);
    if games.is_none() {
        curve.bars.clear();
    }
    let title = "Score of each depth against the previous one";
    let chart = Chart::new(title, "depth", "score", vec![curve]);
    report.chart(chart.with_caption("A falling line would show diminishing returns."));
    report.paragraph("Each depth against the previous one.");
    let mut table = Table::of_numbers(["depth", "score", "Elo"]);
    for step in &study.steps {
        table.row([
            step.depth.to_string(),
            format!("{:.3}", step.score),
            format!("{:+.0}", step.elo),
        ]);
    }
    report.table(table);
}

fn strengths(study: &DepthStudy, report: &mut Document) {
    report.heading("Strength");
    let anchor = study.anchor;
    if study.strengths.is_empty() {
        report.paragraph(format!(
            "The scores against depth {} do not determine a curve.",
            anchor.depth
        ));
        return;
    }
    report.paragraph(format!(
        "Based on depth {} at {:.1} ± {:.1}, with the Elo per ply of the curve against that depth.",
        anchor.depth, anchor.elo, anchor.error
    ));
    let mut table = Table::of_numbers(["depth", "difference", "Elo", "95%"]);
    for row in &study.strengths {
        table.row([
            row.depth.to_string(),
            format!("{:+.0}", row.difference),
            format!("{:.0}", row.elo),
            in_words([row.low, row.high], |elo| format!("{elo:.0}")),
        ]);
    }
    report.table(table);
}
