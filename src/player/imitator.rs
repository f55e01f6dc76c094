//! The imitator: it watches the opponent's moves, infers his competence, and says at which level
//! to play (Haworth 2007, section 4.4).
//!
//! What it believes is worked out from the move list each time, so moves taken back, jumps to
//! another place and games loaded in the middle need no care of the caller. Only what a position's
//! moves say about the players of the scale is remembered, because finding that out costs a search.
//!
//! It is no sharper than the moves are: one game of forty moves leaves the opponent's rating
//! uncertain by some 250 Elo, prior included. Hence the level moves in small steps.

use std::collections::{HashMap, HashSet};

use super::{Elo, Hypotheses};
use crate::board::{Colour, Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::grid::Posterior;
use crate::selector::Values;
use crate::value::Depth;

/// How far the level follows the belief on one move.
const LARGEST_STEP: f64 = 100.0;

/// What is believed of an opponent without a rating.
const BROAD_PRIOR: (f64, f64) = (1600.0, 700.0);
/// How far a rating that a GUI gives is trusted.
const RATING_DEVIATION: f64 = 150.0;

/// How the imitator's level relates to the opponent's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    Equal,
    /// So much stronger (or weaker, if negative).
    Offset(f64),
    /// As strong as it takes to score so much of a point a game.
    Score(f64),
}

/// A move of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Observation {
    /// The position with whatever history its values depend on.
    situation: u64,
    pub mv: Move,
    /// Plies played before it.
    pub ply: usize,
}

/// What is believed after some observations.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate {
    pub posterior: Posterior,
    /// Follows the posterior's mean in bounded steps.
    pub level: Elo,
    /// Observations that told something.
    pub informative: usize,
    /// Observations not evaluated yet, which count for nothing so far.
    pub pending: usize,
}

/// Watches one opponent, over games.
#[derive(Clone, Debug)]
pub struct Imitator {
    hypotheses: Hypotheses,
    /// p of the evaluations it is given.
    depth: Depth,
    prior: Posterior,
    likelihoods: HashMap<(u64, Move), Vec<f64>>,
    /// Moves of this game that were ours, whichever colour we had.
    own: HashSet<(u64, Move)>,
    /// Moves of this game that were his, whichever colour he had.
    his: HashSet<(u64, Move)>,
}

impl Aim {
    /// The level to play at against an opponent of this one.
    pub fn level(self, opponent: Elo) -> Elo {
        match self {
            Aim::Equal => opponent,
            Aim::Offset(offset) => Elo(opponent.0 + offset),
            Aim::Score(score) => Elo(opponent.0 + Elo::advantage_for_score(score)),
        }
    }
}

impl Imitator {
    /// An imitator over a scale of ratings, with the opponent's rating where it is known.
    pub fn new(hypotheses: Hypotheses, depth: Depth, rating: Option<Elo>) -> Imitator {
        let (mean, deviation) = rating.map_or(BROAD_PRIOR, |elo| (elo.0, RATING_DEVIATION));
        let prior = hypotheses.believe(mean, deviation);
        Imitator::with_prior(hypotheses, depth, prior)
    }

    /// An imitator that starts from a given belief, such as an earlier game's.
    pub fn with_prior(hypotheses: Hypotheses, depth: Depth, prior: Posterior) -> Imitator {
        let (likelihoods, own, his) = Default::default();
        Imitator { hypotheses, depth, prior, likelihoods, own, his }
    }

    /// Tells that a move of the game was ours.
    pub fn played(&mut self, before: &Game, mv: Move) {
        self.own.insert((situation(before), mv));
    }

    /// The opponent's moves in a game, in order. They are the moves of his colour that we did not
    /// make; and when colours were changed, those of the other colour that were seen to be his.
    pub fn observe(&mut self, game: &Game, opponent: Colour) -> Vec<Observation> {
        let mut observations = Vec::new();
        for_each_move(game, |before, mv| {
            let key = (situation(before), mv);
            let is_his = !self.own.contains(&key)
                && (before.position().turn() == opponent || self.his.contains(&key));
            if is_his {
                self.his.insert(key);
                observations.push(Observation { situation: key.0, mv, ply: before.ply() });
            }
        });
        observations
    }

    /// The positions that must be evaluated before these observations count, latest first: where
    /// time is short the latest say most about the game at hand.
    pub fn wanted(&self, game: &Game, observations: &[Observation]) -> Vec<(Observation, Game)> {
        let mut wanted = Vec::new();
        for_each_move(game, |before, mv| {
            let seen = observations.iter().find(|o| o.ply == before.ply() && o.mv == mv);
            if let Some(&observation) = seen.filter(|o| !self.knows(o)) {
                wanted.push((observation, before.clone()));
            }
        });
        wanted.reverse();
        wanted
    }

    fn knows(&self, observation: &Observation) -> bool {
        self.likelihoods.contains_key(&(observation.situation, observation.mv))
    }

    /// Takes in what the moves of an observation's position are worth. An evaluation that does not
    /// know the move is none of this position, and ignored.
    pub fn learn(&mut self, observation: &Observation, evaluation: &RootEvaluation) {
        let chosen = evaluation.moves.iter().position(|m| m.mv == observation.mv);
        if let Some(chosen) = chosen {
            let values = Values::of(evaluation, self.depth);
            let likelihoods = self.hypotheses.ln_likelihoods(&values, chosen);
            self.likelihoods.insert((observation.situation, observation.mv), likelihoods);
        }
    }

    /// What the observations say.
    pub fn estimate(&self, observations: &[Observation]) -> Estimate {
        let mut posterior = self.prior.clone();
        let mut level = posterior.mean();
        let (mut informative, mut pending) = (0, 0);
        for observation in observations {
            let Some(found) = self.likelihoods.get(&(observation.situation, observation.mv)) else {
                pending += 1;
                continue;
            };
            if Hypotheses::is_informative(found) && posterior.update(found) {
                informative += 1;
            }
            level += (posterior.mean() - level).clamp(-LARGEST_STEP, LARGEST_STEP);
        }
        Estimate { posterior, level: Elo(level), informative, pending }
    }

    /// A new game against the same opponent: what is believed now is the prior of the next.
    pub fn next_game(&mut self, observations: &[Observation]) {
        self.prior = self.estimate(observations).posterior;
        self.likelihoods.clear();
        self.own.clear();
        self.his.clear();
    }
}

/// Goes through a game's moves, each with the game before it.
fn for_each_move(game: &Game, mut visit: impl FnMut(&Game, Move)) {
    let mut before = Game::new(game.start().clone());
    for &mv in game.moves() {
        visit(&before, mv);
        before.play(mv);
    }
}

/// A key of all that the values of a position's moves depend on.
fn situation(game: &Game) -> u64 {
    let position = game.position();
    let start = position.key() ^ u64::from(position.halfmoves());
    game.repeatable_keys()
        .iter()
        .fold(start, |sum, key| (sum.rotate_left(7) ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15))
}
