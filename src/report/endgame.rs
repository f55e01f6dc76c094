//! Endgame tables: the summary of a new table, and the result of a lookup.

use serde::Serialize;

use super::document::{Column, Document, Table};
use crate::board::Position;
use crate::endgame::{Built, Depths, MoveReport, ProbeReport, TableResult};

/// A one-line summary of a new table.
pub fn built_line(built: &Built) -> String {
    let summary = &built.summary;
    let longest = match &summary.longest {
        Some((plies, fen)) => {
            format!("longest win {} moves ({plies} plies): {fen}", plies.div_ceil(2))
        }
        None => "no wins".to_owned(),
    };
    format!(
        "{:<7}{}  {:>11} positions {:>11} wins {:>11} draws {:>11} losses  {:>7.2} s  {longest}",
        summary.material.to_string(),
        summary.metric,
        summary.positions,
        summary.wins,
        summary.draws,
        summary.losses,
        built.time.as_secs_f64(),
    )
}

/// The JSON of a new table.
#[derive(Debug, Serialize)]
pub struct BuiltJson<'a> {
    material: String,
    metric: String,
    positions: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    longest: Option<LongestJson<'a>>,
    seconds: f64,
    file: Option<String>,
}

#[derive(Debug, Serialize)]
struct LongestJson<'a> {
    plies: u16,
    moves: u16,
    fen: &'a str,
}

impl BuiltJson<'_> {
    pub fn new(built: &Built) -> BuiltJson<'_> {
        let summary = &built.summary;
        let longest = summary.longest.as_ref();
        BuiltJson {
            material: summary.material.to_string(),
            metric: summary.metric.to_string(),
            positions: summary.positions,
            wins: summary.wins,
            draws: summary.draws,
            losses: summary.losses,
            longest: longest.map(|(plies, fen)| LongestJson {
                plies: *plies,
                moves: plies.div_ceil(2),
                fen,
            }),
            seconds: built.time.as_secs_f64(),
            file: built.path.as_ref().map(|path| path.display().to_string()),
        }
    }
}

/// The moves from best to worst. Wins come before draws and losses, fast wins before slow ones, and
/// slow losses before fast ones. The depth to conversion decides, and then the depth to mate.
fn by_merit(report: &ProbeReport) -> Vec<&MoveReport> {
    let mut moves: Vec<&MoveReport> = report.moves.iter().collect();
    moves.sort_by_key(|m| {
        let slowness = [m.depths.dtc, m.depths.dtm, m.depths.dtz].map(|depth| {
            let plies = depth.map_or(0, i32::from);
            if m.result == TableResult::Loss { -plies } else { plies }
        });
        (std::cmp::Reverse(m.result), slowness)
    });
    moves
}

/// The tablebase results of a position and of its moves.
pub fn probe(position: &Position, report: &ProbeReport) -> Document {
    let mut document = Document::new(position.fen());
    document.paragraph(format!(
        "{} for the side to move{}",
        report.result,
        in_words(report.depths)
    ));
    let headers = [Column::left("move"), Column::left("result")].into_iter();
    let mut table = Table::new(headers.chain(["dtc", "dtm", "dtz"].map(Column::right)));
    for m in by_merit(report) {
        let Depths { dtc, dtm, dtz } = m.depths;
        let depths = [dtc, dtm, dtz].map(|depth| depth.map_or("-".to_owned(), |d| d.to_string()));
        table.row([position.san(m.mv), m.result.to_string()].into_iter().chain(depths));
    }
    document.table(table);
    document
}

fn in_words(depths: Depths) -> String {
    let named = [("dtc", depths.dtc), ("dtm", depths.dtm), ("dtz", depths.dtz)];
    let known = named.iter().filter_map(|(name, plies)| plies.map(|p| format!(", {name} {p}")));
    let words: String = known.collect();
    if words.is_empty() { words } else { format!("{words} (plies)") }
}

/// The JSON of a tablebase lookup.
#[derive(Debug, Serialize)]
pub struct ProbeJson {
    fen: String,
    material: String,
    result: String,
    depth: Depths,
    moves: Vec<ProbedMoveJson>,
}

#[derive(Debug, Serialize)]
struct ProbedMoveJson {
    #[serde(rename = "move")]
    uci: String,
    san: String,
    result: String,
    #[serde(flatten)]
    depths: Depths,
}

impl ProbeJson {
    pub fn new(position: &Position, report: &ProbeReport) -> ProbeJson {
        let probed = |m: &MoveReport| ProbedMoveJson {
            uci: position.uci(m.mv),
            san: position.san(m.mv),
            result: m.result.to_string(),
            depths: m.depths,
        };
        ProbeJson {
            fen: position.fen(),
            material: report.material.to_string(),
            result: report.result.to_string(),
            depth: report.depths,
            moves: by_merit(report).into_iter().map(probed).collect(),
        }
    }
}
