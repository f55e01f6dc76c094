//! The searcher. It owns the data that outlive a single search: the transposition table, the threads' histories and the
//! evaluator.
//!
//! Several threads search the same root for the best move (*lazy SMP*). They share only the transposition table.
//! Small differences in timing lead them into different parts of the tree, and each profits from the others' results.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::all_moves::AllMovesSearch;
use super::counters::{CommonLimit, HaltOnPanic, SharedCounters, WorkerLimits};
use super::deepening::{Deepening, Findings, RootTask, report_helper};
use super::histories::Histories;
use super::mate::mates_in_two;
use super::reductions::Reductions;
use super::table::{GrowingTable, TranspositionTable};
use super::time::{Deadline, Plan};
use super::worker::{Shared, Worker};
use super::{BestMove, Controls, EvaluationRequest, Limits, Observer, Oracle, SharedOracle};
use crate::board::{Game, Move};
use crate::clock::Instant;
use crate::eval::{Evaluator, SearchParams};
use crate::evaluation::RootEvaluation;
use crate::threads::{joined, spawn_helper};
use crate::value::Value;

/// The smallest size of the table, in MiB.
const MIN_HASH: usize = 1;

/// There is not enough memory for the table.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a hash table of {0} MiB does not fit into memory; the old one of {1} MiB is kept")]
pub(crate) struct HashError(pub usize, pub usize);

/// Searches positions with one evaluator.
pub struct Searcher<E: Evaluator> {
    evaluator: Arc<E>,
    reductions: [Reductions; 2],
    hash: usize,
    table: TranspositionTable,
    /// The table of `hash` MiB while it is being allocated. Until it is complete, a table of the minimum size is used.
    growing: Option<GrowingTable>,
    /// A separate table for evaluations of all moves, so that their values do not depend on `hash`.
    own_table: Option<TranspositionTable>,
    /// The kind of search that last used the table. The other kind must not use its entries.
    purpose: Option<SearchPurpose>,
    /// The histories of each thread.
    threads: Vec<Histories>,
    oracle: Option<SharedOracle>,
    /// The last search for the best move: its game, and the value that it found.
    last: Option<(Game, Value)>,
    /// The histories for evaluations of all moves, created when first needed.
    evaluation: Option<Histories>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum SearchPurpose {
    BestMove,
    Evaluation,
}

impl<E: Evaluator> std::fmt::Debug for Searcher<E> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Searcher({} MiB, {} threads)", self.hash, self.threads.len())
    }
}

impl<E: Evaluator> Searcher<E> {
    /// A searcher with one thread and a table of `hash` MiB, or of 1 MiB if there is not enough memory.
    pub fn new(evaluator: Arc<E>, hash: usize) -> Searcher<E> {
        let (hash, table) = table_of(hash.max(MIN_HASH));
        Searcher {
            hash,
            table,
            growing: None,
            own_table: None,
            purpose: None,
            threads: vec![Histories::new()],
            evaluation: None,
            oracle: None,
            last: None,
            reductions: [
                Reductions::new(evaluator.search_params()),
                Reductions::new(SearchParams::for_evaluation()),
            ],
            evaluator,
        }
    }

    /// Changes the size of the table, in MiB, and forgets all earlier searches. If this fails, the table keeps its old
    /// size.
    pub(crate) fn set_hash(&mut self, hash: usize) -> Result<(), HashError> {
        let outcome = self.start_hash(hash);
        while self.grow_hash() {}
        outcome
    }

    /// Forgets all earlier searches and starts to change the size of the table. Call [`Searcher::grow_hash`] until it
    /// returns false. Searches use a small table until then.
    pub(crate) fn start_hash(&mut self, hash: usize) -> Result<(), HashError> {
        let (hash, old) = (hash.max(MIN_HASH), self.hash);
        // Drop the old table first, since the memory may be too small for both.
        self.growing = None;
        (self.hash, self.table) = table_of(MIN_HASH);
        self.threads.iter_mut().for_each(Histories::clear);
        for size in [hash, old] {
            self.growing = GrowingTable::new(size);
            if self.growing.is_some() {
                self.hash = size;
                break;
            }
        }
        if self.hash == hash { Ok(()) } else { Err(HashError(hash, self.hash)) }
    }

    /// Allocates a part of the table, which takes a few milliseconds. Returns whether there is more to do.
    pub(crate) fn grow_hash(&mut self) -> bool {
        let Some(mut growing) = self.growing.take() else { return false };
        if growing.grow() {
            (self.table, self.purpose) = (growing.finish(), None);
            return false;
        }
        self.growing = Some(growing);
        true
    }

    /// Whether [`Searcher::grow_hash`] has work left.
    pub(crate) fn is_hash_growing(&self) -> bool {
        self.growing.is_some()
    }

    /// Gives evaluations of all moves their own table of this size, in MiB, so that they do not depend on the size of
    /// the main table. If both sizes are equal, or if there is no memory for two tables, evaluations use the main
    /// table.
    pub(crate) fn reserve_evaluation_table(&mut self, size: usize) {
        if self.hash == size {
            self.own_table = None;
        } else if self.own_table.is_none() {
            self.own_table = TranspositionTable::new(size);
        }
    }

    /// Empties the table if it was last used for the other kind of search.
    fn dedicate(&mut self, purpose: SearchPurpose) {
        if self.purpose.is_some_and(|last| last != purpose) {
            self.table.clear();
        }
        self.purpose = Some(purpose);
    }

    /// Sets the number of threads that search for the best move. An evaluation of all moves always uses one.
    pub fn set_threads(&mut self, threads: usize) {
        self.threads.resize_with(threads.max(1), Histories::new);
    }

    /// Sets the oracle for searches for the best move, and for evaluations that ask for it.
    pub(crate) fn set_oracle(&mut self, oracle: Option<SharedOracle>) {
        self.oracle = oracle;
        self.clear();
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        self.table.clear();
        self.own_table.iter_mut().for_each(TranspositionTable::clear);
        self.threads.iter_mut().for_each(Histories::clear);
        self.last = None;
    }

    /// The value of the mover's last move, if it was found by the last search for the best move.
    fn last_value(&self, game: &Game) -> Option<Value> {
        let (last, value) = self.last.as_ref()?;
        let is_next = game.ply() == last.ply() + 2
            && game.common_moves(last) == last.ply()
            && game.start().key() == last.start().key();
        is_next.then_some(*value)
    }

    /// The evaluator of positions.
    pub(crate) fn evaluator(&self) -> &Arc<E> {
        &self.evaluator
    }

    /// Finds the best move within the limits. It returns as soon as it is done, even when pondering: the caller must
    /// hold the result back until the ponder hit.
    pub fn best_move(
        &mut self,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> BestMove {
        let moves = legal_among(game, &limits.moves);
        if moves.is_empty() {
            return BestMove::default();
        }
        let plan = Plan::new(&limits.clock, Instant::now());
        let last_value = self.last_value(game);
        self.dedicate(SearchPurpose::BestMove);
        self.table.advance();
        let counters = SharedCounters::default();
        let table = self.table.view();
        // If the tablebases know the root, the search does not need them, and without them it can see mates.
        let oracle = self.oracle.as_deref().filter(|_| limits.known.is_empty());
        let threads = self.threads.len() as u64;
        let of_all = limits.nodes.map(|nodes| CommonLimit { nodes, threads });
        let of_all = of_all.filter(|_| threads > 1);
        // A mate in n moves is 2 n - 1 plies away.
        let mate = limits.mate.map(|moves| moves as usize);
        let mate = mate.or_else(|| mates_in_two(game.position(), &moves).then_some(2));
        let unpruned_until = mate.map_or(0, |moves| (2 * moves).saturating_sub(1));
        let shared = Shared {
            evaluator: &*self.evaluator,
            table,
            params: self.evaluator.search_params(),
            reductions: &self.reductions[0],
            controls,
            counters: &counters,
        };
        let mut workers = self.threads.iter_mut().map(|histories| {
            histories.age();
            let mut worker = Worker::new(game, &shared, histories);
            oracle.into_iter().for_each(|oracle| worker.consult(oracle));
            worker.mode.unpruned_until = unpruned_until;
            worker.counters.limits.of_all = of_all;
            worker
        });
        let mut first = workers.next().expect("there is at least one thread");
        first.counters.limits =
            WorkerLimits { nodes: limits.nodes, of_all, deadline: plan.deadline() };
        let task = RootTask { position: game.position(), limits, plan, moves, last_value };
        let deepen = |worker: &mut Worker<'_, E>, observer: Option<&mut dyn Observer>| {
            let _halt = HaltOnPanic(&counters);
            Deepening::new(worker, &task).run(observer)
        };
        let findings = std::thread::scope(|scope| {
            let helpers: Vec<_> = workers
                .map(|mut worker| {
                    let deepen = &deepen;
                    spawn_helper(scope, move || {
                        let findings = deepen(&mut worker, None);
                        worker.counters.publish();
                        findings
                    })
                })
                .collect();
            let findings = deepen(&mut first, Some(&mut *observer));
            counters.halt.store(true, Ordering::Relaxed);
            first.counters.publish();
            let mut better_findings = None;
            for other in helpers.into_iter().flatten().map(joined) {
                if is_better(&other, better_findings.as_ref().unwrap_or(&findings)) {
                    better_findings = Some(other);
                }
            }
            better_findings
                .inspect(|better| report_helper(&mut first, &task, better, observer))
                .unwrap_or(findings)
        });
        let mut answer = findings.best_move(counters.nodes.load(Ordering::Relaxed));
        // A search to depth 0 finds nothing, but any move is better than none.
        answer.mv = answer.mv.or_else(|| task.moves.first().copied());
        self.last = Some((game.clone(), answer.value));
        answer
    }

    /// Evaluates all moves at all depths. A stopped evaluation returns the last completed depth.
    pub fn evaluate(
        &mut self,
        game: &Game,
        request: &EvaluationRequest,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> RootEvaluation {
        let start = Instant::now();
        let moves = legal_among(game, &request.moves);
        if self.own_table.is_none() {
            self.dedicate(SearchPurpose::Evaluation);
        }
        let table = self.own_table.as_mut().unwrap_or(&mut self.table);
        table.renew();
        let evaluator = &*self.evaluator;
        let histories = self.evaluation.get_or_insert_with(Histories::new);
        histories.clear();
        let counters = SharedCounters::default();
        let shared = Shared {
            evaluator,
            table: table.fresh_view(),
            params: SearchParams::for_evaluation(),
            reductions: &self.reductions[1],
            controls,
            counters: &counters,
        };
        let mut worker = Worker::new(game, &shared, histories);
        let oracle = self.oracle.as_deref().filter(|_| request.oracle);
        oracle.into_iter().for_each(|oracle| worker.consult(oracle));
        let deadline = request.time.map(|time| Deadline { start, time });
        worker.counters.limits = WorkerLimits {
            // One more than the limit, since a depth that is completed by the last permitted node counts.
            nodes: request.nodes.map(|most| most.saturating_add(1)),
            of_all: None,
            deadline,
        };
        if !game.position().in_check() {
            let value = worker.evaluate(game.position(), 0);
            worker.stack[0].static_evaluation = Some(value);
        }
        let search = AllMovesSearch::new(game.position(), request, worker, start);
        let evaluation = search.run(&moves, observer);
        RootEvaluation { oracle: oracle.map(Oracle::fingerprint), ..evaluation }
    }
}

/// A table of `hash` MiB, or the smallest one if there is not enough memory.
fn table_of(hash: usize) -> (usize, TranspositionTable) {
    let wanted = TranspositionTable::new(hash).map(|table| (hash, table));
    wanted
        .or_else(|| TranspositionTable::new(MIN_HASH).map(|table| (MIN_HASH, table)))
        .expect("a machine that runs the program has a mebibyte")
}

/// The legal moves among `asked`, or all legal moves if `asked` is empty.
fn legal_among(game: &Game, asked: &[Move]) -> Vec<Move> {
    let legal = game.position().legal_moves();
    legal.into_iter().filter(|m| asked.is_empty() || asked.contains(m)).collect()
}

/// Whether the findings of another thread are deeper and have a higher value.
fn is_better(other: &Findings, one: &Findings) -> bool {
    let value = |findings: &Findings| findings.lines.first().map(|line| line.value);
    other.depth > one.depth && value(other) > value(one)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::eval::Simple;
    use crate::search::{NoObserver, Report};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicU64;
    use std::thread::{ThreadId, current};

    /// An evaluator that panics on some threads, after a while.
    struct Failing {
        caller: ThreadId,
        /// Whether the caller's thread panics. If not, the other threads do.
        fails_caller: bool,
        /// Evaluations on the threads that panic.
        failing: AtomicU64,
        /// Evaluations on the threads that do not panic.
        sound: AtomicU64,
        /// Used to end the test if the other threads have not noticed the panic.
        controls: Controls,
    }

    /// Far more evaluations than it takes to notice a panic on another thread.
    const PATIENCE: u64 = 30_000_000;

    impl Evaluator for Failing {
        type State = ();

        fn root_state(&self, _: &Position) {}

        fn advance(&self, _: &mut [()], _: usize) {}

        fn evaluate(&self, position: &Position, _: &mut [()], _: usize) -> Value {
            if (current().id() == self.caller) == self.fails_caller {
                let done = self.failing.fetch_add(1, Ordering::Relaxed);
                assert!(done < 1000, "a panic for the caller");
            } else if self.sound.fetch_add(1, Ordering::Relaxed) > PATIENCE {
                self.controls.stop();
            }
            Simple.evaluate(position, &mut [()], 0)
        }

        fn fingerprint(&self) -> u64 {
            0
        }
    }

    #[test]
    fn a_search_that_is_stopped_at_once_returns_a_sensible_move() {
        let controls = Controls::new();
        controls.stop();
        // The pawn must take the queen.
        let position =
            Position::from_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", false).expect("a FEN");
        let mut searcher = Searcher::new(Arc::new(Simple), 1);
        let game = Game::new(position);
        let found = searcher.best_move(&game, &Limits::default(), &controls, &mut NoObserver);
        assert_eq!(found.mv.map(|mv| game.position().uci(mv)).as_deref(), Some("e4d5"));
        assert!(found.depth >= 1, "depth 1 was not completed");
    }

    #[test]
    fn a_search_need_not_wait_for_a_large_table() {
        let mut searcher = Searcher::new(Arc::new(Simple), 1);
        searcher.start_hash(64).expect("64 MiB are free");
        assert!(searcher.grow_hash(), "64 MiB take more than one step");
        let find = |searcher: &mut Searcher<Simple>| {
            let limits = Limits::depth(3);
            searcher.best_move(&Game::default(), &limits, &Controls::new(), &mut NoObserver)
        };
        assert!(find(&mut searcher).mv.is_some() && searcher.is_hash_growing());
        while searcher.grow_hash() {}
        assert!(find(&mut searcher).mv.is_some() && !searcher.is_hash_growing());
        let refused = searcher.set_hash(1 << 40);
        assert_eq!((refused, searcher.hash), (Err(HashError(1 << 40, 64)), 64));
    }

    #[test]
    fn a_new_table_size_forgets_earlier_searches() {
        let mut searcher = Searcher::new(Arc::new(Simple), 1);
        let nodes = |searcher: &mut Searcher<Simple>| {
            let (game, limits) = (Game::default(), Limits::depth(8));
            searcher.best_move(&game, &limits, &Controls::new(), &mut NoObserver).nodes
        };
        let fresh = nodes(&mut searcher);
        assert_ne!(nodes(&mut searcher), fresh, "the second search profits from the first");
        searcher.set_hash(2).expect("2 MiB are free");
        searcher.set_hash(1).expect("1 MiB is free");
        assert_eq!(nodes(&mut searcher), fresh);
    }

    /// The move of the last report.
    #[derive(Default)]
    struct LastMove(Option<Move>);

    impl Observer for LastMove {
        fn line(&mut self, report: &Report) {
            self.0 = report.line.first().copied();
        }
    }

    #[test]
    fn the_last_line_shows_the_move_that_several_threads_play() {
        let fen = "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1";
        let game = Game::new(Position::from_fen(fen, false).expect("a legal position"));
        let mut searcher = Searcher::new(Arc::new(Simple), 1);
        searcher.set_threads(4);
        for nodes in (5000..50_000).step_by(1000) {
            let limits = Limits::nodes(nodes);
            let mut last = LastMove::default();
            let best = searcher.best_move(&game, &limits, &Controls::new(), &mut last);
            assert_eq!(last.0, best.mv, "{nodes}");
        }
    }

    #[test]
    fn a_panic_in_any_thread_reaches_the_caller_and_ends_the_others() {
        for fails_caller in [false, true] {
            let controls = Controls::new();
            let evaluator = Arc::new(Failing {
                caller: current().id(),
                fails_caller,
                failing: AtomicU64::new(0),
                sound: AtomicU64::new(0),
                controls: controls.clone(),
            });
            let mut searcher = Searcher::new(evaluator, 1);
            searcher.set_threads(3);
            let limits = Limits::default();
            let search =
                || searcher.best_move(&Game::default(), &limits, &controls, &mut NoObserver);
            let panic =
                catch_unwind(AssertUnwindSafe(search)).expect_err("the panic to be passed on");
            assert_eq!(panic.downcast_ref(), Some(&"a panic for the caller"));
            assert!(!controls.is_stopped(), "the other threads searched on");
        }
    }
}
