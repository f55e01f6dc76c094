//! An analysis as one page: a board that steps through the games, and a section for each player or
//! group.

use std::fmt::Write;

use serde_json::Value as Json;

use super::json::game_json;
use super::tournament::{TOURNAMENT_HEADS, TournamentTables};
use super::{CAUTION, facts, more_facts, sentence};
use crate::analyser::{EvaluatedGame, Lessons, ReportedMove, StudyPlan, StudyReport};
use crate::math::grid::Posterior;
use crate::report::page::{Page, escape};

/// How a board and its charts look, and what draws them: here and wherever else there is a board.
pub const VIEWER_STYLE: &str = include_str!("viewer.css");
pub const BOARD_SCRIPT: &str = include_str!("board.js");
const SCRIPT: &str = include_str!("viewer.js");
const VIEWER: &str = include_str!("viewer.html");

/// More games would make the page too large for a telephone.
pub const MOST_GAMES: usize = 200;

/// Places in the order of moves that are shown.
const PLACES: usize = 10;
/// Points of the scale of c fall into so many bars.
const BARS: usize = 24;

/// A page in the making.
#[derive(Debug, Default)]
pub struct AnalysisPage {
    games: Vec<Json>,
    /// Games that are in the tables but not on the board.
    unshown: usize,
    lessons: Vec<Lessons>,
}

impl AnalysisPage {
    /// Has the board all the games that it can show?
    pub fn is_full(&self) -> bool {
        self.games.len() >= MOST_GAMES
    }

    /// Puts a game on the board, with its moves unless that is full.
    pub fn add(&mut self, evaluated: &EvaluatedGame, entries: &[ReportedMove]) {
        if self.is_full() {
            self.unshown += 1;
        } else {
            self.games.push(game_json(evaluated, entries));
        }
    }

    /// Adds what a player can learn from a game.
    pub fn teach(&mut self, lessons: Lessons) {
        self.lessons.push(lessons);
    }

    /// The whole file.
    pub fn finish(
        self,
        reports: &[StudyReport],
        tournament: Option<&TournamentTables>,
        plan: &StudyPlan,
        honest: f64,
        made_by: &str,
    ) -> String {
        let mut page = Page::new("What the moves say");
        page.raw(&format!("<style>{VIEWER_STYLE}</style>\n"));
        if self.unshown > 0 {
            page.paragraph(&format!(
                "The board has the first {MOST_GAMES} games; the tables count {} more.",
                self.unshown
            ));
        }
        page.raw(VIEWER);
        self.lessons.iter().for_each(|lessons| learn(lessons, &mut page));
        if let Some(tournament) = tournament {
            performances(tournament, &mut page);
        }
        for report in reports {
            section(report, plan, honest, &mut page);
        }
        page.heading("What may not be concluded");
        page.paragraph(CAUTION);
        // Nothing in the data can end the element that holds it.
        let data = Json::Array(self.games).to_string().replace('<', "\\u003c");
        page.raw(&format!("<script type=\"application/json\" id=\"data\">{data}</script>\n"));
        page.raw(&format!("<script>{BOARD_SCRIPT}{SCRIPT}</script>\n"));
        page.finish(made_by)
    }
}

fn learn(lessons: &Lessons, page: &mut Page) {
    let Lessons { level, stronger, moves } = lessons;
    page.heading("What to learn from this game");
    if moves.is_empty() {
        page.paragraph(&format!(
            "No move lost a pawn or more where players rated {stronger} err less often than those rated \
             {level}."
        ));
        return;
    }
    page.paragraph(&format!(
        "These moves lost a pawn or more. Players rated {level}, as your moves look, err here more often \
         than players rated {stronger}: what they see there is the next thing to learn."
    ));
    let heads = ["move", "lost", "better", &format!("{level} err"), &format!("{stronger} err")];
    let percent = |share: f64| format!("{:.0} %", 100.0 * share);
    let rows = moves.iter().map(|lesson| {
        let [own, others] = lesson.errs.map(percent);
        vec![lesson.san.clone(), format!("{:.1}", lesson.loss), lesson.best.clone(), own, others]
    });
    page.table(&heads, rows);
}

fn performances(tournament: &TournamentTables, page: &mut Page) {
    page.heading("Performances");
    page.paragraph(
        "By the gains of the moves: the score that each player's moves promise against the engine, \
         the difference in rating that this is, and what it makes of him in this field (D. Ferreira, \
         The Impact of Search Depth on Chess Playing Strength, section 4).",
    );
    page.table(&TOURNAMENT_HEADS, tournament.rows());
    tournament.engine().iter().for_each(|text| page.paragraph(text));
    page.heading("Expected scores");
    page.paragraph("Row against column, in per cent, by the gains of their moves.");
    let rows = tournament.crosses();
    page.shaded("player", 1..=rows.len(), rows);
}

fn section(report: &StudyReport, plan: &StudyPlan, honest: f64, page: &mut Page) {
    page.heading(&report.name);
    page.paragraph(&sentence(report, plan));
    page.raw(&table(facts(report, plan)));
    let more = more_facts(report, plan, honest);
    if !more.is_empty() {
        let more = table(more);
        page.raw(&format!("<details><summary>All figures</summary>\n{more}</details>\n"));
    }
    if report.tally.used == 0 {
        return;
    }
    if let Some((depth, apparent)) = report.apparent.last() {
        let bars = belief(&apparent.posterior);
        let title = format!("How much each c is believed, in percent, at depth {depth}");
        histogram(page, &title, "competence c", &bars);
    }
    if let Some(projection) = &report.projection {
        let bars = projection.frequencies.iter().take(PLACES).enumerate();
        let bars = bars.map(|(place, figure)| Bar {
            label: (place + 1).to_string(),
            actual: 100.0 * figure.actual,
            projected: Some(100.0 * figure.projected),
        });
        let title = "How often the best move, the second best... was played, in percent; the lines \
                     are what the fitted player projects";
        histogram(page, title, "place", &bars.collect::<Vec<_>>());
    }
    let title = "Gains in centipawns, in percent of the moves: what each move did to the value";
    histogram(page, title, "gain", &gains(report));
}

fn table(facts: Vec<(String, String)>) -> String {
    let rows = facts.into_iter().map(|(name, text)| {
        let (name, text) = (escape(&name), escape(&text));
        format!("<tr><th scope=\"row\">{name}</th><td>{text}</td></tr>\n")
    });
    let rows: String = rows.collect();
    format!("<table class=\"facts\"><tbody>\n{rows}</tbody></table>\n")
}

/// The belief in neighbouring points of the scale, put together.
fn belief(posterior: &Posterior) -> Vec<Bar> {
    let weights = posterior.weights();
    let together = weights.len().div_ceil(BARS);
    let points = posterior.points().chunks(together).zip(weights.chunks(together));
    let bar = |(points, weights): (&[f64], &[f64])| Bar {
        label: format!("{:.0}", points[0]),
        actual: 100.0 * weights.iter().sum::<f64>(),
        projected: None,
    };
    points.map(bar).collect()
}

/// Edges of the bars of gains, in centipawns.
const EDGES: [i32; 10] = [-300, -100, -50, -25, -10, 0, 1, 11, 26, 51];

fn gains(report: &StudyReport) -> Vec<Bar> {
    let histogram = report.gains.histogram();
    let bounds = || EDGES.iter().copied();
    let lows = std::iter::once(i32::MIN).chain(bounds());
    let highs = bounds().chain(std::iter::once(i32::MAX));
    let bar = |(low, high): (i32, i32)| {
        let inside = histogram.iter().filter(|(gain, _)| (low..high).contains(gain));
        let label = match (low, high) {
            (i32::MIN, high) => format!("under {high}"),
            (low, i32::MAX) => format!("over {}", low - 1),
            (0, 1) => "0".to_owned(),
            (low, high) => format!("{low} to {}", high - 1),
        };
        Bar { label, actual: 100.0 * inside.map(|(_, part)| part).sum::<f64>(), projected: None }
    };
    lows.zip(highs).map(bar).collect()
}

/// A bar of what was, with a mark of what was projected.
struct Bar {
    label: String,
    /// In percent.
    actual: f64,
    projected: Option<f64>,
}

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 170.0;
/// Room for labels below, and above the highest bar.
const BELOW: f64 = 34.0;
const ABOVE: f64 = 18.0;

/// Bars side by side in the page's own colours, with a line above them; `x` says what the labels are.
fn histogram(page: &mut Page, title: &str, x: &str, bars: &[Bar]) {
    let values = bars.iter().flat_map(|bar| [Some(bar.actual), bar.projected]).flatten();
    let top = values.fold(1e-9, f64::max);
    let (step, floor) = (WIDTH / bars.len().max(1) as f64, ABOVE + HEIGHT);
    let y = |percent: f64| floor - HEIGHT * percent / top;
    let mut svg = format!(
        "<svg class=\"bars\" viewBox=\"0 0 {WIDTH} {}\" role=\"img\" aria-label=\"{}\">\
         <path class=\"axis\" d=\"M0 {floor}H{WIDTH}\"/>",
        floor + BELOW,
        escape(title)
    );
    for (index, bar) in bars.iter().enumerate() {
        let (left, middle) = (step * index as f64, step * (index as f64 + 0.5));
        let (width, height) = (0.76 * step, floor - y(bar.actual));
        let _ = write!(
            svg,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{width:.1}\" height=\"{height:.1}\"/>\
             <text x=\"{middle:.1}\" y=\"{:.1}\">{}</text>",
            left + 0.12 * step,
            y(bar.actual),
            floor + 14.0,
            escape(&bar.label)
        );
        if let Some(projected) = bar.projected {
            let at = y(projected);
            let _ = write!(svg, "<path class=\"projected\" d=\"M{left:.1} {at:.1}h{step:.1}\"/>");
        }
        if bar.actual >= 0.05 {
            let _ = write!(
                svg,
                "<text x=\"{middle:.1}\" y=\"{:.1}\">{:.*}</text>",
                y(bar.actual) - 4.0,
                usize::from(bar.actual < 9.95),
                bar.actual
            );
        }
    }
    let (x, middle, below) = (escape(x), WIDTH / 2.0, floor + BELOW - 4.0);
    let _ = write!(svg, "<text x=\"{middle}\" y=\"{below}\">{x}</text></svg>");
    page.raw(&format!("<p class=\"soft\">{}.</p>\n{svg}\n", escape(title)));
}
