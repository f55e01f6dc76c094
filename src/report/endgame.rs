//! What the zone of tables has to say, as text and JSON.

use std::fmt::Write as _;

use serde_json::{Value as Json, json};

use crate::board::Position;
use crate::endgame::{Built, Depths, MoveReport, ProbeReport, TableResult};

/// One line about a table that was made.
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

pub fn built_json(built: &Built) -> Json {
    let summary = &built.summary;
    json!({
        "material": summary.material.to_string(),
        "metric": summary.metric.to_string(),
        "positions": summary.positions,
        "wins": summary.wins,
        "draws": summary.draws,
        "losses": summary.losses,
        "longest": summary.longest.as_ref().map(|(plies, fen)| json!({
            "plies": plies, "moves": plies.div_ceil(2), "fen": fen,
        })),
        "seconds": built.time.as_secs_f64(),
        "file": built.path.as_ref().map(|path| path.display().to_string()),
    })
}

/// Moves in the order of merit: results first, then quick wins and slow losses.
pub fn by_merit(report: &ProbeReport) -> Vec<&MoveReport> {
    let mut moves: Vec<&MoveReport> = report.moves.iter().collect();
    moves.sort_by_key(|m| {
        let depth = m.depths.dtc.or(m.depths.dtm).or(m.depths.dtz).map_or(0, i32::from);
        let slowness = if m.result == TableResult::Loss { -depth } else { depth };
        (std::cmp::Reverse(m.result), slowness)
    });
    moves
}

/// A position's report as a table.
pub fn probe_text(position: &Position, report: &ProbeReport) -> String {
    let mut text = format!("{}\n{} to the side to move", position.fen(), report.result);
    let _ = writeln!(text, "{}\n", in_words(report.depths));
    let _ = writeln!(text, "{:<8}{:<6}{:>6}{:>6}{:>6}", "move", "result", "dtc", "dtm", "dtz");
    for m in by_merit(report) {
        let number = |depth: Option<u16>| depth.map_or("-".to_owned(), |plies| plies.to_string());
        let Depths { dtc, dtm, dtz } = m.depths;
        let (dtc, dtm, dtz) = (number(dtc), number(dtm), number(dtz));
        let result = m.result.to_string();
        let _ = writeln!(text, "{:<8}{result:<6}{dtc:>6}{dtm:>6}{dtz:>6}", position.san(m.mv));
    }
    text
}

fn in_words(depths: Depths) -> String {
    let named = [("dtc", depths.dtc), ("dtm", depths.dtm), ("dtz", depths.dtz)];
    let known = named.iter().filter_map(|(name, plies)| plies.map(|p| format!(", {name} {p}")));
    let words: String = known.collect();
    if words.is_empty() { words } else { format!("{words} plies") }
}

fn depths_json(depths: Depths) -> Json {
    json!({ "dtc": depths.dtc, "dtm": depths.dtm, "dtz": depths.dtz })
}

pub fn probe_json(position: &Position, report: &ProbeReport) -> Json {
    let moves = by_merit(report).into_iter().map(|m| {
        json!({
            "move": position.uci(m.mv),
            "san": position.san(m.mv),
            "result": m.result.to_string(),
            "dtc": m.depths.dtc,
            "dtm": m.depths.dtm,
            "dtz": m.depths.dtz,
        })
    });
    json!({
        "fen": position.fen(),
        "material": report.material.to_string(),
        "result": report.result.to_string(),
        "depth": depths_json(report.depths),
        "moves": moves.collect::<Vec<Json>>(),
    })
}
