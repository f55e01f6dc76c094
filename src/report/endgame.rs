//! What the zone of tables has to say, as text and JSON.

use std::fmt::Write as _;

use serde::Serialize;
use serde_json::{Value as Json, json};

use super::document::{Column, Document, Table};
use super::endgame_page::gain_in_words;
use crate::board::{Move, Position};
use crate::endgame::{
    Built, Comparison, Depths, EndgameProfile, Material, MoveReport, ProbeReport, TableAgreement,
    TableResult,
};

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

/// The JSON of a table that was made.
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

/// What the columns of [`agreement_lines`] are.
pub fn agreement_heading() -> String {
    format!(
        "{:<8}{:>12}{:>12}{:>12}{:>12}{:>10}{:>13}",
        "", "positions", "en passant", "distances", "exact", "unsaid", "differences"
    )
}

/// One material compared with Syzygy files, with examples of what differs.
pub fn agreement_lines(material: Material, found: &TableAgreement) -> String {
    let mut text = format!(
        "{:<8}{:>12}{:>12}{:>12}{:>12}{:>10}{:>13}\n",
        material.to_string(),
        found.positions,
        found.en_passant,
        found.distances,
        found.exact,
        found.rounded_unsaid,
        found.differences
    );
    for example in &found.examples {
        let _ = writeln!(text, "    {example}");
    }
    text
}

pub fn agreement_json(material: Material, found: &TableAgreement) -> Json {
    json!({
        "material": material.to_string(),
        "positions": found.positions,
        "en_passant": found.en_passant,
        "distances": found.distances,
        "exact": found.exact,
        "rounded_unsaid": found.rounded_unsaid,
        "differences": found.differences,
        "examples": found.examples,
    })
}

/// Moves in the order of merit: results first, then quick wins and slow losses.
fn by_merit(report: &ProbeReport) -> Vec<&MoveReport> {
    let mut moves: Vec<&MoveReport> = report.moves.iter().collect();
    moves.sort_by_key(|m| {
        let depth = m.depths.dtc.or(m.depths.dtm).or(m.depths.dtz).map_or(0, i32::from);
        let slowness = if m.result == TableResult::Loss { -depth } else { depth };
        (std::cmp::Reverse(m.result), slowness)
    });
    moves
}

/// What the tables know of a position and of its moves.
pub fn probe(position: &Position, report: &ProbeReport) -> Document {
    let mut document = Document::new(position.fen());
    document.paragraph(format!("{} to the side to move{}", report.result, in_words(report.depths)));
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
    if words.is_empty() { words } else { format!("{words} plies") }
}

/// The JSON of what the tables know of a position.
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

fn sans(position: &Position, moves: &[Move]) -> Vec<String> {
    moves.iter().map(|&m| position.san(m)).collect()
}

/// A player's competence, a line for each move.
pub fn profile_text(profile: &EndgameProfile) -> String {
    let mut text = String::new();
    let mut ceded = 0.0;
    for m in &profile.moves {
        ceded += m.ceded;
        let name = m.position.move_number() + &m.position.san(m.mv);
        let depth = match (m.depth, m.depth_after) {
            (Some(before), Some(after)) => format!("{before:.0} -> {after:.0}"),
            _ => format!("{} -> {}", m.result, m.result_after),
        };
        let cession = if m.ceded > 0.0 {
            format!("+{:.0}/+{ceded:.0}: {}", m.ceded, sans(&m.position, &m.optimal).join(" "))
        } else {
            String::new()
        };
        let _ = writeln!(
            text,
            "{name:<12}{depth:<14}c {:>7.3} +- {:>6.3}  {cession}",
            m.mean, m.deviation
        );
    }
    let (low, high) = profile.belief.interval(0.95);
    let _ = writeln!(
        text,
        "\nc = {:.3} +- {:.3}, 95 % between {low:.1} and {high:.1}, on {} moves; {:.0} moves ceded",
        profile.belief.mean(),
        profile.belief.standard_deviation(),
        profile.moves.len(),
        profile.ceded(),
    );
    text
}

pub fn profile_json(profile: &EndgameProfile) -> Json {
    let moves = profile.moves.iter().map(|m| {
        json!({
            "fen": m.position.fen(),
            "move": m.position.uci(m.mv),
            "san": m.position.san(m.mv),
            "result": m.result.to_string(),
            "result_after": m.result_after.to_string(),
            "depth": m.depth,
            "depth_after": m.depth_after,
            "ceded": m.ceded,
            "optimal": sans(&m.position, &m.optimal),
            "legal": m.legal,
            "c": m.mean,
            "c_sd": m.deviation,
        })
    });
    let (low, high) = profile.belief.interval(0.95);
    json!({
        "moves": moves.collect::<Vec<Json>>(),
        "c": profile.belief.mean(),
        "c_sd": profile.belief.standard_deviation(),
        "c_95": [low, high],
        "ceded": profile.ceded(),
    })
}

/// Which move is best against which competence.
pub fn comparison_text(position: &Position, comparison: &Comparison, limit: f64) -> String {
    let what = gain_in_words(comparison);
    let mut text = format!("{}\n{what}, by his competence c\n\n{:>8}", position.fen(), "c");
    let moves: Vec<Move> = comparison.moves().collect();
    for &m in &moves {
        let _ = write!(text, "{:>10}", position.san(m));
    }
    text.push('\n');
    for step in 0..=20 {
        let c = limit * f64::from(step) / 20.0;
        let _ = write!(text, "{c:>8.2}");
        for index in 0..moves.len() {
            let _ = write!(text, "{:>10.4}", comparison.gain(index, c));
        }
        text.push('\n');
    }
    text.push('\n');
    for preference in comparison.preferences(limit) {
        let san = position.san(preference.mv);
        let _ = writeln!(
            text,
            "{san} is best for c from {:.3} to {:.3}",
            preference.from, preference.to
        );
    }
    for crossing in comparison.crossings(limit) {
        let (better, worse) = (position.san(crossing.better), position.san(crossing.worse));
        let _ = writeln!(text, "{better} overtakes {worse} at c = {:.3}", crossing.competence);
    }
    text
}

pub fn comparison_json(position: &Position, comparison: &Comparison, limit: f64) -> Json {
    let grid: Vec<f64> = (0..=200).map(|step| limit * f64::from(step) / 200.0).collect();
    let curves = comparison.moves().enumerate().map(|(index, m)| {
        let values: Vec<f64> = grid.iter().map(|&c| comparison.gain(index, c)).collect();
        json!({ "move": position.uci(m), "san": position.san(m), "expected": values })
    });
    let preferences = comparison.preferences(limit).into_iter();
    let crossings = comparison.crossings(limit).into_iter();
    json!({
        "fen": position.fen(),
        "expected": gain_in_words(comparison),
        "c": grid,
        "curves": curves.collect::<Vec<Json>>(),
        "preferences": preferences.map(|p| json!({
            "move": position.uci(p.mv), "san": position.san(p.mv), "from": p.from, "to": p.to,
        })).collect::<Vec<Json>>(),
        "crossings": crossings.map(|x| json!({
            "better": position.san(x.better), "worse": position.san(x.worse), "c": x.competence,
        })).collect::<Vec<Json>>(),
    })
}
