//! Iterative deepening: searches for the best move at depth 1, 2, 3 and so on until it reaches a limit.
//!
//! Each iteration fills the transposition table and the histories, which makes the next one so much faster that the
//! early iterations pay for themselves. A result is also available whenever the search has to stop.

use super::alpha_beta::search;
use super::aspiration::AspirationWindow;
use super::node::Subtree;
use super::oracle::KnownMoves;
use super::report::Variation;
use super::time::Plan;
use super::worker::Worker;
use super::{BestMove, Bound, Limits, Observer, Report};
use crate::board::{Move, Position};
use crate::clock::Instant;
use crate::eval::Evaluator;
use crate::value::{Depth, MAX_DEPTH, MAX_PLY, Value};

/// The results of one thread.
#[derive(Clone, Debug, Default)]
pub(super) struct Findings {
    pub depth: Depth,
    pub lines: Vec<Variation>,
}

/// The task that all threads of a search share.
pub(super) struct RootTask<'w> {
    pub position: &'w Position,
    pub limits: &'w Limits,
    pub plan: Plan,
    /// The root moves that may be played.
    pub moves: Vec<Move>,
    /// The value of the mover's last move, if it is known.
    pub last_value: Option<Value>,
}

/// One of the lines of an iteration.
#[derive(Clone, Copy)]
struct LineTask<'w> {
    depth: Depth,
    /// 0 for the best line.
    number: usize,
    /// The value of the line at the last depth.
    guess: Option<Value>,
    known: Option<&'w KnownMoves>,
}

/// The iterations of one thread.
pub(super) struct Deepening<'w, 'a, E: Evaluator> {
    worker: &'w mut Worker<'a, E>,
    task: &'w RootTask<'w>,
    findings: Findings,
    /// Iterations in a row with the same best move.
    stability: u32,
    /// The values of the best move by iteration.
    values: Vec<Value>,
}

impl<'w, 'a, E: Evaluator> Deepening<'w, 'a, E> {
    pub fn new(worker: &'w mut Worker<'a, E>, task: &'w RootTask<'w>) -> Deepening<'w, 'a, E> {
        Deepening { worker, task, findings: Findings::default(), stability: 0, values: Vec::new() }
    }

    /// Iterates until a limit is reached. Every line is reported to the observer.
    pub fn run(mut self, mut observer: Option<&mut dyn Observer>) -> Findings {
        let deepest = deepest(self.task.limits);
        let lines = self.task.limits.lines.clamp(1, self.task.moves.len());
        for depth in 1..=deepest {
            let mut found: Vec<Variation> = Vec::new();
            for _ in 0..lines {
                self.worker.root.moves = self.task.moves.clone();
                self.worker.root.moves.retain(|m| found.iter().all(|line| line.moves[0] != *m));
                let known = self.known_best();
                if let Some(known) = known {
                    self.worker.root.moves.retain(|m| known.moves.contains(m));
                }
                self.worker.root.restricted =
                    !found.is_empty() || !self.task.limits.moves.is_empty() || known.is_some();
                // The share of nodes below the best move affects the thinking time. Searches for the other lines
                // leave out the best move.
                self.worker.root.counts_nodes = found.is_empty();
                let number = found.len();
                let last = self.findings.lines.get(number).map(|line| line.value);
                let guess = last.filter(|_| known.is_none());
                let line = LineTask { depth, number, guess, known };
                match self.search_line(line, &mut observer) {
                    Some(line) => found.push(line),
                    None => break,
                }
            }
            let complete = found.len() == lines && !self.worker.counters.aborted;
            if !complete {
                if lines == 1 {
                    self.merge_interrupted(found, depth, observer);
                }
                break;
            }
            self.merge(found, depth);
            if let Some(observer) = observer.as_deref_mut() {
                self.report(observer);
            }
            // The other threads search until the first one stops them.
            if observer.is_some() && self.is_enough() {
                break;
            }
        }
        self.findings
    }

    /// The best group of moves with known values that includes one of the remaining root moves.
    fn known_best(&self) -> Option<&'w KnownMoves> {
        let moves = &self.worker.root.moves;
        self.task.limits.known.iter().find(|known| known.moves.iter().any(|m| moves.contains(m)))
    }

    /// Replaces the results so far with the lines of a complete iteration.
    fn merge(&mut self, mut found: Vec<Variation>, depth: Depth) {
        found.sort_by_key(|line| std::cmp::Reverse(line.value));
        let same = self.findings.lines.first().map(|line| line.moves[0])
            == found.first().map(|line| line.moves[0]);
        self.stability = if same { self.stability + 1 } else { 0 };
        self.values.extend(found.first().map(|line| line.value));
        self.findings = Findings { depth, lines: found };
    }

    /// Takes over the line of an interrupted iteration and reports it. If several lines are wanted, those of the last
    /// complete iteration are kept instead.
    fn merge_interrupted(
        &mut self,
        found: Vec<Variation>,
        depth: Depth,
        observer: Option<&mut dyn Observer>,
    ) {
        let Some(line) = found.into_iter().next() else { return };
        if let Some(observer) = observer {
            observer.line(&self.report_of(depth, 0, &line));
        }
        self.findings.lines = vec![line];
    }

    /// Searches one line with an aspiration window. After a fail high, the next search is shallower: the new best move
    /// is already known, and only its value is missing.
    fn search_line(
        &mut self,
        task: LineTask<'_>,
        observer: &mut Option<&mut dyn Observer>,
    ) -> Option<Variation> {
        let LineTask { depth, number, guess, known } = task;
        self.worker.counters.selective_depth = 0;
        self.worker.begin_depth(i32::from(depth));
        // The first thread must find a move. The others need not.
        self.worker.counters.can_be_stopped = depth > 1 || observer.is_none();
        let width = self.worker.params.aspiration;
        let mut window = AspirationWindow::around(guess.filter(|_| depth >= 4), width);
        let mut reduction = 0;
        self.worker.root.best = None;
        loop {
            let plies = (i32::from(depth) - reduction).max(1);
            let root = Subtree {
                position: self.task.position,
                ply: 0,
                depth: plies,
                window: window.bounds(),
                cut_node: false,
            };
            let value = search::<true, E>(self.worker, root);
            if self.worker.counters.aborted {
                // A move that was searched to the end and beat alpha still counts as a result.
                return self.best_line(known);
            }
            let bounded = if value <= root.window.alpha {
                window.widen_below(value);
                self.worker.root.best = None;
                reduction = 0;
                // No move is known to be best, so a line from the last depth is reported.
                let moves = &self.worker.root.moves;
                let mut last = self.findings.lines.iter();
                let line = last.find(|line| moves.contains(&line.moves[0])).cloned();
                line.map(|line| Variation { value, bound: Bound::Upper, ..line })
            } else if value >= root.window.beta {
                window.widen_above(value);
                reduction = (reduction + 1).min(2);
                let best = self.worker.root.best.as_mut();
                best.map(|line| {
                    line.bound = Bound::Lower;
                    line.clone()
                })
            } else {
                return self.best_line(known);
            };
            if let Some(observer) = observer.as_deref_mut()
                && known.is_none()
                && self.task.plan.start.elapsed().as_secs() >= 3
                && let Some(line) = &bounded
            {
                observer.line(&self.report_of(depth, number, line));
            }
        }
    }

    /// The line that was found, with the known value if there is one.
    fn best_line(&mut self, known: Option<&KnownMoves>) -> Option<Variation> {
        let mut line = self.worker.root.best.take()?;
        line.value = known.map_or(line.value, |known| known.overrule(line.value));
        Some(line)
    }

    /// Whether to stop because another iteration would not help or would take too long.
    fn is_enough(&self) -> bool {
        let Some(best) = self.findings.lines.first() else { return true };
        if let Some(mate) = self.task.limits.mate
            && best.value >= Value::mate_in(2 * mate as usize)
        {
            return true;
        }
        let saves_time = self.task.plan.saves_time();
        let is_forced = self.task.moves.len() == 1 && self.findings.depth >= 4;
        // A mate that is much shorter than the depth will not get any shorter.
        let is_mate = best.value.is_mate()
            && Value::MATE.raw() - best.value.raw().abs() < i32::from(self.findings.depth) / 2;
        let is_enough = saves_time && (is_forced || is_mate)
            || self.task.plan.is_spent(self.urgency(best), Instant::now());
        if self.worker.counters.controls.is_pondering() {
            self.worker.counters.set_ends_at_hit(saves_time && is_enough);
            return false;
        }
        is_enough
    }

    /// The factor by which the usual thinking time is multiplied. It is normally about 1, and larger if the best move
    /// has changed lately, if its value has fallen, or if much of the search went into other moves.
    fn urgency(&self, best: &Variation) -> f64 {
        let factor = [1.45, 1.2, 1.0, 0.9, 0.82, 0.76][self.stability.min(5) as usize];
        let drop_since = |value: Option<Value>| value.map_or(0, |value| (value - best.value).raw());
        // If the value of the last move is unknown, that of a shallow search takes its place.
        let last_move = drop_since(self.task.last_value.or(self.values.get(2).copied()));
        let lately = drop_since(self.values.iter().rev().nth(3).copied());
        let fallen = 0.85 + 0.016 * f64::from(last_move) + 0.008 * f64::from(lately);
        let share = self.worker.root.share_of_nodes(best.moves[0]);
        factor * fallen.clamp(0.65, 1.65) * (1.7 - 1.2 * share)
    }

    fn report(&self, observer: &mut dyn Observer) {
        for (number, line) in self.findings.lines.iter().enumerate() {
            observer.line(&self.report_of(self.findings.depth, number, line));
        }
    }

    /// The number of root moves whose results were known before the search.
    fn looked_up(&self) -> u64 {
        self.task.limits.known.iter().map(|known| known.moves.len() as u64).sum()
    }

    fn report_of(&self, depth: Depth, number: usize, line: &Variation) -> Report {
        Report {
            depth,
            selective_depth: line.selective_depth.min(MAX_PLY) as Depth,
            line_number: number + 1,
            value: line.value,
            bound: line.bound,
            nodes: self.worker.counters.nodes_of_all(),
            elapsed: self.task.plan.start.elapsed(),
            hash_full: self.worker.table.fullness(),
            table_hits: self.worker.counters.hits_of_all() + self.looked_up(),
            line: line.moves.clone(),
        }
    }
}

/// The last depth to search. A mate in n moves is 2 n - 1 plies away, so a search for it gives up at about twice that
/// depth.
fn deepest(limits: &Limits) -> Depth {
    let for_mate = limits.mate.map(|moves| 4 * u64::from(moves) + 10);
    let for_mate = for_mate.map_or(MAX_DEPTH, |depth| depth.min(MAX_DEPTH.into()) as Depth);
    limits.depth.unwrap_or(for_mate).min(MAX_DEPTH)
}

/// Reports the findings of a helper thread, as those of the first thread have been reported.
pub(super) fn report_helper<E: Evaluator>(
    worker: &mut Worker<'_, E>,
    task: &RootTask<'_>,
    findings: &Findings,
    observer: &mut dyn Observer,
) {
    let findings = findings.clone();
    Deepening { findings, ..Deepening::new(worker, task) }.report(observer);
}

impl Findings {
    /// The best move, with the opponent's expected reply.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;
    use crate::eval::Simple;
    use crate::search::{Clock, Controls, Searcher};
    use std::sync::Arc;
    use std::time::Duration;

    /// Nodes at the end of the last completed iteration.
    #[derive(Default)]
    struct Last(u64);

    impl Observer for Last {
        fn line(&mut self, report: &Report) {
            self.0 = report.nodes;
        }
    }

    /// The last report of a search.
    #[derive(Default)]
    struct LastReport(Option<Report>);

    impl Observer for LastReport {
        fn line(&mut self, report: &Report) {
            self.0 = Some(report.clone());
        }
    }

    #[test]
    fn an_interrupted_iteration_reports_its_move_and_what_is_known_of_its_value() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let game = Game::new(Position::from_fen(fen, false).expect("a legal position"));
        let mut bounds = Vec::new();
        for nodes in (1000..40_000).step_by(500) {
            let limits = Limits { nodes: Some(nodes), ..Limits::default() };
            let mut last = LastReport::default();
            let mut searcher = Searcher::new(Arc::new(Simple), 1);
            let best = searcher.best_move(&game, &limits, &Controls::new(), &mut last);
            let report = last.0.expect("depth 1 is complete");
            assert_eq!(report.line.first().copied(), best.mv, "{nodes}");
            let is_interrupted = report.depth > best.depth;
            assert!(is_interrupted || report.bound == Bound::Exact, "{nodes}");
            bounds.push(report.bound);
        }
        assert!(bounds.contains(&Bound::Exact) && bounds.contains(&Bound::Lower), "{bounds:?}");
    }

    #[test]
    fn an_iteration_from_pondering_is_completed_after_the_hit() {
        let start = Instant::now();
        let controls = Controls::pondering();
        // The hard limit is far away, and the soft limit has been passed.
        controls.ponder_hit_at(start + Duration::from_secs(3600));
        let clock = Clock { move_time: Some(Duration::from_millis(30)), ..Clock::default() };
        // With many lines, iterations take a long time.
        let limits = Limits { clock, lines: 20, ..Limits::default() };
        let mut last = Last::default();
        let mut searcher = Searcher::new(Arc::new(Simple), 1);
        let best = searcher.best_move(&Game::default(), &limits, &controls, &mut last);
        assert_eq!(best.nodes, last.0, "an iteration was interrupted");
    }
}
