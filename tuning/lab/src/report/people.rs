//! What games of people say of the models: in words, on a page, and as the files that are built in.

use std::fmt::Write as _;

use crate::calibrate::people::{
    Coverage, Following, Judged, Misses, OfPool, ProjectionVerdict, Told,
};
use stopdown::analyser::Figure;
use stopdown::report::chart::{Chart, ChartCurve};
use stopdown::report::page::Page;
use stopdown::value::Depth;

/// A table for each model: groups of turns, with what was projected and what happened.
pub fn people_table(OfPool { games, models, coverage, following, .. }: &OfPool) -> String {
    let mut text = String::new();
    for judged in models {
        let _ = writeln!(text, "{games} games, {}", judged.model);
        let _ = writeln!(
            text,
            "{:<18} {:>6}  {:>15}  first best, said/was  difference, said/was  off by",
            "", "turns", "nats a move"
        );
        for ProjectionVerdict { group, projection, nats, error, .. } in &judged.verdicts {
            let percent = |figure: &Figure| {
                let [said, was] = [figure.projected, figure.actual].map(|part| 100.0 * part);
                format!("{said:.1} {was:.1} +- {:.1}", 100.0 * figure.deviation)
            };
            let loss = &projection.scaled_loss;
            let _ = writeln!(
                text,
                "{group:<18} {:>6}  {nats:.3} +- {error:.3}  {:>20}  {:.4} {:.4} {:+.1} %",
                projection.turns,
                percent(&projection.first),
                loss.projected,
                loss.actual,
                100.0 * (loss.projected / loss.actual - 1.0),
            );
        }
        let _ = writeln!(text, "{}", misses(judged));
        let _ = writeln!(text, "given a chance of         moves    expected  played");
        for bin in &judged.bins {
            let _ = writeln!(
                text,
                "{:>5.1} to {:>5.1} %  {:>9}  {:>10.1}  {:>6}",
                100.0 * bin.low,
                100.0 * bin.high.min(1.0),
                bin.moves,
                bin.projected,
                bin.played
            );
        }
        text.push('\n');
    }
    for Coverage { scale, used, fitted, rows } in coverage {
        let _ = writeln!(
            text,
            "{scale}: dispersion factor {:.2}, between-player deviation {:.0}; these players say {:.2} and {:.0}",
            used.0, used.1, fitted.0, fitted.1
        );
        for row in rows {
            let [half, most, nearly_all] = row.held.map(|part| 100.0 * part);
            let _ = writeln!(
                text,
                "{:>3} games: {:>5} players (like {:.0} who count alike), off by {:.0} on average and {:+.0} \
                 in the mean ({:.0} root mean square); intervals of 50, 80, 95 % hold {half:.0}, {most:.0}, \
                 {nearly_all:.0} %",
                row.games, row.players, row.counting, row.absolute, row.off, row.root_mean_square
            );
        }
    }
    for row in following {
        let [half, most, nearly_all] = row.held.map(|part| 100.0 * part);
        let _ = writeln!(
            text,
            "the imitator, told {}, after {}: {} players, off by {:.0} in the median and {:+.0} in the mean; \
             intervals of 50, 80, 95 % hold {half:.0}, {most:.0}, {nearly_all:.0} %",
            told(row),
            seen(row),
            row.players,
            row.off,
            row.bias
        );
    }
    text
}

fn told(row: &Following) -> String {
    match row.told {
        Told::Nothing => "nothing".to_owned(),
        Told::Rating => "the rating".to_owned(),
        Told::Lie => format!("{:.0} too much", Told::LIE),
    }
}

fn seen(row: &Following) -> String {
    match (row.games, row.moves) {
        (0, moves) => format!("{moves} moves"),
        (1, _) => "a game".to_owned(),
        (games, _) => format!("{games} games"),
    }
}

/// How far levels are off, beside what chance would do.
pub fn misses(judged: &Judged) -> String {
    let Some(Misses { levels, first, difference }) = judged.misses() else { return String::new() };
    format!(
        "Over {levels} levels the first choice is off by {:.1} points on average (chance alone: {:.1}), \
         the average difference by {:.1} % ({:.1} %).",
        100.0 * first.0,
        100.0 * first.1,
        100.0 * difference.0,
        100.0 * difference.1
    )
}

/// The file of Regan's two numbers by rating.
pub fn regan_text(parameters: &[f64], depth: Depth, command: &str) -> String {
    let line = |index: usize| format!("[{:.5}, {:.5}]", parameters[index], parameters[index + 1]);
    format!(
        "# Regan's curve as fitted to people over the board, at p = {depth}: each is [level, slope] over\n\
         # (rating - 2000) / 500, of the logarithm of s and of c itself.\n\
         # Made by: {command}\n\nsensitivity = {}\nconsistency = {}\n",
        line(0),
        line(2)
    )
}

/// The models whose figures are drawn level by level; all of them stand in the table.
const DRAWN: [&str; 2] = ["Regan", "Human"];

pub fn people_sections(pools: &[OfPool], page: &mut Page) {
    for pool in pools {
        page.heading(&format!("Games of people: {}", pool.games));
        page.paragraph(
            "Every curve was fitted to decisions of people whose ratings are known, as a smooth \
             function of the rating. Games are in two halves; each is judged by the fit to the \
             other. Moves from the ninth on count, where the best is worth at most three pawns.",
        );
        overview(pool, page);
        let nats = by_level(pool, "Nats a move by level", "nats", |_| true, |v| (v.nats, v.error));
        page.figure(&nats.svg(), "The less, the better foretold. Bars are standard errors.");
        let is_drawn = |model: &str| DRAWN.contains(&model);
        let first = by_level(
            pool,
            "First choice of the engine: projected less actual",
            "percent of moves",
            is_drawn,
            |v| residual(&v.projection.first, 100.0),
        );
        page.figure(&first.svg(), "Bars are standard errors of the actual figure.");
        let loss = by_level(
            pool,
            "Average difference: projected less actual",
            "percent of it",
            is_drawn,
            |v| residual(&v.projection.scaled_loss, 100.0 / v.projection.scaled_loss.actual),
        );
        page.figure(&loss.svg(), "The loss of a move in Regan's scaled pawns.");
        for judged in pool.models.iter().filter(|judged| is_drawn(&judged.model)) {
            page.paragraph(&format!("{}: {}", judged.model, misses(judged)));
        }
        page.figure(
            &chances(pool).svg(),
            "Of moves that were given a chance, so many were played.",
        );
        intervals(&pool.coverage, page);
        imitator(&pool.following, page);
        if !pool.levels.is_empty() {
            alone(pool, page);
        }
    }
}

fn overview(pool: &OfPool, page: &mut Page) {
    let row = |judged: &Judged| -> Option<Vec<String>> {
        let all = judged.verdicts.first()?;
        let of = &all.projection;
        let percent = |figure: &Figure| {
            format!("{:.1} ({:.1})", 100.0 * figure.projected, 100.0 * figure.actual)
        };
        Some(vec![
            judged.model.clone(),
            judged.parameters.len().to_string(),
            format!("{:.3} ± {:.3}", all.nats, all.error),
            percent(&of.first),
            format!("{:.4} ({:.4})", of.scaled_loss.projected, of.scaled_loss.actual),
            of.turns.to_string(),
        ])
    };
    let heads = [
        "curve",
        "numbers",
        "nats a move",
        "first choice %, projected (actual)",
        "average difference",
        "turns",
    ];
    page.table(&heads, pool.models.iter().filter_map(row));
}

/// A number of every level and its error, a curve for each model.
fn by_level(
    pool: &OfPool,
    title: &str,
    y: &str,
    is_drawn: impl Fn(&str) -> bool,
    of: impl Fn(&ProjectionVerdict) -> (f64, f64),
) -> Chart {
    let level = |verdict: &ProjectionVerdict| {
        let (y, error) = of(verdict);
        Some((verdict.level? as f64, y, error))
    };
    let drawn = pool.models.iter().filter(|judged| is_drawn(&judged.model));
    let curve = |of: &Judged| ChartCurve::measured(&of.model, of.verdicts.iter().filter_map(level));
    Chart::new(title, "rating", y, drawn.map(curve).collect())
}

/// How far a projected figure is off, with the standard error, in some unit.
fn residual(figure: &Figure, unit: f64) -> (f64, f64) {
    (unit * (figure.projected - figure.actual), unit * figure.deviation)
}

fn chances(pool: &OfPool) -> Chart {
    let mut curves = vec![ChartCurve::line("as it should be", vec![(0.0, 0.0), (100.0, 100.0)])];
    for judged in pool.models.iter().filter(|judged| DRAWN.contains(&&*judged.model)) {
        let filled = judged.bins.iter().filter(|bin| bin.moves > 0);
        let points: Vec<(f64, f64)> = filled
            .map(|bin| (bin.projected / bin.moves as f64, bin.played as f64 / bin.moves as f64))
            .map(|(given, played)| (100.0 * given, 100.0 * played))
            .collect();
        let (name, line) = (judged.model.clone(), points.clone());
        curves.push(ChartCurve { name, line, points, bars: Vec::new() });
    }
    Chart::new("Chances given, and how often they came true", "given %", "played %", curves)
}

fn intervals(coverage: &[Coverage], page: &mut Page) {
    page.paragraph(
        "Players whose ratings are known, rated by their moves alone: how often intervals hold the \
         truth. Players count by how likely the scale takes their rating to be beforehand; in brackets, \
         how many who count alike would say as much. The last column is what these players say an interval should be made of.",
    );
    let rows = coverage.iter().flat_map(|of| {
        of.rows.iter().map(move |row| {
            let held = row.held.map(|part| format!("{:.0}", 100.0 * part)).join(", ");
            vec![
                of.scale.clone(),
                row.games.to_string(),
                format!("{} ({:.0})", row.players, row.counting),
                format!("{:.0}", row.absolute),
                format!("{:+.0}", row.off),
                format!("{:.0}", row.root_mean_square),
                held,
                format!(
                    "dispersion factor {:.2}, between-player deviation {:.0}",
                    of.fitted.0, of.fitted.1
                ),
            ]
        })
    });
    let heads = [
        "scale",
        "games each",
        "players",
        "off on average",
        "off in the mean",
        "root mean square",
        "50, 80, 95 % hold %",
        "fitted",
    ];
    page.table(&heads, rows);
}

/// How soon the imitator knows people, by what it was told of them.
fn imitator(following: &[Following], page: &mut Page) {
    if following.is_empty() {
        return;
    }
    page.paragraph(
        "The imitator was shown the decisions of these players as those of an opponent: how far its belief \
         is from their ratings, and how often its intervals hold them.",
    );
    let rows = following.iter().map(|row| {
        vec![
            told(row),
            seen(row),
            row.players.to_string(),
            format!("{:.0}", row.off),
            format!("{:+.0}", row.bias),
            row.held.map(|part| format!("{:.0}", 100.0 * part)).join(", "),
        ]
    });
    let heads =
        ["told", "after", "players", "off in the median", "in the mean", "50, 80, 95 % hold %"];
    page.table(&heads, rows);
}

/// Regan's two numbers level by level, as the paper shows them.
fn alone(pool: &OfPool, page: &mut Page) {
    page.paragraph("Regan's s and c fitted to every level alone, to be seen beside the lines.");
    let rows = pool.levels.iter().map(|of| {
        vec![
            of.level.to_string(),
            of.turns.to_string(),
            format!("{:.3} ± {:.3}", of.scale.0, of.scale.1),
            format!("{:.3} ± {:.3}", of.exponent.0, of.exponent.1),
        ]
    });
    page.table(&["level", "turns", "s", "c"], rows);
}
