//! One search of an engine, from `go` to `bestmove`.
//!
//! There is one loop for all who ask: it passes on `stop` and `ponderhit`, stops the engine when its
//! time is over, and gives up an engine that is silent for too long. Times are those at which lines
//! arrived, so that a busy machine of ours costs the engine nothing.

use std::time::{Duration, Instant};

use super::client::{Fault, GLANCE, UciClient};
use super::wire::{Info, Pulse, position_command};
use crate::board::{Colour, Game, Move};
use crate::search::{Controls, Limits};
use crate::value::Value;

/// How long a search may take to end after `stop`.
const STOPPING: Duration = Duration::from_secs(2);

/// The same where somebody waits for a move who has stopped the search: the engine's last word serves as
/// well then, or a move of our own.
pub(super) const PROMPT: Duration = Duration::from_millis(40);

/// What is asked, and how long the engine is waited for.
#[derive(Clone, Copy, Debug)]
pub struct EngineSearch<'a> {
    pub game: &'a Game,
    /// What the engine is told.
    pub limits: &'a Limits,
    pub controls: &'a Controls,
    /// The search starts on the opponent's time, until the controls say otherwise.
    pub ponders: bool,
    /// Stopped by us when this has passed.
    pub time: Option<Duration>,
    /// Since when the time counts; without it, since the engine was asked.
    pub since: Option<Instant>,
    /// Given up when nothing new was said for so long; without it, never.
    pub patience: Option<Duration>,
    /// Not waited for when there is no move so long after `stop`.
    pub grace: Duration,
}

/// How a search came to its end.
#[derive(Clone, Debug)]
pub(super) struct SearchEnd {
    /// What follows `bestmove`.
    words: String,
    elapsed: Duration,
    /// It did not end by itself.
    pub stopped: bool,
    /// Nor did it end when it was stopped; it may end later.
    pub unanswered: bool,
}

/// The move of an engine, with what it said of it last.
#[derive(Clone, Copy, Debug)]
pub struct ChosenMove {
    pub mv: Move,
    pub ponder: Option<Move>,
    /// From the mover's side; `None` when the engine did not say.
    pub value: Option<Value>,
    pub depth: u32,
    pub nodes: u64,
    pub elapsed: Duration,
    /// It was stopped before it came to an end by itself.
    pub stopped: bool,
}

impl EngineSearch<'_> {
    /// A search that ends by itself or through the controls.
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
}

impl UciClient {
    /// Asks, and listens until the search has ended. `heard` is shown what the engine says, and says
    /// whether that brings the work on; a new depth is always a sign of life.
    pub(super) fn search(
        &mut self,
        search: &EngineSearch<'_>,
        mut heard: impl FnMut(&Info<'_>, &str) -> bool,
    ) -> Result<SearchEnd, Fault> {
        let EngineSearch { game, controls, .. } = *search;
        let mut pondering = search.ponders;
        self.send(&position_command(game))?;
        let asked = Instant::now();
        self.send(&go_command(game, search.limits, pondering))?;
        let (mut alive, mut pulse) = (Instant::now(), Pulse::default());
        let mut stopped: Option<Instant> = None;
        loop {
            if pondering && !controls.is_pondering() && !controls.is_stopped() {
                pondering = false;
                self.send("ponderhit")?;
                alive = Instant::now();
            }
            if stopped.is_none() && controls.is_stopped() {
                stopped = Some(self.stop()?);
            }
            let start = controls.clock_start(search.since.unwrap_or(asked));
            let flag = search.time.zip(start).map(|(time, start)| start + time);
            let flag = flag.filter(|_| stopped.is_none());
            let (silence, from) = match stopped {
                Some(stopped) => (Some(search.grace), stopped),
                None => (search.patience.filter(|_| !pondering), alive),
            };
            let deadline = silence.map(|silence| from + silence);
            let glance = Instant::now() + GLANCE;
            let until = [flag, deadline].into_iter().flatten().fold(glance, Instant::min);
            let Some(line) = self.listen(until)? else {
                let now = Instant::now();
                if flag.is_some_and(|flag| flag <= now) {
                    stopped = Some(self.stop()?);
                } else if let Some(silence) = silence.filter(|&silence| from + silence <= now) {
                    if stopped.is_none() || silence != PROMPT {
                        return Err(self.fail(Fault::Stalled(silence)));
                    }
                    self.expect_answer_within(STOPPING);
                    let (words, elapsed) = (String::new(), now.saturating_duration_since(asked));
                    return Ok(SearchEnd { words, elapsed, stopped: true, unanswered: true });
                }
                continue;
            };
            if let Some(words) = line.text.strip_prefix("bestmove") {
                let elapsed = line.at.saturating_duration_since(asked);
                return Ok(SearchEnd {
                    words: words.to_owned(),
                    elapsed,
                    stopped: stopped.is_some(),
                    unanswered: false,
                });
            }
            if line.text.starts_with("info") {
                let info = Info::parse(&line.text);
                if pulse.is_in(&info) | heard(&info, &line.text) {
                    alive = line.at;
                }
            }
        }
    }

    /// The engine's own move. All that it says on the way is shown to `heard`.
    pub fn choose(
        &mut self,
        search: &EngineSearch<'_>,
        mut heard: impl FnMut(&str),
    ) -> Result<ChosenMove, Fault> {
        let (mut value, mut depth, mut nodes) = (None, 0, 0);
        let mut line_shown = String::new();
        let answer = self.search(search, |info, line| {
            // The last word on the best line counts.
            if info.value.is_some() && info.number.is_none_or(|number| number == 1) {
                value = info.value;
                depth = info.depth.unwrap_or(depth);
                nodes = info.nodes.unwrap_or(nodes);
                line_shown = info.line.first().map_or(String::new(), |mv| (*mv).to_owned());
            }
            heard(line);
            false
        })?;
        let SearchEnd { words, elapsed, stopped, unanswered } = answer;
        if unanswered && line_shown.is_empty() {
            return Err(Fault::Stalled(search.grace));
        }
        let mut words = words.split_whitespace();
        let word = if unanswered { &*line_shown } else { words.next().unwrap_or_default() };
        let position = search.game.position();
        let Ok(mv) = position.parse_uci(word) else {
            return Err(self.fail(Fault::Illegal(word.chars().take(80).collect())));
        };
        let ponder = words.nth(1).and_then(|word| position.after(mv).parse_uci(word).ok());
        Ok(ChosenMove { mv, ponder, value, depth, nodes, elapsed, stopped })
    }

    fn stop(&mut self) -> Result<Instant, Fault> {
        self.send("stop")?;
        Ok(Instant::now())
    }
}

fn go_command(game: &Game, limits: &Limits, pondering: bool) -> String {
    let clock = &limits.clock;
    // Engines take a time of zero for no time control.
    let milliseconds = |time: Duration| (time.as_millis() as u64).max(1);
    let mut command = if pondering { "go ponder".to_owned() } else { "go".to_owned() };
    let mut add = |name: &str, number: Option<u64>| {
        if let Some(number) = number {
            command.push_str(&format!(" {name} {number}"));
        }
    };
    if let Some(remaining) = clock.remaining {
        let own = (remaining, clock.increment);
        // Engines want to see both.
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
    fn a_search_is_asked_for_in_words_that_every_engine_knows() {
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
