//! An evaluation as a document and as a line of JSON. This file also writes cached evaluations as
//! JSON and EPD, and a summary of the cache.

use std::time::Duration;

use serde::Serialize;

use super::document::{Column, Document, Table};
use crate::board::{Move, Position};
use crate::evaluation::{DepthValue, MoveEvaluation, RootEvaluation};
use crate::games::{CacheContents, CachedEvaluation};
use crate::value::{Depth, Meaning, Value};

/// The evaluation of a position as JSON.
#[derive(Debug, Serialize)]
pub struct EvaluationLine {
    fen: String,
    depth: Depth,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<u128>,
    /// The fingerprint of the tablebases that were used, if any.
    #[serde(skip_serializing_if = "Option::is_none")]
    syzygy: Option<String>,
    /// The reason why there are no moves.
    #[serde(skip_serializing_if = "Option::is_none")]
    ending: Option<&'static str>,
    moves: Vec<MoveLine>,
}

#[derive(Debug, Serialize)]
struct MoveLine {
    #[serde(rename = "move")]
    uci: String,
    san: String,
    value: JsonValue,
    pawns: f64,
    /// False if the evaluation is only an upper bound or was filled in. Omitted if it is true.
    #[serde(skip_serializing_if = "is_true")]
    exact: bool,
    by_depth: Vec<DepthLine>,
    pv: Vec<String>,
}

#[derive(Debug, Serialize)]
struct DepthLine {
    #[serde(flatten)]
    value: JsonValue,
    #[serde(skip_serializing_if = "is_true")]
    exact: bool,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum JsonValue {
    Cp(i32),
    Mate(i32),
    /// The number of plies to a tablebase win. Negative for a loss.
    Table(i32),
}

fn is_true(truth: &bool) -> bool {
    *truth
}

impl EvaluationLine {
    pub fn new(
        position: &Position,
        evaluation: &RootEvaluation,
        elapsed: Option<Duration>,
    ) -> EvaluationLine {
        EvaluationLine {
            fen: position.fen(),
            depth: evaluation.depth,
            nodes: evaluation.nodes,
            time_ms: elapsed.map(|elapsed| elapsed.as_millis()),
            syzygy: evaluation.oracle.map(|fingerprint| format!("{fingerprint:016x}")),
            ending: ending(position),
            moves: evaluation.moves.iter().map(|m| MoveLine::new(position, m)).collect(),
        }
    }
}

impl MoveLine {
    fn new(position: &Position, evaluation: &MoveEvaluation) -> MoveLine {
        let last = evaluation.last();
        let depth_line = |a: &DepthValue| DepthLine { value: a.value.into(), exact: a.exact };
        MoveLine {
            uci: position.uci(evaluation.mv),
            san: position.san(evaluation.mv),
            value: last.value.into(),
            pawns: last.value.pawns(),
            exact: last.exact,
            by_depth: evaluation.by_depth.iter().map(depth_line).collect(),
            pv: evaluation.line.iter().map(|&m| position.uci(m)).collect(),
        }
    }
}

impl From<Value> for JsonValue {
    fn from(value: Value) -> JsonValue {
        match value.meaning() {
            Meaning::Mate(moves) => JsonValue::Mate(moves),
            Meaning::Centipawns(centipawns) => JsonValue::Cp(centipawns),
            Meaning::Table(plies) => JsonValue::Table(plies),
        }
    }
}

/// The evaluations of all moves at all depths, with the principal variations.
pub fn evaluation(position: &Position, evaluation: &RootEvaluation, elapsed: Duration) -> Document {
    let mut document = Document::new(position.fen());
    if let Some(why) = ending(position) {
        document.paragraph(format!("no legal move: {why}"));
        return document;
    }
    let (depth, nodes, seconds) = (evaluation.depth, evaluation.nodes, elapsed.as_secs_f64());
    document.paragraph(format!("depth {depth}, {nodes} nodes, {seconds:.3} s"));
    let depths = (1..=depth).map(|depth| Column::right(format!("d{depth}")));
    let columns = [Column::left("move"), Column::right("score")].into_iter().chain(depths);
    let mut table = Table::new(columns.chain([Column::left("line")]));
    let bounded = |a: &DepthValue| format!("{}{}", if a.exact { "" } else { "<" }, a.value);
    for m in &evaluation.moves {
        let values = std::iter::once(m.last()).chain(m.by_depth.iter().copied());
        let mut cells = vec![position.san(m.mv)];
        cells.extend(values.map(|assessment| bounded(&assessment)));
        // External engines may skip depths.
        cells.resize(table.columns.len() - 1, String::new());
        cells.push(line(position, m, Position::san).join(" "));
        table.row(cells);
    }
    document.table(table);
    document
}

/// How the game ended if there is no legal move.
pub fn ending(position: &Position) -> Option<&'static str> {
    let ending = if position.in_check() { "checkmate" } else { "stalemate" };
    (!position.has_legal_move()).then_some(ending)
}

/// The moves of a variation, in the notation that `written` gives.
fn line(
    position: &Position,
    evaluation: &MoveEvaluation,
    written: fn(&Position, Move) -> String,
) -> Vec<String> {
    let mut position = position.clone();
    let next = |&mv: &Move| {
        let word = written(&position, mv);
        position.play(mv);
        word
    };
    evaluation.line.iter().map(next).collect()
}

/// A cached evaluation as JSON: an `EvaluationLine` with its evaluator.
#[derive(Debug, Serialize)]
pub struct CachedLine {
    evaluator: String,
    /// A hash of the earlier positions that could recur. Omitted if there are none.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<String>,
    requested_depth: u8,
    #[serde(flatten)]
    evaluation: EvaluationLine,
}

impl CachedLine {
    /// Describes a cached evaluation with the keys under which it is stored.
    pub fn new(cached: &CachedEvaluation) -> CachedLine {
        CachedLine {
            evaluator: format!("{:016x}", cached.evaluator),
            history: (cached.history != 0).then(|| format!("{:016x}", cached.history)),
            requested_depth: cached.depth,
            evaluation: EvaluationLine::new(&cached.position, &cached.evaluation, None),
        }
    }
}

/// An EPD record with the best move, its evaluation and its variation. The evaluations of all moves
/// are in `c0`.
pub fn cached_epd(cached: &CachedEvaluation) -> String {
    let (position, evaluation) = (&cached.position, &cached.evaluation);
    let fen = position.fen();
    let mut record = fen.split(' ').take(4).collect::<Vec<_>>().join(" ");
    let mut add = |operation: String| {
        record.push(' ');
        record.push_str(&operation);
        record.push(';');
    };
    add(format!("hmvc {}", position.halfmoves()));
    add(format!("acd {}", evaluation.depth));
    add(format!("acn {}", evaluation.nodes));
    if let Some(best) = evaluation.best() {
        add(format!("bm {}", position.plain_san(best.mv)));
        add(match best.value().meaning() {
            Meaning::Mate(moves) => format!("dm {moves}"),
            _ => format!("ce {}", best.value().raw()),
        });
        let line =
            std::iter::once("pv".to_owned()).chain(line(position, best, Position::plain_san));
        add(line.collect::<Vec<_>>().join(" "));
        let all = evaluation.moves.iter().map(|m| {
            let mark = if m.last().exact { "" } else { "<=" };
            format!("{} {mark}{}", position.plain_san(m.mv), m.value())
        });
        add(format!("c0 \"{}\"", all.collect::<Vec<_>>().join(", ")));
    }
    record
}

/// The number of cached evaluations by each evaluator.
pub fn store_summary(summaries: &[CacheContents]) -> Document {
    let mut table = Table::new([
        Column::right("positions"),
        Column::left("depth"),
        Column::left("fingerprint"),
        Column::left("evaluator"),
    ]);
    for CacheContents { evaluator, evaluations, least, deepest } in summaries {
        table.row([
            evaluations.to_string(),
            if least == deepest { least.to_string() } else { format!("{least}-{deepest}") },
            format!("{:016x}", evaluator.fingerprint),
            evaluator.identity.clone(),
        ]);
    }
    let mut document = Document::default();
    document.table(table);
    document
}
