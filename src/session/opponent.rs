//! The engine as an opponent in a game session.
//!
//! It wraps the in-process player of the arena and adds human behaviour: a thinking time, draw
//! offers, and resignation in lost positions.

use std::time::Duration;

use crate::arena::{
    Adjudication, Contestant, ContestantError, ContestantSpec, DrawRule, EngineSpec,
    InternalPlayer, MoveLimits, PlayedMove, PlayerClock, Request, ResignRule, Rules, TimeControl,
    guard_program,
};
use crate::board::{Game, colour_index};
use crate::external::Fault;
use crate::fresh::fresh_number;
use crate::player::pace::ThinkingTime;
use crate::player::{Elo, PlayerSpec, SavedPrior, Tablebases, TargetRating, Who};
use crate::search::{Clock, Controls};
use crate::threads::cores;

use super::casual_game::{CasualGame, SidePlayer};

/// The node limit of a search without a fixed depth. It takes about half a second. A node limit
/// gives the same move on every machine.
const DEFAULT_NODES: u64 = 500_000;

/// The rules for resigning and offering a draw. The moves of people have no evaluation, so only the
/// moves of engines count.
pub const OPPONENT_RULES: Rules = Rules {
    // The draw rule needs three moves by each side. Against a person, only one side has
    // evaluations, so the rule needs six moves by that side.
    draw: Some(DrawRule { from: 40, moves: 3, centipawns: 20 }),
    resign: Some(ResignRule { moves: 4, centipawns: 1000 }),
    max_moves: None,
};

/// Without a clock, the opponent takes as much time as in a game with five minutes a side.
const DEFAULT_TIME: Duration = Duration::from_secs(300);

/// Returns a random seed for an opponent without one. It has at most six digits, so that people can
/// retype it.
pub fn fresh_seed() -> u64 {
    fresh_number() % 1_000_000
}

/// The description of an opponent to create.
#[derive(Clone, Debug, PartialEq)]
pub struct OpponentSpec {
    pub player: PlayerSpec,
    pub seed: Option<u64>,
    /// The specification of an external engine that evaluates the moves. Empty for our own engine.
    pub engine: Vec<String>,
}

impl OpponentSpec {
    /// Returns the specification for the arena. `fresh_seed` is used if no seed is given.
    pub fn make(&self, fresh_seed: u64) -> Result<ContestantSpec, ContestantError> {
        let mut made = ContestantSpec::internal(self.player.clone(), self.seed, &self.engine)?;
        if made.limits == MoveLimits::default() {
            made.limits.nodes = Some(DEFAULT_NODES);
        }
        if let EngineSpec::Internal(own) = &mut made.engine
            && own.who.series_seed(own.seed).is_none()
        {
            own.seed = Some(fresh_seed);
        }
        Ok(made)
    }

    /// Returns the seed that the opponent will use, or `None` if it never chooses at random.
    pub fn seed(&self, fresh_seed: u64) -> Option<u64> {
        let made = self.make(fresh_seed).ok().filter(ContestantSpec::chooses_at_random)?;
        match made.engine {
            EngineSpec::Internal(own) => own.who.series_seed(own.seed),
            EngineSpec::External(_) => None,
        }
    }

    /// Returns the same opponent with a different rating, if it has a rating.
    pub fn rated(&self, elo: f64) -> Option<OpponentSpec> {
        let target = TargetRating { elo: Elo(elo), ..self.player.target_rating()? };
        let player = PlayerSpec {
            depth: self.player.depth,
            style: self.player.style,
            clock_effect: self.player.clock_effect,
            ..PlayerSpec::rated(target)
        };
        Some(OpponentSpec { player, ..self.clone() })
    }

    /// Describes the opponent's rating, if it has one.
    pub fn introduction(&self) -> Option<String> {
        let target = self.player.target_rating()?;
        let departure =
            self.player.depth.and_then(|depth| target.depth_note(depth)).unwrap_or_default();
        let style = self.player.style.map(|style| format!(" {style}: {}.", style.description()));
        let style = style.unwrap_or_default();
        Some(format!("{target}.{departure}{style}").trim_end_matches('.').to_owned())
    }
}

/// The opponent's action on its turn.
#[derive(Debug)]
pub enum OpponentTurn {
    Plays(PlayedMove),
    /// Plays the move and offers a draw.
    Offers(PlayedMove),
    Resigns,
}

/// An opponent. It stays loaded for all games of a session, even if its strength changes.
#[derive(Debug)]
pub struct Opponent {
    player: InternalPlayer,
    spec: ContestantSpec,
    name: String,
    /// The number of games started.
    games: u64,
    /// Whether it plays a game against a person.
    meets_person: bool,
}

impl Opponent {
    pub fn new(spec: ContestantSpec, tablebases: Tablebases) -> anyhow::Result<Opponent> {
        let (player, name) = make_player(&spec)?;
        let player = player.with_tablebases(tablebases);
        Ok(Opponent { player, spec, name, games: 0, meets_person: false })
    }

    /// Starts the next game. The controls can interrupt the start of an external engine. A session has one person, so
    /// an imitator remembers the person, but not another engine. `person` is what it knows from earlier games.
    pub fn start_game(
        &mut self,
        meets_person: bool,
        person: Option<&SavedPrior>,
        controls: &Controls,
    ) -> Result<(), Fault> {
        // An interrupted start is repeated later. It must not count as a game, because the choices depend on the
        // number. Nor does the player know anything about the person yet.
        self.meets_person = false;
        self.player.start_game_with(self.games + 1, controls)?;
        (self.games, self.meets_person) = (self.games + 1, meets_person);
        self.recall(person);
        Ok(())
    }

    /// What an imitator that plays against the person knows about them.
    pub fn estimate_of_person(&self) -> Option<SavedPrior> {
        self.player.estimate().filter(|_| self.meets_person)
    }

    /// Gives an imitator its estimate of the person.
    fn recall(&mut self, person: Option<&SavedPrior>) {
        if let Some(person) = person.filter(|_| self.meets_person) {
            // An estimate for another curve or rating scale is not usable.
            let _unusable = self.player.recall(person);
        }
    }

    /// Changes the strength from the next game on.
    pub fn change_for_next_game(&mut self, spec: ContestantSpec) -> anyhow::Result<()> {
        let (player, name) = make_player(&spec)?;
        self.player.replace_with(player);
        (self.spec, self.name) = (spec, name);
        Ok(())
    }

    /// Changes the strength from the next move on.
    pub fn change(
        &mut self,
        spec: ContestantSpec,
        person: Option<&SavedPrior>,
        controls: &Controls,
    ) -> anyhow::Result<()> {
        self.change_for_next_game(spec)?;
        let started = self.player.start_game_with(self.games, controls);
        started.map_err(|fault| anyhow::Error::msg(self.player.describe(&fault)))?;
        self.recall(person);
        Ok(())
    }

    /// Returns the opponent's name for the front end and the PGN.
    pub fn side_player(&self) -> SidePlayer {
        SidePlayer {
            name: self.name.clone(),
            handicap: self.player.handicap(),
            rating: self.spec.rating(),
        }
    }

    /// Chooses a move, given the clocks of White and Black. At human pace, the clock affects the
    /// strength. Evaluations before the ply `since` do not count towards a draw offer. If the
    /// controls stopped the search, the answer must be ignored.
    pub fn answer(
        &mut self,
        (casual, since): (&CasualGame, usize),
        clocks: [PlayerClock; 2],
        at_human_pace: bool,
        controls: &Controls,
    ) -> Result<OpponentTurn, Fault> {
        let untimed = Request::without_clock(&casual.game, &self.spec);
        let request = Request { clocks, at_human_pace, ..untimed };
        let choice = self.player.choose_with(&request, controls)?;
        Ok(match casual.adjudicated(OPPONENT_RULES, since.min(casual.game.ply()), &choice) {
            Some(Adjudication::Loss(_)) => OpponentTurn::Resigns,
            Some(Adjudication::Draw) => OpponentTurn::Offers(choice),
            _ => OpponentTurn::Plays(choice),
        })
    }

    /// Turns a fault of this opponent into a message to the user.
    pub fn describe(&self, fault: &Fault) -> String {
        self.player.describe(fault)
    }

    /// Returns how long a person would think about this move.
    pub fn pace(&self, game: &Game, choice: &PlayedMove, clocks: [PlayerClock; 2]) -> Duration {
        let own = clocks[colour_index(game.position().turn())];
        let (base, remaining, increment) = match own.control {
            Some(TimeControl::Clock { time, increment, .. }) => (time, own.allowance(), increment),
            _ => (DEFAULT_TIME, Some(DEFAULT_TIME), Duration::ZERO),
        };
        let clock = Clock { base: Some(base), remaining, increment, ..Clock::default() };
        let thinking = ThinkingTime::new(self.player.player(), game, clock, (0, self.games));
        thinking.time(game, Some(choice.mv), choice.draw.map(|draw| draw.entropy))
    }
}

/// Creates the arena player and its display name.
fn make_player(spec: &ContestantSpec) -> anyhow::Result<(InternalPlayer, String)> {
    let EngineSpec::Internal(own) = &spec.engine else {
        anyhow::bail!("the opponent must be Stopdown")
    };
    let name = match own.who {
        Who::FullStrength => own.label.clone(),
        _ => format!("Stopdown ({})", own.label),
    };
    let own = InternalPlayer::new(spec, own, 0, guard_program());
    Ok((if cores() > 1 { own.with_tables_in_background() } else { own }, name))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::built_in_settings;
    use crate::player::{Roster, Sources};

    #[test]
    fn an_interrupted_start_is_not_a_game() {
        let profiles = Roster::default();
        let spec = ContestantSpec::parse("self elo=1500 engine=cat", &profiles).expect("a player");
        let mut opponent =
            Opponent::new(spec, Tablebases::new(Sources::default())).expect("a player");
        let interrupted = Controls::new();
        interrupted.stop();
        assert!(opponent.start_game(true, None, &interrupted).is_err());
        assert_eq!(opponent.games, 0);
    }

    #[test]
    fn after_an_interrupted_start_an_imitator_knows_nothing() {
        let profiles = Roster::default();
        let spec =
            ContestantSpec::parse("self imitator=0 engine=cat", &profiles).expect("a player");
        let mut opponent =
            Opponent::new(spec, Tablebases::new(Sources::default())).expect("a player");
        let interrupted = Controls::new();
        interrupted.stop();
        assert!(opponent.start_game(true, None, &interrupted).is_err());
        assert!(opponent.estimate_of_person().is_none(), "no game has been played");
    }

    #[test]
    fn a_profile_with_a_seed_shows_this_seed() {
        let mut profile = built_in_settings().profiles.get("club").expect("a profile").clone();
        profile.seed = 5;
        let player = PlayerSpec { profile: Some(profile), ..PlayerSpec::default() };
        let opponent = OpponentSpec { player, seed: None, engine: Vec::new() };
        assert_eq!(opponent.seed(7), Some(5));
    }
}
