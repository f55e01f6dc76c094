//! An in-process player for matches, without a UCI pipe.

use std::path::PathBuf;
use std::time::Duration;

use super::contestant::{Contestant, PlayedMove, PlayerInfo, RandomChoice, Request};
use super::spec::{ContestantSpec, InternalSpec};
use super::time_control::MoveLimits;
use crate::board::{Game, Move};
use crate::clock::Instant;
use crate::external::{ExternalEvaluator, Fault, Wait};
use crate::player::{
    EndgameRule, Engine, EngineHost, Exploit, ExploitedOpponent, MoveRequest, OpponentKnowledge,
    Participant, Player, SavedPrior, ScaledRating, StoppedDown, Tablebases, Who, human_fingerprint,
};
use crate::search::{Controls, Limits, NoObserver, SIGNATURE};
use crate::value::{Depth, plies};

/// The time that each move loses between the engine and the clock. It is lost only in the operating
/// system's scheduler.
const OVERHEAD: Duration = Duration::from_millis(5);

/// The time that each move loses if an external engine evaluates the moves. That engine needs time
/// to receive and answer commands.
const EXTERNAL_OVERHEAD: Duration = Duration::from_millis(50);

/// The longest time to wait for a tablebase if there is no clock.
const MAX_TABLE_WAIT: Duration = Duration::from_secs(30);

#[derive(Debug)]
pub struct InternalPlayer {
    participant: Participant,
    /// Why the player cannot play, or `None` if it can.
    unusable: Option<Fault>,
    name: String,
    hash: usize,
    exploits: Option<ScaledRating>,
    /// Whether an imitator remembers its opponent from game to game.
    remembers: bool,
    /// The depth limit for all searches.
    max_depth: Option<Depth>,
    /// Whether tablebases are built while a weakened player thinks.
    builds_in_background: bool,
}

impl InternalPlayer {
    /// Creates the player at this index in the list, counted from 0.
    pub fn new(
        spec: &ContestantSpec,
        own: &InternalSpec,
        index: usize,
        guard: Option<PathBuf>,
    ) -> InternalPlayer {
        // With equal seeds, two players would pick the same components of their composite profiles.
        let default_seed = index as u64 + 1;
        let (limits, label) = (spec.limits, &own.label);
        let name = match (&own.who, limits.depth, limits.nodes) {
            (Who::FullStrength, Some(depth), _) => format!("{label} d{depth}"),
            (Who::FullStrength, None, Some(nodes)) => format!("{label} n{nodes}"),
            _ => label.clone(),
        };
        let seed = own.who.series_seed(own.seed).unwrap_or(default_seed);
        let player = Player::new(own.who.clone(), seed, 1);
        let (engine, unusable) = match &own.engine {
            Some(engine) => {
                let analyst = ExternalEvaluator::new((**engine).clone(), spec.patience, guard);
                (Engine::External(Box::new(analyst)), None)
            }
            None => match Engine::new(own.network.as_deref(), own.hash) {
                Ok(engine) => (engine, None),
                Err(error) => (Engine::built_in(1), Some(Fault::Unusable(error.to_string()))),
            },
        };
        let mut host = EngineHost::new(engine);
        if let Some(ScaledRating { elo, scale }) = own.exploits {
            host.exploit = Some(Exploit::against(None, true));
            host.opponent = Some(ExploitedOpponent::rated(elo, scale));
        }
        InternalPlayer {
            participant: Participant::new(host, player),
            exploits: own.exploits,
            remembers: own.remembers,
            unusable,
            name: spec.name.clone().unwrap_or(name),
            hash: own.hash,
            max_depth: limits.depth,
            builds_in_background: false,
        }
    }

    /// Adds tablebases. By default there are none, so that in measurements, the moves depend on the
    /// evaluations alone.
    #[must_use]
    pub fn with_tablebases(mut self, tablebases: Tablebases) -> InternalPlayer {
        self.participant.host = self.participant.host.with_tablebases(tablebases);
        self.set_background();
        self
    }

    /// Lets tablebases be built while the player thinks. At full strength they are still built first, so that the moves
    /// do not depend on the machine.
    #[must_use]
    pub fn with_tables_in_background(mut self) -> InternalPlayer {
        self.builds_in_background = true;
        self.set_background();
        self
    }

    fn set_background(&mut self) {
        let Participant { host, player } = &mut self.participant;
        host.tablebases.set_background(self.builds_in_background && player.is_stopped_down());
    }

    /// How the moves are chosen.
    pub fn player(&self) -> &Player {
        &self.participant.player
    }

    /// Turns a fault of this player into a message to the user.
    pub(crate) fn describe(&self, fault: &Fault) -> String {
        self.participant.host.engine.describe(fault)
    }

    /// Chooses a move. If the search was stopped, the move is arbitrary and should be discarded.
    pub fn choose_with(
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
            // Without a clock, a move must depend only on its inputs, never on machine load.
            host.tablebases.prepare(game.position(), !player.is_stopped_down());
            host.tablebases.wait_for(game.position(), MAX_TABLE_WAIT, || controls.is_stopped());
        }
        let move_request = MoveRequest { game, limits: &limits, controls };
        let decision = self.participant.decide(&move_request, &mut NoObserver);
        // These messages are not shown during a game.
        self.participant.host.engine.take_notices();
        let (best, elapsed) = (decision.best, start.elapsed());
        if let Some(fault) = self.participant.host.engine.take_fault() {
            return Err(fault);
        }
        let seed = self.participant.player.series().map_or(0, |(seed, _)| seed);
        let draw = decision.choice.map(|choice| RandomChoice::of(&choice, seed));
        let has_score = best.depth > 0 || !is_external;
        Ok(PlayedMove {
            // Only an external engine can run out of time without a move.
            mv: best.mv.ok_or(Fault::Overtime)?,
            // Some external engines show no scores.
            value: has_score.then_some(best.value),
            depth: u32::from(best.depth),
            nodes: best.nodes,
            elapsed,
            draw,
        })
    }

    /// Replaces this player but keeps its tablebases.
    pub fn replace_with(&mut self, other: InternalPlayer) {
        let tablebases = std::mem::take(&mut self.participant.host.tablebases);
        *self = other.with_tablebases(tablebases);
    }

    /// Starts the game with this number. `controls` can interrupt the start of an external engine.
    pub fn start_game_with(&mut self, number: u64, controls: &Controls) -> Result<(), Fault> {
        self.check()?;
        let Participant { host, player } = &mut self.participant;
        // Even if the engine does not start, nothing may remain of an earlier opponent.
        player.start_game(number);
        // Below full strength, an evaluation leaves nothing in the hash table that affects the next
        // evaluation.
        if !player.is_stopped_down() {
            host.engine.clear();
        }
        if let Engine::External(analyst) = &mut host.engine {
            analyst.start_game(Wait::new(controls, Instant::now(), None))?;
        }
        self.participant.load();
        Ok(())
    }

    fn check(&self) -> Result<(), Fault> {
        self.unusable.clone().map_or(Ok(()), Err)
    }
}

/// Tells two versions of the search apart, even if they have the same version number and weights.
fn search_identity() -> String {
    let numbers: Vec<&str> = SIGNATURE.split_whitespace().collect();
    format!(", bench {}", numbers.join(" "))
}

impl Contestant for InternalPlayer {
    fn info(&self) -> PlayerInfo {
        let Participant { host, player } = &self.participant;
        let (threads, hash) = match &host.engine {
            Engine::External(analyst) => (analyst.threads(), analyst.client.value_of("Hash")),
            Engine::Network(_) => (Some("1".to_owned()), Some(self.hash.to_string())),
        };
        let mut engine = host.engine.identity();
        if let Engine::Network(_) = host.engine {
            engine.push_str(&search_identity());
        }
        if self.exploits.is_some() || player.is_stopped_down() {
            engine.push_str(&format!(", human curve {}", human_fingerprint()));
        }
        let identity = match player {
            Player::FullStrength => match self.exploits {
                None => engine,
                Some(rating) => format!("{engine}, exploits {rating}"),
            },
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
            Player::Imitator(player) => {
                let memory = if self.remembers { ", remembers its opponents" } else { "" };
                format!("{engine}, {}{memory}", player.config)
            }
        };
        PlayerInfo { identity, name: self.name.clone(), threads, hash }
    }

    fn start_game(&mut self, game: &Game, number: u64) -> Result<(), Fault> {
        self.start_game_with(number, &Controls::new())?;
        if let Engine::External(analyst) = &mut self.participant.host.engine {
            analyst.client.set_chess960(game.start().is_chess960())?;
        }
        self.participant.player.skip_opening(game);
        Ok(())
    }

    fn recall(&mut self, known: &SavedPrior) -> Result<(), Fault> {
        let recalled = self.participant.player.recall(known);
        recalled.map_err(|error| Fault::Unusable(format!("cannot recall its opponent: {error}")))
    }

    fn estimate(&self) -> Option<SavedPrior> {
        match &self.participant.player {
            Player::Imitator(player) if self.remembers => Some(player.prior().entry()),
            _ => None,
        }
    }

    fn handicap(&self) -> Option<String> {
        match &self.participant.player {
            Player::FullStrength => None,
            Player::Imitator(player) => {
                let OpponentKnowledge { belief, informative, .. } = player.earlier();
                let known = match informative {
                    0 => String::new(),
                    _ => format!(
                        ", opponent estimated at {:.0} from {informative} moves",
                        belief.median()
                    ),
                };
                Some(format!("{player}{known}"))
            }
            Player::StoppedDown(player) => {
                let StoppedDown { profile, seed, game, .. } = &**player;
                let comma = if profile.name.is_empty() { "" } else { ", " };
                let depth = profile.depth();
                let max_depth = self.max_depth.filter(|&max_depth| max_depth < depth);
                let max_depth = max_depth
                    .map_or(String::new(), |max_depth| format!(", at most {}", plies(max_depth)));
                Some(format!(
                    "{}{comma}{profile}{max_depth}, seed {seed}, game {game}",
                    profile.name
                ))
            }
        }
    }

    fn choose(&mut self, request: &Request<'_>) -> Result<PlayedMove, Fault> {
        self.choose_with(request, &Controls::new())
    }

    fn distribution(&mut self, game: &Game, limits: MoveLimits) -> Option<Vec<(Move, f64)>> {
        if limits.time.is_some() {
            return None; // with a clock, moves are not repeatable
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
            panic!("{words} is not an internal player")
        };
        (InternalPlayer::new(&spec, own, 0, None), spec)
    }

    #[test]
    fn a_handicap_mentions_a_depth_limit() {
        let handicap = |words: &str| player(words).0.handicap().expect("one");
        let free = handicap("self competence=5 curve=levelled");
        assert!(!free.contains("at most"), "{free}");
        let game = Game::default();
        let roster = Roster::parse("[profiles.x]\ncompetence = 5\ndepth = 6").expect("one");
        let spec = ContestantSpec::parse("self profile=x depth=3", &roster).expect("a player");
        let EngineSpec::Internal(own) = &spec.engine else { panic!("it is ours") };
        let mut bound = InternalPlayer::new(&spec, own, 0, None);
        bound.start_game(&game, 1).expect("it can play");
        let limited = bound.handicap().expect("one");
        assert!(limited.contains("p=6") && limited.contains("at most 3 plies"), "{limited}");
    }

    #[test]
    fn distributions_are_known_and_depend_on_skill() {
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
