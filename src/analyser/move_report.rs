//! A game move by move: what was to be expected of the player each time, what is believed of him
//! afterwards, and what he can learn from it.
//!
//! Nobody is known before his first move. Each move is expected of all players of the scale together,
//! in the proportions in which the earlier moves of the game speak for them (Haworth 2007, sections
//! 3 and 4.3), and its surprise is the logarithm of the probability that they give it.
//!
//! Something is learnt from errors that players of the same level often make there, and somewhat
//! stronger ones less often. A move that everybody gets wrong teaches little, and so does one that was a
//! slip. The human model says how likely an error was at either level.

use super::{EvaluatedGame, Omission, StudyPlan, Turn};
use crate::board::{Colour, Game, Move, Position};
use crate::evaluation::RootEvaluation;
use crate::math::largest;
use crate::player::path::as_they_choose;
use crate::player::{Elo, EloScale, Hypotheses, TargetRating, seen};
use crate::selector::{Distribution, Family, Selector};
use crate::value::Depth;

/// How much of a belief the intervals hold.
const HELD: f64 = 0.9;

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
    /// The valued moves of a game.
    pub fn of_game(plan: &StudyPlan, evaluated: &EvaluatedGame) -> Vec<ReportedMove> {
        let hypotheses = plan.hypotheses();
        let mut beliefs =
            [StudyPlan::know_nothing(&hypotheses), StudyPlan::know_nothing(&hypotheses)];
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
                let competence = (belief.mean(), belief.interval(HELD));
                let expected = Distribution::mixture(&choices);
                ReportedMove { played, turn, against, expected, competence }
            })
            .collect()
    }

    /// How unexpected the move was, in bits.
    pub fn surprise(&self) -> f64 {
        self.expected.surprise(self.turn.chosen)
    }
}

/// Goes through a game: hands over how many moves were played before, the position, the move and, where
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

/// Pawns that make an error.
const ERROR: f64 = 1.0;
/// Where the best move is worth more than this either way, errors do not matter.
const DECIDED: f64 = 5.0;
/// How much stronger those are who are compared with.
const STRONGER: f64 = 300.0;
/// A smaller difference between the levels tells nothing.
const LEAST: f64 = 0.02;
/// More is not learnt from one game.
const MOST: usize = 5;

/// A move from which something can be learnt.
#[derive(Clone, Debug, PartialEq)]
pub struct InstructiveMove {
    /// As it is written, with its number: `12... Nxe4`.
    pub san: String,
    pub best: String,
    /// Pawns that were lost.
    pub loss: f64,
    /// How likely an error was for players of the level, and for stronger ones.
    pub errs: [f64; 2],
}

/// Those of a game, the most instructive first.
#[derive(Clone, Debug, PartialEq)]
pub struct Lessons {
    pub level: Elo,
    pub stronger: Elo,
    pub moves: Vec<InstructiveMove>,
}

impl Lessons {
    /// The lessons of one side's moves, for a player of this level.
    pub fn of(evaluated: &EvaluatedGame, colour: Colour, level: Elo, depth: Depth) -> Lessons {
        let [level, stronger] = [0.0, STRONGER]
            .map(|more| TargetRating::new(Elo(level.0 + more), None, EloScale::Fide));
        // Of people, as they choose: levels are played a little sharper than that.
        let selectors = [level, stronger].map(|dial| Selector::new(as_they_choose(&dial.curve())));
        let ratings = [level, stronger].map(|dial| dial.curve().scale());
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
                let top = largest(deepest);
                let loss = top - deepest[chosen];
                let errs = selectors.each_ref().map(|selector| {
                    let shares = selector.distribution(&values);
                    let all = deepest.iter().zip(shares.probabilities());
                    all.filter(|(value, _)| top - *value >= ERROR).map(|(_, share)| share).sum()
                });
                let best = deepest.iter().position(|&value| value == top);
                let best = best.map(|place| position.san(evaluation.moves[place].mv));
                if let Some(best) = best
                    && loss >= ERROR
                    && top.abs() <= DECIDED
                    && errs[0] - errs[1] >= LEAST
                {
                    let san = format!("{} {}", position.move_number(), position.san(mv));
                    moves.push(InstructiveMove { san, best, loss, errs });
                }
            }
            before.play(mv);
        }
        let gap = |lesson: &InstructiveMove| lesson.errs[0] - lesson.errs[1];
        moves.sort_by(|a, b| gap(b).total_cmp(&gap(a)));
        moves.truncate(MOST);
        Lessons { level: level.nearest(), stronger: stronger.nearest(), moves }
    }
}
