//! The study of search depths as tables, as JSON and as a page.

use std::fmt::Write;

use serde_json::{Value as Json, json};

use crate::study::depth::DepthStudy;
use stopdown::math::outcomes::TWO_SIDED_95;
use stopdown::math::score_fit::ScoreFit;
use stopdown::report::chart::{Chart, ChartCurve};
use stopdown::report::page::Page;
use stopdown::report::{in_brackets, in_words};

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

/// Points of a curve.
const POINTS: u32 = 120;

/// The page; `games` is how many were played between any two depths, if that is known.
pub fn depth_page(study: &DepthStudy, games: Option<u64>, made_by: &str) -> String {
    let mut page = Page::new("What a ply of search is worth");
    page.paragraph(
        "The engine meets itself at every two depths. The scores against one depth follow a normal \
         curve, whose width says how many points of Elo rating a ply brings (D. Ferreira, The \
         Impact of Search Depth on Chess Playing Strength, ICGA Journal, 2013).",
    );
    page.heading("Scores");
    let count = games.map_or(String::new(), |games| format!(", {games} games for each two"));
    page.paragraph(&format!("Row against column, in per cent{count}."));
    score_section(study, &mut page);
    page.figure(
        &curves(study).svg(),
        "What each depth scores against each, and the fitted curves.",
    );
    fits(study, &mut page);
    page.figure(
        &centred(study).svg(),
        "The curves moved onto each other: the flatter, the less a ply is worth.",
    );
    steps(study, games, &mut page);
    strengths(study, &mut page);
    page.finish(made_by)
}

fn score_section(study: &DepthStudy, page: &mut Page) {
    let depths = &study.matrix.depths;
    let rows = depths.iter().zip(&study.matrix.scores).map(|(depth, row)| {
        let cells = row.iter().map(|&score| match score.is_nan() {
            true => (String::from("-"), 0.0),
            false => (format!("{:.1}", 100.0 * score), 2.0 * score - 1.0),
        });
        (depth.to_string(), cells.collect())
    });
    page.shaded("depth", depths, rows);
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
    let x = "depth less the depth at which the score is one half";
    let curves = study.fits.iter().filter_map(curve).collect();
    Chart::new("All curves, centred", x, "score", curves)
}

fn fits(study: &DepthStudy, page: &mut Page) {
    page.heading("Elo per ply");
    page.paragraph(
        "One curve for each opponent's depth: where the score is one half, how wide it is in plies, \
         and what a ply is worth, with 95 % intervals.",
    );
    let rows = study.fits.iter().map(|(depth, fit)| {
        let depth = depth.to_string();
        let Some(fit) = fit else { return vec![depth, "no curve".to_owned()] };
        vec![
            depth,
            format!("{:.2}", fit.centre),
            format!("{:.3}", fit.spread),
            in_words(fit.spread_interval(), |spread| format!("{spread:.3}")),
            format!("{:.1}", fit.elo_per_unit()),
            in_words(fit.elo_interval(), |elo| format!("{elo:.1}")),
        ]
    });
    let heads = ["depth", "centre", "width", "95 %", "Elo per ply", "95 %"];
    page.table(&heads, rows);
}

fn steps(study: &DepthStudy, games: Option<u64>, page: &mut Page) {
    page.heading("One ply more");
    // Draws make the true intervals a little narrower.
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
    let title = "Score of each depth against the one before";
    let chart = Chart::new(title, "depth", "score", vec![curve]);
    page.figure(&chart.svg(), "Diminishing returns would show as a falling line.");
    let rows = study.steps.iter().map(|step| {
        vec![step.depth.to_string(), format!("{:.3}", step.score), format!("{:+.0}", step.elo)]
    });
    page.table(&["depth", "score", "Elo"], rows);
}

fn strengths(study: &DepthStudy, page: &mut Page) {
    if study.strengths.is_empty() {
        return;
    }
    page.heading("Strength");
    let anchor = study.anchor;
    page.paragraph(&format!(
        "With depth {} at {:.0} ± {:.0}, and a ply worth what the curve against that depth says.",
        anchor.depth, anchor.elo, anchor.error
    ));
    let rows = study.strengths.iter().map(|row| {
        vec![
            row.depth.to_string(),
            format!("{:+.0}", row.difference),
            format!("{:.0}", row.elo),
            in_words([row.low, row.high], |elo| format!("{elo:.0}")),
        ]
    });
    page.table(&["depth", "difference", "Elo", "95 %"], rows);
}
