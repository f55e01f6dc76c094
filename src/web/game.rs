//! A game in a browser tab: its session, and the setup that the page has requested.

use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use serde_json::Value as Json;

use super::host::Host;
use super::likely_moves::ChartRequest;
use super::setup::Prepared;
use super::snapshot::{RequestedGame, snapshot};
use crate::player::{EloScale, Sources, TableFolder};
use crate::session::{GameSession, GameState, SessionWork, open_game};

/// A game session with its setup.
#[derive(Debug)]
pub struct WebGame {
    pub session: Arc<GameSession>,
    /// The work that the session's threads would do, if it has no threads.
    work: Mutex<Option<SessionWork>>,
    requested: Mutex<RequestedGame>,
}

impl WebGame {
    /// Starts a game in a new tab.
    pub fn open(prepared: Prepared, host: &Host) -> io::Result<WebGame> {
        let Prepared { game, setup, introduction, before } = prepared;
        let (session, work) = if host.has_threads {
            (open_game(game, sources(host))?, None)
        } else {
            let (session, work) = SessionWork::open(game, Sources::default());
            (session, Some(work))
        };
        let work = Mutex::new(work);
        let requested = Mutex::new(RequestedGame { setup, introduction, before });
        Ok(WebGame { session, work, requested })
    }

    /// Starts another game in this tab.
    pub fn start_new_game(&self, prepared: Prepared) {
        let Prepared { game, setup, introduction, before } = prepared;
        self.session.change(|state| {
            state.start_new_game(game);
            *self.requested() = RequestedGame { setup, introduction, before };
        });
    }

    /// Returns a request for the chart of the position after `plies` plies, or `None` if the game
    /// is shorter. Stops the previous request.
    pub fn chart(&self, plies: usize, scale: EloScale) -> Option<ChartRequest> {
        let game = self.session.look(|state| {
            let game = &state.casual.preceded_by(&self.requested().before).game;
            (plies <= game.ply()).then(|| game.until(plies))
        })?;
        let (session, controls) = (Arc::clone(&self.session), self.session.evaluator.new_request());
        Some(ChartRequest { session, game, scale, controls })
    }

    /// Does the next task of the engines that play. Returns false if there is none, which is always
    /// the case with threads.
    pub fn play(&self) -> bool {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.as_mut().is_some_and(SessionWork::play)
    }

    /// Does the next rating task. Returns false if there is none, which is always the case with
    /// threads.
    pub fn read(&self) -> bool {
        let mut work = self.work.lock().unwrap_or_else(PoisonError::into_inner);
        work.as_mut().is_some_and(SessionWork::estimate)
    }

    fn requested(&self) -> MutexGuard<'_, RequestedGame> {
        self.requested.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the game so far, with the moves that led to its first position.
    pub fn pgn(&self) -> String {
        self.session.look(|state| state.pgn_after(&self.requested().before))
    }

    /// Returns the game so far, without the moves that led to its first position.
    pub fn own_pgn(&self) -> String {
        self.session.look(|state| state.pgn(None, false))
    }

    /// Returns the current state as JSON. `name` is the name of the session.
    pub fn show(&self, name: &str) -> Json {
        self.session.look(|state| self.snapshot(name, state))
    }

    /// Returns the version of the state and its JSON, unless that is the version that the page has
    /// `seen`.
    pub fn news(&self, name: &str, seen: u64) -> Option<(u64, Json)> {
        let news = |state: &GameState| (state.version, self.snapshot(name, state));
        self.session.look(|state| (state.version != seen).then(|| news(state)))
    }

    /// Waits up to `timeout` for a version of the state other than `seen`. Returns the version and
    /// its JSON.
    pub fn wait(&self, name: &str, seen: u64, timeout: Duration) -> Option<(u64, Json)> {
        self.session.wait(seen, timeout, |state| (state.version, self.snapshot(name, state)))
    }

    fn snapshot(&self, name: &str, state: &GameState) -> Json {
        snapshot(name, &self.requested(), state)
    }
}

/// Returns the tablebase folders from the settings. By default our own tables are kept in memory,
/// because a web game should not write files unless asked.
fn sources(host: &Host) -> Sources {
    let sources = host.config.table_sources();
    match sources.own {
        TableFolder::Cache => Sources { own: TableFolder::Memory, ..sources },
        _ => sources,
    }
}
