//! The client's side of UCI as text: what is said to an engine, and how its answers are read.

use std::time::Duration;

use super::contestant::{Choice, Request};
use super::time_control::{MoveLimits, TimeControl};
use crate::board::{Game, Move, STARTING_FEN};
use crate::value::Value;

pub(super) fn position_command(game: &Game) -> String {
    let fen = game.start().fen();
    let mut command = match fen == STARTING_FEN {
        true => "position startpos".to_owned(),
        false => format!("position fen {fen}"),
    };
    let mut position = game.start().clone();
    for (index, &m) in game.moves().iter().enumerate() {
        command.push_str(if index == 0 { " moves " } else { " " });
        command.push_str(&position.uci(m));
        position.play(m);
    }
    command
}

pub(super) fn go_command(request: &Request<'_>) -> String {
    let mut command = "go".to_owned();
    let mut add = |name: &str, number: u64| command.push_str(&format!(" {name} {number}"));
    let clock = request.own_clock();
    match clock.control() {
        Some(TimeControl::PerMove(time)) => add("movetime", milliseconds(time)),
        Some(TimeControl::Clock { .. }) => {
            // An opponent without a clock is shown with the mover's own: engines want to see both.
            for (side, names) in
                [(&request.white, ["wtime", "winc"]), (&request.black, ["btime", "binc"])]
            {
                let side = match side.control() {
                    Some(TimeControl::Clock { .. }) => side,
                    _ => clock,
                };
                add(names[0], milliseconds(side.allowance().unwrap_or_default()));
                if let Some(TimeControl::Clock { increment, .. }) = side.control() {
                    add(names[1], increment.as_millis() as u64);
                }
            }
            if let Some(moves) = clock.moves_to_go() {
                add("movestogo", u64::from(moves));
            }
        }
        None => {}
    }
    if let Some(depth) = request.limits.depth {
        add("depth", u64::from(depth));
    }
    if let Some(nodes) = request.limits.nodes {
        add("nodes", nodes);
    }
    command
}

/// What starts a search that is to be stopped from outside, unless depth or nodes end it.
pub(super) fn consulting_command(limits: MoveLimits) -> String {
    let depth = limits.depth.map(|depth| format!(" depth {depth}"));
    let nodes = limits.nodes.map(|nodes| format!(" nodes {nodes}"));
    let bounds = [depth, nodes].into_iter().flatten().collect::<String>();
    format!("go{}", if bounds.is_empty() { " infinite" } else { &bounds })
}

/// Engines take a time of zero for no time control.
fn milliseconds(time: Duration) -> u64 {
    (time.as_millis() as u64).max(1)
}

/// `name Clear Hash type button`, without the first word: the name and the default.
pub(super) fn parse_option(text: &str) -> Option<(String, String)> {
    let (name, rest) = text.trim().strip_prefix("name ")?.split_once(" type ")?;
    let default = rest.split_once(" default ").map_or("", |(_, value)| value);
    let end = [" min ", " max ", " var "].iter().filter_map(|word| default.find(word)).min();
    let value = &default[..end.unwrap_or(default.len())];
    Some((name.trim().to_owned(), value.trim().to_owned()))
}

/// Is this a line on the best line of the position?
pub(super) fn is_evaluation(line: &str) -> bool {
    line.starts_with("info ")
        && line.contains(" score ")
        && !line.starts_with("info string")
        && line.split_once(" multipv ").is_none_or(|(_, rest)| rest.starts_with("1 "))
}

/// What an `info` line says about the move that follows it.
pub(super) fn parse_info(line: &str, mv: Move) -> Choice {
    let mut choice =
        Choice { mv, value: None, depth: 0, nodes: 0, elapsed: Duration::ZERO, draw: None };
    let mut words = line.split_whitespace();
    while let Some(word) = words.next() {
        match word {
            "depth" => choice.depth = words.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "nodes" => choice.nodes = words.next().and_then(|n| n.parse().ok()).unwrap_or(0),
            "score" => {
                let (unit, number) = (words.next(), words.next().and_then(|n| n.parse().ok()));
                choice.value = number.and_then(|number| parse_score(unit?, number));
            }
            "pv" | "string" => break,
            _ => {}
        }
    }
    choice
}

fn parse_score(unit: &str, number: i32) -> Option<Value> {
    let plies = (number.unsigned_abs() as usize).min(90) * 2;
    match unit {
        "cp" => Some(Value::centipawns(number).clamp_evaluation()),
        "mate" if number > 0 => Some(Value::mate_in(plies - 1)),
        "mate" => Some(Value::mated_in(plies)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::time_control::PlayerClock;

    #[test]
    fn options_are_read_with_their_defaults() {
        let cases = [
            ("name Hash type spin default 16 min 1 max 4096", "Hash", "16"),
            ("name Clear Hash type button", "Clear Hash", ""),
            ("name Book File type string default /my books/a.bin", "Book File", "/my books/a.bin"),
            ("name Style type combo default Solid var Solid var Risky", "Style", "Solid"),
        ];
        for (text, name, default) in cases {
            assert_eq!(parse_option(text), Some((name.to_owned(), default.to_owned())));
        }
        assert_eq!(parse_option("nonsense"), None);
    }

    #[test]
    fn scores_are_read_whatever_stands_around_them() {
        let value = |line| parse_info(line, Move::NONE).value;
        assert_eq!(value("info depth 9 score cp -31 nodes 7"), Some(Value::centipawns(-31)));
        assert_eq!(value("info score mate 2 pv e2e4"), Some(Value::mate_in(3)));
        assert_eq!(value("info score mate -1"), Some(Value::mated_in(2)));
        assert_eq!(value("info score mate -2147483648"), Some(Value::mated_in(180)));
        assert_eq!(value("info score cp"), None);
        assert_eq!(value("info score cp x"), None);
        assert!(is_evaluation("info depth 1 multipv 1 score cp 1"));
        assert!(!is_evaluation("info depth 1 multipv 2 score cp 1"));
        assert!(!is_evaluation("info string a score of 3"));
    }

    #[test]
    fn the_clock_is_told_as_uci_wants_it() {
        let game = Game::from_uci(None, ["e2e4"], false).expect("legal");
        let request = Request {
            game: &game,
            limits: MoveLimits { depth: Some(9), ..MoveLimits::default() },
            white: PlayerClock::new(None),
            black: PlayerClock::new(Some("40/60+0.5".parse().expect("sound"))),
            margin: Duration::ZERO,
        };
        assert_eq!(
            go_command(&request),
            "go wtime 60000 winc 500 btime 60000 binc 500 movestogo 40 depth 9"
        );
        assert_eq!(position_command(&game), "position startpos moves e2e4");
    }
}
