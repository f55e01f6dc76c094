//! Deposits of a store as JSON lines and EPD, and what a store holds.

use serde::Serialize;

use super::evaluation::EvaluationLine;
use crate::games::{StoreSummary, StoredEvaluation};
use crate::value::{Meaning, Value};

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
    let fields: Vec<&str> = fen.split(' ').take(4).collect();
    let mut record = fields.join(" ");
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
        add(worth(best.value()));
        let mut after = position.clone();
        let mut line = vec!["pv".to_owned()];
        for &mv in &best.line {
            line.push(after.plain_san(mv));
            after.play(mv);
        }
        add(line.join(" "));
        let all = evaluation.moves.iter().map(|m| {
            let mark = if m.last().exact { "" } else { "<=" };
            format!("{} {mark}{}", position.plain_san(m.mv), m.value())
        });
        add(format!("c0 \"{}\"", all.collect::<Vec<_>>().join(", ")));
    }
    record
}

fn worth(value: Value) -> String {
    match value.meaning() {
        Meaning::Mate(moves) => format!("dm {moves}"),
        _ => format!("ce {}", value.raw()),
    }
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
