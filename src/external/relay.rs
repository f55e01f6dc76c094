//! An engine at full strength: its own move by its own clock, and what it says on the way as it says
//! it.

use std::time::{Duration, Instant};

use super::analyst::Analyst;
use super::fault::Fault;
use super::question::{GLANCE, STOPPING, search_moves};
use super::wire::{Info, Pulse, position_command};
use crate::board::{Colour, Game};
use crate::search::{BestMove, Controls, Limits, Observer};
use crate::value::Depth;

impl Analyst {
    /// The engine's own move. All that it says on the way goes to the observer as it comes.
    pub fn best_move(
        &mut self,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> BestMove {
        if !game.position().has_legal_move() {
            return BestMove::default();
        }
        let started = Instant::now();
        let best = self.attempt(controls, |analyst| {
            let left = Limits { clock: limits.clock.after(started.elapsed()), ..limits.clone() };
            analyst.relay(game, &left, controls, observer)
        });
        best.unwrap_or_default()
    }

    fn relay(
        &mut self,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> Result<BestMove, Fault> {
        self.prepare(game)?;
        for changed in ["OwnBook", "Threads"] {
            self.dialogue.tell_standing(changed)?;
        }
        self.dialogue.tell("MultiPV", &limits.lines.clamp(1, self.most_lines()).to_string())?;
        if std::mem::take(&mut self.new_game) {
            self.dialogue.send("ucinewgame")?;
            self.dialogue.synchronise()?;
        }
        let mut pondering = controls.is_pondering();
        self.dialogue.send(&position_command(game))?;
        self.dialogue.send(&go_command(game, limits, pondering))?;
        let allowance = limits.clock.move_time.or(limits.clock.remaining);
        // Without a clock it may think as long as it comes deeper from time to time.
        let ends = limits.depth.is_some() || limits.nodes.is_some() || limits.mate.is_some();
        let patience = (allowance.is_none() && ends).then_some(self.dialogue.patience);
        let overtime = |from: Instant| {
            allowance.map(|time| from + time + STOPPING).or(patience.map(|time| from + time))
        };
        let mut deadline = overtime(Instant::now()).filter(|_| !pondering);
        let (mut stopped, mut pulse) = (false, Pulse::default());
        let mut best = BestMove::default();
        loop {
            if pondering && !controls.is_pondering() && !controls.is_stopped() {
                pondering = false;
                self.dialogue.send("ponderhit")?;
                deadline = overtime(Instant::now());
            }
            if !stopped && controls.is_stopped() {
                stopped = true;
                self.dialogue.send("stop")?;
                deadline = Some(Instant::now() + STOPPING);
            }
            if deadline.is_some_and(|deadline| Instant::now() > deadline) {
                let silent = patience.filter(|_| !stopped).unwrap_or(STOPPING);
                return Err(self.dialogue.fail(Fault::Stalled(silent)));
            }
            let Some(line) = self.dialogue.poll(GLANCE)? else { continue };
            if let Some(answer) = line.text.strip_prefix("bestmove") {
                return self.read_answer(game, answer, best);
            }
            if line.text.starts_with("info") {
                best = follow(&Info::parse(&line.text), best);
                if pulse.is_in(&line.text) && patience.is_some() && !stopped && !pondering {
                    deadline = overtime(line.at);
                }
                observer.said(&line.text);
            }
        }
    }

    fn read_answer(
        &mut self,
        game: &Game,
        answer: &str,
        so_far: BestMove,
    ) -> Result<BestMove, Fault> {
        let mut words = answer.split_whitespace();
        let word = words.next().unwrap_or_default();
        let Ok(mv) = game.position().parse_uci(word) else {
            let fault = Fault::Illegal(word.chars().take(80).collect());
            return Err(self.dialogue.fail(fault));
        };
        let ponder = words.nth(1).and_then(|word| game.position().after(mv).parse_uci(word).ok());
        Ok(BestMove { mv: Some(mv), ponder, ..so_far })
    }
}

/// Depth, nodes and value as the last word on the best line has them.
fn follow(info: &Info<'_>, so_far: BestMove) -> BestMove {
    match info.value {
        Some(value) if info.number.is_none_or(|number| number == 1) => BestMove {
            value,
            depth: info.depth.map_or(so_far.depth, |depth| depth.min(255) as Depth),
            nodes: info.nodes.unwrap_or(so_far.nodes),
            ..so_far
        },
        _ => so_far,
    }
}

fn go_command(game: &Game, limits: &Limits, pondering: bool) -> String {
    let clock = &limits.clock;
    let milliseconds = |time: Duration| (time.as_millis() as u64).max(1);
    let mut command = if pondering { "go ponder".to_owned() } else { "go".to_owned() };
    let mut add = |name: &str, number: Option<u64>| {
        if let Some(number) = number {
            command.push_str(&format!(" {name} {number}"));
        }
    };
    if let Some(own) = clock.remaining {
        let other = clock.opponents.unwrap_or(own);
        let (white, black) = match game.position().turn() {
            Colour::White => (own, other),
            Colour::Black => (other, own),
        };
        let increment = clock.increment.as_millis() as u64;
        add("wtime", Some(milliseconds(white)));
        add("btime", Some(milliseconds(black)));
        add("winc", Some(increment));
        add("binc", Some(increment));
        add("movestogo", clock.moves_to_go.map(u64::from));
    }
    add("movetime", clock.move_time.map(milliseconds));
    add("depth", limits.depth.map(u64::from));
    add("nodes", limits.nodes);
    add("mate", limits.mate.map(u64::from));
    if command == "go" {
        command += " infinite";
    }
    command + &search_moves(game, &limits.moves)
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
            ..Clock::default()
        };
        let moves = vec![game.position().parse_uci("e7e5").expect("legal")];
        let limits = Limits { clock, moves, ..Limits::default() };
        let text = "wtime 30000 btime 60000 winc 500 binc 500 searchmoves e7e5";
        assert_eq!(command(&limits), format!("go {text}"));
        assert_eq!(go_command(&game, &limits, true), format!("go ponder {text}"));
    }
}
