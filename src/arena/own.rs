//! Our own engine as a player: in this process, without pipes.

use std::time::{Duration, Instant};

use super::contestant::{Choice, Contestant, Draw, Fault, PlayerCard, Request};
use super::own_spec::OwnSpec;
use super::spec::PlayerSpec;
use super::time_control::TimeControl;
use crate::board::Game;
use crate::eval::Evaluator;
use crate::player::{self, Engine, Player, StoppedDown, engine};
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
    /// The player at this place of the list, counted from 0.
    pub fn new(spec: &PlayerSpec, own: &OwnSpec, place: usize) -> Own {
        let limits = spec.limits;
        let name = match (&own.profile, limits.depth, limits.nodes) {
            (Some(profile), ..) => profile.name.clone(),
            (None, Some(depth), _) => format!("Stopdown d{depth}"),
            (None, None, Some(nodes)) => format!("Stopdown n{nodes}"),
            (None, None, None) => "Stopdown".to_owned(),
        };
        let name = spec.name.clone().unwrap_or(name);
        let player = own.profile.as_ref().map_or(Player::FullStrength, |profile| {
            let own_seed = Some(profile.seed).filter(|&seed| seed > 0);
            // Two of the same seed would draw the same parts of their composite profiles.
            let seed = own.seed.or(own_seed).unwrap_or(place as u64 + 1);
            let profile = profile.clone();
            Player::StoppedDown(Box::new(StoppedDown { profile, seed, game: 1, explain: false }))
        });
        Own { engine: engine(own.hash), player, name, hash: own.hash }
    }
}

impl Contestant for Own {
    fn card(&self) -> PlayerCard {
        let weights = self.engine.evaluator().fingerprint();
        let engine = format!("Stopdown {} with weights {weights:016x}", env!("CARGO_PKG_VERSION"));
        let identity = match &self.player {
            Player::FullStrength => engine,
            Player::StoppedDown(player) => format!("{engine}, {}", player.profile),
        };
        PlayerCard {
            identity,
            name: self.name.clone(),
            threads: Some("1".to_owned()),
            hash: Some(self.hash.to_string()),
        }
    }

    fn begin(&mut self, _game: &Game, number: u64) -> Result<(), Fault> {
        match &mut self.player {
            Player::FullStrength => self.engine.clear(),
            // Nothing is left of an evaluation that the next could find.
            Player::StoppedDown(player) => player.game = number,
        }
        Ok(())
    }

    fn handicap(&self) -> Option<String> {
        let Player::StoppedDown(player) = &self.player else { return None };
        let StoppedDown { profile, seed, game, .. } = &**player;
        Some(format!("{}, {profile}, seed {seed}, game {game}", profile.name))
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
        let draw = found.choice.as_ref().and_then(|choice| self.draw(choice));
        let best = found.best;
        Ok(Choice {
            mv: best.mv.ok_or_else(|| Fault::Illegal("none".to_owned()))?,
            value: Some(best.value),
            depth: u32::from(best.depth),
            nodes: best.nodes,
            elapsed,
            draw,
        })
    }
}

impl Own {
    fn draw(&self, choice: &player::Choice) -> Option<Draw> {
        let Player::StoppedDown(player) = &self.player else { return None };
        let (_, skill) = &player.profile.parts()[choice.part];
        Some(Draw {
            probability: choice.distribution.probability(choice.index),
            curve: skill.selector.curve,
            seed: player.seed,
        })
    }
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
