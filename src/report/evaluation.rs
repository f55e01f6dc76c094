//! An evaluation as a line of JSON and as a table.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::board::Position;
use crate::evaluation::{Assessment, MoveEvaluation, RootEvaluation};
use crate::value::{Depth, Meaning, Value};

/// A position's evaluation as JSON.
#[derive(Debug, Serialize)]
pub struct EvaluationLine {
    fen: String,
    depth: Depth,
    nodes: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_ms: Option<u128>,
    /// The fingerprint of the files that were asked, if any were.
    #[serde(skip_serializing_if = "Option::is_none")]
    syzygy: Option<String>,
    /// Why there are no moves.
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
    /// Only written where a cap was asked for and hit: the move is worth at most this.
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
    /// Won (or lost, if negative) by a table so many plies on.
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
        let depth_line = |a: &Assessment| DepthLine { value: a.value.into(), exact: a.exact };
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

/// The values of all moves at all depths, and the lines.
pub fn evaluation_table(
    position: &Position,
    evaluation: &RootEvaluation,
    elapsed: Duration,
) -> String {
    let mut out = String::new();
    // Writing to a string cannot fail.
    let _ = write_table(position, evaluation, elapsed, &mut out);
    out
}

/// How the game has ended for want of a legal move.
fn ending(position: &Position) -> Option<&'static str> {
    let ending = if position.in_check() { "checkmate" } else { "stalemate" };
    (!position.has_legal_move()).then_some(ending)
}

fn write_table(
    position: &Position,
    evaluation: &RootEvaluation,
    elapsed: Duration,
    out: &mut String,
) -> std::fmt::Result {
    writeln!(out, "{}", position.fen())?;
    if let Some(why) = ending(position) {
        writeln!(out, "no legal move: {why}\n")?;
        return Ok(());
    }
    let (depth, nodes) = (evaluation.depth, evaluation.nodes);
    writeln!(out, "depth {depth}, {nodes} nodes, {:.3} s\n", elapsed.as_secs_f64())?;
    write!(out, "{:<8}{:>9} ", "move", "value")?;
    for depth in 1..=depth {
        write!(out, "{:>8}", format!("d{depth}"))?;
    }
    writeln!(out, "   line")?;
    for m in &evaluation.moves {
        let last = m.last();
        let mark = if last.exact { "" } else { "<" };
        write!(out, "{:<8}{:>9} ", position.san(m.mv), format!("{mark}{}", last.value))?;
        for assessment in &m.by_depth {
            let mark = if assessment.exact { "" } else { "<" };
            write!(out, "{:>8}", format!("{mark}{}", assessment.value))?;
        }
        writeln!(out, "   {}", line_in_san(position, m))?;
    }
    writeln!(out)?;
    Ok(())
}

fn line_in_san(position: &Position, evaluation: &MoveEvaluation) -> String {
    let mut position = position.clone();
    let mut words = Vec::new();
    for &m in &evaluation.line {
        words.push(position.san(m));
        position.play(m);
    }
    words.join(" ")
}
