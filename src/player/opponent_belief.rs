//! The imitator's belief: it infers the competence of the opponent from the opponent's moves, and
//! decides at which level to play (Haworth 2007, section 4.4).
//!
//! The belief is recomputed from the move list each time. Takebacks, jumps within a game and games
//! loaded part-way through therefore need no special care. Only evaluations are cached, because they
//! cost a search.
//!
//! Not every GUI says where a new game starts, so that is inferred from the moves too. The belief
//! after a game is the prior for the next. If a choice is already part of the prior, it does not
//! count again: in a repeated position, players remember their move instead of finding it again.
//!
//! The estimate is only as sharp as the evidence. After a game of forty moves, the opponent's rating is uncertain by
//! about 250 Elo, even with the prior. The level therefore changes in small steps. If the imitator itself plays against
//! this opponent, the course of the game is evidence too. The score then also changes the level, so that the game stays
//! even (`game_course.rs`).

use std::collections::{HashMap, HashSet};

use super::game_course::GameCourse;
use super::opponent_memory::{combined, with_latest};
use super::{BETWEEN_PLAYERS, Elo, Hypotheses, OpponentKnowledge};
use crate::board::{Colour, Game, Move};
use crate::evaluation::RootEvaluation;
use crate::math::grid::Posterior;
use crate::math::largest;
use crate::selector::Values;
use crate::value::Depth;

/// The maximum change in the level from one move to the next, in Elo.
pub(super) const MAX_STEP: f64 = 100.0;

/// The level to aim for, relative to the opponent's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Aim {
    /// As strong as the opponent.
    Equal,
    /// This many Elo points stronger, or weaker if negative.
    Offset(f64),
    /// Strong enough to expect this score per game.
    Score(f64),
}

impl Aim {
    /// Plays this many Elo points above the opponent.
    pub(crate) fn above(offset: f64) -> Aim {
        if offset == 0.0 { Aim::Equal } else { Aim::Offset(offset) }
    }

    /// The level to play at against an opponent of this level.
    pub fn level(self, opponent: Elo) -> Elo {
        match self {
            Aim::Equal => opponent,
            Aim::Offset(offset) => Elo(opponent.0 + offset),
            Aim::Score(score) => Elo(opponent.0 + Elo::advantage_for_score(score)),
        }
    }
}

/// A move of the opponent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Observation {
    /// A hash of the position and of the history that its evaluation depends on.
    situation: u64,
    /// The move that the opponent played.
    pub mv: Move,
    /// The number of plies before the move.
    pub ply: usize,
}

/// The belief after some observations.
#[derive(Clone, Debug, PartialEq)]
pub struct LevelEstimate {
    /// The belief about the opponent's rating, from moves alone.
    pub posterior: Posterior,
    /// For each rating, the log-likelihood of the course of all games against us.
    courses: Vec<f64>,
    /// The level to play at. It follows the median of the posterior in bounded steps.
    pub level: Elo,
    /// A change in this level that keeps the game even. It is negative if we are ahead.
    pub level_adjustment: f64,
    /// The number of informative observations.
    pub informative: usize,
    /// The number of observations without an evaluation, which have no effect yet.
    pub pending: usize,
}

/// Watches one opponent over several games.
#[derive(Clone, Debug)]
pub struct Imitator {
    hypotheses: Hypotheses,
    /// The search depth of the evaluations.
    depth: Depth,
    /// The belief from earlier games.
    prior: OpponentKnowledge,
    /// The level at the end of the last game, if there was one. It may lag behind the belief, and
    /// the next game continues from it in steps.
    start: Option<f64>,
    /// The evaluations of moves, by situation.
    values: HashMap<u64, (Vec<Move>, Values)>,
    /// The likelihoods of each of the opponent's choices under the hypotheses.
    likelihoods: HashMap<u64, Vec<f64>>,
    /// Our own choices in this game, with either colour, and opening moves that neither side chose.
    own: HashSet<u64>,
    /// The opponent's choices in this game, with either colour.
    theirs: HashSet<u64>,
    /// The game after our last move.
    after_ours: Option<Game>,
    /// Our level relative to the estimate, if we play against this opponent. In that case, the course of the game is
    /// evidence too.
    lead: Option<f64>,
    /// The last known state of the game, and the opponent's moves in it.
    seen: Option<(Game, Vec<Observation>)>,
}

impl LevelEstimate {
    /// The interval that contains the opponent's rating with this probability.
    pub(crate) fn interval(&self, probability: f64) -> (f64, f64) {
        self.posterior.widened(BETWEEN_PLAYERS).interval(probability)
    }
}

impl Observation {
    fn choice(&self) -> u64 {
        choice(self.situation, self.mv)
    }
}

impl Imitator {
    /// Creates an imitator with prior knowledge of its opponent. The prior must assign its
    /// probabilities to the points of these hypotheses.
    pub fn new(hypotheses: Hypotheses, depth: Depth, prior: OpponentKnowledge) -> Imitator {
        let (values, likelihoods, own, theirs) = Default::default();
        let (start, seen, after_ours) = (None, None, None);
        Imitator {
            hypotheses,
            depth,
            prior,
            start,
            values,
            likelihoods,
            own,
            theirs,
            after_ours,
            lead: None,
            seen,
        }
    }

    /// Tells the imitator that it is not only observing this opponent but playing against them, with
    /// this aim.
    pub(crate) fn play_at(&mut self, aim: Aim) {
        self.lead = Some(aim.level(Elo(0.0)).0);
    }

    /// Replaces the belief from earlier games.
    pub(super) fn recall(&mut self, prior: OpponentKnowledge) {
        self.prior = prior;
    }

    /// Records that the opponent did not choose the moves of this opening.
    pub(super) fn skip_opening(&mut self, opening: &Game) {
        opening.for_each_move(|before, mv| {
            self.own.insert(choice(situation(before), mv));
        });
    }

    /// Records that a move of the game was ours.
    pub fn played(&mut self, before: &Game, mv: Move) {
        self.own.insert(choice(situation(before), mv));
        let mut after = before.clone();
        after.play(mv);
        self.after_ours = Some(after);
    }

    /// Completes a game with moves known from earlier positions. Some GUIs send only a position at
    /// each move.
    pub fn joined(&self, game: &Game) -> Game {
        let known = self.after_ours.as_ref().filter(|_| game.moves().is_empty());
        known.and_then(|known| known.leading_to(game.position())).unwrap_or_else(|| game.clone())
    }

    /// Returns the opponent's moves in a game, in order. These are the moves of the opponent's
    /// colour that we did not make. If the players changed colours, moves of the other colour that
    /// were known to be the opponent's are included.
    pub fn observe(&mut self, game: &Game, opponent: Colour) -> Vec<Observation> {
        if self.seen.as_ref().is_some_and(|(last, _)| game.is_new_after(last)) {
            self.next_game();
        }
        let mut observations = Vec::new();
        game.for_each_move(|before, mv| {
            let observation = Observation { situation: situation(before), mv, ply: before.ply() };
            let choice = observation.choice();
            let is_theirs = !self.own.contains(&choice)
                && (before.position().turn() == opponent || self.theirs.contains(&choice));
            if is_theirs {
                self.theirs.insert(choice);
                self.compute_likelihoods(&observation);
                observations.push(observation);
            }
        });
        self.seen = Some((game.clone(), observations.clone()));
        observations
    }

    /// Returns the observations that still need an evaluation, with their positions, latest first.
    /// If time is short, the latest moves are the most relevant.
    pub fn wanted(&self, game: &Game, observations: &[Observation]) -> Vec<(Observation, Game)> {
        let unknown = |o: &&Observation| self.counts(o) && !self.knows(o);
        let unknown: Vec<&Observation> = observations.iter().filter(unknown).collect();
        let mut wanted = Vec::new();
        if unknown.is_empty() {
            return wanted;
        }
        game.for_each_move(|before, mv| {
            let seen = unknown.iter().find(|o| o.ply == before.ply() && o.mv == mv);
            wanted.extend(seen.map(|&&observation| (observation, before.clone())));
        });
        wanted.reverse();
        wanted
    }

    fn knows(&self, observation: &Observation) -> bool {
        self.likelihoods.contains_key(&observation.choice())
    }

    /// Returns whether the observation is not already part of the prior.
    fn counts(&self, observation: &Observation) -> bool {
        !self.prior.choices.contains(&observation.choice())
    }

    /// Records the evaluation of an observation's position, `before`. An evaluation without the
    /// played move belongs to another position and is ignored.
    pub fn learn(&mut self, observation: &Observation, before: &Game, evaluation: &RootEvaluation) {
        if evaluation.find(observation.mv).is_some() {
            self.cache_evaluation(observation.situation, before, evaluation);
            self.compute_likelihoods(observation);
        }
    }

    /// Records the evaluation of a position in which the opponent is to move.
    pub fn expect_reply(&mut self, game: &Game, evaluation: &RootEvaluation) {
        self.cache_evaluation(situation(game), game, evaluation);
    }

    /// Returns whether this position has been evaluated.
    pub fn expects_reply(&self, game: &Game) -> bool {
        self.values.contains_key(&situation(game))
    }

    fn cache_evaluation(&mut self, situation: u64, game: &Game, evaluation: &RootEvaluation) {
        let moves = evaluation.moves.iter().map(|m| m.mv).collect();
        let values = self.hypotheses.perceived_values(game, evaluation, self.depth);
        self.values.insert(situation, (moves, values));
    }

    /// Computes the likelihoods of a choice if its position has been evaluated.
    fn compute_likelihoods(&mut self, observation: &Observation) {
        if self.knows(observation) {
            return;
        }
        let Some((moves, values)) = self.values.get(&observation.situation) else { return };
        if let Some(chosen) = moves.iter().position(|&mv| mv == observation.mv) {
            let found = self.hypotheses.ln_likelihoods(values, chosen);
            self.likelihoods.insert(observation.choice(), found);
        }
    }

    /// Estimates the opponent's level from observations.
    pub fn estimate(&self, observations: &[Observation]) -> LevelEstimate {
        let mut known = self.prior.clone();
        let mut level = self.start.unwrap_or_else(|| self.first_level());
        let (mut informative, mut pending) = (0, 0);
        let mut course = GameCourse::default();
        for observation in observations.iter().filter(|o| self.counts(o)) {
            let Some(found) = self.likelihoods.get(&observation.choice()) else {
                pending += 1;
                continue;
            };
            if Hypotheses::learn(&mut known.belief, found) {
                informative += 1;
            }
            let theirs = self.values.get(&observation.situation);
            let theirs = theirs.map(|(_, values)| largest(values.deepest()));
            if let (Some(lead), Some(theirs)) = (self.lead, theirs) {
                course.add(level + lead + course.level_adjustment(), theirs);
                let now = course.ln_likelihoods(known.belief.points());
                known.courses = combined(&self.prior.courses, &now, |earlier, now| earlier + now);
            }
            level += (self.median(&known) - level).clamp(-MAX_STEP, MAX_STEP);
        }
        let (level, level_adjustment) = (Elo(level), course.level_adjustment());
        let OpponentKnowledge { belief: posterior, courses, .. } = known;
        LevelEstimate { posterior, courses, level, level_adjustment, informative, pending }
    }

    /// The level before the first observation. It is the median of the prior, but at most one step for each informative
    /// move away from the level for an unknown opponent.
    fn first_level(&self) -> f64 {
        let (median, steps) = (self.median(&self.prior), self.prior.informative as f64);
        let unknown = self.median(&OpponentKnowledge::new(&self.hypotheses, None));
        let reach = if steps > 0.0 { MAX_STEP * steps } else { f64::INFINITY };
        median.clamp(unknown - reach, unknown + reach)
    }

    /// If we are playing against this opponent, the median of the belief about their strength in play. Otherwise, the
    /// median of the belief about their rating.
    fn median(&self, known: &OpponentKnowledge) -> f64 {
        if self.lead.is_some() { known.strength().median() } else { known.belief.median() }
    }

    /// The belief from earlier games.
    pub fn earlier(&self) -> &OpponentKnowledge {
        &self.prior
    }

    /// The belief from all games, including the current one.
    pub(crate) fn prior(&self) -> OpponentKnowledge {
        let observations = self.last_seen();
        let estimate = self.estimate(observations);
        let known = observations.iter().filter(|o| self.knows(o) || !self.counts(o));
        let latest: Vec<u64> = known.map(Observation::choice).collect();
        let choices = with_latest(&self.prior.choices, &latest);
        let informative = self.prior.informative + estimate.informative;
        let LevelEstimate { posterior: belief, courses, .. } = estimate;
        OpponentKnowledge { belief, courses, informative, choices }
    }

    fn last_seen(&self) -> &[Observation] {
        self.seen.as_ref().map_or(&[], |(_, observations)| observations)
    }

    /// Starts a new game against the same opponent. The current belief becomes the prior.
    pub fn next_game(&mut self) {
        if self.seen.is_some() {
            self.start = Some(self.estimate(self.last_seen()).level.0);
        }
        self.prior = self.prior();
        self.values.clear();
        self.likelihoods.clear();
        self.own.clear();
        self.theirs.clear();
        (self.seen, self.after_ours) = (None, None);
    }
}

/// A hash of everything that the evaluation of a position depends on.
pub(crate) fn situation(game: &Game) -> u64 {
    let position = game.position();
    let start = position.key() ^ u64::from(position.halfmoves());
    game.repeatable_keys().iter().fold(start, |sum, &key| mixed(sum, key))
}

/// A hash of a move in a situation.
fn choice(situation: u64, mv: Move) -> u64 {
    mixed(situation, u64::from(mv.packed().0))
}

fn mixed(sum: u64, key: u64) -> u64 {
    (sum.rotate_left(7) ^ key).wrapping_mul(0x9e37_79b9_7f4a_7c15)
}
