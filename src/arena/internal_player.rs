//! Our own engine as a player: in this process, without pipes.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::contestant::{Contestant, PlayedMove, PlayerCard, RandomChoice, Request};
use super::spec::{ContestantSpec, InternalSpec};
use super::time_control::MoveLimits;
use crate::board::{Game, Move};
use crate::external::{Analyst, Fault, Wait};
use crate::player::{
    EndgameRule, Engine, EngineHost, MoveRequest, Participant, Player, StoppedDown, Tablebases, Who,
};
use crate::search::{Controls, Limits, Silent};
use crate::value::Depth;

/// Between us and our clock lies nothing but the scheduler.
const OVERHEAD: Duration = Duration::from_millis(5);

/// Another engine must also be heard and stopped.
const EXTERNAL_OVERHEAD: Duration = Duration::from_millis(50);

/// Without a clock a table that is being made is waited for so long.
const PATIENCE: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct InternalPlayer {
    participant: Participant,
    /// Why it cannot play.
    unusable: Option<Fault>,
    name: String,
    hash: usize,
    /// It looks no deeper, whoever it plays as.
    most: Option<Depth>,
}

impl InternalPlayer {
    /// The player at this place of the list, counted from 0.
    pub fn new(
        spec: &ContestantSpec,
        own: &InternalSpec,
        place: usize,
        guard: Option<PathBuf>,
    ) -> InternalPlayer {
        // Two of the same seed would draw the same parts of their composite profiles.
        let usual_seed = place as u64 + 1;
        let (limits, label) = (spec.limits, &own.label);
        let name = match (&own.who, limits.depth, limits.nodes) {
            (Who::FullStrength, Some(depth), _) => format!("{label} d{depth}"),
            (Who::FullStrength, None, Some(nodes)) => format!("{label} n{nodes}"),
            _ => label.clone(),
        };
        let seed_of_profile = match &own.who {
            Who::Profile(profile) => Some(profile.seed).filter(|&seed| seed > 0),
            _ => None,
        };
        let seed = own.seed.or(seed_of_profile).unwrap_or(usual_seed);
        let player = Player::new(own.who.clone(), seed, 1);
        let (engine, unusable) = match &own.engine {
            Some(engine) => {
                let analyst = Analyst::new(engine.clone(), spec.patience, guard);
                (Engine::External(Box::new(analyst)), None)
            }
            None => match Engine::new(own.network.as_deref(), own.hash) {
                Ok(engine) => (engine, None),
                Err(error) => (Engine::built_in(1), Some(Fault::Unusable(error.to_string()))),
            },
        };
        InternalPlayer {
            participant: Participant::new(EngineHost::new(engine), player),
            unusable,
            name: spec.name.clone().unwrap_or(name),
            hash: own.hash,
            most: limits.depth,
        }
    }

    /// The same player with tablebases. Nobody else in this layer has any, so that whoever is measured
    /// plays by what it sees.
    #[must_use]
    pub fn with_tablebases(mut self, tablebases: Tablebases) -> InternalPlayer {
        self.participant.host = self.participant.host.with_tablebases(tablebases);
        self
    }

    /// The same player, whose moves are evaluated by so many threads: the values are the same. At full
    /// strength it stays one, so that the move is the same too; another engine decides that itself.
    #[must_use]
    pub fn with_threads(mut self, threads: usize) -> InternalPlayer {
        let Participant { host, player } = &mut self.participant;
        if player.is_stopped_down() && matches!(host.engine, Engine::Network(_)) {
            host.set_threads(threads);
        }
        self
    }

    /// Its move, unless it is stopped before: then some move, which is of no use.
    pub fn choose_under(
        &mut self,
        request: &Request<'_>,
        controls: &Controls,
    ) -> Result<PlayedMove, Fault> {
        self.check()?;
        let start = Instant::now();
        let Participant { host, player } = &mut self.participant;
        let is_external = matches!(host.engine, Engine::External(_));
        let overhead = if is_external { EXTERNAL_OVERHEAD } else { OVERHEAD };
        let (game, limits) = (request.game, request.search_limits(overhead));
        if request.own_clock().control.is_none() {
            // A move depends only on its inputs, never on machine load.
            host.tablebases.prepare(game.position(), !player.is_stopped_down());
            host.tablebases.wait_for(game.position(), PATIENCE, || controls.is_stopped());
        }
        let asked = MoveRequest { game, limits: &limits, controls };
        let decision = self.participant.decide(&asked, &mut Silent);
        let (best, elapsed) = (decision.best, start.elapsed());
        if let Some(fault) = self.participant.host.engine.take_fault() {
            return Err(fault);
        }
        let seed = self.participant.player.series().map_or(0, |(seed, _)| seed);
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

    /// Another player takes this one's place, with its tablebases.
    pub fn make_room_for(&mut self, other: InternalPlayer) {
        let tablebases = std::mem::take(&mut self.participant.host.tablebases);
        *self = other.with_tablebases(tablebases);
    }

    /// The game of this number starts, unless the start of its engine is stopped before.
    pub fn begin_under(&mut self, number: u64, controls: &Controls) -> Result<(), Fault> {
        self.check()?;
        let Participant { host, player } = &mut self.participant;
        if let Engine::External(analyst) = &mut host.engine {
            analyst.client.start_while(Wait::new(controls, Instant::now(), None))?;
        }
        player.start_game(number);
        // Below full strength nothing is left of an evaluation that the next could find.
        if !player.is_stopped_down() {
            host.engine.clear();
        }
        Ok(())
    }

    fn check(&self) -> Result<(), Fault> {
        self.unusable.clone().map_or(Ok(()), Err)
    }
}

impl Contestant for InternalPlayer {
    fn card(&self) -> PlayerCard {
        let Participant { host, player } = &self.participant;
        let (threads, hash) = match &host.engine {
            Engine::External(analyst) => (analyst.threads(), analyst.client.value_of("Hash")),
            Engine::Network(_) => (Some("1".to_owned()), Some(self.hash.to_string())),
        };
        let engine = host.engine.identity();
        let identity = match player {
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
            Player::Imitating(player) => format!("{engine}, {}", player.style),
        };
        PlayerCard { identity, name: self.name.clone(), threads, hash }
    }

    fn begin(&mut self, _game: &Game, number: u64) -> Result<(), Fault> {
        self.begin_under(number, &Controls::new())
    }

    fn handicap(&self) -> Option<String> {
        match &self.participant.player {
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
        self.check().ok()?;
        self.participant.host.engine.clear();
        let limits = Limits { depth: limits.depth, nodes: limits.nodes, ..Limits::default() };
        self.participant.distribution(game, &limits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::arena::EngineSpec;
    use crate::math::statistics::jensen_shannon;
    use crate::player::Roster;

    fn player(words: &str) -> (InternalPlayer, ContestantSpec) {
        let spec = ContestantSpec::parse(words, &Roster::default()).expect(words);
        let EngineSpec::Internal(own) = &spec.engine else {
            panic!("{words} is no player of ours")
        };
        (InternalPlayer::new(&spec, own, 0, None), spec)
    }

    #[test]
    fn who_is_bound_to_a_depth_is_told_from_who_is_not() {
        let handicap = |words: &str| player(words).0.handicap().expect("one");
        let free = handicap("self competence=5 curve=levelled");
        assert!(!free.contains("at most"), "{free}");
        let game = Game::default();
        let roster = Roster::parse("[profiles.x]\ncompetence = 5\ndepth = 6").expect("one");
        let spec = ContestantSpec::parse("self profile=x depth=3", &roster).expect("a player");
        let EngineSpec::Internal(own) = &spec.engine else { panic!("it is ours") };
        let mut bound = InternalPlayer::new(&spec, own, 0, None);
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
