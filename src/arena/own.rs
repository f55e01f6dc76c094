//! Our own engine as a player: in this process, without pipes.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::contestant::{Contestant, PlayedMove, PlayerCard, RandomChoice, Request};
use super::spec::{ContestantSpec, OwnSpec};
use super::time_control::MoveLimits;
use crate::board::{Game, Move};
use crate::external::{Analyst, Fault};
use crate::player::{EndgameRule, Engine, Imitating, Library, Player, StoppedDown, Who};
use crate::search::{Controls, Limits, Silent};
use crate::value::Depth;

/// Between us and our clock lies nothing but the scheduler.
const OVERHEAD: Duration = Duration::from_millis(5);

/// Another engine has to be heard and to be stopped besides.
const FOREIGN_OVERHEAD: Duration = Duration::from_millis(50);

/// Without a clock a table that is being made is waited for so long.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct Own {
    /// Or why there is none.
    engine: Result<Engine, Fault>,
    player: Player,
    name: String,
    hash: usize,
    /// It looks no deeper, whoever it plays as.
    most: Option<Depth>,
    /// The tables that it may ask.
    library: Library,
}

impl Own {
    /// The player at this place of the list, counted from 0.
    pub fn new(spec: &ContestantSpec, own: &OwnSpec, place: usize, guard: Option<PathBuf>) -> Own {
        // Two of the same seed would draw the same parts of their composite profiles.
        let usual_seed = place as u64 + 1;
        let (limits, label) = (spec.limits, &own.label);
        let name = match (&own.who, limits.depth, limits.nodes) {
            (Who::FullStrength, Some(depth), _) => format!("{label} d{depth}"),
            (Who::FullStrength, None, Some(nodes)) => format!("{label} n{nodes}"),
            _ => label.clone(),
        };
        let player = match &own.who {
            Who::FullStrength => Player::FullStrength,
            Who::Profile(profile) => {
                let profile = profile.clone();
                let own_seed = Some(profile.seed).filter(|&seed| seed > 0);
                let seed = own.seed.or(own_seed).unwrap_or(usual_seed);
                Player::StoppedDown(Box::new(StoppedDown {
                    profile,
                    seed,
                    game: 1,
                    explain: false,
                }))
            }
            &Who::Imitator(manner) => {
                let mut player = Imitating::of_stranger(manner);
                player.seed = own.seed.unwrap_or(usual_seed);
                Player::Imitating(Box::new(player))
            }
        };
        let name = spec.name.clone().unwrap_or(name);
        let engine = match &own.engine {
            Some(engine) => {
                let analyst = Analyst::new(engine.clone(), spec.patience, guard);
                Ok(Engine::External(Box::new(analyst)))
            }
            None => Engine::new(own.network.as_deref(), own.hash)
                .map_err(|error| Fault::Unusable(error.to_string())),
        };
        Own { engine, player, name, hash: own.hash, most: limits.depth, library: Library::none() }
    }

    /// The same player with tables of endings. Nobody else in this layer has any, so that whoever is
    /// measured plays by what he sees.
    pub fn with_tables(mut self, library: Library) -> Own {
        if let Ok(engine) = &mut self.engine {
            engine.set_oracle(library.oracle());
        }
        self.library = library;
        self
    }

    /// The same player, whose moves are valued by so many threads: they are worth the same. At full
    /// strength it stays one, so that the move is the same too; another engine has a say of its own.
    pub fn with_threads(mut self, threads: usize) -> Own {
        if let (Ok(engine @ Engine::Network(_)), Player::StoppedDown(_) | Player::Imitating(_)) =
            (&mut self.engine, &self.player)
        {
            engine.set_threads(threads);
        }
        self
    }

    /// Its move, unless it is stopped before: then some move, which is of no use.
    pub fn choose_under(
        &mut self,
        request: &Request<'_>,
        controls: &Controls,
    ) -> Result<PlayedMove, Fault> {
        let start = Instant::now();
        let engine = self.engine.as_mut().map_err(|fault| fault.clone())?;
        let is_foreign = matches!(engine, Engine::External(_));
        let overhead = if is_foreign { FOREIGN_OVERHEAD } else { OVERHEAD };
        let limits = request.search_limits(overhead);
        let (game, library) = (request.game, &mut self.library);
        if request.own_clock().control.is_none() {
            // What a move depends on is the same, however busy the machine is.
            library.prepare(game.position(), !self.player.is_stopped_down());
            library.wait_for(game.position(), PATIENCE, || controls.is_stopped());
        }
        let decision = self.player.decide(engine, library, game, &limits, controls, &mut Silent);
        let (best, elapsed) = (decision.best, start.elapsed());
        if let Some(fault) = engine.take_fault() {
            return Err(fault);
        }
        let seed = match &self.player {
            Player::FullStrength => 0,
            Player::StoppedDown(player) => player.seed,
            Player::Imitating(player) => player.seed,
        };
        let draw = decision.choice.map(|choice| RandomChoice::of(&choice, seed));
        Ok(PlayedMove {
            mv: best.mv.ok_or_else(|| Fault::Illegal("none".to_owned()))?,
            value: Some(best.value),
            depth: u32::from(best.depth),
            nodes: best.nodes,
            elapsed,
            draw,
        })
    }

    /// Another player takes this one's place, with its tables.
    pub fn make_room_for(&mut self, other: Own) {
        let library = std::mem::take(&mut self.library);
        *self = other.with_tables(library);
    }
}

impl Contestant for Own {
    fn card(&self) -> PlayerCard {
        let (threads, hash) = match &self.engine {
            Ok(Engine::External(analyst)) => (analyst.threads(), analyst.client.value_of("Hash")),
            _ => (Some("1".to_owned()), Some(self.hash.to_string())),
        };
        let engine = self.engine.as_ref().map(Engine::identity).unwrap_or_default();
        let identity = match &self.player {
            Player::FullStrength => engine,
            Player::StoppedDown(player) => {
                let profile = &player.profile;
                let seed = Some(profile.seed).filter(|&seed| seed != 0);
                let seed = seed.map_or(String::new(), |seed| format!(", seed {seed}"));
                let rule = match profile.endgame {
                    EndgameRule::Keep => "",
                    EndgameRule::Free => ", free in endings",
                    EndgameRule::Blind => ", without tables",
                };
                format!("{engine}, {profile}{seed}{rule}")
            }
            Player::Imitating(player) => format!("{engine}, {}", player.manner),
        };
        PlayerCard { identity, name: self.name.clone(), threads, hash }
    }

    fn begin(&mut self, _game: &Game, number: u64) -> Result<(), Fault> {
        let engine = self.engine.as_mut().map_err(|fault| fault.clone())?;
        if let Engine::External(analyst) = engine {
            analyst.client.start()?;
        }
        match &mut self.player {
            Player::FullStrength => engine.clear(),
            // Nothing is left of an evaluation that the next could find.
            Player::StoppedDown(player) => player.game = number,
            Player::Imitating(player) => {
                let seed = player.seed;
                **player = Imitating::of_stranger(player.manner);
                (player.seed, player.game) = (seed, number);
            }
        }
        Ok(())
    }

    fn handicap(&self) -> Option<String> {
        match &self.player {
            Player::FullStrength => None,
            Player::Imitating(player) => Some(player.to_string()),
            Player::StoppedDown(player) => {
                let StoppedDown { profile, seed, game, .. } = &**player;
                let comma = if profile.name.is_empty() { "" } else { ", " };
                let depth = profile.depth();
                let most = self.most.filter(|&most| most < depth);
                let most = most.map_or(String::new(), |most| format!(", at most {most} plies"));
                Some(format!("{}{comma}{profile}{most}, seed {seed}, game {game}", profile.name))
            }
        }
    }

    fn choose(&mut self, request: &Request<'_>) -> Result<PlayedMove, Fault> {
        self.choose_under(request, &Controls::new())
    }

    fn distribution(&mut self, game: &Game, limits: MoveLimits) -> Option<Vec<(Move, f64)>> {
        if limits.time.is_some() {
            return None; // another time it may be another move
        }
        let engine = self.engine.as_mut().ok()?;
        engine.clear();
        let limits = Limits { depth: limits.depth, nodes: limits.nodes, ..Limits::default() };
        self.player.distribution(engine, game, &limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::EngineSpec;
    use crate::math::statistics::jensen_shannon;
    use crate::player::Roster;

    fn player(words: &str) -> (Own, ContestantSpec) {
        let spec = ContestantSpec::parse(words, &Roster::default()).expect(words);
        let EngineSpec::Own(own) = &spec.engine else { panic!("{words} is no player of ours") };
        (Own::new(&spec, own, 0, None), spec)
    }

    #[test]
    fn who_is_bound_to_a_depth_is_told_from_who_is_not() {
        let handicap = |words: &str| player(words).0.handicap().expect("one");
        let free = handicap("self competence=5 curve=levelled");
        assert!(!free.contains("at most"), "{free}");
        let game = Game::default();
        let roster = Roster::parse("[profiles.x]\ncompetence = 5\ndepth = 6").expect("one");
        let spec = ContestantSpec::parse("self profile=x depth=3", &roster).expect("a player");
        let EngineSpec::Own(own) = &spec.engine else { panic!("it is ours") };
        let mut bound = Own::new(&spec, own, 0, None);
        bound.begin(&game, 1).expect("it can play");
        let told = bound.handicap().expect("one");
        assert!(told.contains("p=6") && told.contains("at most 3 plies"), "{told}");
    }

    #[test]
    fn what_a_player_would_choose_is_known_and_the_less_skilled_know_less() {
        let game = Game::default();
        let shares = |words: &str| {
            let (mut own, spec) = player(words);
            let shares = own.distribution(&game, spec.limits).expect("no clock");
            let of = |mv: &Move| shares.iter().find(|(m, _)| m == mv).map_or(0.0, |(_, p)| *p);
            game.position().legal_moves().iter().map(of).collect::<Vec<f64>>()
        };
        let best = shares("self depth=2");
        let [good, weak] = [30, 1].map(|c| shares(&format!("self depth=2 competence={c}")));
        assert_eq!(best.iter().filter(|share| **share == 1.0).count(), 1);
        for shares in [&good, &weak] {
            assert!((shares.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        }
        assert!(jensen_shannon(&good, &weak) > 0.1);
        let (mut clocked, spec) = player("self st=1");
        assert!(clocked.distribution(&game, spec.limits).is_none());
    }
}
