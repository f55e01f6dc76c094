//! The interface between the arena and its players, and its implementation for external UCI
//! engines.
//!
//! A match continues whatever an external engine does. After a failure, the engine is restarted for
//! its next game. Before every move, the arena waits for `readyok` and discards all earlier output,
//! such as a late `bestmove` from the last search.

use std::path::PathBuf;
use std::time::Duration;

use super::spec::ContestantSpec;
use super::time_control::{MoveLimits, PlayerClock, TimeControl};
use crate::board::{Game, Move, colour_index};
use crate::clock::Instant;
use crate::external::{EngineSearch, ExternalSpec, Fault, UciClient};
use crate::player::{self, SavedPrior};
use crate::search::{Clock, Controls, Limits};
use crate::selector::Curve;
use crate::value::Value;

/// A player in the arena. After a failure, [`Contestant::start_game`] must make it usable again.
pub trait Contestant {
    /// Describes the player. The description may change when the first game starts.
    fn info(&self) -> PlayerInfo;

    /// Starts the game with this number. State from earlier games must not affect it.
    fn start_game(&mut self, game: &Game, number: u64) -> Result<(), Fault>;

    /// Gives the player its estimate of the opponent from their earlier games. Called after [`Contestant::start_game`].
    fn recall(&mut self, _known: &SavedPrior) -> Result<(), Fault> {
        Ok(())
    }

    /// The player's estimate of the opponent from all their games, if it remembers its opponents.
    fn estimate(&self) -> Option<SavedPrior> {
        None
    }

    /// Describes the player's handicap in this game, if it plays below full strength.
    fn handicap(&self) -> Option<String> {
        None
    }

    /// Chooses a move. The caller checks the time. [`Fault::Overtime`] is only for a player that
    /// still has not moved when its time and the margin have run out.
    fn choose(&mut self, request: &Request<'_>) -> Result<PlayedMove, Fault>;

    /// Chooses a move in a position that is not part of a game.
    fn consult(&mut self, game: &Game, limits: MoveLimits) -> Result<PlayedMove, Fault> {
        let clocks = [PlayerClock::new(limits.time); 2];
        let margin = Duration::ZERO;
        self.choose(&Request { game, limits, clocks, margin, at_human_pace: false })
    }

    /// The probability of each move, if it is known in advance.
    fn distribution(&mut self, _game: &Game, _limits: MoveLimits) -> Option<Vec<(Move, f64)>> {
        None
    }
}

/// A player's description of itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerInfo {
    /// The player's identity, precise enough to tell two versions apart.
    pub identity: String,
    /// The name in results.
    pub name: String,
    /// The number of threads, or `None` if it is unknown.
    pub threads: Option<String>,
    /// The size of the hash table, in MiB.
    pub hash: Option<String>,
}

/// A request for a move.
#[derive(Debug)]
pub struct Request<'a> {
    /// The game so far. The player is the side to move.
    pub(crate) game: &'a Game,
    /// The limits on this move.
    pub(crate) limits: MoveLimits,
    /// The clocks of White and Black.
    pub(crate) clocks: [PlayerClock; 2],
    /// The amount by which a move may exceed its time limit.
    pub(crate) margin: Duration,
    /// Whether the player thinks for as long as a human would, so that it can be short of time.
    pub(crate) at_human_pace: bool,
}

impl<'a> Request<'a> {
    /// A request without a clock.
    pub(crate) fn without_clock(game: &'a Game, player: &ContestantSpec) -> Request<'a> {
        let clocks = [PlayerClock::new(None); 2];
        let ContestantSpec { limits, margin, .. } = *player;
        Request { game, limits, clocks, margin, at_human_pace: false }
    }

    pub(crate) fn own_clock(&self) -> &PlayerClock {
        &self.clocks[colour_index(self.game.position().turn())]
    }

    /// The limits for a search, given this communication delay.
    pub(crate) fn search_limits(&self, overhead: Duration) -> Limits {
        let turn = self.game.position().turn();
        let [own, other] = [turn, !turn].map(|colour| &self.clocks[colour_index(colour)]);
        let other = match other.control {
            Some(TimeControl::Clock { increment, .. }) => other.allowance().zip(Some(increment)),
            _ => None,
        };
        let clock = match own.control {
            None => Clock::default(),
            Some(TimeControl::PerMove(time)) => Clock { move_time: Some(time), ..Clock::default() },
            Some(TimeControl::Clock { time, increment, .. }) => Clock {
                base: self.at_human_pace.then_some(time),
                remaining: own.allowance(),
                increment,
                opponents: other.map(|(time, _)| time),
                opponents_increment: other.map(|(_, increment)| increment).unwrap_or_default(),
                moves_to_go: own.moves_to_go,
                ..Clock::default()
            },
        };
        let clock = Clock { overhead, ..clock };
        Limits { depth: self.limits.depth, nodes: self.limits.nodes, clock, ..Limits::default() }
    }
}

/// A move with the player's evaluation.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove {
    /// The move.
    pub mv: Move,
    /// The score from the mover's point of view, if the player reported one.
    pub value: Option<Value>,
    /// The search depth in plies.
    pub depth: u32,
    /// The number of nodes searched for this move.
    pub nodes: u64,
    /// The time used for this move.
    pub elapsed: Duration,
    /// The random choice, or `None` if the move was not chosen at random.
    pub(crate) draw: Option<RandomChoice>,
}

/// A random choice of a move.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RandomChoice {
    /// The probability of this move.
    pub probability: f64,
    /// The entropy of the choice, in bits.
    pub entropy: f64,
    /// The curve that determined the probabilities of the moves.
    pub curve: Curve,
    /// The player's seed.
    pub seed: u64,
}

impl RandomChoice {
    /// Describes a random choice by a player with this seed.
    pub fn of(choice: &player::Choice, seed: u64) -> RandomChoice {
        let probability = choice.distribution.probability(choice.index);
        let entropy = choice.distribution.entropy();
        RandomChoice { probability, entropy, curve: choice.curve, seed }
    }
}

/// The option that tells an engine about its opponent.
const OPPONENT: &str = "UCI_Opponent";

#[derive(Debug)]
pub struct External {
    client: UciClient,
    name: Option<String>,
}

impl External {
    /// Creates a player. The engine is started when it is first needed.
    pub fn new(spec: &ContestantSpec, external: &ExternalSpec, guard: Option<PathBuf>) -> External {
        let client = UciClient::new(external.clone(), spec.patience, guard);
        External { client, name: spec.name.clone() }
    }

    /// Runs a search. If there is no time limit, the engine may think for as long as its depth keeps
    /// increasing.
    fn search(&mut self, search: &EngineSearch<'_>) -> Result<(PlayedMove, bool), Fault> {
        let patience = search.time.is_none().then_some(self.client.patience);
        let chosen = EngineSearch { patience, ..*search }.choose(&mut self.client, |_| {})?;
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
    fn info(&self) -> PlayerInfo {
        let identity = self.client.known_as().to_owned();
        PlayerInfo {
            name: self.name.clone().unwrap_or_else(|| identity.clone()),
            identity,
            threads: self.client.value_of("Threads"),
            hash: self.client.value_of("Hash"),
        }
    }

    fn start_game(&mut self, game: &Game, _number: u64) -> Result<(), Fault> {
        self.client.start()?;
        self.client.set_chess960(game.start().is_chess960())?;
        // Tell the engine that its opponent is a computer, so that it does not imitate human
        // thinking times.
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
        let started = Instant::now();
        match self
            .search(&EngineSearch { time, ..EngineSearch::new(request.game, &limits, &controls) })
        {
            Ok((choice, false)) => Ok(choice),
            Ok((_, true)) => Err(Fault::Overtime),
            // If the time had run out before the failure, the failure counts as overtime.
            Err(_) if time.is_some_and(|time| started.elapsed() > time) => Err(Fault::Overtime),
            Err(fault) => Err(fault),
        }
    }

    /// Searches until stopped, as in an analysis. Some engines do not use all of their time if they
    /// know how much they have.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_player_at_human_pace_can_be_short_of_time() {
        let (game, time) = (Game::default(), Duration::from_secs(300));
        let control = TimeControl::Clock { moves: None, time, increment: Duration::ZERO };
        let clock = PlayerClock::new(Some(control));
        for (at_human_pace, expected) in [(false, None), (true, Some(time))] {
            let request = Request {
                game: &game,
                limits: MoveLimits::default(),
                clocks: [clock; 2],
                margin: Duration::ZERO,
                at_human_pace,
            };
            assert_eq!(request.search_limits(Duration::ZERO).clock.base, expected);
        }
    }
}
