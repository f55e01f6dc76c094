//! A tab of the browser: a table, whoever watches it, and a thread that moves for the opponent and
//! judges the human while nobody has to wait for it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::{Duration, Instant};

use super::Host;
use super::setup::Prepared;
use super::state::{Belief, State, Task};
use crate::arena::ContestantSpec;
use crate::board::Game;
use crate::player::{Library, Place, Sources};
use crate::search::Controls;
use crate::sparring::{Adviser, Answer, Opponent, Over};
use crate::threads::STACK;

#[derive(Debug)]
pub struct Session {
    state: Mutex<State>,
    changed: Condvar,
    /// Of the search that only passes the time.
    idle: Mutex<Controls>,
}

/// What is believed of the human holds so much of the belief.
const HELD: f64 = 0.9;

impl Session {
    /// Sits down at a table, with a thread that ends when the session is closed.
    pub fn open(prepared: Prepared, host: &Host) -> std::io::Result<Arc<Session>> {
        let state = Mutex::new(State::new(prepared));
        let session = Arc::new(Session { state, changed: Condvar::new(), idle: Mutex::default() });
        let (served, sources) = (Arc::clone(&session), sources(host));
        Builder::new().stack_size(STACK).spawn(move || {
            let work = || Attendant::new(&served, sources).work();
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                let mistake = "the program has made a mistake; please report the game";
                served.change(|state| state.trouble = Some(mistake.to_owned()));
            }
        })?;
        Ok(session)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks at the state.
    pub fn look<T>(&self, look: impl FnOnce(&State) -> T) -> T {
        look(&self.lock())
    }

    /// Changes the state and tells everybody.
    pub fn change<T>(&self, change: impl FnOnce(&mut State) -> T) -> T {
        let mut state = self.lock();
        let turn = state.turn;
        let result = change(&mut state);
        state.version += 1;
        if state.turn != turn || state.draw_asked || state.closed {
            self.idle.lock().unwrap_or_else(PoisonError::into_inner).stop();
        }
        drop(state);
        self.changed.notify_all();
        result
    }

    pub fn close(&self) {
        self.change(|state| state.closed = true);
    }

    /// Waits for a version later than this, or so long. What it then looks like, if it is another.
    pub fn wait<T>(&self, seen: u64, long: Duration, look: impl FnOnce(&State) -> T) -> Option<T> {
        let is_seen = |state: &mut State| state.version == seen && !state.closed;
        let waited = self.changed.wait_timeout_while(self.lock(), long, is_seen);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (state.version != seen).then(|| look(&state))
    }
}

/// The tables that the user has set. None are written unasked.
fn sources(host: &Host) -> Sources {
    let sources = host.config.settings.table_sources();
    match sources.own {
        Place::Cache => Sources { own: Place::Memory, ..sources },
        _ => sources,
    }
}

/// Does what is to be done at a table.
struct Attendant<'a> {
    session: &'a Session,
    adviser: Adviser,
    opponent: Option<Opponent>,
    sources: Sources,
}

impl Attendant<'_> {
    fn new(session: &Session, sources: Sources) -> Attendant<'_> {
        Attendant { session, adviser: Adviser::default(), opponent: None, sources }
    }

    fn work(&mut self) {
        while let Some((task, turn)) = self.next() {
            match task {
                Task::Welcome(spec, game) => self.welcome(*spec, &game),
                Task::Answer => self.answer(turn),
                Task::AnswerOffer(game) => self.answer_offer(&game, turn),
                Task::Judge(game) => self.judge(&game, turn),
                Task::Foresee(game) => self.adviser.watch(&game, &self.begin(turn)),
            }
        }
    }

    /// What is to be done, and of which turn; `None` when the table is closed.
    fn next(&self) -> Option<(Task, u64)> {
        let mut state = self.session.lock();
        loop {
            if state.closed {
                return None;
            }
            if state.allowance().is_some_and(|left| left.is_zero()) {
                let mover = state.table.game.position().turn();
                state.end(Over::OutOfTime(mover));
                state.version += 1;
                self.session.changed.notify_all();
            }
            if let Some(task) = state.task() {
                return Some((task, state.turn));
            }
            let long = state.allowance().unwrap_or(Duration::from_secs(3600));
            let waited = self.session.changed.wait_timeout(state, long);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// The controls of work that is stopped when the turn is over.
    fn begin(&self, turn: u64) -> Controls {
        let state = self.session.lock();
        let controls = Controls::new();
        if state.turn != turn || state.draw_asked || state.closed {
            controls.stop();
        }
        let mut idle = self.session.idle.lock().unwrap_or_else(PoisonError::into_inner);
        *idle = controls.clone();
        controls
    }

    fn welcome(&mut self, spec: ContestantSpec, game: &Game) {
        let outcome = match &mut self.opponent {
            Some(opponent) => opponent.become_another(spec, game),
            None => Opponent::new(spec, Library::new(self.sources.clone()))
                .map(|opponent| self.opponent = Some(opponent)),
        };
        let begun = outcome.and_then(|()| match &mut self.opponent {
            Some(opponent) => Ok(opponent.begin(game)?),
            None => Ok(()),
        });
        let opponent = self.opponent.as_ref();
        self.session.change(|state| {
            state.trouble = begun.err().map(|error| format!("{error:#}"));
            state.name = opponent.map(|opponent| opponent.name.clone()).unwrap_or_default();
            state.handicap = opponent.and_then(Opponent::handicap);
        });
    }

    fn answer(&mut self, turn: u64) {
        let Some(opponent) = &mut self.opponent else { return };
        let (table, clocks, started, paced, declined) = self.session.look(|state| {
            let paced = state.setup.paced;
            (state.table.clone(), state.clocks, state.since, paced, state.declined_at)
        });
        declined.into_iter().for_each(|plies| opponent.decline(plies));
        let answer = opponent.answer(&table, clocks);
        if let (true, Ok(Answer::Plays(choice) | Answer::Offers(choice))) = (paced, &answer) {
            let due = started + opponent.pace(&table.game, choice, clocks);
            self.pause(due, turn);
        }
        self.session.change(|state| {
            if state.turn != turn {
                return;
            }
            match answer {
                Ok(Answer::Plays(choice)) => state.answered(choice, false),
                Ok(Answer::Offers(choice)) => state.answered(choice, true),
                Ok(Answer::Resigns) => state.end(Over::Resigned(!state.table.human)),
                Err(fault) => state.trouble = Some(fault.to_string()),
            }
        });
    }

    /// Waits as a person would who thinks, unless the turn is over before.
    fn pause(&self, due: Instant, turn: u64) {
        let long = due.saturating_duration_since(Instant::now());
        let goes_on = |state: &mut State| state.turn == turn && !state.closed;
        drop(self.session.changed.wait_timeout_while(self.session.lock(), long, goes_on));
    }

    fn answer_offer(&mut self, game: &Game, turn: u64) {
        let is_taken = self.adviser.takes_draw(game);
        self.session.change(|state| {
            if state.turn != turn {
                return;
            }
            state.draw_asked = false;
            match is_taken {
                true => state.end(Over::Agreed),
                false => state.notice = format!("{} plays on.", state.name),
            }
        });
    }

    fn judge(&mut self, game: &Game, turn: u64) {
        let controls = self.begin(turn);
        let (human, began) = self.session.look(|state| (state.table.human, state.began));
        let estimate = self.adviser.judge(game, human, &controls);
        if estimate.pending > 0 && controls.is_stopped() {
            return; // it is asked again
        }
        let belief = Belief {
            ply: game.ply(),
            rating: estimate.posterior.median(),
            interval: estimate.interval(HELD),
            informative: estimate.informative,
        };
        self.session.change(|state| {
            // The moves may have been taken back meanwhile.
            if state.began == began && state.table.game.moves().starts_with(game.moves()) {
                state.beliefs.retain(|known| known.ply < belief.ply);
                state.beliefs.push(belief);
            }
        });
    }
}
