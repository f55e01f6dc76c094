//! The search for the best move: deeper and deeper until something says stop.
//!
//! Each value is searched for in a window around the expected one, which is widened where the value
//! turns out to be outside.

use std::time::Instant;

use super::oracle::KnownMoves;
use super::report::Variation;
use super::time::Plan;
use super::worker::Worker;
use super::{BestMove, Bound, Limits, Observer, Report};
use crate::board::{Move, Position};
use crate::eval::Evaluator;
use crate::value::{Depth, MAX_PLY, Value};

/// Half the width of the first window, in centipawns.
const FIRST_WIDTH: i32 = 14;

/// What one thread has found.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub depth: Depth,
    pub lines: Vec<Variation>,
}

/// One thread's deepening.
pub(super) struct Deepening<'w, 'a, E: Evaluator> {
    worker: &'w mut Worker<'a, E>,
    position: &'w Position,
    limits: &'w Limits,
    plan: Plan,
    moves: Vec<Move>,
    findings: Findings,
    /// Iterations in a row with the same best move.
    steady: u32,
}

impl<'w, 'a, E: Evaluator> Deepening<'w, 'a, E> {
    pub fn new(
        worker: &'w mut Worker<'a, E>,
        position: &'w Position,
        limits: &'w Limits,
        plan: Plan,
        moves: Vec<Move>,
    ) -> Deepening<'w, 'a, E> {
        let findings = Findings::default();
        Deepening { worker, position, limits, plan, moves, findings, steady: 0 }
    }

    /// Iterates until a bound is met. The observer hears of every line.
    pub fn run(mut self, mut observer: Option<&mut dyn Observer>) -> Findings {
        let deepest = self.limits.depth.unwrap_or(Depth::MAX).min((MAX_PLY - 10) as Depth);
        let lines = self.limits.lines.clamp(1, self.moves.len());
        for depth in 1..=deepest {
            let before = self.findings.lines.first().map(|line| (line.moves[0], line.value));
            let mut found: Vec<Variation> = Vec::new();
            for _ in 0..lines {
                self.worker.root.moves = self.moves.clone();
                self.worker.root.moves.retain(|m| found.iter().all(|line| line.moves[0] != *m));
                let known = self.known_of_best();
                if let Some(known) = known {
                    self.worker.root.moves.retain(|m| known.moves.contains(m));
                }
                self.worker.root.restricted =
                    !found.is_empty() || !self.limits.moves.is_empty() || known.is_some();
                let number = found.len();
                let guess = self.findings.lines.get(number).map(|line| line.value);
                let guess = guess.filter(|_| known.is_none());
                match self.search_line(depth, guess, number, known, &mut observer) {
                    Some(line) => found.push(line),
                    None => break,
                }
            }
            let complete = found.len() == lines && !self.worker.accounts.aborted;
            self.merge(found, depth, complete);
            if !complete {
                break;
            }
            if let Some(observer) = observer.as_deref_mut() {
                self.report(observer);
            }
            if self.is_enough(before) {
                break;
            }
        }
        self.findings
    }

    /// What is known of the best of the root moves.
    fn known_of_best(&self) -> Option<&'w KnownMoves> {
        let moves = &self.worker.root.moves;
        self.limits.known.iter().find(|known| known.moves.iter().any(|m| moves.contains(m)))
    }

    /// Takes over an iteration. Of an unfinished one only what is better than nothing counts: a
    /// best line that was searched to its end.
    fn merge(&mut self, mut found: Vec<Variation>, depth: Depth, complete: bool) {
        if complete {
            found.sort_by_key(|line| std::cmp::Reverse(line.value));
            let same = self.findings.lines.first().map(|line| line.moves[0])
                == found.first().map(|line| line.moves[0]);
            self.steady = if same { self.steady + 1 } else { 0 };
            self.findings = Findings { depth, lines: found };
        } else if let Some(line) = found.into_iter().next() {
            match self.findings.lines.first_mut() {
                Some(first) if self.limits.lines == 1 => *first = line,
                Some(_) => {}
                None => self.findings.lines.push(line),
            }
        }
    }

    /// One line of one iteration, in a window that widens until the value is inside.
    fn search_line(
        &mut self,
        depth: Depth,
        guess: Option<Value>,
        number: usize,
        known: Option<&KnownMoves>,
        observer: &mut Option<&mut dyn Observer>,
    ) -> Option<Variation> {
        self.worker.accounts.selective_depth = 0;
        self.worker.begin_depth(i32::from(depth));
        let mut window = Window::around(guess.filter(|_| depth >= 4), FIRST_WIDTH);
        let mut reduction = 0;
        loop {
            let plies = (i32::from(depth) - reduction).max(1);
            self.worker.root.best = None;
            let value = self.worker.search::<true>(
                self.position,
                0,
                plies,
                window.alpha,
                window.beta,
                false,
            );
            if self.worker.accounts.aborted {
                // Only a move that was searched to its end and beat the window's floor is of use.
                return self.best_line(known);
            }
            let bound = if value <= window.alpha {
                window.widen_below(value);
                reduction = 0;
                Bound::Upper
            } else if value >= window.beta {
                window.widen_above(value);
                reduction = (reduction + 1).min(2);
                Bound::Lower
            } else {
                return self.best_line(known);
            };
            if let Some(observer) = observer.as_deref_mut()
                && known.is_none()
                && self.plan.start.elapsed().as_secs() >= 3
                && let Some(line) = &self.worker.root.best
            {
                observer.line(&self.report_of(depth, number, line, bound));
            }
        }
    }

    /// The line that was found, worth what is known of it.
    fn best_line(&mut self, known: Option<&KnownMoves>) -> Option<Variation> {
        let mut line = self.worker.root.best.take()?;
        line.value = known.map_or(line.value, |known| known.overrule(line.value));
        Some(line)
    }

    /// Is there nothing more to be done, or no time to do it?
    fn is_enough(&self, before: Option<(Move, Value)>) -> bool {
        let Some(best) = self.findings.lines.first() else { return true };
        if let Some(mate) = self.limits.mate
            && best.value >= Value::mate_in(2 * mate as usize)
        {
            return true;
        }
        if self.worker.accounts.controls.is_pondering() {
            return false;
        }
        if self.moves.len() == 1 && self.plan.saves_time() && self.findings.depth >= 4 {
            return true;
        }
        // A mate that is shorter than what was searched will not get any shorter.
        if self.plan.saves_time()
            && best.value.is_mate()
            && Value::MATE.raw() - best.value.raw().abs() < i32::from(self.findings.depth) / 2
        {
            return true;
        }
        self.plan.is_spent(self.urgency(best, before), Instant::now())
    }

    /// How much more (or less) than the usual time the position deserves.
    fn urgency(&self, best: &Variation, before: Option<(Move, Value)>) -> f64 {
        let steadiness = [1.45, 1.2, 1.0, 0.9, 0.82, 0.76][self.steady.min(5) as usize];
        let drop = before.map_or(0, |(_, value)| (value - best.value).raw()).clamp(-20, 60);
        let effort = self.worker.root.effort(best.moves[0]);
        steadiness * (1.0 + f64::from(drop) / 100.0) * (1.7 - 1.2 * effort)
    }

    fn report(&self, observer: &mut dyn Observer) {
        for (number, line) in self.findings.lines.iter().enumerate() {
            observer.line(&self.report_of(self.findings.depth, number, line, Bound::Exact));
        }
    }

    /// Root moves whose results were known beforehand.
    fn looked_up(&self) -> u64 {
        self.limits.known.iter().map(|known| known.moves.len() as u64).sum()
    }

    fn report_of(&self, depth: Depth, number: usize, line: &Variation, bound: Bound) -> Report {
        Report {
            depth,
            selective_depth: line.selective_depth.min(MAX_PLY) as Depth,
            line_number: number + 1,
            value: line.value,
            bound,
            nodes: self.worker.accounts.nodes_of_all(),
            elapsed: self.plan.start.elapsed(),
            hash_full: self.worker.table.fullness(),
            table_hits: self.worker.accounts.hits_of_all() + self.looked_up(),
            line: line.moves.clone(),
        }
    }
}

impl Findings {
    /// The answer to the question for the best move.
    pub fn best_move(self, nodes: u64) -> BestMove {
        let Some(line) = self.lines.into_iter().next() else { return BestMove::default() };
        BestMove {
            mv: line.moves.first().copied(),
            ponder: line.moves.get(1).copied(),
            value: line.value,
            depth: self.depth,
            nodes,
        }
    }
}

/// Wider than this a side is opened completely.
const LAST_WIDTH: i32 = 700;

/// Bounds between which a value is searched for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Window {
    pub alpha: Value,
    pub beta: Value,
    width: i32,
}

impl Window {
    /// So many centipawns around a guess, or open. Proven values make bad guesses.
    pub fn around(guess: Option<Value>, width: i32) -> Window {
        match guess.filter(|guess| !guess.is_decisive()) {
            Some(guess) => Window {
                alpha: guess - Value::centipawns(width),
                beta: guess + Value::centipawns(width),
                width,
            },
            None => Window { alpha: -Value::INFINITE, beta: Value::INFINITE, width },
        }
    }

    /// The value is at most `value`.
    pub fn widen_below(&mut self, value: Value) {
        self.beta = Value::centipawns((self.alpha.raw() + self.beta.raw()) / 2)
            .max(value + Value::centipawns(1));
        let step = self.step();
        self.alpha = if step > LAST_WIDTH || value.is_decisive() {
            -Value::INFINITE
        } else {
            (value - Value::centipawns(step)).max(-Value::INFINITE)
        };
    }

    /// The value is at least `value`.
    pub fn widen_above(&mut self, value: Value) {
        let step = self.step();
        self.beta = if step > LAST_WIDTH || value.is_decisive() {
            Value::INFINITE
        } else {
            (value + Value::centipawns(step)).min(Value::INFINITE)
        };
    }

    /// Nothing below `floor` is of interest.
    pub fn raise_to(&mut self, floor: Value) {
        self.alpha = self.alpha.max(floor);
        self.beta = self.beta.max(floor + Value::centipawns(1));
    }

    fn step(&mut self) -> i32 {
        self.width = self.width * 5 / 2;
        self.width
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;
    use crate::eval::Simple;
    use crate::search::{Clock, Controls, Searcher};
    use std::sync::Arc;
    use std::time::Duration;

    /// Nodes at the end of the last iteration that was completed.
    #[derive(Default)]
    struct Last(u64);

    impl Observer for Last {
        fn line(&mut self, report: &Report) {
            self.0 = report.nodes;
        }
    }

    #[test]
    fn what_was_begun_on_the_opponents_time_is_completed_after_the_hit() {
        let start = Instant::now();
        let controls = Controls::pondering();
        // Nothing of the hard limit is gone, and of the soft one all, soon.
        controls.ponder_hit_at(start + Duration::from_secs(3600));
        let clock = Clock { move_time: Some(Duration::from_millis(30)), ..Clock::default() };
        // With many lines, iterations are long.
        let limits = Limits { clock, lines: 20, ..Limits::default() };
        let mut last = Last::default();
        let mut searcher = Searcher::new(Arc::new(Simple), 1);
        let best = searcher.best_move(&Game::default(), &limits, &controls, &mut last);
        assert_eq!(best.nodes, last.0, "an iteration was cut off");
    }
}
