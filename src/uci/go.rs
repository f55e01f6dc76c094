//! The `go` command and the search limits that result from it.
//!
//! A search with a limit must end, even if the GUI sends nonsense. A limit that is unreadable, zero
//! or negative therefore becomes the smallest possible limit, so that the answer comes at once. A
//! search for a mate may take very long, because there may be no mate.

use std::time::Duration;

use crate::board::{Colour, Game, Move, shorten};
use crate::config::{Settings, whole_number};
use crate::search::{Clock, Limits};
use crate::value::{Depth, MAX_DEPTH, MAX_PLY};

/// The arguments of a `go` command, as sent.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Go {
    /// The maximum depth in plies.
    pub depth: Option<i64>,
    /// The maximum number of nodes.
    pub nodes: Option<i64>,
    /// The length of the mate to look for, in moves.
    pub mate: Option<i64>,
    /// The time for this move in milliseconds.
    pub move_time: Option<i64>,
    /// White's clock.
    pub(crate) white: Side,
    /// Black's clock.
    pub(crate) black: Side,
    /// The number of moves until the next time control. `None` for the rest of the game.
    pub moves_to_go: Option<i64>,
    /// The moves of `searchmoves`, or `None` for all legal moves.
    pub moves: Option<Vec<String>>,
    /// Whether the search continues until `stop`.
    pub infinite: bool,
    /// Whether to think on the opponent's time. The clock starts with `ponderhit`.
    pub ponder: bool,
    /// The depth for perft, which is run instead of a search.
    pub perft: Option<i64>,
    /// Messages about arguments that could not be read.
    pub remarks: Vec<String>,
}

/// One player's clock in milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Side {
    /// The time that is left, or `None` if it was not sent.
    pub time: Option<i64>,
    /// The time added after each move, or `None` if it was not sent.
    pub increment: Option<i64>,
}

const KEYWORDS: [&str; 13] = [
    "depth",
    "nodes",
    "mate",
    "movetime",
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "searchmoves",
    "infinite",
    "ponder",
    "perft",
];

impl Go {
    /// Parses the arguments of `go`. Unknown words are skipped.
    pub(super) fn parse(rest: &str) -> Go {
        let mut go = Go::default();
        let mut words = rest.split_whitespace().peekable();
        while let Some(word) = words.next() {
            match word {
                "infinite" => go.infinite = true,
                "ponder" => go.ponder = true,
                "searchmoves" => {
                    let mut moves = Vec::new();
                    while let Some(m) = words.next_if(|word| !KEYWORDS.contains(word)) {
                        moves.push(m.to_owned());
                    }
                    go.moves = (!moves.is_empty()).then_some(moves);
                }
                _ => {
                    if let Some(field) = go.number_field(word) {
                        *field = Some(0);
                        let text = words.next_if(|word| !KEYWORDS.contains(word));
                        match text.and_then(parse_number) {
                            Some(number) => *field = Some(number),
                            None => go.remarks.push(format!(
                                "go {word} needs a number, not \"{}\"; the smallest value is used",
                                shorten(text.unwrap_or_default())
                            )),
                        }
                    }
                }
            }
        }
        go
    }

    /// Returns the field for a keyword that takes a number.
    fn number_field(&mut self, keyword: &str) -> Option<&mut Option<i64>> {
        Some(match keyword {
            "depth" => &mut self.depth,
            "nodes" => &mut self.nodes,
            "mate" => &mut self.mate,
            "movetime" => &mut self.move_time,
            "wtime" => &mut self.white.time,
            "btime" => &mut self.black.time,
            "winc" => &mut self.white.increment,
            "binc" => &mut self.black.increment,
            "movestogo" => &mut self.moves_to_go,
            "perft" => &mut self.perft,
            _ => return None,
        })
    }

    /// Returns whether the GUI wants an analysis rather than a move to play. Analysis ignores
    /// strength settings.
    pub(crate) fn is_analysis(&self) -> bool {
        self.infinite || self.moves.is_some() || self.mate.is_some()
    }

    /// Returns the limits of a search. `moves` are the legal moves given after `searchmoves`.
    pub(super) fn limits(&self, game: &Game, settings: &Settings, moves: Vec<Move>) -> Limits {
        let depth = |n: i64| n.clamp(1, i64::from(MAX_DEPTH)) as Depth;
        Limits {
            depth: self.depth.map(depth),
            nodes: self.nodes.map(|n| n.max(1).unsigned_abs()),
            mate: self.mate.map(|n| n.clamp(1, MAX_PLY as i64) as u32),
            clock: if self.infinite {
                Clock::default()
            } else {
                self.clock(game.position().turn(), settings)
            },
            moves,
            lines: settings.lines.unsigned_abs() as usize,
            known: Vec::new(),
        }
    }

    fn clock(&self, turn: Colour, settings: &Settings) -> Clock {
        let (ours, theirs) = match turn {
            Colour::White => (self.white, self.black),
            Colour::Black => (self.black, self.white),
        };
        // Some GUIs send only one clock or only an increment. If there is only one clock, it is the
        // best guess for the other. If there is only an increment, it is all the time that is left.
        // `movestogo` without a time means that no time is left.
        let increment = ours.increment.or(theirs.increment);
        let least = self.moves_to_go.map(|_| 0);
        let remaining = ours.time.or(theirs.time).or(increment).or(least);
        // With another limit, a time of zero without an increment means that there is no clock.
        let other_limits = [self.depth, self.nodes, self.mate, self.move_time];
        let zero_is_no_clock =
            other_limits.iter().any(Option::is_some) && ours.increment.unwrap_or(0) == 0;
        let remaining = remaining.filter(|&time| time != 0 || !zero_is_no_clock);
        Clock {
            move_time: self.move_time.map(at_least_a_millisecond),
            remaining: remaining.map(at_least_a_millisecond),
            base: None,
            opponents: theirs.time.map(at_least_a_millisecond),
            increment: milliseconds(ours.increment.unwrap_or(0)),
            opponents_increment: milliseconds(theirs.increment.unwrap_or(0)),
            moves_to_go: self.moves_to_go.filter(|&n| n > 0).map(|n| n.min(1000) as u32),
            overhead: milliseconds(settings.move_overhead),
        }
    }
}

/// Parses a number. It should be an integer, but some GUIs send fractions.
fn parse_number(text: &str) -> Option<i64> {
    let fraction = || text.parse::<f64>().ok().filter(|n| n.is_finite()).map(|n| n as i64);
    whole_number(text).or_else(fraction)
}

/// Converts milliseconds. The limit of one century prevents overflow when times are added.
fn milliseconds(n: i64) -> Duration {
    Duration::from_millis(n.clamp(0, 100 * 365 * 86_400_000).unsigned_abs())
}

fn at_least_a_millisecond(n: i64) -> Duration {
    milliseconds(n.max(1))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::built_in_settings;

    fn limits(rest: &str) -> Limits {
        Go::parse(rest).limits(&Game::default(), &built_in_settings(), Vec::new())
    }

    #[test]
    fn all_arguments_can_be_combined() {
        let go = Go::parse(
            "ponder depth 300 searchmoves e2e4 d2d4 wtime 1000 winc 10 nodes 5000000000000 movetime 1.5",
        );
        assert!(go.ponder && go.remarks.is_empty());
        assert_eq!(go.depth, Some(300));
        assert_eq!(go.nodes, Some(5_000_000_000_000));
        assert_eq!(go.move_time, Some(1));
        assert_eq!(go.white, Side { time: Some(1000), increment: Some(10) });
        assert_eq!(go.moves, Some(vec!["e2e4".to_owned(), "d2d4".to_owned()]));
    }

    #[test]
    fn a_bounded_search_stays_bounded() {
        assert_eq!(limits("depth -3").depth, Some(1));
        assert_eq!(limits("depth 99999999999999999999").depth, Some(MAX_DEPTH));
        assert_eq!(limits("nodes 0").nodes, Some(1));
        assert_eq!(limits("nodes").nodes, Some(1));
        assert_eq!(limits("mate x").mate, Some(1));
        let millisecond = Some(Duration::from_millis(1));
        assert_eq!(limits("movetime -100").clock.move_time, millisecond);
        assert_eq!(limits("wtime -5 btime 100").clock.remaining, millisecond);
        assert_eq!(limits("btime 100").clock.remaining, Some(Duration::from_millis(100)));
        assert_eq!(limits("winc 50").clock.remaining, Some(Duration::from_millis(50)));
        assert_eq!(limits("wtime 1000 movestogo 0").clock.moves_to_go, None);
        let zeros = "wtime 0 btime 0 winc 0 binc 0";
        assert_eq!(limits(zeros).clock.remaining, millisecond);
        assert_eq!(limits(&format!("depth 8 {zeros}")).clock.remaining, None);
        assert_eq!(limits("depth 8 winc 0 binc 0").clock.remaining, None);
        assert_eq!(limits("depth 8 wtime 0 winc 10").clock.remaining, millisecond);
        assert_eq!(limits("depth 8 wtime -1 winc 0").clock.remaining, millisecond);
        assert!(limits("wtime 9223372036854775807 winc 9223372036854775807").nodes.is_none());
    }

    #[test]
    fn unreadable_numbers_are_reported() {
        let go = Go::parse("depth wtime 100 nodes abc");
        assert_eq!((go.depth, go.white.time, go.nodes), (Some(0), Some(100), Some(0)));
        assert_eq!(go.remarks.len(), 2, "{:?}", go.remarks);
        assert!(go.remarks[1].contains("\"abc\""));
    }

    #[test]
    fn unknown_words_are_skipped() {
        assert_eq!(Go::parse("foo depth 5 bar"), Go { depth: Some(5), ..Go::default() });
    }
}
