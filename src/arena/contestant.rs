//! What the arena asks of a player, whoever he is, and how a UCI engine in a process of its own answers.
//!
//! Whatever such an engine does, we go on: one that fails is ended and started afresh for its next game.
//! Before every move it is asked whether it is ready; what it said earlier is stale then, a late move
//! of an earlier search above all, and is thrown away.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::spec::ContestantSpec;
use super::time_control::{MoveLimits, PlayerClock, TimeControl};
use crate::board::{Colour, Game, Move};
use crate::external::{EngineSearch, ExternalSpec, Fault, UciClient};
use crate::player;
use crate::search::{Clock, Controls, Limits};
use crate::selector::Curve;
use crate::value::Value;

/// Somebody who can be asked for moves. A player who has failed is asked to begin again before the
/// next game, and mends himself then.
pub trait Contestant {
    fn card(&self) -> PlayerCard;

    /// The game of this number begins; nothing of earlier ones may count.
    fn begin(&mut self, game: &Game, number: u64) -> Result<(), Fault>;

    /// What he plays in this game, if it is less than he could.
    fn handicap(&self) -> Option<String> {
        None
    }

    /// The player to move makes up his mind. Whether the move was in time is for the caller to say;
    /// only a player who has not moved when his time is long over answers [`Fault::Overtime`].
    fn choose(&mut self, request: &Request<'_>) -> Result<PlayedMove, Fault>;

    /// Asked for his opinion outside of any game, he says what he would play.
    fn consult(&mut self, game: &Game, limits: MoveLimits) -> Result<PlayedMove, Fault> {
        let clock = PlayerClock::new(limits.time);
        let margin = Duration::ZERO;
        self.choose(&Request { game, limits, white: clock, black: clock, margin })
    }

    /// How likely each move is to be his, where that is known beforehand.
    fn distribution(&mut self, _game: &Game, _limits: MoveLimits) -> Option<Vec<(Move, f64)>> {
        None
    }
}

/// What a player says about himself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlayerCard {
    /// What plays under that name, exactly enough to tell two versions apart.
    pub identity: String,
    pub name: String,
    pub threads: Option<String>,
    /// In MiB.
    pub hash: Option<String>,
}

/// A move is wanted.
#[derive(Debug)]
pub struct Request<'a> {
    pub game: &'a Game,
    pub limits: MoveLimits,
    pub white: PlayerClock,
    pub black: PlayerClock,
    /// What the clock forgives.
    pub margin: Duration,
}

impl<'a> Request<'a> {
    /// As from a player whom no clock hurries.
    pub fn without_clock(game: &'a Game, player: &ContestantSpec) -> Request<'a> {
        let clock = PlayerClock::new(None);
        Request { game, limits: player.limits, white: clock, black: clock, margin: player.margin }
    }

    pub fn own_clock(&self) -> &PlayerClock {
        match self.game.position().turn() {
            Colour::White => &self.white,
            Colour::Black => &self.black,
        }
    }

    /// The same as a search takes it, whose clock is so much slower than the player.
    pub fn search_limits(&self, overhead: Duration) -> Limits {
        let (own, other) = match self.game.position().turn() {
            Colour::White => (&self.white, &self.black),
            Colour::Black => (&self.black, &self.white),
        };
        let other = match other.control {
            Some(TimeControl::Clock { increment, .. }) => other.allowance().zip(Some(increment)),
            _ => None,
        };
        let clock = match own.control {
            None => Clock::default(),
            Some(TimeControl::PerMove(time)) => Clock { move_time: Some(time), ..Clock::default() },
            Some(TimeControl::Clock { increment, .. }) => Clock {
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

/// A move with what its player thinks of it.
#[derive(Clone, Copy, Debug)]
pub struct PlayedMove {
    pub mv: Move,
    /// From the mover's side; `None` when the player did not say.
    pub value: Option<Value>,
    pub depth: u32,
    pub nodes: u64,
    pub elapsed: Duration,
    pub draw: Option<RandomChoice>,
}

/// How a move came up that was left to chance.
#[derive(Clone, Copy, Debug)]
pub struct RandomChoice {
    /// Of this move, among all.
    pub probability: f64,
    /// How open the choice was, in bits.
    pub entropy: f64,
    /// What gave the moves their probabilities.
    pub curve: Curve,
    pub seed: u64,
}

impl RandomChoice {
    /// How a player who draws with this seed came to a choice.
    pub fn of(choice: &player::Choice, seed: u64) -> RandomChoice {
        let probability = choice.distribution.probability(choice.index);
        let entropy = choice.distribution.entropy();
        RandomChoice { probability, entropy, curve: choice.curve, seed }
    }
}

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
    fn card(&self) -> PlayerCard {
        let identity = self.client.known_as().to_owned();
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
