//! A move-by-move report on a game: the choices expected of the player, the updated estimate of
//! competence, and the instructive mistakes.
//!
//! The report starts without knowledge of the player. Before each move, the expectation is a
//! mixture of all players on the scale, weighted by the earlier moves of the game (Haworth 2007,
//! sections 3 and 4.3). The surprise of a move is the negative logarithm of its probability in that
//! mixture.
//!
//! Instructive mistakes are those that players of the same level often make and somewhat stronger
//! players make less often. A mistake that everyone makes teaches little, and so does a mere slip.
//! The human model estimates how likely a mistake was at each level.

use super::{EvaluatedGame, Omission, StudiedMove, StudyPlan};
use crate::board::{Colour, Game, Move, Position};
use crate::evaluation::RootEvaluation;
use crate::math::largest;
use crate::player::rating_path::as_they_choose;
use crate::player::{Elo, EloScale, Hypotheses, TargetRating, seen};
use crate::selector::{Distribution, Family, Selector, human};
use crate::value::Depth;

/// The probability that an interval contains the true value.
const INTERVAL_PROBABILITY: f64 = 0.9;

/// A move of a game with its report.
#[derive(Clone, Debug, PartialEq)]
pub struct ReportedMove {
    /// Moves played before it in the game.
    pub played: usize,
    pub turn: StudiedMove,
    /// The rule that leaves the move out, if any.
    pub against: Option<Omission>,
    pub expected: Distribution,
    /// The mean of c after the move, with its 90 % interval.
    pub competence: (f64, (f64, f64)),
}

impl ReportedMove {
    /// Reports on the evaluated moves of a game.
    pub fn of_game(plan: &StudyPlan, evaluated: &EvaluatedGame) -> Vec<ReportedMove> {
        let hypotheses = plan.hypotheses();
        let mut beliefs = [StudyPlan::flat_prior(&hypotheses), StudyPlan::flat_prior(&hypotheses)];
        let depth = plan.depth();
        let valued = evaluated
            .turns(depth, Family::LEVELLED, 1, &plan.rules, |_| Vec::new())
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
                let against = plan.rules.against(&turn);
                let found: Vec<f64> =
                    choices.iter().map(|(_, of)| of.ln_probability(turn.chosen)).collect();
                if against.is_none() && Hypotheses::is_informative(&found) {
                    belief.update(&found);
                }
                let competence = (belief.mean(), belief.interval(INTERVAL_PROBABILITY));
                let expected = Distribution::mixture(&choices);
                ReportedMove { played, turn, against, expected, competence }
            })
            .collect()
    }

    /// The surprise of the move, in bits.
    pub fn surprise(&self) -> f64 {
        self.expected.surprise(self.turn.chosen)
    }
}

/// Visits every move of a game with the number of moves before it, the position, the move and, if
/// it was evaluated, its report.
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

/// The loss that makes a move a mistake, in pawns.
const MISTAKE_LOSS: f64 = 1.0;
/// Mistakes are ignored if the best move is further from zero than this, in pawns.
const DECIDED: f64 = 5.0;
/// How much stronger the comparison players are, in Elo.
const STRONGER: f64 = 300.0;
/// The smallest difference between the levels that counts.
const MIN_DIFFERENCE: f64 = 0.02;
/// The largest number of mistakes reported for one game.
const MAX_MISTAKES: usize = 5;

/// An instructive mistake.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistake {
    /// The move with its number: `12... Nxe4`.
    pub san: String,
    pub best: String,
    /// The loss in pawns.
    pub loss: f64,
    /// The probability of a mistake at the player's level and at the stronger level.
    pub errs: [f64; 2],
}

/// The instructive mistakes of a game, most instructive first.
#[derive(Clone, Debug, PartialEq)]
pub struct Mistakes {
    pub level: Elo,
    pub stronger: Elo,
    pub moves: Vec<Mistake>,
}

impl Mistakes {
    /// Finds the mistakes of one side, for a player of this level.
    pub fn of(evaluated: &EvaluatedGame, colour: Colour, level: Elo, depth: Depth) -> Mistakes {
        // Both players must be within the range that the model was fitted to.
        let level = Elo(level.0.clamp(human::LOWEST, human::HIGHEST - STRONGER));
        let [level, stronger] = [0.0, STRONGER]
            .map(|more| TargetRating::new(Elo(level.0 + more), None, EloScale::Fide));
        // Use the natural human spread, because engine levels are slightly more predictable than that.
        let selectors =
            [level, stronger].map(|target| Selector::new(as_they_choose(&target.curve())));
        let ratings = [level, stronger].map(|target| target.curve().scale());
        let mut moves = Vec::new();
        let mut before = Game::new(evaluated.game.start().clone());
        for (played, &mv) in evaluated.game.moves().iter().enumerate() {
            let position = before.position();
            let evaluation = evaluated.evaluations[played].as_ref();
            let valued = evaluation.filter(|_| position.turn() == colour);
            let chosen =
                valued.and_then(|e| e.moves.iter().position(|m| m.mv == mv).map(|c| (e, c)));
            if let Some((evaluation, chosen)) = chosen {
                let values = seen(&before, evaluation, depth, level.family, &ratings);
                let deepest = values.deepest();
                let best_value = largest(deepest);
                let loss = best_value - deepest[chosen];
                let errs = selectors.each_ref().map(|selector| {
                    let shares = selector.distribution(&values);
                    let shares_by_value = deepest.iter().zip(shares.probabilities());
                    shares_by_value
                        .filter(|(value, _)| best_value - *value >= MISTAKE_LOSS)
                        .map(|(_, share)| share)
                        .sum()
                });
                let best = deepest.iter().position(|&value| value == best_value);
                let best = best.map(|place| position.san(evaluation.moves[place].mv));
                if let Some(best) = best
                    && loss >= MISTAKE_LOSS
                    && best_value.abs() <= DECIDED
                    && errs[0] - errs[1] >= MIN_DIFFERENCE
                {
                    let san = format!("{} {}", position.move_number(), position.san(mv));
                    moves.push(Mistake { san, best, loss, errs });
                }
            }
            before.play(mv);
        }
        let gap = |mistake: &Mistake| mistake.errs[0] - mistake.errs[1];
        moves.sort_by(|a, b| gap(b).total_cmp(&gap(a)));
        moves.truncate(MAX_MISTAKES);
        Mistakes { level: level.nearest(), stronger: stronger.nearest(), moves }
    }
}
