//! Our own engine as a player: in this process, without pipes.

use std::time::{Duration, Instant};

use super::contestant::{Choice, Contestant, Fault, PlayerCard, Request};
use super::spec::PlayerSpec;
use super::time_control::TimeControl;
use crate::board::Game;
use crate::player::{Engine, Evaluation, Player};
use crate::search::{Clock, Controls, Limits, Silent};

/// Between us and our clock lies nothing but the scheduler.
const OVERHEAD: Duration = Duration::from_millis(5);

#[derive(Debug)]
pub struct Own {
    /// Or why there is none.
    engine: Result<Engine, Fault>,
    player: Player,
    name: String,
    hash: usize,
}

impl Own {
    pub fn new(spec: &PlayerSpec, hash: usize, evaluation: &Evaluation) -> Own {
        let limits = spec.limits;
        let name = match (limits.depth, limits.nodes) {
            (Some(depth), _) => format!("Stopdown d{depth}"),
            (None, Some(nodes)) => format!("Stopdown n{nodes}"),
            (None, None) => "Stopdown".to_owned(),
        };
        let name = spec.name.clone().unwrap_or(name);
        let engine = Engine::new(evaluation, hash);
        let engine = engine.map_err(|error| Fault::Unusable(error.to_string()));
        Own { engine, player: Player::default(), name, hash }
    }
}

impl Contestant for Own {
    fn card(&self) -> PlayerCard {
        PlayerCard {
            identity: self.engine.as_ref().map(identity).unwrap_or_default(),
            name: self.name.clone(),
            threads: Some("1".to_owned()),
            hash: Some(self.hash.to_string()),
        }
    }

    fn begin(&mut self, _game: &Game) -> Result<(), Fault> {
        self.engine.as_mut().map_err(|fault| fault.clone())?.clear();
        Ok(())
    }

    fn choose(&mut self, request: &Request<'_>) -> Result<Choice, Fault> {
        let start = Instant::now();
        let limits = limits(request);
        let engine = self.engine.as_mut().map_err(|fault| fault.clone())?;
        let found =
            self.player.decide(engine, request.game, &limits, &Controls::new(), &mut Silent);
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
    let weights = engine.fingerprint();
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
