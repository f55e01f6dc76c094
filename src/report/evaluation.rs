//! An evaluation as a line of JSON and as a table; those of a store as lines of JSON and EPD, and what a
//! store holds.

use std::fmt::Write as _;
use std::time::Duration;

use serde::Serialize;

use crate::board::{Move, Position};
use crate::evaluation::{Assessment, MoveEvaluation, RootEvaluation};
use crate::games::{StoreSummary, StoredEvaluation};
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
    let fen = position.fen();
    if let Some(why) = ending(position) {
        return format!("{fen}\nno legal move: {why}\n\n");
    }
    let (depth, nodes, seconds) = (evaluation.depth, evaluation.nodes, elapsed.as_secs_f64());
    let mut text = format!("{fen}\ndepth {depth}, {nodes} nodes, {seconds:.3} s\n\n");
    text += &format!("{:<8}{:>9} ", "move", "value");
    text.extend((1..=depth).map(|depth| format!("{:>8}", format!("d{depth}"))));
    text += "   line\n";
    let bounded = |a: &Assessment| format!("{}{}", if a.exact { "" } else { "<" }, a.value);
    for m in &evaluation.moves {
        let _ = write!(text, "{:<8}{:>9} ", position.san(m.mv), bounded(&m.last()));
        text.extend(m.by_depth.iter().map(|assessment| format!("{:>8}", bounded(assessment))));
        let _ = writeln!(text, "   {}", line(position, m, Position::san).join(" "));
    }
    text + "\n"
}

/// How the game has ended for want of a legal move.
fn ending(position: &Position) -> Option<&'static str> {
    let ending = if position.in_check() { "checkmate" } else { "stalemate" };
    (!position.has_legal_move()).then_some(ending)
}

/// The moves of a line as they are written.
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

/// The line of [`EvaluationLine`] with whose it is.
#[derive(Debug, Serialize)]
struct DepositLine {
    #[serde(rename = "assessor")]
    evaluator: String,
    /// A digest of the earlier positions; not written where there were none.
    #[serde(skip_serializing_if = "Option::is_none")]
    history: Option<String>,
    asked_depth: u8,
    #[serde(flatten)]
    evaluation: EvaluationLine,
}

/// A line of JSON, as `evaluate` writes it.
pub fn deposit_json(deposit: &StoredEvaluation) -> serde_json::Result<String> {
    serde_json::to_string(&DepositLine {
        evaluator: format!("{:016x}", deposit.evaluator),
        history: (deposit.history != 0).then(|| format!("{:016x}", deposit.history)),
        asked_depth: deposit.depth,
        evaluation: EvaluationLine::new(&deposit.position, &deposit.evaluation, None),
    })
}

/// An EPD record: the best move with its value and line, and the values of all moves in `c0`.
pub fn deposit_epd(deposit: &StoredEvaluation) -> String {
    let (position, evaluation) = (&deposit.position, &deposit.evaluation);
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

/// A table of who has deposited how much.
pub fn holdings_table(holdings: &[StoreSummary]) -> String {
    let mut text =
        format!("{:>10}  {:<9}{:<18}{}\n", "positions", "depth", "fingerprint", "valued by");
    for StoreSummary { evaluator, deposits, least, deepest } in holdings {
        let depths =
            if least == deepest { least.to_string() } else { format!("{least}-{deepest}") };
        let (fingerprint, identity) = (evaluator.fingerprint, &evaluator.identity);
        text += &format!("{deposits:>10}  {depths:<9}{fingerprint:016x}  {identity}\n");
    }
    text
}
