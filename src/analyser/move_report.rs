//! A game move by move: what was to be expected of the player each time, and what is believed of
//! him afterwards.
//!
//! Nobody is known before his first move. Each move is expected of all players of the scale together,
//! in the proportions in which the earlier moves of the game speak for them (Haworth 2007, sections
//! 3 and 4.3), and its surprise is the logarithm of the probability that they give it.

use super::{EvaluatedGame, Omission, StudyPlan, Turn};
use crate::board::{Colour, Move, Position};
use crate::evaluation::RootEvaluation;
use crate::math::grid::Posterior;
use crate::player::Hypotheses;
use crate::selector::{Distribution, Family};

/// A move of a game.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedMove {
    /// Moves played before it in the game.
    pub played: usize,
    pub turn: Turn,
    /// Which rule leaves it out.
    pub against: Option<Omission>,
    pub expected: Distribution,
    /// The mean of c after the move and its 90 % interval.
    pub competence: (f64, (f64, f64)),
}

impl ReportedMove {
    /// How unexpected the move was, in bits.
    pub fn surprise(&self) -> f64 {
        self.expected.surprise(self.turn.chosen)
    }
}

impl EvaluatedGame {
    /// Goes through the game: hands over how many moves were played before, the position, the move, and
    /// where it was valued what is said of it.
    pub fn each_move(
        &self,
        said: &[ReportedMove],
        mut take: impl FnMut(usize, &Position, Move, Option<(&ReportedMove, &RootEvaluation)>),
    ) {
        let mut said = said.iter().peekable();
        let mut position = self.game.start().clone();
        for (played, &mv) in self.game.moves().iter().enumerate() {
            let of_move = said.next_if(|said| said.played == played);
            take(played, &position, mv, of_move.zip(self.evaluations[played].as_ref()));
            position.play(mv);
        }
    }
}

impl StudyPlan {
    /// The valued moves of a game.
    pub fn account(&self, evaluated: &EvaluatedGame) -> Vec<ReportedMove> {
        let hypotheses = self.hypotheses();
        let mut beliefs =
            [StudyPlan::know_nothing(&hypotheses), StudyPlan::know_nothing(&hypotheses)];
        let depth = self.depth();
        let valued = evaluated
            .turns(depth, Family::LEVELLED, 1, &self.rules, |_| Vec::new())
            .into_iter()
            .filter(|(_, turn)| turn.is_valued());
        valued
            .map(|(played, turn)| {
                let belief = &mut beliefs[usize::from(turn.colour == Colour::White)];
                let players = hypotheses.selectors().iter();
                let choices: Vec<(f64, Distribution)> = belief
                    .weights()
                    .into_iter()
                    .zip(players.map(|player| player.distribution(&turn.values)))
                    .collect();
                let against = self.rules.against(&turn);
                let found: Vec<f64> =
                    choices.iter().map(|(_, of)| of.ln_probability(turn.chosen)).collect();
                if against.is_none() && Hypotheses::is_informative(&found) {
                    belief.update(&found);
                }
                let competence = (belief.mean(), belief.interval(HELD));
                let expected = Distribution::mixture(&choices);
                ReportedMove { played, turn, against, expected, competence }
            })
            .collect()
    }
}

/// What is believed of a player by his turns.
#[derive(Clone, Debug, PartialEq)]
pub struct Apparent {
    /// The composite profile E_P, for it is the weight of each player of the scale.
    pub posterior: Posterior,
    /// Turns that told something.
    pub informative: usize,
}

/// The most players that a composite profile is made of.
const PARTS: usize = 12;
/// How much of a belief the intervals hold.
const HELD: f64 = 0.9;

impl Apparent {
    /// The profile that plays as he does: players of the scale with their weights, leaving out
    /// those that have less than this part of the largest. Neighbours are put together until there
    /// are few.
    pub fn composite(&self, least: f64) -> Vec<(f64, f64)> {
        let weights = self.posterior.weights();
        let top = weights.iter().copied().fold(0.0, f64::max);
        let parts = self.posterior.points().iter().copied().zip(weights);
        let kept: Vec<(f64, f64)> = parts.filter(|(_, weight)| *weight >= least * top).collect();
        let sum: f64 = kept.iter().map(|(_, weight)| weight).sum();
        let together = |part: &[(f64, f64)]| {
            let weight: f64 = part.iter().map(|(_, weight)| weight).sum();
            let mean = part.iter().map(|(c, weight)| c * weight).sum::<f64>() / weight;
            ((1000.0 * mean).round() / 1000.0, weight / sum)
        };
        kept.chunks(kept.len().div_ceil(PARTS).max(1)).map(together).collect()
    }
}
