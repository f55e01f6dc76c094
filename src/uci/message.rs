//! The messages from the engine to the GUI, as `vampirc-uci` values.

use std::time::Duration;

use vampirc_uci::{UciInfoAttribute, UciMessage, UciMove, UciOptionConfig, UciPiece, UciSquare};

use crate::board::{Move, Position};
use crate::config::{EngineOption, Kind, Settings};
use crate::eval::WinModel;
use crate::search::{Bound, Report};
use crate::value::{Meaning, Value};

/// The score of a tablebase win in centipawns, as other engines show it.
const TABLE_CENTIPAWNS: i32 = 20_000;

/// Returns our name and author. `other` is the name and author of an external engine that evaluates
/// the moves.
pub fn identity(other: Option<(&str, &str)>) -> [UciMessage; 2] {
    let (name, author) = (concat!("Stopdown ", env!("CARGO_PKG_VERSION")), "the Stopdown authors");
    match other {
        None => [UciMessage::id_name(name), UciMessage::id_author(author)],
        Some((other, by)) => [
            UciMessage::id_name(&format!("{name} with {other}")),
            UciMessage::id_author(&format!("{author}; {other} by {by}")),
        ],
    }
}

/// Returns the declaration of an option, with the value in `settings` as its default. Control
/// characters are replaced, because a line break in a configuration file could fake a message.
pub fn option(option: &EngineOption, settings: &Settings) -> UciMessage {
    let name = option.name.to_owned();
    let text = option.value(settings).unwrap_or_default().replace(char::is_control, " ");
    // Some GUIs ignore an option without a default, so an empty default is written as `<empty>`.
    let default = Some(if text.is_empty() { "<empty>".to_owned() } else { text.clone() });
    UciMessage::Option(match option.kind {
        Kind::Check(_) => UciOptionConfig::Check { name, default: Some(text == "true") },
        Kind::Spin { min, max, .. } => UciOptionConfig::Spin {
            name,
            default: text.parse().ok(),
            min: Some(min),
            max: Some(max),
        },
        Kind::Choice { .. } => {
            UciOptionConfig::Combo { name, default, var: option.words(settings) }
        }
        Kind::Text(_) | Kind::Optional { .. } | Kind::Notice(_) => {
            UciOptionConfig::String { name, default }
        }
        Kind::Button => UciOptionConfig::Button { name },
    })
}

/// Returns a message for the user. Control characters are replaced, because a line break in quoted
/// input could start a fake message.
pub fn remark(text: &str) -> UciMessage {
    UciMessage::info_string(text.replace(char::is_control, " "))
}

/// Returns the `info` line of a search report. It includes WDL chances if there is a model for
/// them.
pub fn report(report: &Report, position: &Position, wdl_model: Option<&WinModel>) -> UciMessage {
    let milliseconds = report.elapsed.as_millis().max(1);
    let speed = u128::from(report.nodes) * 1000 / milliseconds;
    let mut attributes = vec![
        UciInfoAttribute::Depth(report.depth),
        UciInfoAttribute::SelDepth(report.selective_depth.max(report.depth)),
        UciInfoAttribute::MultiPv(u16::try_from(report.line_number).unwrap_or(u16::MAX)),
        score(report.value, report.bound),
    ];
    if let Some(model) = wdl_model {
        let chances = model.chances(report.value, position.occupied().count());
        let chances = chances.map(|thousandths| thousandths.to_string()).join(" ");
        attributes.push(UciInfoAttribute::Any("wdl".to_owned(), chances));
    }
    attributes.extend([
        UciInfoAttribute::Nodes(report.nodes),
        UciInfoAttribute::Nps(u64::try_from(speed).unwrap_or(u64::MAX)),
        UciInfoAttribute::HashFull(u16::try_from(report.hash_full).unwrap_or(1000)),
        UciInfoAttribute::TbHits(report.table_hits),
        time(report.elapsed),
    ]);
    if !report.line.is_empty() {
        let line = report.line.iter().map(|&m| written(position, m)).collect();
        attributes.push(UciInfoAttribute::Pv(line));
    }
    UciMessage::Info(attributes)
}

/// Returns the `info` line for a position without a legal move.
pub fn game_over(position: &Position) -> UciMessage {
    let value = if position.in_check() { Value::mated_in(0) } else { Value::DRAW };
    UciMessage::Info(vec![UciInfoAttribute::Depth(0), score(value, Bound::Exact)])
}

/// Returns the `bestmove` line as a string, because the crate has no value for `bestmove (none)`.
pub fn best_move(m: Option<Move>, ponder: Option<Move>, position: &Position) -> String {
    match m {
        None => "bestmove (none)".to_owned(),
        Some(m) => UciMessage::BestMove {
            best_move: written(position, m),
            ponder: ponder.map(|m| written(position, m)),
        }
        .to_string(),
    }
}

fn score(value: Value, bound: Bound) -> UciInfoAttribute {
    let (cp, mate) = match value.meaning() {
        Meaning::Centipawns(n) => (Some(n), None),
        Meaning::Table(plies) => (Some(value.raw().signum() * TABLE_CENTIPAWNS - plies), None),
        Meaning::Mate(moves) => (None, Some(moves as i8)),
    };
    let is = |other| (bound == other).then_some(true);
    UciInfoAttribute::Score {
        cp,
        mate,
        lower_bound: is(Bound::Lower),
        upper_bound: is(Bound::Upper),
    }
}

fn time(elapsed: Duration) -> UciInfoAttribute {
    UciInfoAttribute::Any("time".to_owned(), elapsed.as_millis().to_string())
}

/// Converts a move. The notation for castling depends on the variant, so the position first writes
/// the move as text.
fn written(position: &Position, m: Move) -> UciMove {
    let text = position.uci(m);
    let mut letters = text.chars();
    let mut square = || {
        let file = letters.next().unwrap_or('a');
        let rank = letters.next().and_then(|rank| rank.to_digit(10)).unwrap_or(0);
        UciSquare::from(file, rank as u8)
    };
    let (from, to) = (square(), square());
    let promotion = letters.next().and_then(|piece| piece.to_string().parse::<UciPiece>().ok());
    UciMove { promotion, ..UciMove::from_to(from, to) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moves_are_written_as_the_board_writes_them() {
        for (fen, chess960) in [
            ("r3k2r/pP6/8/8/8/8/8/R3K2R w KQkq - 0 1", false),
            ("r3k2r/pP6/8/8/8/8/8/R3K2R w KQkq - 0 1", true),
        ] {
            let position = Position::from_fen(fen, chess960).expect(fen);
            for m in position.legal_moves() {
                assert_eq!(written(&position, m).to_string(), position.uci(m));
            }
        }
    }

    #[test]
    fn scores_are_integers_of_a_known_kind() {
        let write = |value, bound| score(value, bound).to_string();
        assert_eq!(write(Value::centipawns(-31), Bound::Exact), "score cp -31");
        assert_eq!(write(Value::centipawns(7), Bound::Lower), "score cp 7 lowerbound");
        assert_eq!(write(Value::mate_in(5), Bound::Exact), "score mate 3");
        assert_eq!(write(Value::mated_in(4), Bound::Upper), "score mate -2 upperbound");
        assert_eq!(write(Value::TABLE, Bound::Exact), "score cp 20000");
        assert_eq!(write(Value::centipawns(-30_990), Bound::Exact), "score cp -19990");
    }

    #[test]
    fn remarks_stay_on_one_line() {
        assert_eq!(remark("a\nbestmove e2e4").to_string(), "info string a bestmove e2e4");
    }
}
