//! The resources of a player: an engine and its tablebases.
//!
//! The `Threads` option limits the number of busy threads, including the background thread that
//! builds tablebases. With one thread, tables are built only while a move waits for them. With more
//! threads, one of them builds tables and the search uses the others. If using one thread fewer
//! could change the result of a search, building pauses during that search instead.

use super::{Engine, Exploit, ExploitedOpponent, Tablebases};
use crate::board::Game;
use crate::search::{BestMove, Controls, Limits, Observer};

/// The hash size of the second engine, in MiB. The moves that levels play depend on it.
const SECOND_ENGINE_HASH: usize = 16;

/// An engine with its tablebases, and the opponent whose errors it exploits.
#[derive(Debug)]
pub struct EngineHost {
    /// The engine that evaluates and searches.
    pub engine: Engine,
    /// The tablebases that the search and the choice of moves use.
    pub tablebases: Tablebases,
    /// How to exploit the opponent's errors, if at all.
    pub exploit: Option<Exploit>,
    /// The opponent whose errors the full-strength engine exploits in positions that no tablebase covers.
    pub opponent: Option<ExploitedOpponent>,
    /// A second engine with the same network, for evaluations that must not clear the hash table of
    /// the search, and for searches that must not depend on earlier ones.
    pub(super) second_engine: Option<Engine>,
    threads: usize,
}

impl EngineHost {
    /// A host with one thread and without tablebases.
    pub fn new(engine: Engine) -> EngineHost {
        EngineHost {
            engine,
            tablebases: Tablebases::none(),
            exploit: None,
            opponent: None,
            second_engine: None,
            threads: 1,
        }
    }

    /// Adds tablebases.
    #[must_use]
    pub fn with_tablebases(mut self, mut tablebases: Tablebases) -> EngineHost {
        self.engine.set_oracle(tablebases.oracle());
        tablebases.set_background(self.threads > 1);
        EngineHost { tablebases, ..self }
    }

    /// Replaces the engine.
    pub(crate) fn replace_engine(&mut self, engine: Engine) {
        self.engine = engine;
        self.second_engine = None;
        self.engine.set_oracle(self.tablebases.oracle());
        self.threads = 0;
    }

    /// Creates the second engine if we use our own engine and there is no second one yet.
    pub(super) fn prepare_second_engine(&mut self) {
        if self.second_engine.is_none() {
            self.second_engine = self.engine.second(SECOND_ENGINE_HASH);
        }
    }

    /// Finds the best move with one thread, an empty hash table of fixed size, and no tablebases. Without a time limit,
    /// the move depends only on the position and the limits. An external engine searches as usual.
    pub(crate) fn search_afresh(
        &mut self,
        game: &Game,
        limits: &Limits,
        controls: &Controls,
        observer: &mut dyn Observer,
    ) -> BestMove {
        self.prepare_second_engine();
        self.second_engine.iter_mut().for_each(Engine::clear);
        let engine = self.second_engine.as_mut().unwrap_or(&mut self.engine);
        engine.best_move(game, limits, controls, observer)
    }

    /// Sets the maximum number of busy threads.
    pub(crate) fn set_threads(&mut self, threads: usize) {
        if self.threads != threads {
            self.threads = threads;
            self.engine.set_threads(threads);
        }
        self.tablebases.set_background(threads > 1);
    }

    /// Divides the threads between the search and the building of tablebases, if tables are being
    /// built.
    pub(super) fn share_threads(&mut self, limits: &Limits, is_stopped_down: bool) {
        let is_network = matches!(self.engine, Engine::Network(_));
        if self.threads < 2 || !is_network || !self.tablebases.is_building() {
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
    pub(super) fn restore_threads(&mut self) {
        if self.threads > 1 && matches!(self.engine, Engine::Network(_)) {
            self.engine.set_threads(self.threads);
            self.tablebases.set_background(true);
        }
    }
}
