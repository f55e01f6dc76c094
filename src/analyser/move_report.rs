//! A move-by-move report on a game: the choices expected from the player, and the estimate of
//! competence after each move.
//!
//! The report starts without knowledge of the player. Before each move, the expectation is a
//! mixture of all players on the scale, weighted according to the earlier moves of the game
//! (Haworth 2007, sections 3 and 4.3). The surprise of a move is the negative logarithm of its
//! probability in that mixture.

use super::{EvaluatedGame, Omission, StudiedMove, StudyPlan};
use crate::board::{Colour, Move, Position};
use crate::evaluation::RootEvaluation;
use crate::player::Hypotheses;
use crate::selector::{Distribution, Family};

/// The probability that the interval for c covers.
const INTERVAL_PROBABILITY: f64 = 0.9;

/// A move of a game and the report on it.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedMove {
    /// The number of moves played before this one in the game.
    pub played: usize,
    pub decision: StudiedMove,
    /// The rule that leaves the move out, if any.
    pub omission: Option<Omission>,
    pub expected: Distribution,
    /// The mean of c after the move, with its 90% interval.
    pub competence: (f64, (f64, f64)),
}

impl ReportedMove {
    /// Reports on the evaluated moves of a game.
    pub fn of_game(plan: &StudyPlan, evaluated: &EvaluatedGame) -> Vec<ReportedMove> {
        let hypotheses = plan.hypotheses();
        let mut beliefs = [StudyPlan::flat_prior(&hypotheses), StudyPlan::flat_prior(&hypotheses)];
        let valued = evaluated
            .decisions(&plan.decision_settings(Family::LEVELLED), 1, |_| Vec::new())
            .into_iter()
            .filter(|(_, decision)| decision.is_evaluated());
        valued
            .map(|(played, decision)| {
                let belief = &mut beliefs[usize::from(decision.colour == Colour::White)];
                let players = hypotheses.selectors().iter();
                let choices: Vec<(f64, Distribution)> = belief
                    .weights()
                    .into_iter()
                    .zip(players.map(|player| player.distribution(&decision.values)))
                    .collect();
                let omission = plan.rules.omission(&decision);
                let found: Vec<f64> =
                    choices.iter().map(|(_, of)| of.ln_probability(decision.chosen)).collect();
                if omission.is_none() && Hypotheses::is_informative(&found) {
                    belief.update(&found);
                }
                let competence = (belief.mean(), belief.interval(INTERVAL_PROBABILITY));
                let expected = Distribution::mixture(&choices);
                ReportedMove { played, decision, omission, expected, competence }
            })
            .collect()
    }

    /// The surprise of the move, in bits.
    pub fn surprise(&self) -> f64 {
        self.expected.surprise(self.decision.chosen)
    }
}

/// Calls `take` for every move of a game, with the number of moves before it, the position, the
/// move and, if the position was evaluated, the report and the evaluation.
pub fn each_move(
    evaluated: &EvaluatedGame,
    reported: &[ReportedMove],
    mut take: impl FnMut(usize, &Position, Move, Option<(&ReportedMove, &RootEvaluation)>),
) {
    let mut reported = reported.iter().peekable();
    let mut position = evaluated.game.start().clone();
    for (played, &mv) in evaluated.game.moves().iter().enumerate() {
        let of_move = reported.next_if(|report| report.played == played);
        take(played, &position, mv, of_move.zip(evaluated.evaluations[played].as_ref()));
        position.play(mv);
    }
}
