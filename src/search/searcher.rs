//! The owner of what outlives a single search: the table, the threads' memories, the evaluator.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;

use super::accounts::{Bounds, Common, HaltOnPanic};
use super::deepening::{Deepening, Findings};
use super::histories::Histories;
use super::pruning::Reductions;
use super::table::TranspositionTable;
use super::time::{Deadline, Plan};
use super::whole::Whole;
use super::worker::Worker;
use super::{BestMove, Controls, EvaluationRequest, Limits, Observer, Oracle, SharedOracle};
use crate::board::{Game, Move};
use crate::eval::Evaluator;
use crate::evaluation::RootEvaluation;
use crate::threads::{helper, joined};

/// The table is never smaller than this.
const LEAST_HASH: usize = 1;

/// The table could not be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a hash table of {0} MiB does not fit into memory; the old one of {1} MiB is kept")]
pub struct HashError(pub usize, pub usize);

/// What one thread keeps from search to search.
struct Thread<C> {
    histories: Histories,
    cache: C,
}

/// Searches positions with one evaluator.
pub struct Searcher<E: Evaluator> {
    evaluator: Arc<E>,
    reductions: Reductions,
    hash: usize,
    table: TranspositionTable,
    /// What the table was last used for; neither sees anything of the other.
    purpose: Option<SearchPurpose>,
    threads: Vec<Thread<E::Cache>>,
    oracle: Option<SharedOracle>,
    /// The memory of evaluations; made when first needed.
    evaluation: Option<Thread<E::Cache>>,
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
    /// A searcher with a table of `hash` MiB (less if the machine has less), on one thread.
    pub fn new(evaluator: Arc<E>, hash: usize) -> Searcher<E> {
        let (hash, table) = table_of(hash.max(LEAST_HASH));
        Searcher {
            hash,
            table,
            purpose: None,
            threads: vec![new_thread(&*evaluator)],
            evaluation: None,
            oracle: None,
            reductions: Reductions::new(evaluator.margins()),
            evaluator,
        }
    }

    /// Changes the size of the table, which is emptied. On failure it has the old one again.
    pub fn set_hash(&mut self, hash: usize) -> Result<(), HashError> {
        let (hash, old) = (hash.max(LEAST_HASH), self.hash);
        // The old and the new one need not fit into memory together.
        (self.hash, self.table) = table_of(LEAST_HASH);
        (self.hash, self.table) = table_of(hash);
        if self.hash == hash {
            return Ok(());
        }
        (self.hash, self.table) = table_of(old);
        Err(HashError(hash, self.hash))
    }

    /// Gets the table ready for a search of a kind.
    fn dedicate(&mut self, purpose: SearchPurpose) {
        if self.purpose.is_some_and(|last| last != purpose) {
            self.table.clear();
        }
        self.purpose = Some(purpose);
    }

    /// How many threads look for the best move. An evaluation of all moves is the work of one.
    pub fn set_threads(&mut self, threads: usize) {
        let evaluator = &*self.evaluator;
        self.threads.resize_with(threads.max(1), || new_thread(evaluator));
    }

    /// Whom the search for the best move asks, and evaluations where the request says so.
    pub fn set_oracle(&mut self, oracle: Option<SharedOracle>) {
        self.oracle = oracle;
        self.clear();
    }

    /// Forgets all earlier searches.
    pub fn clear(&mut self) {
        self.table.clear();
        for thread in &mut self.threads {
            thread.histories.clear();
        }
    }

    pub fn evaluator(&self) -> &Arc<E> {
        &self.evaluator
    }

    /// Finds the best move within the limits. Returns as soon as nothing is left to do, also when
    /// pondering: holding the answer back until the outside wants it is the caller's part.
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
        self.dedicate(SearchPurpose::BestMove);
        self.table.advance();
        let common = Common::default();
        let table = self.table.view();
        let remembered = table.probe(game.position().key(), 0).map(|entry| entry.mv);
        // With the root in the tables no node below it needs them, and mates can be seen.
        let oracle = self.oracle.as_deref().filter(|_| limits.known.is_empty());
        let is_alone = self.threads.len() == 1;
        let mut workers = self.threads.iter_mut().map(|thread| {
            let mut worker = Worker::new(
                game,
                &*self.evaluator,
                table,
                &self.reductions,
                &mut thread.histories,
                &mut thread.cache,
                controls,
                &common,
            );
            oracle.into_iter().for_each(|oracle| worker.consult(oracle));
            worker
        });
        let mut first = workers.next().expect("there is at least one thread");
        first.accounts.bounds = Bounds {
            nodes: limits.nodes,
            nodes_of_all: limits.nodes.filter(|_| !is_alone),
            deadline: plan.deadline(),
        };
        let deepen = |worker: &mut Worker<'_, E>, observer: Option<&mut dyn Observer>| {
            let _halt = HaltOnPanic(&common);
            // A mate in n moves has so many plies.
            worker.mode.unpruned_until =
                limits.mate.map_or(0, |moves| (2 * moves as usize).saturating_sub(1));
            Deepening::new(worker, game.position(), limits, plan, moves.clone()).run(observer)
        };
        let findings = std::thread::scope(|scope| {
            let helpers: Vec<_> = workers
                .map(|mut worker| {
                    let deepen = &deepen;
                    helper(scope, move || {
                        let findings = deepen(&mut worker, None);
                        worker.accounts.publish();
                        findings
                    })
                })
                .collect();
            let mut findings = deepen(&mut first, Some(observer));
            common.halt.store(true, Ordering::Relaxed);
            first.accounts.publish();
            for other in helpers.into_iter().flatten().map(joined) {
                findings = better(findings, other);
            }
            findings
        });
        let mut answer = findings.best_move(common.nodes.load(Ordering::Relaxed));
        // Stopped before anything was found: what an earlier search thought best, or any move, is better
        // than none.
        let known = || moves.iter().copied().find(|m| Some(m.packed()) == remembered);
        answer.mv = answer.mv.or_else(known).or_else(|| moves.first().copied());
        answer
    }

    /// Values all moves at all depths. Stopped early, it gives the last completed depth.
    pub fn evaluate(
        &mut self,
        game: &Game,
        request: &EvaluationRequest,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> RootEvaluation {
        let start = Instant::now();
        let moves = legal_among(game, &request.moves);
        self.dedicate(SearchPurpose::Evaluation);
        self.table.renew();
        let evaluator = &*self.evaluator;
        let thread = self.evaluation.get_or_insert_with(|| new_thread(evaluator));
        thread.histories.clear();
        let (common, reductions) = (Common::default(), &self.reductions);
        let mut worker = Worker::new(
            game,
            evaluator,
            self.table.fresh_view(),
            reductions,
            &mut thread.histories,
            &mut thread.cache,
            controls,
            &common,
        );
        let oracle = self.oracle.as_deref().filter(|_| request.oracle);
        oracle.into_iter().for_each(|oracle| worker.consult(oracle));
        let deadline = request.time.map(|time| Deadline { start, time });
        worker.accounts.bounds = Bounds {
            // One more than may be: a depth counts that is complete with the last of them.
            nodes: request.nodes.map(|most| most.saturating_add(1)),
            nodes_of_all: None,
            deadline,
        };
        if !game.position().in_check() {
            let value = worker.evaluate(game.position(), 0);
            worker.stack[0].static_evaluation = Some(value);
        }
        let whole = Whole::new(game.position(), request, worker, start);
        let evaluation = whole.run(&moves, observer);
        RootEvaluation { oracle: oracle.map(Oracle::fingerprint), ..evaluation }
    }
}

/// A table of so many MiB, or the least one if there is no memory for it.
fn table_of(hash: usize) -> (usize, TranspositionTable) {
    let wanted = TranspositionTable::new(hash).map(|table| (hash, table));
    wanted
        .or_else(|| TranspositionTable::new(LEAST_HASH).map(|table| (LEAST_HASH, table)))
        .expect("a machine that runs the program has a mebibyte")
}

fn new_thread<E: Evaluator>(evaluator: &E) -> Thread<E::Cache> {
    Thread { histories: Histories::new(), cache: evaluator.new_cache() }
}

/// The legal moves, or those of them that are asked for.
fn legal_among(game: &Game, asked: &[Move]) -> Vec<Move> {
    let legal = game.position().legal_moves();
    legal.into_iter().filter(|m| asked.is_empty() || asked.contains(m)).collect()
}

/// Of two threads' findings the deeper, if it does not think less of its move.
fn better(one: Findings, other: Findings) -> Findings {
    let value = |findings: &Findings| findings.lines.first().map(|line| line.value);
    if other.depth > one.depth && value(&other) > value(&one) { other } else { one }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Position;
    use crate::eval::Simple;
    use crate::search::Silent;
    use crate::value::Value;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::atomic::AtomicU64;
    use std::thread::{ThreadId, current};

    /// An evaluator that fails on some threads, soon.
    struct Failing {
        caller: ThreadId,
        /// It is the caller's thread that fails, and not the others.
        fails_caller: bool,
        /// Evaluations on threads on which it does not fail.
        sound: AtomicU64,
        /// Stopped when nobody has noticed.
        controls: Controls,
    }

    /// Far more evaluations than it takes to notice what happens on another thread.
    const PATIENCE: u64 = 30_000_000;

    impl Evaluator for Failing {
        type State = ();
        type Cache = u32;

        fn new_cache(&self) -> u32 {
            0
        }

        fn refresh(&self, _: &Position) {}

        fn follow(&self, _: &mut [()], _: usize, _: &Position, _: Move, _: &Position) {}

        fn pass(&self, _: &mut [()], _: usize) {}

        fn evaluate(&self, position: &Position, _: &mut [()], _: usize, done: &mut u32) -> Value {
            if (current().id() == self.caller) == self.fails_caller {
                *done += 1;
                assert!(*done < 1000, "what is to reach the caller");
            } else if self.sound.fetch_add(1, Ordering::Relaxed) > PATIENCE {
                self.controls.stop();
            }
            Simple.evaluate(position, &mut [()], 0, &mut ())
        }

        fn fingerprint(&self) -> u64 {
            0
        }
    }

    #[test]
    fn who_is_stopped_at_once_still_plays_a_sensible_move() {
        let controls = Controls::new();
        controls.stop();
        // Anything but the capture loses the queen.
        let position =
            Position::from_fen("4k3/8/8/3q4/4P3/8/8/4K3 w - - 0 1", false).expect("a FEN");
        let mut searcher = Searcher::new(Arc::new(Simple), 1);
        let game = Game::new(position);
        let found = searcher.best_move(&game, &Limits::default(), &controls, &mut Silent);
        assert_eq!(found.mv.map(|mv| game.position().uci(mv)).as_deref(), Some("e4d5"));
        assert!(found.depth >= 1, "a depth was finished");
    }

    #[test]
    fn a_panic_in_any_thread_of_a_search_reaches_the_caller_and_ends_the_others() {
        for fails_caller in [false, true] {
            let controls = Controls::new();
            let evaluator = Arc::new(Failing {
                caller: current().id(),
                fails_caller,
                sound: AtomicU64::new(0),
                controls: controls.clone(),
            });
            let mut searcher = Searcher::new(evaluator, 1);
            searcher.set_threads(3);
            let limits = Limits::default();
            let search = || searcher.best_move(&Game::default(), &limits, &controls, &mut Silent);
            let panic = catch_unwind(AssertUnwindSafe(search)).expect_err("a panic, not a move");
            assert_eq!(panic.downcast_ref(), Some(&"what is to reach the caller"));
            assert!(!controls.is_stopped(), "the other threads went on");
        }
    }
}
