//! Our own engine as a player: in this process, without pipes.

use std::time::{Duration, Instant};

use super::contestant::{Choice, Contestant, Fault, PlayerCard, Request};
use super::spec::PlayerSpec;
use super::time_control::TimeControl;
use crate::board::Game;
use crate::eval::Evaluator;
use crate::player::{Engine, Library, Player, engine};
use crate::search::{Clock, Controls, Limits, Silent};

/// Between us and our clock lies nothing but the scheduler.
const OVERHEAD: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub struct Own {
    engine: Engine,
    player: Player,
    name: String,
    hash: usize,
}

impl Own {
    pub fn new(spec: &PlayerSpec, hash: usize) -> Own {
        let limits = spec.limits;
        let name = match (limits.depth, limits.nodes) {
            (Some(depth), _) => format!("Stopdown d{depth}"),
            (None, Some(nodes)) => format!("Stopdown n{nodes}"),
            (None, None) => "Stopdown".to_owned(),
        };
        let name = spec.name.clone().unwrap_or(name);
        Own { engine: engine(hash), player: Player::default(), name, hash }
    }
}

impl Contestant for Own {
    fn card(&self) -> PlayerCard {
        PlayerCard {
            identity: identity(&self.engine),
            name: self.name.clone(),
            threads: Some("1".to_owned()),
            hash: Some(self.hash.to_string()),
        }
    }

    fn begin(&mut self, _game: &Game) -> Result<(), Fault> {
        self.engine.clear();
        Ok(())
    }

    fn choose(&mut self, request: &Request<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        let limits = limits(request);
        let found = self.player.decide(
            &mut self.engine,
            &mut Library::none(),
            request.game,
            &limits,
            &Controls::new(),
            &mut Silent,
        );
        let elapsed = start.elapsed();
        let mv = found.mv.ok_or_else(|| Fault::Illegal("none".to_owned()))?;
        Ok(Choice {
            mv,
            value: Some(found.value),
            depth: u32::from(found.depth),
            nodes: found.nodes,
            elapsed,
        })
    }
}

fn identity(engine: &Engine) -> String {
    let weights = engine.evaluator().fingerprint();
    format!("Stopdown {} with weights {weights:016x}", env!("CARGO_PKG_VERSION"))
}

fn limits(request: &Request<'_>) -> Limits {
    let clock = request.own_clock();
    let clock = match clock.control() {
        None => Clock::default(),
        Some(TimeControl::PerMove(time)) => {
            Clock { move_time: Some(time), overhead: OVERHEAD, ..Clock::default() }
        }
        Some(TimeControl::Clock { increment, .. }) => Clock {
            remaining: clock.allowance(),
            increment,
            moves_to_go: clock.moves_to_go(),
            overhead: OVERHEAD,
            ..Clock::default()
        },
    };
    Limits { depth: request.limits.depth, nodes: request.limits.nodes, clock, ..Limits::default() }
}
