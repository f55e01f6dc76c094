//! The imitator: it watches the opponent's moves, infers his competence, and says at which level
//! to play (Haworth 2007, section 4.4).
//!
//! What it believes is worked out from the move list each time, so moves taken back, jumps to
//! another place and games loaded in the middle need no care of the caller. Only what the moves of
//! a position are worth is remembered, because finding that out costs a search.
//!
//! Not every GUI says where a game begins, so that too is told from the moves. What a finished game
//! has taught is the prior of the next. A choice that a prior rests on is not counted again: who
//! meets a position once more remembers his move rather than finds it.
//!
//! It is no sharper than the moves are: one game of forty moves leaves the opponent's rating
//! uncertain by some 250 Elo, prior included. Hence the level moves in small steps.

use std::collections::{HashMap, HashSet};

use super::{BETWEEN_PLAYERS, Elo, Hypotheses, OpponentPrior};
use crate::board::{Colour, Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::grid::Posterior;
use crate::selector::Values;
use crate::value::Depth;

/// How far the level follows the belief on one move.
pub(super) const LARGEST_STEP: f64 = 100.0;

/// How many choices a lesson remembers, the latest ones.
const REMEMBERED: usize = 200;

/// How the imitator's level relates to the opponent's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    Equal,
    /// So much stronger (or weaker, if negative).
    Offset(f64),
    /// As strong as it takes to score so much of a point a game.
    Score(f64),
}

impl Aim {
    /// So many points of Elo above the opponent.
    pub fn above(offset: f64) -> Aim {
        if offset == 0.0 { Aim::Equal } else { Aim::Offset(offset) }
    }
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
pub struct LevelEstimate {
    pub posterior: Posterior,
    /// Follows the posterior's median in bounded steps.
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
    /// What the games before this one have taught.
    prior: OpponentPrior,
    /// The level at the end of the last of them, if there was one. It may lag behind the belief,
    /// and goes on from there in steps.
    start: Option<f64>,
    /// What the moves of a situation are worth.
    values: HashMap<u64, (Vec<Move>, Values)>,
    /// Of choices that were made.
    likelihoods: HashMap<u64, Vec<f64>>,
    /// Choices of this game that were ours, whichever colour we had.
    own: HashSet<u64>,
    /// Choices of this game that were his, whichever colour he had.
    his: HashSet<u64>,
    /// The game after our last move.
    after_ours: Option<Game>,
    /// The game as last seen, and what in it was his.
    seen: Option<(Game, Vec<Observation>)>,
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

impl LevelEstimate {
    /// The interval that holds the opponent's rating with this probability.
    pub fn interval(&self, probability: f64) -> (f64, f64) {
        self.posterior.widened(BETWEEN_PLAYERS).interval(probability)
    }
}

impl Observation {
    fn choice(&self) -> u64 {
        choice(self.situation, self.mv)
    }
}

impl Imitator {
    /// An imitator over a scale of ratings, with what is known of the opponent before: the lesson's belief
    /// must be about the points of these hypotheses.
    pub fn new(hypotheses: Hypotheses, depth: Depth, prior: OpponentPrior) -> Imitator {
        let (values, likelihoods, own, his) = Default::default();
        let (start, seen, after_ours) = (None, None, None);
        Imitator {
            hypotheses,
            depth,
            prior,
            start,
            values,
            likelihoods,
            own,
            his,
            after_ours,
            seen,
        }
    }

    /// Tells that a move of the game was ours.
    pub fn played(&mut self, before: &Game, mv: Move) {
        self.own.insert(choice(situation(before), mv));
        let mut after = before.clone();
        after.play(mv);
        self.after_ours = Some(after);
    }

    /// The game with the moves that can be told from what was seen before. Some programs send nothing but
    /// a position every move.
    pub fn joined(&self, game: &Game) -> Game {
        let known = self.after_ours.as_ref().filter(|_| game.moves().is_empty());
        known.and_then(|known| known.leading_to(game.position())).unwrap_or_else(|| game.clone())
    }

    /// The opponent's moves in a game, in order. They are the moves of his colour that we did not
    /// make; and when colours were changed, those of the other colour that were seen to be his.
    pub fn observe(&mut self, game: &Game, opponent: Colour) -> Vec<Observation> {
        if self.seen.as_ref().is_some_and(|(last, _)| game.is_another_than(last)) {
            self.next_game();
        }
        let mut observations = Vec::new();
        for_each_move(game, |before, mv| {
            let observation = Observation { situation: situation(before), mv, ply: before.ply() };
            let choice = observation.choice();
            let is_his = !self.own.contains(&choice)
                && (before.position().turn() == opponent || self.his.contains(&choice));
            if is_his {
                self.his.insert(choice);
                self.recognise(&observation);
                observations.push(observation);
            }
        });
        self.seen = Some((game.clone(), observations.clone()));
        observations
    }

    /// The positions that must be evaluated before these observations count, latest first: where
    /// time is short the latest say most about the game at hand.
    pub fn wanted(&self, game: &Game, observations: &[Observation]) -> Vec<(Observation, Game)> {
        let unknown = |o: &&Observation| self.counts(o) && !self.knows(o);
        let unknown: Vec<&Observation> = observations.iter().filter(unknown).collect();
        let mut wanted = Vec::new();
        if unknown.is_empty() {
            return wanted;
        }
        for_each_move(game, |before, mv| {
            let seen = unknown.iter().find(|o| o.ply == before.ply() && o.mv == mv);
            wanted.extend(seen.map(|&&observation| (observation, before.clone())));
        });
        wanted.reverse();
        wanted
    }

    fn knows(&self, observation: &Observation) -> bool {
        self.likelihoods.contains_key(&observation.choice())
    }

    /// Is it not part of the prior?
    fn counts(&self, observation: &Observation) -> bool {
        !self.prior.choices.contains(&observation.choice())
    }

    /// Takes in what the moves of an observation's position, that of `before`, are worth. An evaluation that does not
    /// know the move is none of this position, and ignored.
    pub fn learn(&mut self, observation: &Observation, before: &Game, evaluation: &RootEvaluation) {
        if evaluation.find(observation.mv).is_some() {
            self.remember(observation.situation, before, evaluation);
            self.recognise(observation);
        }
    }

    /// Takes in what the moves of a position are worth in which it is the opponent's turn.
    pub fn foresee(&mut self, game: &Game, evaluation: &RootEvaluation) {
        self.remember(situation(game), game, evaluation);
    }

    /// Is it known what the moves of this position are worth?
    pub fn foresees(&self, game: &Game) -> bool {
        self.values.contains_key(&situation(game))
    }

    fn remember(&mut self, situation: u64, game: &Game, evaluation: &RootEvaluation) {
        let moves = evaluation.moves.iter().map(|m| m.mv).collect();
        let values = self.hypotheses.seen(game, evaluation, self.depth);
        self.values.insert(situation, (moves, values));
    }

    /// Works out what a choice says, if the values are there.
    fn recognise(&mut self, observation: &Observation) {
        if self.knows(observation) {
            return;
        }
        let Some((moves, values)) = self.values.get(&observation.situation) else { return };
        if let Some(chosen) = moves.iter().position(|&mv| mv == observation.mv) {
            let found = self.hypotheses.ln_likelihoods(values, chosen);
            self.likelihoods.insert(observation.choice(), found);
        }
    }

    /// What the observations say.
    pub fn estimate(&self, observations: &[Observation]) -> LevelEstimate {
        let mut posterior = self.prior.belief.clone();
        let mut level = self.start.unwrap_or_else(|| posterior.median());
        let (mut informative, mut pending) = (0, 0);
        for observation in observations.iter().filter(|o| self.counts(o)) {
            let Some(found) = self.likelihoods.get(&observation.choice()) else {
                pending += 1;
                continue;
            };
            if Hypotheses::learn(&mut posterior, found) {
                informative += 1;
            }
            level += (posterior.median() - level).clamp(-LARGEST_STEP, LARGEST_STEP);
        }
        LevelEstimate { posterior, level: Elo(level), informative, pending }
    }

    /// What the games before this one have taught.
    pub fn earlier(&self) -> &OpponentPrior {
        &self.prior
    }

    /// What all games have taught, the one last seen included.
    pub fn prior(&self) -> OpponentPrior {
        let observations = self.last_seen();
        let estimate = self.estimate(observations);
        let mut choices = self.prior.choices.clone();
        let new = observations.iter().filter(|o| self.counts(o) && self.knows(o));
        choices.extend(new.map(Observation::choice));
        choices.drain(..choices.len().saturating_sub(REMEMBERED));
        let informative = self.prior.informative + estimate.informative;
        OpponentPrior { belief: estimate.posterior, informative, choices }
    }

    fn last_seen(&self) -> &[Observation] {
        self.seen.as_ref().map_or(&[], |(_, observations)| observations)
    }

    /// A new game against the same opponent: what is believed now is the prior of the next.
    pub fn next_game(&mut self) {
        if self.seen.is_some() {
            self.start = Some(self.estimate(self.last_seen()).level.0);
        }
        self.prior = self.prior();
        self.values.clear();
        self.likelihoods.clear();
        self.own.clear();
        self.his.clear();
        (self.seen, self.after_ours) = (None, None);
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
    game.repeatable_keys().iter().fold(start, |sum, &key| mixed(sum, key))
}

/// A key of a move in a situation.
fn choice(situation: u64, mv: Move) -> u64 {
    mixed(situation, u64::from(mv.packed().0))
}

fn mixed(sum: u64, key: u64) -> u64 {
    (sum.rotate_left(7) ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
