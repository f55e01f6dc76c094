//! Evaluates the positions of many games on several threads.
//!
//! Games are returned in the order of the input, regardless of the number of threads, and only a
//! few are in memory at a time. Known evaluations are looked up first, and new ones are added to
//! them. They can be in a file, so that an interrupted run can continue where it stopped.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Scope;

use crossbeam::channel::{Receiver, Sender, unbounded};

use super::known_evaluations::KnownEvaluations;
use crate::analyser::{EvaluatedGame, EvaluationConditions};
use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::games::pgn::{PgnError, PgnGame};
use crate::games::{CacheError, EvaluationKey};
use crate::player::Engine;
use crate::search::{Controls, NoObserver};
use crate::threads::{HAS_THREADS, spawn_helper};

/// Why the evaluation of the games stopped early.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    /// The evaluation cache failed.
    #[error(transparent)]
    Store(#[from] CacheError),
    /// The engine failed.
    #[error("the engine failed: {0}")]
    Engine(String),
    /// The system could not start a thread.
    #[error("cannot start an analysis thread; close other programs and try again")]
    NoThread,
    /// The analysis was stopped.
    #[error("the analysis was stopped")]
    Stopped,
}

/// The progress of an evaluation, in positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PositionCounts {
    /// The number of positions in the games started so far.
    pub taken: u64,
    /// The number of evaluated positions, including those from the cache.
    pub done: u64,
    /// The number of positions whose evaluations came from the cache or from an earlier game.
    pub known: u64,
    /// Whether all games have been started.
    pub is_complete: bool,
}

/// Receives the progress of an evaluation, and can stop it.
pub trait EvaluationObserver {
    /// Reports the current progress.
    fn positions(&mut self, _counts: PositionCounts) {}

    /// Reports a message from an engine, such as one about missing evaluations or a restart.
    fn notice(&mut self, _notice: &str) {}

    /// Reports a game that was skipped because its moves cannot be replayed.
    fn left_out(&mut self, _game: &PgnGame, _error: &PgnError) {}

    /// Whether to stop. This is called after every position.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Ignores all progress.
impl EvaluationObserver for () {}

/// A position to evaluate.
struct EvaluationTask {
    number: usize,
    ply: usize,
    /// The whole game, shared by the tasks for all its positions. Copies of the game up to each ply
    /// would take memory that grows with the square of the game's length.
    game: Arc<Game>,
    /// The cache key, if the position can be cached.
    key: Option<EvaluationKey>,
}

impl EvaluationTask {
    /// The game up to the position.
    fn game_before(&self) -> Game {
        self.game.until(self.ply)
    }
}

struct FinishedTask {
    task: EvaluationTask,
    evaluation: Result<RootEvaluation, String>,
    notices: Vec<String>,
}

/// A game with positions still to evaluate.
struct OpenGame {
    evaluated: EvaluatedGame,
    missing: usize,
}

/// The number of games in progress for each engine.
const GAMES_PER_ENGINE: usize = 3;

/// The means to evaluate games.
#[derive(Debug)]
pub struct GamesEvaluator<'a> {
    /// One engine for each thread.
    pub engines: Vec<Engine>,
    /// The choice of positions to evaluate, and how to evaluate them.
    pub conditions: &'a EvaluationConditions,
    /// The known evaluations. New ones are added.
    pub known: &'a mut KnownEvaluations,
}

/// Evaluates games with one thread for each engine, and passes the games to `take` in order. On a
/// system without threads, the calling thread does everything.
pub fn evaluate_games<E: From<GamesError>>(
    games: impl IntoIterator<Item = PgnGame>,
    evaluator: GamesEvaluator<'_>,
    observer: &mut dyn EvaluationObserver,
    take: impl FnMut(EvaluatedGame) -> Result<(), E>,
) -> Result<(), E> {
    let GamesEvaluator { engines, conditions, known } = evaluator;
    let controls = Controls::new();
    let max_open = GAMES_PER_ENGINE * engines.len();
    std::thread::scope(|scope| {
        let mut evaluators =
            engines.into_iter().map(|engine| evaluator_of(engine, conditions, &controls));
        let workers = if HAS_THREADS {
            Workers::start(scope, evaluators, &controls)?
        } else {
            Workers::without_threads(evaluators.next().ok_or(GamesError::NoThread)?)
        };
        let mut scheduler = Scheduler::new(workers, conditions, known, max_open);
        let outcome = scheduler.work(games, observer, take);
        // After an error, the remaining positions are no longer needed.
        controls.stop();
        outcome
    })
}

/// The evaluation of a position or the reason for its failure, and messages from the engine.
type EvaluatedPosition = (Result<RootEvaluation, String>, Vec<String>);

/// Returns a function that evaluates positions with an engine.
fn evaluator_of<'a>(
    mut engine: Engine,
    conditions: &'a EvaluationConditions,
    controls: &'a Controls,
) -> impl FnMut(&Game) -> EvaluatedPosition + Send + 'a {
    move |game| {
        let found = engine.evaluate(game, &conditions.request, controls, &mut NoObserver);
        let evaluation = match found.depth == 0 && game.position().has_legal_move() {
            true => Err(failure_reason(&mut engine)),
            false => Ok(found),
        };
        (evaluation, engine.take_notices())
    }
}

/// The channels to the threads that evaluate positions.
struct Workers<'a> {
    tasks: Sender<EvaluationTask>,
    results: Receiver<FinishedTask>,
    /// Does the next task on this thread. `None` if other threads do the tasks.
    work: Option<Box<dyn FnMut() + 'a>>,
}

impl<'a> Workers<'a> {
    /// Starts one thread for each evaluator. If a thread panics, it still reports its position.
    /// Otherwise the scheduler would wait for that result forever.
    fn start<'scope>(
        scope: &'scope Scope<'scope, '_>,
        evaluators: impl Iterator<Item = impl FnMut(&Game) -> EvaluatedPosition + Send + 'scope>,
        controls: &'scope Controls,
    ) -> Result<Workers<'a>, GamesError> {
        let (tasks, received) = unbounded::<EvaluationTask>();
        let (done, results) = unbounded();
        let mut started = 0;
        for mut evaluator in evaluators {
            let (received, done) = (received.clone(), done.clone());
            let work = move || {
                for task in received {
                    let answer = catch_unwind(AssertUnwindSafe(|| evaluator(&task.game_before())));
                    let has_panicked = answer.is_err();
                    let (evaluation, notices) =
                        answer.unwrap_or_else(|_| (Err(panic_message(&task)), Vec::new()));
                    let is_delivered =
                        done.send(FinishedTask { task, evaluation, notices }).is_ok();
                    if has_panicked || !is_delivered || controls.is_stopped() {
                        return;
                    }
                }
            };
            started += usize::from(spawn_helper(scope, work).is_some());
        }
        if started == 0 {
            return Err(GamesError::NoThread);
        }
        Ok(Workers { tasks, results, work: None })
    }

    fn without_threads(mut evaluator: impl FnMut(&Game) -> EvaluatedPosition + 'a) -> Workers<'a> {
        let (tasks, received) = unbounded::<EvaluationTask>();
        let (done, results) = unbounded();
        let work = move || {
            if let Ok(task) = received.try_recv() {
                let (evaluation, notices) = evaluator(&task.game_before());
                // The scheduler has the other end of the channel.
                let _sent = done.send(FinishedTask { task, evaluation, notices });
            }
        };
        Workers { tasks, results, work: Some(Box::new(work)) }
    }

    /// Waits for one result.
    fn result(&mut self) -> Result<FinishedTask, GamesError> {
        if let Some(work) = &mut self.work {
            work();
        }
        self.results.recv().map_err(|_| GamesError::Engine("its thread has ended".to_owned()))
    }
}

fn panic_message(task: &EvaluationTask) -> String {
    let game = task.game_before();
    let fen = game.position().fen();
    format!(
        "the evaluation of {fen} failed because of a bug in this program; please report the position"
    )
}

fn failure_reason(engine: &mut Engine) -> String {
    engine
        .take_fault()
        .map_or_else(|| "there is no score even at depth 1".to_owned(), |fault| fault.to_string())
}

/// The games in progress, in input order, and the means to evaluate their positions.
struct Scheduler<'a> {
    workers: Workers<'a>,
    conditions: &'a EvaluationConditions,
    known: &'a mut KnownEvaluations,
    open: VecDeque<OpenGame>,
    max_open: usize,
    counts: PositionCounts,
}

impl<'a> Scheduler<'a> {
    fn new(
        workers: Workers<'a>,
        conditions: &'a EvaluationConditions,
        known: &'a mut KnownEvaluations,
        max_open: usize,
    ) -> Scheduler<'a> {
        let (open, counts) = (VecDeque::new(), PositionCounts::default());
        Scheduler { workers, conditions, known, open, max_open, counts }
    }

    /// Starts games and passes them to `take` as they are completed, until the input ends.
    fn work<E: From<GamesError>>(
        &mut self,
        games: impl IntoIterator<Item = PgnGame>,
        observer: &mut dyn EvaluationObserver,
        mut take: impl FnMut(EvaluatedGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut games = games.into_iter().enumerate();
        loop {
            while self.open.len() < self.max_open && !self.counts.is_complete {
                let Some((number, pgn)) = games.next() else {
                    self.counts.is_complete = true;
                    break;
                };
                match pgn.replay(None) {
                    Ok(game) => self.start_game(number, pgn, game)?,
                    Err(error) => observer.left_out(&pgn, &error),
                }
            }
            observer.positions(self.counts);
            if observer.is_stopped() {
                return Err(GamesError::Stopped.into());
            }
            match self.open.pop_front() {
                None => return Ok(()),
                Some(open) if open.missing == 0 => take(open.evaluated)?,
                Some(open) => {
                    self.open.push_front(open);
                    self.receive_result(observer)?;
                }
            }
        }
    }

    /// Starts a game: uses cached evaluations, and sends the remaining positions to the workers.
    fn start_game(&mut self, number: usize, pgn: PgnGame, game: Game) -> Result<(), GamesError> {
        let mut evaluations = vec![None; game.ply() + 1];
        let mut missing = 0;
        let mut before = Game::new(game.start().clone());
        let shared = Arc::new(game.clone());
        let chosen = self.conditions.chosen(&pgn, &game);
        for (ply, place) in evaluations.iter_mut().enumerate() {
            if chosen[ply] {
                let key = self.known.key(&before, self.conditions.request.depth);
                *place = self.known.find(key, &before, false)?;
                self.counts.taken += 1;
                if place.is_some() {
                    self.counts.known += 1;
                    self.counts.done += 1;
                } else {
                    missing += 1;
                    let task = EvaluationTask { number, ply, game: Arc::clone(&shared), key };
                    // Sending cannot fail, because the threads live as long as this end of the
                    // channel does.
                    let _sent = self.workers.tasks.send(task);
                }
            }
            if let Some(&mv) = game.moves().get(ply) {
                before.play(mv);
            }
        }
        let evaluated = EvaluatedGame { number, pgn, game, evaluations };
        self.open.push_back(OpenGame { evaluated, missing });
        Ok(())
    }

    /// Waits for one result and stores it.
    fn receive_result(&mut self, observer: &mut dyn EvaluationObserver) -> Result<(), GamesError> {
        let FinishedTask { task, evaluation, notices } = self.workers.result()?;
        notices.iter().for_each(|notice| observer.notice(notice));
        let evaluation = evaluation.map_err(GamesError::Engine)?;
        if let Some(key) = task.key {
            self.known.put(key, &evaluation)?;
        }
        let is_same_game = |open: &&mut OpenGame| open.evaluated.number == task.number;
        if let Some(open) = self.open.iter_mut().find(is_same_game) {
            open.evaluated.evaluations[task.ply] = Some(evaluation);
            open.missing -= 1;
        }
        self.counts.done += 1;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::EvaluatorIdentity;
    use crate::games::pgn::PgnGame;
    use crate::search::EvaluationRequest;
    use std::sync::Barrier;

    /// Evaluates all positions at depth 1.
    fn conditions() -> EvaluationConditions {
        let evaluator = EvaluatorIdentity::new("a test".to_owned());
        EvaluationConditions::of_all(EvaluationRequest::depth(1), evaluator)
    }

    fn nothing_known() -> KnownEvaluations {
        KnownEvaluations::open(None, conditions().evaluator).expect("no file is opened")
    }

    #[test]
    fn positions_of_a_game_share_its_moves() {
        let moves = ["e4", "e5", "Nf3"].map(str::to_owned).to_vec();
        let pgn = PgnGame { moves, ..PgnGame::default() };
        let game = pgn.replay(None).expect("legal");
        let (tasks, received) = unbounded();
        let (_, results) = unbounded();
        let workers = Workers { tasks, results, work: None };
        let (conditions, mut known) = (conditions(), nothing_known());
        let mut scheduler = Scheduler::new(workers, &conditions, &mut known, 1);
        scheduler.start_game(0, pgn, game).expect("there is no file");
        let found: Vec<EvaluationTask> = received.try_iter().collect();
        let plies: Vec<usize> = found.iter().map(|task| task.game_before().ply()).collect();
        assert_eq!(plies, [0, 1, 2, 3]);
        assert!(found.iter().all(|task| Arc::ptr_eq(&task.game, &found[0].game)));
    }

    #[test]
    fn games_are_evaluated_in_order_without_threads() {
        let game = |moves: &[&str]| PgnGame {
            moves: moves.iter().map(|&san| san.to_owned()).collect(),
            ..PgnGame::default()
        };
        let evaluator = |game: &Game| -> EvaluatedPosition {
            let nodes = game.ply() as u64;
            (Ok(RootEvaluation { nodes, ..RootEvaluation::default() }), Vec::new())
        };
        let (conditions, mut known) = (conditions(), nothing_known());
        let workers = Workers::without_threads(evaluator);
        let mut scheduler = Scheduler::new(workers, &conditions, &mut known, 2);
        let games = [game(&["e4", "e5"]), game(&["d4"])];
        let mut nodes = Vec::new();
        let take = |evaluated: EvaluatedGame| {
            let evaluations = evaluated.evaluations.into_iter();
            nodes.push(evaluations.map(|found| found.map(|found| found.nodes)).collect::<Vec<_>>());
            Ok::<_, GamesError>(())
        };
        scheduler.work(games, &mut (), take).expect("no engine fails");
        assert_eq!(nodes, [vec![Some(0), Some(1), Some(2)], vec![Some(0), Some(1)]]);
    }

    #[test]
    fn a_panic_ends_the_evaluation_and_reports_the_position() {
        let moves = ["e4", "e5", "Nf3"].map(str::to_owned).to_vec();
        let game = PgnGame { moves, ..PgnGame::default() };
        let (conditions, mut known) = (conditions(), nothing_known());
        let controls = Controls::new();
        // Makes sure that both workers have a position before one of them panics.
        let barrier = Barrier::new(2);
        let evaluator = |number: usize| {
            let (barrier, mut is_first) = (&barrier, true);
            move |_: &Game| -> EvaluatedPosition {
                if std::mem::take(&mut is_first) {
                    barrier.wait();
                }
                assert_ne!(number, 1, "a worker panics");
                (Ok(RootEvaluation::default()), Vec::new())
            }
        };
        let outcome = std::thread::scope(|scope| {
            let workers = Workers::start(scope, [0, 1].map(evaluator).into_iter(), &controls)?;
            let mut scheduler = Scheduler::new(workers, &conditions, &mut known, 2);
            scheduler.work([game], &mut (), |_| Ok::<_, GamesError>(()))
        });
        let error = outcome.expect_err("positions are missing").to_string();
        assert!(error.contains(" failed because of a bug"), "{error}");
    }
}
