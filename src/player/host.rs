//! What a player moves with: an engine, and the tablebases that it may ask.
//!
//! `Threads` is the number of busy threads, and tables that are made in the background count. With
//! one thread tables are made only while a move waits for them. With more, one of the threads makes tables
//! and the search has one less, where its result does not depend on that; else the making of tables pauses.

use super::{Engine, Exploit, Tablebases};
use crate::search::Limits;

#[derive(Debug)]
pub struct EngineHost {
    pub engine: Engine,
    pub tablebases: Tablebases,
    /// How the opponent's errors are played for where tablebases know the position, if at all.
    pub exploit: Option<Exploit>,
    threads: usize,
}

impl EngineHost {
    /// An engine of one thread without tablebases.
    pub fn new(engine: Engine) -> EngineHost {
        EngineHost { engine, tablebases: Tablebases::none(), exploit: None, threads: 1 }
    }

    /// The same engine with tablebases.
    #[must_use]
    pub fn with_tablebases(mut self, mut tablebases: Tablebases) -> EngineHost {
        self.engine.set_oracle(tablebases.oracle());
        tablebases.set_background(self.threads > 1);
        EngineHost { tablebases, ..self }
    }

    /// Another engine takes the place of this one.
    pub fn replace_engine(&mut self, engine: Engine) {
        self.engine = engine;
        self.engine.set_oracle(self.tablebases.oracle());
        self.threads = 0;
    }

    /// How many threads are busy at most.
    pub fn set_threads(&mut self, threads: usize) {
        if self.threads != threads {
            self.threads = threads;
            self.engine.set_threads(threads);
        }
        self.tablebases.set_background(threads > 1);
    }

    /// Shares the threads between the search and the making of tables, if any are being made.
    pub(super) fn share_threads(&mut self, limits: &Limits, is_stopped_down: bool) {
        let is_network = matches!(self.engine, Engine::Network(_));
        if self.threads < 2 || !is_network || !self.tablebases.is_making() {
            return;
        }
        let is_timed = limits.clock.move_time.or(limits.clock.remaining).is_some();
        if is_stopped_down || is_timed {
            self.engine.set_threads(self.threads - 1);
        } else {
            self.tablebases.set_background(false);
        }
    }

    /// Undoes [`EngineHost::share_threads`].
    pub(super) fn take_threads_back(&mut self) {
        if self.threads > 1 && matches!(self.engine, Engine::Network(_)) {
            self.engine.set_threads(self.threads);
            self.tablebases.set_background(true);
        }
    }
}
