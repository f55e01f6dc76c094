//! The report on models of human games, and the file with Regan's parameters.

use crate::calibrate::people::{
    Coverage, GroupPrediction, ImitatorResults, MeanErrors, PoolResults, StatedRating, TestedModel,
};
use stopdown::analyser::Figure;
use stopdown::report::Document;
use stopdown::report::chart::{Chart, ChartCurve};
use stopdown::report::document::Table;
use stopdown::value::Depth;

/// The models whose figures are plotted level by level. The tables contain all models.
const DRAWN: [&str; 2] = ["Regan", "Human"];

/// The report on one kind of game.
pub fn people_report(pool: &PoolResults) -> Document {
    let mut report = Document::new(format!("Human games: {}", pool.games));
    report.paragraph(
        "Every curve was fitted to moves of players with known ratings, as a smooth function of the \
         rating. The games are split into two halves, and each half tests the fit to the other. Moves \
         count from the ninth on, in positions where neither side is more than three pawns ahead.",
    );
    report.table(overview(pool));
    by_level(pool).into_iter().for_each(|chart| report.chart(chart));
    for tested in pool.models.iter().filter(|tested| DRAWN.contains(&&*tested.model)) {
        report.paragraph(format!("{}: {}", tested.model, mean_errors(tested)));
    }
    report.chart(
        chances(pool).with_caption(
            "The percentage of moves that were played, by their predicted probability.",
        ),
    );
    report.paragraph(
        "For players with known ratings, this table shows the errors of the ratings estimated from their \
         moves alone, and how often the intervals contain the true rating. Players are weighted by the \
         prior probability of their rating. The effective number of players is in brackets. The last \
         column has the parameters of the intervals, with their best fit to these players in brackets.",
    );
    report.table(intervals(&pool.coverage));
    if !pool.imitator.is_empty() {
        report.paragraph(
            "The imitator saw the moves of these players as an opponent's moves. The table shows how far \
             its estimate is from their ratings, and how often its intervals contain them.",
        );
        report.table(imitator(&pool.imitator));
    }
    if !pool.levels.is_empty() {
        report.paragraph(
            "Regan's s and c fitted to each level separately, for comparison with the lines.",
        );
        report.table(alone(pool));
    }
    let mut details = Document::new("All figures");
    for tested in &pool.models {
        details.heading(format!("{}, {}", pool.games, tested.model));
        details.table(groups(tested));
        details.table(bins(tested));
    }
    report.details(details);
    report
}

/// Groups of decisions, with prediction and result.
fn groups(tested: &TestedModel) -> Table {
    let mut table = Table::of_numbers([
        "group",
        "moves",
        "nats per move (± SE)",
        "first choice %, projected",
        "actual (± SE)",
        "average difference, projected",
        "actual",
        "error",
    ]);
    for GroupPrediction { group, projection, nats, error, .. } in &tested.verdicts {
        let (first, loss) = (&projection.first, &projection.scaled_loss);
        table.row([
            group.clone(),
            projection.decisions.to_string(),
            format!("{nats:.3} ± {error:.3}"),
            format!("{:.1}", 100.0 * first.projected),
            format!("{:.1} ± {:.1}", 100.0 * first.actual, 100.0 * first.deviation),
            format!("{:.4}", loss.projected),
            format!("{:.4}", loss.actual),
            format!("{:+.1}%", 100.0 * (loss.projected / loss.actual - 1.0)),
        ]);
    }
    table
}

/// Moves by their predicted probability.
fn bins(tested: &TestedModel) -> Table {
    let mut table = Table::of_numbers(["predicted probability", "moves", "expected", "played"]);
    for bin in &tested.bins {
        table.row([
            format!("{:.1} to {:.1}%", 100.0 * bin.low, 100.0 * bin.high.min(1.0)),
            bin.moves.to_string(),
            format!("{:.1}", bin.projected),
            bin.played.to_string(),
        ]);
    }
    table
}

fn overview(pool: &PoolResults) -> Table {
    let mut table = Table::of_numbers([
        "curve",
        "parameters",
        "nats per move (± SE)",
        "first choice %, projected (actual)",
        "average difference",
        "moves",
    ]);
    for tested in &pool.models {
        let Some(all) = tested.verdicts.first() else { continue };
        let (first, loss) = (&all.projection.first, &all.projection.scaled_loss);
        table.row([
            tested.model.clone(),
            tested.parameters.len().to_string(),
            format!("{:.3} ± {:.3}", all.nats, all.error),
            format!("{:.1} ({:.1})", 100.0 * first.projected, 100.0 * first.actual),
            format!("{:.4} ({:.4})", loss.projected, loss.actual),
            all.projection.decisions.to_string(),
        ]);
    }
    table
}

/// The figures level by level.
fn by_level(pool: &PoolResults) -> [Chart; 3] {
    let is_drawn = |model: &str| DRAWN.contains(&model);
    let nats = level_chart(pool, "Nats per move by level", "nats", |_| true, |v| (v.nats, v.error));
    let first = level_chart(
        pool,
        "First choice of the engine: projected minus actual",
        "per cent of moves",
        is_drawn,
        |v| residual(&v.projection.first, 100.0),
    );
    let loss = level_chart(
        pool,
        "Average difference: projected minus actual",
        "per cent of the actual difference",
        is_drawn,
        |v| residual(&v.projection.scaled_loss, 100.0 / v.projection.scaled_loss.actual),
    );
    [
        nats.with_caption("Lower is better. Bars are standard errors."),
        first.with_caption("Bars are standard errors of the actual figure."),
        loss.with_caption("The loss of a move in Regan's scaled pawns."),
    ]
}

/// A quantity and its error for every level, with a curve for each model.
fn level_chart(
    pool: &PoolResults,
    title: &str,
    y: &str,
    is_drawn: impl Fn(&str) -> bool,
    of: impl Fn(&GroupPrediction) -> (f64, f64),
) -> Chart {
    let level = |verdict: &GroupPrediction| {
        let (y, error) = of(verdict);
        Some((verdict.level? as f64, y, error))
    };
    let drawn = pool.models.iter().filter(|tested| is_drawn(&tested.model));
    let curve =
        |of: &TestedModel| ChartCurve::measured(&of.model, of.verdicts.iter().filter_map(level));
    Chart::new(title, "rating", y, drawn.map(curve).collect())
}

/// The error of a predicted figure with its standard error, in the given unit.
fn residual(figure: &Figure, unit: f64) -> (f64, f64) {
    (unit * (figure.projected - figure.actual), unit * figure.deviation)
}

fn chances(pool: &PoolResults) -> Chart {
    let mut curves = vec![ChartCurve::line("ideal", vec![(0.0, 0.0), (100.0, 100.0)])];
    for tested in pool.models.iter().filter(|tested| DRAWN.contains(&&*tested.model)) {
        let filled = tested.bins.iter().filter(|bin| bin.moves > 0);
        let points: Vec<(f64, f64)> = filled
            .map(|bin| (bin.projected / bin.moves as f64, bin.played as f64 / bin.moves as f64))
            .map(|(given, played)| (100.0 * given, 100.0 * played))
            .collect();
        let (name, line) = (tested.model.clone(), points.clone());
        curves.push(ChartCurve { name, line, points, bars: Vec::new() });
    }
    Chart::new("Predicted and actual frequencies", "predicted %", "played %", curves)
}

fn initial_information(row: &ImitatorResults) -> String {
    match row.stated {
        StatedRating::None => "none".to_owned(),
        StatedRating::Correct => "correct".to_owned(),
        StatedRating::TooHigh => format!("{:.0} too high", StatedRating::EXCESS),
    }
}

fn seen(row: &ImitatorResults) -> String {
    match (row.games, row.moves) {
        (0, moves) => format!("{moves} moves"),
        (1, _) => "a game".to_owned(),
        (games, _) => format!("{games} games"),
    }
}

/// The error over levels, compared with the error that chance would cause.
fn mean_errors(tested: &TestedModel) -> String {
    let Some(MeanErrors { levels, first, difference }) = tested.mean_errors() else {
        return String::new();
    };
    format!(
        "Over {}, the first choice is off by {:.1} points on average (chance alone: {:.1}), \
         and the average difference by {:.1}% ({:.1}%).",
        if levels == 1 { "1 level".to_owned() } else { format!("{levels} levels") },
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
        "# Regan's curve as fitted to human games over the board, at {depth} plies. Each parameter is [level, slope] over\n\
         # (rating - 2000) / 500: the logarithm of s, and c itself.\n\
         # Made by: {command}\n\nsensitivity = {}\nconsistency = {}\n",
        line(0),
        line(2)
    )
}

fn intervals(coverage: &[Coverage]) -> Table {
    let mut table = Table::of_numbers([
        "scale",
        "games each",
        "players",
        "mean absolute error",
        "bias",
        "root mean square error",
        "coverage of 50, 80, 95%",
        "dispersion factor, between-player deviation (fitted)",
    ]);
    for of in coverage {
        let made =
            [of.used, of.fitted].map(|(factor, between)| format!("{factor:.2}, {between:.0}"));
        for row in &of.rows {
            table.row([
                of.scale.clone(),
                row.games.to_string(),
                format!("{} ({:.0})", row.players, row.counting),
                format!("{:.0}", row.absolute),
                format!("{:+.0}", row.off),
                format!("{:.0}", row.root_mean_square),
                row.held.map(|part| format!("{:.0}", 100.0 * part)).join(", "),
                format!("{} ({})", made[0], made[1]),
            ]);
        }
    }
    table
}

/// The errors of the imitator's estimates, by stated rating and moves seen.
fn imitator(results: &[ImitatorResults]) -> Table {
    let mut table = Table::of_numbers([
        "stated rating",
        "after",
        "players",
        "median error",
        "bias",
        "coverage of 50, 80, 95%",
    ]);
    for row in results {
        table.row([
            initial_information(row),
            seen(row),
            row.players.to_string(),
            format!("{:.0}", row.off),
            format!("{:+.0}", row.bias),
            row.held.map(|part| format!("{:.0}", 100.0 * part)).join(", "),
        ]);
    }
    table
}

/// Regan's two parameters level by level, as in the paper.
fn alone(pool: &PoolResults) -> Table {
    let mut table = Table::of_numbers(["level", "moves", "s (± SE)", "c (± SE)"]);
    for of in &pool.levels {
        table.row([
            of.level.to_string(),
            of.turns.to_string(),
            format!("{:.3} ± {:.3}", of.scale.0, of.scale.1),
            format!("{:.3} ± {:.3}", of.exponent.0, of.exponent.1),
        ]);
    }
    table
}
