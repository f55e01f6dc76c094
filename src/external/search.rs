//! One search by an external engine, from `go` to `bestmove`.
//!
//! One loop serves all callers. It passes on `stop` and `ponderhit`, stops the engine when its time
//! is over, and gives up on an engine that is silent for too long. Times are measured when lines
//! arrive, so that a loaded machine does not cost the engine any time.

use std::time::Duration;

use super::client::{Fault, POLL_INTERVAL, UciClient};
use super::wire::{DepthProgress, Info, position_command};
use crate::board::{Colour, Game, Move, shorten};
use crate::clock::Instant;
use crate::search::{Controls, Limits};
use crate::value::Value;

/// The time that an engine may take to answer `stop`.
const STOPPING: Duration = Duration::from_secs(2);

/// The time that the engine may take to answer `stop` if a game is waiting for a move. After that,
/// we play the first move of the engine's last line, or find one ourselves.
pub(super) const PROMPT: Duration = Duration::from_millis(40);

/// A search to run, and how long to wait for the engine.
#[derive(Clone, Copy, Debug)]
pub struct EngineSearch<'a> {
    pub game: &'a Game,
    /// The limits in the `go` command.
    pub limits: &'a Limits,
    pub controls: &'a Controls,
    /// Whether the search starts by pondering, which lasts until the controls end it.
    pub ponders: bool,
    /// The time after which the engine is stopped.
    pub time: Option<Duration>,
    /// The start of that time. By default, it starts when `go` is sent.
    pub since: Option<Instant>,
    /// The time without progress after which the search gives up on the engine. `None` means to wait
    /// forever.
    pub patience: Option<Duration>,
    /// The time that the engine may take to answer `stop` before the search gives up on it.
    pub grace: Duration,
}

/// The end of a search.
#[derive(Clone, Debug)]
pub(super) struct SearchEnd {
    /// The words after `bestmove`.
    words: String,
    elapsed: Duration,
    /// Whether we stopped the search.
    pub stopped: bool,
    /// Whether the engine failed to answer `stop` in time. It may still answer later.
    pub unanswered: bool,
}

/// An engine's move, with the last score that it showed.
#[derive(Clone, Copy, Debug)]
pub struct ChosenMove {
    pub mv: Move,
    pub ponder: Option<Move>,
    /// The score from the mover's point of view, or `None` if the engine showed none.
    pub value: Option<Value>,
    pub depth: u32,
    pub nodes: u64,
    pub elapsed: Duration,
    /// Whether we stopped the search.
    pub stopped: bool,
}

impl EngineSearch<'_> {
    /// A search that ends when its limits are reached or the controls end it.
    pub fn new<'a>(game: &'a Game, limits: &'a Limits, controls: &'a Controls) -> EngineSearch<'a> {
        EngineSearch {
            game,
            limits,
            controls,
            ponders: false,
            time: None,
            since: None,
            patience: None,
            grace: STOPPING,
        }
    }

    /// Sends `go` and listens until `bestmove`. `on_info` receives every `info` line and returns
    /// whether it shows progress. A new depth always counts as progress.
    pub(super) fn run(
        &self,
        client: &mut UciClient,
        mut on_info: impl FnMut(&Info<'_>, &str) -> bool,
    ) -> Result<SearchEnd, Fault> {
        let controls = self.controls;
        let mut pondering = self.ponders;
        client.send(&position_command(self.game))?;
        let asked = Instant::now();
        client.send(&go_command(self.game, self.limits, pondering))?;
        let (mut last_progress, mut progress) = (Instant::now(), DepthProgress::default());
        let mut stopped: Option<Instant> = None;
        loop {
            if pondering && !controls.is_pondering() && !controls.is_stopped() {
                pondering = false;
                client.send("ponderhit")?;
                last_progress = Instant::now();
            }
            if stopped.is_none() && controls.is_stopped() {
                stopped = Some(send_stop(client)?);
            }
            let clock_start = controls.clock_start(self.since.unwrap_or(asked));
            let time_over = self
                .time
                .zip(clock_start)
                .map(|(time, start)| start + time)
                .filter(|_| stopped.is_none());
            let (silence, silent_since) = match stopped {
                Some(at) => (Some(self.grace), at),
                None => (self.patience.filter(|_| !pondering), last_progress),
            };
            let deadline = silence.map(|silence| silent_since + silence);
            let next_look = Instant::now() + POLL_INTERVAL;
            let until = [time_over, deadline].into_iter().flatten().fold(next_look, Instant::min);
            let Some(line) = client.listen(until)? else {
                let now = Instant::now();
                if time_over.is_some_and(|flag| flag <= now) {
                    stopped = Some(send_stop(client)?);
                } else if let Some(limit) = silence.filter(|&limit| silent_since + limit <= now) {
                    if stopped.is_none() || limit != PROMPT {
                        return Err(client.fail(Fault::Stalled(limit)));
                    }
                    client.expect_answer_within(STOPPING);
                    let (words, elapsed) = (String::new(), now.saturating_duration_since(asked));
                    return Ok(SearchEnd { words, elapsed, stopped: true, unanswered: true });
                }
                continue;
            };
            if let Some(words) = line.text.strip_prefix("bestmove") {
                return Ok(SearchEnd {
                    words: words.to_owned(),
                    elapsed: line.at.saturating_duration_since(asked),
                    stopped: stopped.is_some(),
                    unanswered: false,
                });
            }
            if line.text.starts_with("info") {
                let info = Info::parse(&line.text);
                if progress.is_shown_by(&info) | on_info(&info, &line.text) {
                    last_progress = line.at;
                }
            }
        }
    }

    /// Returns the engine's own move. `on_info` receives every `info` line.
    pub fn choose(
        &self,
        client: &mut UciClient,
        mut on_info: impl FnMut(&str),
    ) -> Result<ChosenMove, Fault> {
        let (mut value, mut depth, mut nodes) = (None, 0, 0);
        let mut shown = String::new();
        let SearchEnd { words, elapsed, stopped, unanswered } =
            self.run(client, |info, line| {
                // The last score of the best line counts.
                if info.value.is_some() && info.number.is_none_or(|number| number == 1) {
                    value = info.value;
                    depth = info.depth.unwrap_or(depth);
                    nodes = info.nodes.unwrap_or(nodes);
                    shown = info.line.first().map_or(String::new(), |mv| (*mv).to_owned());
                }
                on_info(line);
                false
            })?;
        if unanswered && shown.is_empty() {
            return Err(Fault::Stalled(self.grace));
        }
        let mut moves = words.split_whitespace();
        let first = if unanswered { &*shown } else { moves.next().unwrap_or_default() };
        let position = self.game.position();
        let Ok(mv) = position.parse_uci(first) else {
            return Err(client.fail(Fault::Illegal(shorten(first))));
        };
        let ponder = moves.nth(1).and_then(|word| position.after(mv).parse_uci(word).ok());
        Ok(ChosenMove { mv, ponder, value, depth, nodes, elapsed, stopped })
    }
}

fn send_stop(client: &mut UciClient) -> Result<Instant, Fault> {
    client.send("stop")?;
    Ok(Instant::now())
}

fn go_command(game: &Game, limits: &Limits, pondering: bool) -> String {
    let clock = &limits.clock;
    // Engines take a time of zero to mean that there is no time control.
    let milliseconds = |time: Duration| (time.as_millis() as u64).max(1);
    let mut command = if pondering { "go ponder".to_owned() } else { "go".to_owned() };
    let mut add = |name: &str, number: Option<u64>| {
        if let Some(number) = number {
            command.push_str(&format!(" {name} {number}"));
        }
    };
    if let Some(remaining) = clock.remaining {
        let own = (remaining, clock.increment);
        // Some engines need both clocks.
        let other = clock.opponents.map_or(own, |time| (time, clock.opponents_increment));
        let (white, black) = match game.position().turn() {
            Colour::White => (own, other),
            Colour::Black => (other, own),
        };
        add("wtime", Some(milliseconds(white.0)));
        add("btime", Some(milliseconds(black.0)));
        add("winc", Some(white.1.as_millis() as u64));
        add("binc", Some(black.1.as_millis() as u64));
        add("movestogo", clock.moves_to_go.map(u64::from));
    }
    add("movetime", clock.move_time.map(milliseconds));
    add("depth", limits.depth.map(u64::from));
    add("nodes", limits.nodes);
    add("mate", limits.mate.map(u64::from));
    if command == "go" {
        command += " infinite";
    }
    if !limits.moves.is_empty() {
        command += " searchmoves";
    }
    let moves = limits.moves.iter().map(|&mv| format!(" {}", game.position().uci(mv)));
    command + &moves.collect::<String>()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::search::Clock;

    #[test]
    fn go_commands_follow_the_uci_standard() {
        let game = Game::from_uci(None, ["e2e4"], false).expect("legal");
        let command = |limits: &Limits| go_command(&game, limits, false);
        assert_eq!(command(&Limits::default()), "go infinite");
        assert_eq!(command(&Limits::depth(7)), "go depth 7");
        let clock = Clock {
            remaining: Some(Duration::from_secs(60)),
            opponents: Some(Duration::from_secs(30)),
            increment: Duration::from_millis(500),
            opponents_increment: Duration::from_millis(100),
            ..Clock::default()
        };
        let moves = vec![game.position().parse_uci("e7e5").expect("legal")];
        let limits = Limits { clock, moves, ..Limits::default() };
        let text = "wtime 30000 btime 60000 winc 100 binc 500 searchmoves e7e5";
        assert_eq!(command(&limits), format!("go {text}"));
        assert_eq!(go_command(&game, &limits, true), format!("go ponder {text}"));
    }
}
