//! A game that people play or watch in this program, and the two threads that work on it.
//!
//! # Who owns what
//!
//! - The [`GameSession`] owns the [`GameState`] behind a mutex: moves, clocks, names, offers and rating estimates. All
//!   code reads it with [`GameSession::look`] and modifies it with [`GameSession::change`].
//! - The player thread owns the engines that play: an [`Opponent`] for each side that is not played by a person, and an
//!   [`Adviser`] for hints and draw offers. They stay loaded from game to game.
//! - The rating thread owns a [`RatingEstimator`] for each player that is rated. These have engines of their own, so a
//!   rating estimate never delays a move.
//!
//! # The path of a move
//!
//! 1. A front end calls [`GameSession::change`] with, for example, [`GameState::play`]. The move is on the board when
//!    the call returns.
//! 2. `change` increments the version of the state, stops work that the change has made obsolete, and wakes all waiting
//!    threads.
//! 3. The player thread takes its next task from the state, searches without holding the lock, and stores the engine's
//!    move with another `change`. The rating thread does the same with the rating estimate. Both discard a result that
//!    no longer fits the state.
//! 4. Front ends that wait in [`GameSession::wait`] see the new version and show it.
//!
//! # Without threads
//!
//! WebAssembly has no threads. There, [`SessionWork::open`] returns the work of both threads, and the front end calls
//! [`SessionWork::play`] and [`SessionWork::estimate`] repeatedly.
//!
//! The work of the threads is in `session_work.rs`, `player_work.rs` and `rating_work.rs`.
//!
//! # Stopping
//!
//! Each thread publishes the [`Controls`] of its current task in the session. They are the only way to stop a task.
//! Where two locks are needed, the state is locked before the controls.
//!
//! [`Opponent`]: super::opponent::Opponent
//! [`Adviser`]: super::adviser::Adviser
//! [`RatingEstimator`]: super::rating_estimator::RatingEstimator
//! [`SessionWork::open`]: super::SessionWork::open
//! [`SessionWork::play`]: super::SessionWork::play
//! [`SessionWork::estimate`]: super::SessionWork::estimate

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::Builder;
use std::time::Duration;

use super::casual_game::Over;
use super::game_state::GameState;
use super::position_evaluator::PositionEvaluator;
use crate::search::Controls;
use crate::threads::STACK;

/// A game, shared by the front end and the two threads that work on it.
#[derive(Debug)]
pub struct GameSession {
    state: Mutex<GameState>,
    /// Notified after every change of the state.
    pub(super) changed: Condvar,
    /// The controls of the player thread's current task.
    pub(super) player_controls: Mutex<Controls>,
    /// The controls of the rating thread's current task.
    pub(super) rating_controls: Mutex<Controls>,
    /// Evaluates positions for the front end, in the front end's own threads.
    pub evaluator: PositionEvaluator,
}

/// The time that an idle thread sleeps if no clock is running. A change of the state wakes it earlier.
const IDLE_WAIT: Duration = Duration::from_secs(3600);

impl GameSession {
    /// A session with this state, which no thread works on yet.
    pub(super) fn new(state: GameState) -> Arc<GameSession> {
        Arc::new(GameSession {
            state: Mutex::new(state),
            changed: Condvar::new(),
            player_controls: Mutex::default(),
            rating_controls: Mutex::default(),
            evaluator: PositionEvaluator::default(),
        })
    }

    /// Runs `work` on a new thread. If it panics, `fail` changes the state.
    pub(super) fn spawn(
        self: &Arc<Self>,
        work: impl FnOnce() + Send + 'static,
        fail: impl FnOnce(&mut GameState) + Send + 'static,
    ) -> std::io::Result<()> {
        let session = Arc::clone(self);
        let spawned = Builder::new().stack_size(STACK).spawn(move || {
            if catch_unwind(AssertUnwindSafe(work)).is_err() {
                session.change(fail);
            }
        });
        spawned.map(drop).inspect_err(|_| self.close())
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, GameState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads the state. The state is locked while `look` runs.
    pub fn look<T>(&self, look: impl FnOnce(&GameState) -> T) -> T {
        look(&self.lock())
    }

    /// Modifies the state, stops work that the change makes obsolete, and wakes all waiting threads.
    ///
    /// A new turn makes the work of the player thread obsolete. The rating thread can continue after a move, but not
    /// after a takeback or in a new game. The evaluation of a person's choices in advance ends with the turn.
    pub fn change<T>(&self, change: impl FnOnce(&mut GameState) -> T) -> T {
        let mut state = self.lock();
        let (turn, branch) = (state.turn, state.branch);
        let result = change(&mut state);
        state.version += 1;
        self.stop_obsolete(&state, turn, branch);
        drop(state);
        self.changed.notify_all();
        result
    }

    /// Stops the work that has become obsolete since this turn and branch.
    fn stop_obsolete(&self, state: &GameState, turn: u64, branch: u64) {
        if state.turn != turn || state.closed {
            stop(&self.player_controls);
        }
        if state.branch != branch || state.is_evaluating_ahead && state.turn != turn || state.closed
        {
            stop(&self.rating_controls);
        }
    }

    /// Ends both threads, all waits and the evaluation for the front end.
    pub fn close(&self) {
        self.change(|state| state.closed = true);
        self.evaluator.new_request().stop();
    }

    /// Waits until the version of the state differs from `seen`, but no longer than `timeout`. Returns the result of
    /// `look` on the new version, or `None` if there is none.
    pub fn wait<T>(
        &self,
        seen: u64,
        timeout: Duration,
        look: impl FnOnce(&GameState) -> T,
    ) -> Option<T> {
        let is_unchanged = |state: &mut GameState| state.version == seen && !state.closed;
        let waited = self.changed.wait_timeout_while(self.lock(), timeout, is_unchanged);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        (state.version != seen).then(|| look(&state))
    }

    /// Waits for a thread's next task. Returns it with its new controls and the turn that it belongs to, or `None` when
    /// the session is closed.
    ///
    /// A thread that waits here also watches the clock, and ends the game when a flag falls.
    pub(super) fn next<T>(
        &self,
        slot: &Mutex<Controls>,
        task: impl Fn(&mut GameState) -> Option<T>,
    ) -> Option<(T, Controls, u64)> {
        let mut state = self.lock();
        loop {
            if state.closed {
                return None;
            }
            if let Some(next) = self.take(&mut state, slot, &task) {
                return Some(next);
            }
            let timeout = state.time_until_flag_fall().unwrap_or(IDLE_WAIT);
            let waited = self.changed.wait_timeout(state, timeout);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Ends the game if a flag has fallen. Then takes a task, if there is one.
    pub(super) fn take<T>(
        &self,
        state: &mut GameState,
        slot: &Mutex<Controls>,
        task: impl Fn(&mut GameState) -> Option<T>,
    ) -> Option<(T, Controls, u64)> {
        if state.time_until_flag_fall().is_some_and(|left| left.is_zero()) {
            let (turn, branch) = (state.turn, state.branch);
            state.end(Over::OutOfTime(state.casual.game.position().turn()));
            state.version += 1;
            self.stop_obsolete(state, turn, branch);
            self.changed.notify_all();
        }
        let task = task(state)?;
        // The state is still locked, so the next change finds these controls and can stop the task.
        let controls = Controls::new();
        *slot.lock().unwrap_or_else(PoisonError::into_inner) = controls.clone();
        Some((task, controls, state.turn))
    }
}

fn stop(controls: &Mutex<Controls>) {
    controls.lock().unwrap_or_else(PoisonError::into_inner).stop();
}
