//! A UCI engine in a process of its own, as a player.
//!
//! Whatever the engine does, we go on: one that fails is ended and started afresh for its next game.
//! Before every move it is asked whether it is ready; what it said earlier is stale then, a late move
//! of an earlier search above all, and is thrown away.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::contestant::{Contestant, PlayedMove, PlayerCard, Request};
use super::spec::ContestantSpec;
use super::time_control::{MoveLimits, TimeControl};
use crate::board::Game;
use crate::external::{EngineSearch, ExternalSpec, Fault, UciClient};
use crate::search::{Controls, Limits};

/// The option by which an engine is told whom it meets.
const OPPONENT: &str = "UCI_Opponent";

#[derive(Debug)]
pub struct External {
    client: UciClient,
    name: Option<String>,
}

impl External {
    /// The engine is started when it is first needed.
    pub fn new(spec: &ContestantSpec, external: &ExternalSpec, guard: Option<PathBuf>) -> External {
        let client = UciClient::new(external.clone(), spec.patience, guard);
        External { client, name: spec.name.clone() }
    }

    /// What the engine chooses. Without a time it may think as long as it comes deeper from time to
    /// time.
    fn search(&mut self, search: &EngineSearch<'_>) -> Result<(PlayedMove, bool), Fault> {
        let patience = search.time.is_none().then_some(self.client.patience);
        let chosen = self.client.choose(&EngineSearch { patience, ..*search }, |_| {})?;
        let choice = PlayedMove {
            mv: chosen.mv,
            value: chosen.value,
            depth: chosen.depth,
            nodes: chosen.nodes,
            elapsed: chosen.elapsed,
            draw: None,
        };
        Ok((choice, chosen.stopped))
    }
}

impl Contestant for External {
    fn card(&self) -> PlayerCard {
        let identity = self.client.name().unwrap_or(&self.client.spec().program).to_owned();
        PlayerCard {
            name: self.name.clone().unwrap_or_else(|| identity.clone()),
            identity,
            threads: self.client.value_of("Threads"),
            hash: self.client.value_of("Hash"),
        }
    }

    fn begin(&mut self, game: &Game, _number: u64) -> Result<(), Fault> {
        self.client.start()?;
        self.client.tell_of_castling(game.start().is_chess960())?;
        // Who meets an engine need not take a person's time.
        if self.client.has(OPPONENT) && !self.client.is_set(OPPONENT) {
            self.client
                .send(&format!("setoption name {OPPONENT} value none none computer none"))?;
        }
        self.client.send("ucinewgame")?;
        self.client.synchronise()
    }

    fn choose(&mut self, request: &Request<'_>) -> Result<PlayedMove, Fault> {
        let (limits, controls) = (request.search_limits(Duration::ZERO), Controls::new());
        let time = request.own_clock().allowance().map(|time| time + request.margin);
        self.client.synchronise()?;
        let begun = Instant::now();
        match self
            .search(&EngineSearch { time, ..EngineSearch::new(request.game, &limits, &controls) })
        {
            Ok((choice, false)) => Ok(choice),
            Ok((_, true)) => Err(Fault::Overtime),
            // However an engine fails that was to move long ago.
            Err(_) if time.is_some_and(|time| begun.elapsed() > time) => Err(Fault::Overtime),
            Err(fault) => Err(fault),
        }
    }

    /// Left to think until it is stopped, as an analyst is: some engines spare their time when they
    /// are told how much they have.
    fn consult(&mut self, game: &Game, limits: MoveLimits) -> Result<PlayedMove, Fault> {
        let time = match limits.time {
            Some(TimeControl::PerMove(time)) => Some(time),
            _ => None,
        };
        let limits = Limits { depth: limits.depth, nodes: limits.nodes, ..Limits::default() };
        let (controls, grace) = (Controls::new(), self.client.patience);
        self.client.synchronise()?;
        let search = EngineSearch { time, grace, ..EngineSearch::new(game, &limits, &controls) };
        self.search(&search).map(|(choice, _)| choice)
    }
}
