//! A player with everything that it needs to choose a move.
//!
//! Matches, UCI sessions, the browser and the terminal all play through a [`Participant`]. It is
//! created from a player specification, and there is only one way to ask it for a move.

use std::fmt;

use super::decision::{Decision, MoveRequest, own_time};
use super::host::EngineHost;
use super::spec::Who;
use super::{
    Elo, HumanAnalysis, ImitatorPlayer, Pace, PlayingStyle, SavedPrior, StoppedDown, USUAL_DEPTH,
    bare_king, expectation, full_strength,
};
use crate::board::{Game, Move};
use crate::clock::Instant;
use crate::math::grid::GridError;
use crate::policy::PolicyNetwork;
use crate::search::{Controls, EvaluationRequest, Limits, NoObserver, Observer};
use crate::value::Depth;

/// The largest share of the time for a move that building tablebases uses if there is one thread.
const TABLE_SHARE: f64 = 0.125;
/// The same if the table for the current position is missing.
const MISSING_TABLE_SHARE: f64 = 0.25;

/// How the move is chosen.
#[derive(Clone, Debug, Default)]
pub enum Player {
    /// Plays the best move that the search finds.
    #[default]
    FullStrength,
    /// Draws each move according to a profile.
    StoppedDown(Box<StoppedDown>),
    /// Adapts to the strength of its opponent.
    Imitator(Box<ImitatorPlayer>),
}

/// A player with its engine and its tablebases.
#[derive(Debug)]
pub struct Participant {
    /// The engine and the tablebases.
    pub host: EngineHost,
    /// How the move is chosen.
    pub player: Player,
}

impl Player {
    /// Creates a player. Its choices are drawn from this seed and game number.
    pub(crate) fn new(who: Who, seed: u64, game: u64) -> Player {
        match who {
            Who::FullStrength => Player::FullStrength,
            Who::Profile(profile) => {
                Player::StoppedDown(Box::new(StoppedDown { profile, seed, game, explain: false }))
            }
            Who::Imitator(config) => {
                let mut player = ImitatorPlayer::for_unknown_opponent(config);
                (player.seed, player.game) = (seed, game);
                Player::Imitator(Box::new(player))
            }
        }
    }

    /// Sets whether the player reports the probability of each move.
    #[must_use]
    pub(crate) fn explaining(mut self, explain: bool) -> Player {
        match &mut self {
            Player::FullStrength => {}
            Player::StoppedDown(player) => player.explain = explain,
            Player::Imitator(player) => player.explain = explain,
        }
        self
    }

    /// The pace of this player.
    pub(crate) fn pace(&self) -> Pace {
        match self {
            Player::FullStrength => Pace::Instant,
            Player::Imitator(_) => Pace::Auto,
            Player::StoppedDown(player) => player.profile.pace,
        }
    }

    /// The style that the player has, at least in some games.
    pub(crate) fn style(&self) -> Option<PlayingStyle> {
        match self {
            Player::FullStrength => None,
            Player::Imitator(player) => player.config.style,
            Player::StoppedDown(player) => player.profile.style(),
        }
    }

    /// Returns whether the player's strength depends on the clock.
    pub fn follows_clock(&self) -> bool {
        match self {
            Player::FullStrength => false,
            Player::Imitator(player) => player.config.follows_clock(),
            Player::StoppedDown(player) => player.profile.has_clock_effect(),
        }
    }

    /// The player's thinking time relative to most people's.
    pub(crate) fn thinking_time(&self) -> f64 {
        match self {
            Player::StoppedDown(player) => player.profile.thinking_time,
            Player::FullStrength | Player::Imitator(_) => 1.0,
        }
    }

    /// The approximate rating on the FIDE scale, if it is known.
    pub(crate) fn level(&self) -> Option<Elo> {
        match self {
            Player::FullStrength => None,
            Player::StoppedDown(player) => Some(player.profile.level()),
            Player::Imitator(player) => player.own_level(),
        }
    }

    /// Returns whether the player plays below full strength.
    pub(crate) fn is_stopped_down(&self) -> bool {
        !matches!(self, Player::FullStrength)
    }

    /// The seed and the game number, or `None` if no move is drawn at random.
    pub(crate) fn series(&self) -> Option<(u64, u64)> {
        match self {
            Player::FullStrength => None,
            Player::StoppedDown(player) => Some((player.seed, player.game)),
            Player::Imitator(player) => Some((player.seed, player.game)),
        }
    }

    /// Starts the game with this number against an unknown opponent.
    pub(crate) fn start_game(&mut self, number: u64) {
        match self {
            Player::FullStrength => {}
            Player::StoppedDown(player) => player.game = number,
            Player::Imitator(player) => {
                let mut stranger = ImitatorPlayer::for_unknown_opponent(player.config);
                (stranger.seed, stranger.game) = (player.seed, number);
                **player = stranger;
            }
        }
    }

    /// Gives an imitator what it learnt about its opponent in earlier games.
    pub(crate) fn recall(&mut self, known: &SavedPrior) -> Result<(), GridError> {
        match self {
            Player::Imitator(player) => player.recall(known),
            _ => Ok(()),
        }
    }

    /// Tells an imitator that its opponent did not choose the moves of this opening.
    pub(crate) fn skip_opening(&mut self, opening: &Game) {
        if let Player::Imitator(player) = self {
            player.skip_opening(opening);
        }
    }
}

impl Participant {
    /// Loads the networks that the player needs, so that its first move does not wait for them.
    pub(crate) fn load(&mut self) {
        let searches = match &self.player {
            Player::FullStrength => self.host.exploit.is_some(),
            Player::StoppedDown(player) => player.profile.has_search(),
            Player::Imitator(_) => false,
        };
        if searches {
            self.host.prepare_second_engine();
        }
        if self.host.exploit.is_some() || !matches!(self.player, Player::FullStrength) {
            PolicyNetwork::built_in();
        }
    }

    /// A player that uses this engine.
    pub fn new(host: EngineHost, player: Player) -> Participant {
        Participant { host, player }
    }

    /// Chooses a move.
    pub fn decide(&mut self, request: &MoveRequest<'_>, observer: &mut dyn Observer) -> Decision {
        let limits = &self.prepare(request, self.player.is_stopped_down());
        let request = &MoveRequest { limits, ..*request };
        let decision = match &mut self.player {
            Player::FullStrength => {
                let best = full_strength::decide(&mut self.host, request, observer);
                Decision { best, choice: None }
            }
            Player::StoppedDown(player) => player.decide(&mut self.host, request, observer),
            Player::Imitator(player) => player.decide(&mut self.host, request, observer),
        };
        self.host.restore_threads();
        decision
    }

    /// Shows the moves that players with the given rating would play. The result does
    /// not depend on how this participant plays.
    pub(crate) fn analyse_as(
        &mut self,
        analysis: &HumanAnalysis,
        request: &MoveRequest<'_>,
        observer: &mut dyn Observer,
    ) -> Decision {
        let limits = &self.prepare(request, false);
        let best = analysis.run(&mut self.host, &MoveRequest { limits, ..*request }, observer);
        self.host.restore_threads();
        Decision { best, choice: None }
    }

    /// Prepares tablebases and threads for a move, and returns the limits that remain for the
    /// search.
    fn prepare(&mut self, request: &MoveRequest<'_>, is_stopped_down: bool) -> Limits {
        let (start, controls) = (Instant::now(), request.controls);
        let tablebases = &mut self.host.tablebases;
        tablebases.prepare(request.game.position(), !is_stopped_down);
        if let Some(time) = request.limits.clock.safe_time_per_move() {
            let is_missing = tablebases.lacks_small_table(request.game.position());
            let share = if is_missing { MISSING_TABLE_SHARE } else { TABLE_SHARE };
            tablebases.build_for(time.mul_f64(share), || controls.is_stopped());
        }
        let remaining = || request.limits.clock.after(own_time(start, controls));
        bare_king::wait_for_table(tablebases, request.game.position(), &remaining(), controls);
        self.host.share_threads(request.limits, is_stopped_down);
        Limits { clock: remaining(), ..request.limits.clone() }
    }

    /// Thinks during the opponent's time, until it is stopped or has nothing left to do.
    pub(crate) fn watch(&mut self, game: &Game, controls: &Controls) {
        if let Player::Imitator(player) = &mut self.player {
            player.watch(&mut self.host.engine, game, controls);
        }
    }

    /// Returns the probability of each move at this depth, or `None` if it depends on the opponent.
    pub(crate) fn distribution(
        &mut self,
        game: &Game,
        limits: &Limits,
    ) -> Option<Vec<(Move, f64)>> {
        let controls = Controls::new();
        let engine = &mut self.host.engine;
        match &self.player {
            Player::FullStrength if self.host.opponent.is_some() => None,
            Player::FullStrength => {
                let best = engine.best_move(game, limits, &controls, &mut NoObserver);
                Some(best.mv.map(|mv| (mv, 1.0)).into_iter().collect())
            }
            Player::StoppedDown(player) if player.profile.nodes().is_some() => {
                let nodes = limits.nodes.into_iter().chain(player.profile.nodes()).min();
                let limits = Limits { nodes, ..limits.clone() };
                let best = self.host.search_afresh(game, &limits, &controls, &mut NoObserver);
                Some(best.mv.map(|mv| (mv, 1.0)).into_iter().collect())
            }
            Player::StoppedDown(player) => {
                let usual = if player.profile.has_search() { USUAL_DEPTH } else { Depth::MAX };
                let depth = player.profile.depth().min(usual);
                let depth = limits.depth.map_or(depth, |limit| limit.min(depth));
                let request = EvaluationRequest::depth(depth);
                let evaluation = engine.evaluate(game, &request, &controls, &mut NoObserver);
                let distribution = expectation(game, &evaluation, &player.profile);
                let moves = evaluation.moves.iter().map(|m| m.mv);
                Some(moves.zip(distribution.probabilities().iter().copied()).collect())
            }
            Player::Imitator(_) => None,
        }
    }
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Player::FullStrength => f.write_str("full strength"),
            Player::StoppedDown(player) => player.fmt(f),
            Player::Imitator(player) => player.fmt(f),
        }
    }
}
