//! Evaluates the positions of many games, each position once, on all cores.
//!
//! Games come in and go out in the same order, whatever the number of threads, and only a few are
//! in memory at any time. Evaluations are looked up in a store first, and new ones are kept there, so that
//! an interrupted run continues where it was.

use std::collections::{HashMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::Scope;

use crossbeam::channel::{Receiver, Sender, unbounded};

use crate::analyser::{EvaluatedGame, EvaluationConditions};
use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::games::pgn::{PgnError, PgnGame};
use crate::games::{EvaluationKey, Store, StoreError};
use crate::player::Engine;
use crate::search::{Controls, Silent};
use crate::threads::helper;

/// Why the evaluation of games ended early.
#[derive(Debug, thiserror::Error)]
pub enum GamesError {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("the engine gave no values: {0}")]
    Engine(String),
    #[error("the system gives no thread to value games on; close other programs, and try again")]
    NoThread,
    #[error("it was stopped")]
    Stopped,
}

/// How far the evaluation of games is, in positions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PositionCounts {
    /// Of the games that have been taken up.
    pub taken: u64,
    /// Of them, those that have their values.
    pub done: u64,
    /// Of those, the ones whose values the store had.
    pub known: u64,
}

/// What watches games being evaluated.
pub trait EvaluationObserver {
    /// How far it is now.
    fn positions(&mut self, _counts: PositionCounts) {}

    /// What an engine has to say of its values: that some are missing, that it was started again.
    fn notice(&mut self, _notice: &str) {}

    /// A game that cannot be followed is left out.
    fn left_out(&mut self, _game: &PgnGame, _error: &PgnError) {}

    /// Does nobody want the rest any more? Asked after every position.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// A position to be valued.
struct ValuationTask {
    number: usize,
    ply: usize,
    /// The whole game, which the tasks of all its positions share. Copies up to each ply would take
    /// memory that grows with the square of its length.
    game: Arc<Game>,
    /// Where the store keeps it, if it can.
    key: Option<EvaluationKey>,
}

impl ValuationTask {
    /// The game up to the position.
    fn game_before(&self) -> Game {
        self.game.until(self.ply)
    }
}

struct Done {
    task: ValuationTask,
    evaluation: Result<RootEvaluation, String>,
    notices: Vec<String>,
}

/// A game whose positions are being valued.
struct Open {
    evaluated: EvaluatedGame,
    missing: usize,
}

/// Games that are taken up before the first of them is complete, for each engine.
const AHEAD: usize = 3;

/// Games share positions after so many plies of theirs at most, and no more of them are remembered.
const EARLY: usize = 24;
const MOST_EARLY: usize = 4096;

/// Evaluates games with some engines, one thread each. Hands them over in order.
pub fn evaluate_games<E: From<GamesError>>(
    games: impl IntoIterator<Item = PgnGame>,
    engines: Vec<Engine>,
    conditions: &EvaluationConditions,
    store: Option<&mut Store>,
    observer: &mut dyn EvaluationObserver,
    take: impl FnMut(EvaluatedGame) -> Result<(), E>,
) -> Result<(), E> {
    let controls = Controls::new();
    let most = AHEAD * engines.len();
    std::thread::scope(|scope| {
        let evaluators = engines.into_iter().map(|engine| assess(engine, conditions, &controls));
        let (tasks, results) = start(scope, evaluators, &controls)?;
        let mut scheduler = Scheduler::new(tasks, results);
        let outcome = scheduler.work(games, most, conditions, store, observer, take);
        // Nobody wants what is still on its way after an error.
        controls.stop();
        outcome
    })
}

/// Values of a position, or why there are none, and what else is to be said.
type EvaluatedPosition = (Result<RootEvaluation, String>, Vec<String>);

/// What values one position after the other with an engine.
fn assess<'a>(
    mut engine: Engine,
    conditions: &'a EvaluationConditions,
    controls: &'a Controls,
) -> impl FnMut(&Game) -> EvaluatedPosition + Send + 'a {
    move |game| {
        let found = engine.evaluate(game, &conditions.request, controls, &mut Silent);
        let evaluation = match found.depth == 0 && game.position().has_legal_move() {
            true => Err(why(&mut engine)),
            false => Ok(found),
        };
        (evaluation, engine.take_notices())
    }
}

/// Starts a thread for each of those that value positions. One that panics says at which: the others
/// would go on, and its position be waited for.
fn start<'scope>(
    scope: &'scope Scope<'scope, '_>,
    evaluators: impl Iterator<Item = impl FnMut(&Game) -> EvaluatedPosition + Send + 'scope>,
    controls: &'scope Controls,
) -> Result<(Sender<ValuationTask>, Receiver<Done>), GamesError> {
    let (tasks, received) = unbounded::<ValuationTask>();
    let (done, results) = unbounded();
    let mut started = 0;
    for mut assess in evaluators {
        let (received, done) = (received.clone(), done.clone());
        let work = move || {
            for task in received {
                let answer = catch_unwind(AssertUnwindSafe(|| assess(&task.game_before())));
                let is_lost = answer.is_err();
                let (evaluation, notices) =
                    answer.unwrap_or_else(|_| (Err(bug(&task)), Vec::new()));
                let is_heard = done.send(Done { task, evaluation, notices }).is_ok();
                if is_lost || !is_heard || controls.is_stopped() {
                    return;
                }
            }
        };
        started += usize::from(helper(scope, work).is_some());
    }
    if started == 0 { Err(GamesError::NoThread) } else { Ok((tasks, results)) }
}

fn bug(task: &ValuationTask) -> String {
    let game = task.game_before();
    let fen = game.position().fen();
    format!("valuing {fen} failed, which is a bug of the program's; please report the position")
}

fn why(engine: &mut Engine) -> String {
    engine.take_fault().map_or_else(|| "not even at depth 1".to_owned(), |fault| fault.to_string())
}

/// What is under way.
struct Scheduler {
    open: VecDeque<Open>,
    tasks: Sender<ValuationTask>,
    results: Receiver<Done>,
    counts: PositionCounts,
    /// What openings are worth that games share.
    early: HashMap<EvaluationKey, RootEvaluation>,
}

impl Scheduler {
    fn new(tasks: Sender<ValuationTask>, results: Receiver<Done>) -> Scheduler {
        let (open, counts, early) = (VecDeque::new(), PositionCounts::default(), HashMap::new());
        Scheduler { open, tasks, results, counts, early }
    }

    /// Takes up games and hands them over as they are complete, until there are no more.
    fn work<E: From<GamesError>>(
        &mut self,
        games: impl IntoIterator<Item = PgnGame>,
        most: usize,
        conditions: &EvaluationConditions,
        mut store: Option<&mut Store>,
        observer: &mut dyn EvaluationObserver,
        mut take: impl FnMut(EvaluatedGame) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut games = games.into_iter().enumerate();
        loop {
            while self.open.len() < most
                && let Some((number, pgn)) = games.next()
            {
                match pgn.replay(None) {
                    Ok(game) => {
                        self.take_up(number, pgn, game, conditions, store.as_deref_mut())?;
                    }
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
                    self.put_down(conditions, store.as_deref_mut(), observer)?;
                }
            }
        }
    }

    /// Takes up a game: what the store knows is put in place, the rest is handed out.
    fn take_up(
        &mut self,
        number: usize,
        pgn: PgnGame,
        game: Game,
        conditions: &EvaluationConditions,
        store: Option<&mut Store>,
    ) -> Result<(), GamesError> {
        let mut evaluations = vec![None; game.ply() + 1];
        let mut missing = 0;
        let mut before = Game::new(game.start().clone());
        let shared = Arc::new(game.clone());
        let store = store.as_deref();
        let chosen = conditions.chosen(&pgn, &game);
        for (ply, place) in evaluations.iter_mut().enumerate() {
            if chosen[ply] {
                let depth = conditions.request.depth;
                let is_asked = store.is_some() || ply < EARLY;
                let key = is_asked
                    .then(|| EvaluationKey::new(&before, &conditions.evaluator, depth))
                    .flatten();
                *place = match (store, key) {
                    (Some(store), Some(key)) => store.find_values(&key, &before)?,
                    _ => None,
                };
                if place.is_none() {
                    *place = key.and_then(|key| self.early.get(&key).cloned());
                }
                self.counts.taken += 1;
                if place.is_some() {
                    self.counts.known += 1;
                    self.counts.done += 1;
                } else {
                    missing += 1;
                    let task = ValuationTask { number, ply, game: Arc::clone(&shared), key };
                    // The threads live as long as this end of the channel.
                    let _sent = self.tasks.send(task);
                }
            }
            if let Some(&mv) = game.moves().get(ply) {
                before.play(mv);
            }
        }
        let evaluated = EvaluatedGame { number, pgn, game, evaluations };
        self.open.push_back(Open { evaluated, missing });
        Ok(())
    }

    /// Waits for a position and puts it in its place.
    fn put_down(
        &mut self,
        conditions: &EvaluationConditions,
        store: Option<&mut Store>,
        observer: &mut dyn EvaluationObserver,
    ) -> Result<(), GamesError> {
        let Ok(Done { task, evaluation, notices }) = self.results.recv() else {
            return Err(GamesError::Engine("its thread has ended".to_owned()));
        };
        notices.iter().for_each(|notice| observer.notice(notice));
        let evaluation = evaluation.map_err(GamesError::Engine)?;
        if let Some(key) = task.key.filter(|_| task.ply < EARLY && self.early.len() < MOST_EARLY) {
            self.early.insert(key, evaluation.clone());
        }
        if let (Some(store), Some(key)) = (store, task.key) {
            store.put(key, &conditions.evaluator, &evaluation)?;
        }
        let is_its = |open: &&mut Open| open.evaluated.number == task.number;
        if let Some(open) = self.open.iter_mut().find(is_its) {
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

    /// Watches nothing.
    struct Nobody;

    impl EvaluationObserver for Nobody {}

    /// Everything one ply deep.
    fn conditions() -> EvaluationConditions {
        let evaluator = EvaluatorIdentity::new("a test".to_owned());
        EvaluationConditions::of_all(EvaluationRequest::depth(1), evaluator)
    }

    #[test]
    fn positions_of_a_game_share_its_moves() {
        let moves = ["e4", "e5", "Nf3"].map(str::to_owned).to_vec();
        let pgn = PgnGame { moves, ..PgnGame::default() };
        let game = pgn.replay(None).expect("legal");
        let (tasks, received) = unbounded();
        let (_, results) = unbounded();
        let mut scheduler = Scheduler::new(tasks, results);
        scheduler.take_up(0, pgn, game, &conditions(), None).expect("there is no store");
        let found: Vec<ValuationTask> = received.try_iter().collect();
        let plies: Vec<usize> = found.iter().map(|task| task.game_before().ply()).collect();
        assert_eq!(plies, [0, 1, 2, 3]);
        assert!(found.iter().all(|task| Arc::ptr_eq(&task.game, &found[0].game)));
    }

    #[test]
    fn a_panic_where_positions_are_valued_ends_the_evaluation_and_says_at_which() {
        let moves = ["e4", "e5", "Nf3"].map(str::to_owned).to_vec();
        let game = PgnGame { moves, ..PgnGame::default() };
        let conditions = conditions();
        let controls = Controls::new();
        // Both have a position before one of them panics.
        let both = Barrier::new(2);
        let assess = |number: usize| {
            let (both, mut is_first) = (&both, true);
            move |_: &Game| -> EvaluatedPosition {
                if std::mem::take(&mut is_first) {
                    both.wait();
                }
                assert_ne!(number, 1, "what is not to be waited out");
                (Ok(RootEvaluation::default()), Vec::new())
            }
        };
        let outcome = std::thread::scope(|scope| {
            let (tasks, results) = start(scope, [0, 1].map(assess).into_iter(), &controls)?;
            let mut scheduler = Scheduler::new(tasks, results);
            scheduler.work([game], 2, &conditions, None, &mut Nobody, |_| Ok::<_, GamesError>(()))
        });
        let error = outcome.expect_err("positions are missing").to_string();
        assert!(error.contains(" failed, which is a bug"), "{error}");
    }
}
