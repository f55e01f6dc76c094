//! A game in a tab of the browser: the session that plays it, and the wish of the page that it came from.

use std::io;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value as Json;

use super::host::Host;
use super::setup::{Prepared, Setup};
use super::snapshot::snapshot;
use crate::player::{Sources, TableFolder};
use crate::session::{GameSession, GameState};

#[derive(Debug)]
pub struct WebGame {
    pub session: Arc<GameSession>,
    /// What the page wished, and what is to be said of an opponent of a rating.
    setup: Mutex<(Setup, Option<String>)>,
}

impl WebGame {
    pub fn open(prepared: Prepared, host: &Host) -> io::Result<WebGame> {
        let Prepared { game, setup, introduction } = prepared;
        let session = GameSession::open(game, sources(host))?;
        Ok(WebGame { session, setup: Mutex::new((setup, introduction)) })
    }

    /// Another game starts in this tab.
    pub fn start_anew(&self, prepared: Prepared) {
        let Prepared { game, setup, introduction } = prepared;
        self.session.change(|state| {
            state.start_anew(game);
            *self.setup.lock().unwrap_or_else(PoisonError::into_inner) = (setup, introduction);
        });
    }

    pub fn show(&self, name: &str) -> Json {
        self.session.look(|state| self.snapshot(name, state))
    }

    /// The version of the state and what the page shows of it, as soon as it is another than this.
    pub fn wait(&self, name: &str, seen: u64, long: Duration) -> Option<(u64, Json)> {
        self.session.wait(seen, long, |state| (state.version, self.snapshot(name, state)))
    }

    fn snapshot(&self, name: &str, state: &GameState) -> Json {
        let setup = self.setup.lock().unwrap_or_else(PoisonError::into_inner);
        let (setup, introduction) = &*setup;
        snapshot(name, setup, introduction.as_deref(), state)
    }
}

/// The tablebases that the user has set. None are written unasked.
fn sources(host: &Host) -> Sources {
    let sources = host.config.table_sources();
    match sources.own {
        TableFolder::Cache => Sources { own: TableFolder::Memory, ..sources },
        _ => sources,
    }
}
