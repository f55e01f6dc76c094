//! Our own engine as a player: in this process, without pipes.

use std::time::{Duration, Instant};

use super::contestant::{Choice, Contestant, Fault, PlayerCard, Request};
use super::spec::PlayerSpec;
use super::time_control::{MoveLimits, TimeControl};
use crate::board::{Game, Move};
use crate::eval::Evaluator;
use crate::player::{Engine, Player, engine};
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

    fn distribution(&mut self, game: &Game, limits: MoveLimits) -> Option<Vec<(Move, f64)>> {
        if limits.time.is_some() {
            return None; // another time it may be another move
        }
        self.engine.clear();
        let limits = Limits { depth: limits.depth, nodes: limits.nodes, ..Limits::default() };
        Some(self.player.distribution(&mut self.engine, game, &limits))
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::math::divergence::jensen_shannon;
    use crate::player::{Profile, Skill, StoppedDown};
    use crate::selector::{Competence, Curve, Selector};

    #[test]
    fn what_a_player_would_choose_is_known_and_the_less_skilled_know_less() {
        let spec = PlayerSpec::parse("self depth=2").expect("sound");
        let game = Game::default();
        let mut shares = |competence: Option<f64>| {
            let mut own = Own::new(&spec, 1);
            if let Some(c) = competence {
                let curve = Curve::levelled(Competence::new(c).expect("a number"));
                let profile =
                    Profile::plain("", Skill { selector: Selector::new(curve), depth: 2 });
                let player = StoppedDown { profile, seed: 1, game: 1, explain: false };
                own.player = Player::StoppedDown(Box::new(player));
            }
            let shares = own.distribution(&game, spec.limits).expect("no clock");
            let of = |mv: &Move| shares.iter().find(|(m, _)| m == mv).map_or(0.0, |(_, p)| *p);
            game.position().legal_moves().iter().map(of).collect::<Vec<f64>>()
        };
        let [best, good, weak] = [None, Some(30.0), Some(1.0)].map(&mut shares);
        assert_eq!(best.iter().filter(|share| **share == 1.0).count(), 1);
        for shares in [&good, &weak] {
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        assert!(jensen_shannon(&good, &weak) > 0.1);
        let clocked = PlayerSpec::parse("self st=1").expect("sound");
        assert!(Own::new(&clocked, 1).distribution(&game, clocked.limits).is_none());
    }
}
