//! An engine that a person plays against: how it is made, how it moves, how long it takes, and when it
//! gives up or would rather have a draw.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::time::Duration;

use crate::arena::{
    Adjudication, Contestant, ContestantError, ContestantSpec, DrawRule, EngineSpec,
    InternalPlayer, MoveLimits, PlayedMove, PlayerClock, Request, ResignRule, Rules, TimeControl,
    guard_program,
};
use crate::board::{Colour, Game};
use crate::external::Fault;
use crate::math::streams::Occasion;
use crate::player::pace::{Thought, thinking_time};
use crate::player::{Elo, EloScale, PlayerSpec, Tablebases, TargetRating, Who};
use crate::search::{Clock, Controls};
use crate::threads::cores;

use super::casual_game::{CasualGame, SidePlayer};

/// Full strength without a depth: about half a second, and the same move on every machine.
const USUAL_NODES: u64 = 500_000;

/// When the opponent thinks a game decided. Only its own moves are counted: the human's have no
/// values.
const RULES: Rules = Rules {
    // For a draw the moves of both sides would be counted, so it takes twice as many of one's.
    draw: Some(DrawRule { from: 40, moves: 3, centipawns: 20 }),
    resign: Some(ResignRule { moves: 4, centipawns: 1000 }),
    max_moves: None,
};

/// More threads hardly make an answer come sooner.
const MOST_THREADS: usize = 4;

/// Where there is no clock, a person takes the time of a game of five minutes.
const USUAL_TIME: Duration = Duration::from_secs(300);

/// What an opponent draws its moves from where no seed is given: from the system's entropy, and short
/// enough to be typed again.
pub fn fresh_seed() -> u64 {
    RandomState::new().build_hasher().finish() % 1_000_000
}

/// An opponent before it is made.
#[derive(Clone, Debug, PartialEq)]
pub struct OpponentSpec {
    pub player: PlayerSpec,
    pub seed: Option<u64>,
    /// Words about another engine, whose values are chosen among.
    pub engine: Vec<String>,
}

impl OpponentSpec {
    /// The player; what it draws its moves from is this seed where none is given.
    pub fn make(&self, fresh_seed: u64) -> Result<ContestantSpec, ContestantError> {
        let mut made = ContestantSpec::own(self.player.clone(), self.seed, &self.engine)?;
        if made.limits == MoveLimits::default() {
            made.limits.nodes = Some(USUAL_NODES);
        }
        if let EngineSpec::Internal(own) = &mut made.engine {
            let has_own = matches!(&own.who, Who::Profile(profile) if profile.seed > 0);
            own.seed = own.seed.or_else(|| (!has_own).then_some(fresh_seed));
            if let Some(target) = self.player.target_rating()
                && target.scale != EloScale::default()
            {
                own.label = format!("{} {}", target.scale, target.nearest());
            }
        }
        Ok(made)
    }

    /// What its choices are drawn from, if anything; this seed where none is given.
    pub fn seed(&self, fresh_seed: u64) -> Option<u64> {
        match self.make(fresh_seed).ok()?.engine {
            EngineSpec::Internal(own) => own.seed.filter(|_| own.who != Who::FullStrength),
            EngineSpec::External(_) => None,
        }
    }

    /// The same with another rating, if it has one.
    pub fn rated(&self, elo: f64) -> Option<OpponentSpec> {
        let target = TargetRating { elo: Elo(elo), ..self.player.target_rating()? };
        let player = PlayerSpec { depth: self.player.depth, ..PlayerSpec::rated(target) };
        Some(OpponentSpec { player, ..self.clone() })
    }

    /// The rating in words, as it is said to the human, of an opponent who has one.
    pub fn introduction(&self) -> Option<String> {
        let target = self.player.target_rating()?;
        let departure = self.player.depth.and_then(TargetRating::departure).unwrap_or_default();
        Some(format!("{target}.{departure}").trim_end_matches('.').to_owned())
    }
}

/// What the opponent does when it is its turn.
#[derive(Debug)]
pub enum OpponentTurn {
    Plays(PlayedMove),
    /// The same, and it would have a draw.
    Offers(PlayedMove),
    Resigns,
}

/// The opponent of all games of a session.
#[derive(Debug)]
pub struct Opponent {
    own: InternalPlayer,
    spec: ContestantSpec,
    name: String,
    /// Games that were started.
    games: u64,
    /// An offer was declined after so many plies: what was before says nothing any more.
    declined_at: usize,
}

impl Opponent {
    pub fn new(spec: ContestantSpec, tablebases: Tablebases) -> anyhow::Result<Opponent> {
        let (own, name) = player(&spec)?;
        let own = own.with_tablebases(tablebases);
        Ok(Opponent { own, spec, name, games: 0, declined_at: 0 })
    }

    /// The next game starts, unless the start of its engine is stopped before.
    pub fn begin(&mut self, controls: &Controls) -> Result<(), Fault> {
        self.games += 1;
        self.declined_at = 0;
        self.own.begin_under(self.games, controls)
    }

    /// From the next game on it plays as somebody else.
    pub fn become_another(&mut self, spec: ContestantSpec) -> anyhow::Result<()> {
        let (own, name) = player(&spec)?;
        self.own.make_room_for(own);
        (self.spec, self.name) = (spec, name);
        Ok(())
    }

    /// From the next move on it plays this game as somebody else.
    pub fn change(&mut self, spec: ContestantSpec, controls: &Controls) -> anyhow::Result<()> {
        self.become_another(spec)?;
        Ok(self.own.begin_under(self.games, controls)?)
    }

    pub fn seat(&self) -> SidePlayer {
        SidePlayer { name: self.name.clone(), handicap: self.own.handicap() }
    }

    /// The human plays on, or takes back what the offer was about.
    pub fn decline(&mut self, plies: usize) {
        self.declined_at = plies;
    }

    /// What it does with these clocks, White's first. What it does after it was stopped is of no use.
    pub fn answer(
        &mut self,
        table: &CasualGame,
        [white, black]: [PlayerClock; 2],
        controls: &Controls,
    ) -> Result<OpponentTurn, Fault> {
        let untimed = Request::without_clock(&table.game, &self.spec);
        let choice = self.own.choose_under(&Request { white, black, ..untimed }, controls)?;
        let since = self.declined_at.min(table.game.ply());
        Ok(match table.adjudicated(RULES, since, &choice) {
            Some(Adjudication::Loss(_)) => OpponentTurn::Resigns,
            Some(Adjudication::Draw) => OpponentTurn::Offers(choice),
            _ => OpponentTurn::Plays(choice),
        })
    }

    /// How long a person would take over this move of the game.
    pub fn pace(&self, game: &Game, choice: &PlayedMove, clocks: [PlayerClock; 2]) -> Duration {
        let [white, black] = clocks;
        let own = if game.position().turn() == Colour::White { white } else { black };
        let (base, clock) = match own.control {
            Some(TimeControl::Clock { time, increment, .. }) => {
                (time, Clock { remaining: own.allowance(), increment, ..Clock::default() })
            }
            _ => (USUAL_TIME, Clock { remaining: Some(USUAL_TIME), ..Clock::default() }),
        };
        let legal = game.position().legal_moves().len();
        let entropy = choice.draw.map(|draw| draw.entropy);
        let seed = choice.draw.map_or(0, |draw| draw.seed);
        let occasion = Occasion { seed, game: self.games, ply: game.plies() as u64 };
        thinking_time(&Thought { clock, base, legal, entropy }, occasion)
    }
}

/// The player and its name.
fn player(spec: &ContestantSpec) -> anyhow::Result<(InternalPlayer, String)> {
    let EngineSpec::Internal(own) = &spec.engine else { anyhow::bail!("the opponent is Stopdown") };
    let name = match own.who {
        Who::FullStrength => own.label.clone(),
        _ => format!("Stopdown ({})", own.label),
    };
    let own = InternalPlayer::new(spec, own, 0, guard_program());
    Ok((own.with_threads(cores().min(MOST_THREADS)), name))
}
