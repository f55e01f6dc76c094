//! How an engine is asked for a move in a game, and how its answer is read.

use std::time::Duration;

use super::contestant::{Choice, Request};
use super::time_control::{MoveLimits, TimeControl};
use crate::board::Move;
use crate::external::Info;

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

/// Is this a line on the best line of the position?
pub(super) fn is_evaluation(line: &str) -> bool {
    line.starts_with("info ")
        && line.contains(" score ")
        && !line.starts_with("info string")
        && line.split_once(" multipv ").is_none_or(|(_, rest)| rest.starts_with("1 "))
}

/// What an `info` line says about the move that follows it.
pub(super) fn parse_info(line: &str, mv: Move) -> Choice {
    let info = Info::parse(line);
    Choice {
        mv,
        value: info.value,
        depth: info.depth.unwrap_or(0),
        nodes: info.nodes.unwrap_or(0),
        elapsed: Duration::ZERO,
        draw: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::time_control::PlayerClock;
    use crate::board::Game;

    #[test]
    fn only_lines_on_the_best_line_count() {
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
    }
}
