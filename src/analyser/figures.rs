//! What a model says of a player's turns, beside what he did (Regan 2011, section 6).
//!
//! Turns are independent in the model (section 3, principle (a)), so a projected figure is a sum
//! with a known variance, and its distance from the actual one can be told in standard deviations.
//!
//! The averages that people know are here too: centipawn loss, accuracy, and Guid's and Bratko's
//! difference. They look at the best and the played move only and so call a simple position well played;
//! they stand here for comparison (Haworth 2007, section 3.2, says what they lack).

use serde::{Deserialize, Serialize};

use super::{Turn, TurnRules};
use crate::math::exact::exp;
use crate::selector::{Distribution, Selector};

/// A mean over turns, as projected and as it was.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Figure {
    pub projected: f64,
    pub actual: f64,
    /// The standard deviation of the actual mean if the model is right.
    pub deviation: f64,
}

/// The projected and actual figures of some turns.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Projection {
    pub turns: usize,
    /// The first of the best moves is played (MM).
    pub first: Figure,
    /// A move of the best one's value is played.
    pub equal: Figure,
    /// The average difference (AD) from the best move as the sum of δ, and in pawns.
    pub scaled_loss: Figure,
    pub loss: Figure,
    /// How often the best move, the second, the third... is played.
    pub frequencies: Vec<Figure>,
    pub ln_likelihood: f64,
}

/// Places in the order of moves that are told apart.
const PLACES: usize = 20;

/// Figures of a turn: equal value, scaled loss, loss, and each place.
pub(super) const FIGURES: usize = 3 + PLACES;

/// What each move of a turn counts as.
#[derive(Debug)]
pub(super) struct Counting {
    /// Equal value, scaled loss and loss, by moves.
    rows: [Vec<f64>; 3],
    ranks: Vec<usize>,
}

impl Counting {
    pub fn of(turn: &Turn) -> Counting {
        let (best, moves) = (turn.best(), 0..turn.values.moves());
        let equal = moves.clone().map(|j| f64::from(turn.value(j) == best)).collect();
        let losses = moves.map(|j| best - turn.value(j)).collect();
        Counting { rows: [equal, turn.values.deltas(), losses], ranks: turn.ranks() }
    }

    /// Adds what is expected of each figure, and then its variances.
    pub fn expect(&self, probabilities: &[f64], sums: &mut [f64]) {
        for (figure, row) in self.rows.iter().enumerate() {
            let terms = || probabilities.iter().zip(row).filter(|(p, _)| **p > 0.0);
            let mean: f64 = terms().map(|(p, x)| p * x).sum();
            sums[figure] += mean;
            sums[FIGURES + figure] += terms().map(|(p, x)| p * (x - mean).powi(2)).sum::<f64>();
        }
        for (&rank, p) in self.ranks.iter().zip(probabilities).filter(|(rank, _)| **rank < PLACES) {
            sums[3 + rank] += p;
            sums[FIGURES + 3 + rank] += p * (1.0 - p);
        }
    }

    /// Adds what the chosen move counts as.
    pub fn count(&self, chosen: usize, sums: &mut [f64]) {
        self.rows.iter().zip(&mut *sums).for_each(|(row, sum)| *sum += row[chosen]);
        if self.ranks[chosen] < PLACES {
            sums[3 + self.ranks[chosen]] += 1.0;
        }
    }
}

impl Figure {
    /// How many standard deviations the actual figure lies above the projected one.
    pub fn z(&self) -> f64 {
        if self.deviation > 0.0 { (self.actual - self.projected) / self.deviation } else { 0.0 }
    }
}

/// What is expected of somebody at these turns, and what happened.
pub fn project(player: &Selector, turns: &[&Turn]) -> Projection {
    project_each(turns, |turn| player.distribution(&turns[turn].values))
}

/// The same where every turn may have a player of his own, given by its number.
pub fn project_each(turns: &[&Turn], choose: impl Fn(usize) -> Distribution) -> Projection {
    let (mut expected, mut actual) = ([0.0; 2 * FIGURES], [0.0; FIGURES]);
    let mut ln_likelihood = 0.0;
    for (number, turn) in turns.iter().enumerate() {
        let (distribution, counting) = (choose(number), Counting::of(turn));
        counting.expect(distribution.probabilities(), &mut expected);
        counting.count(turn.chosen, &mut actual);
        ln_likelihood += distribution.ln_probability(turn.chosen);
    }
    Projection::of_sums(turns.len(), &expected, &actual, ln_likelihood)
}

impl Projection {
    /// From the sums of [`Counting`] over so many turns.
    pub(super) fn of_sums(
        turns: usize,
        expected: &[f64],
        actual: &[f64],
        ln_likelihood: f64,
    ) -> Projection {
        let count = turns.max(1) as f64;
        let figure = |index: usize| Figure {
            projected: expected[index] / count,
            actual: actual[index] / count,
            deviation: expected[FIGURES + index].max(0.0).sqrt() / count,
        };
        let frequencies: Vec<Figure> = (3..FIGURES).map(figure).collect();
        let (first, equal) = (frequencies[0], figure(0));
        let (scaled_loss, loss) = (figure(1), figure(2));
        Projection { turns, first, equal, scaled_loss, loss, frequencies, ln_likelihood }
    }

    /// How well the frequencies of the i-th best moves are met: 10,000 times the mean square of what
    /// they are off (Regan 2011, section 6: Qfit).
    pub fn misfit(&self) -> f64 {
        let off = |figure: &Figure| (figure.projected - figure.actual).powi(2);
        let sum: f64 = self.frequencies.iter().map(off).sum();
        10_000.0 * sum / self.frequencies.len().max(1) as f64
    }
}

/// What web sites show of a player.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Averages {
    pub turns: usize,
    /// How often the best move was played, or one of its value, as a part of the turns. Where there are
    /// none it is no number, and so are the others here.
    pub best: f64,
    /// The mean loss in centipawns; values beyond ten pawns count as ten.
    pub centipawn_loss: f64,
    /// The mean of the moves' accuracies, in percent, by the formula that Lichess publishes
    /// (lichess.org/page/accuracy): how much of his chance to win a move gives away.
    pub accuracy: f64,
}

/// Guid's and Bratko's average difference (2006), by their rules.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct GuidBratko {
    #[serde(rename = "used")]
    pub turns: usize,
    pub difference: f64,
    /// Losses of more than a pawn, as a part of the moves.
    pub blunders: f64,
}

/// Values beyond this are all the same to centipawn loss.
const CEILING: f64 = 10.0;
/// A loss of more than this is a blunder.
const BLUNDER: f64 = 1.0;
/// The first moves that Guid and Bratko left out, and what they took for decided.
const OPENING: usize = 11;
const DECIDED: f64 = 2.0;

impl Averages {
    /// The loss of a turn in pawns, and the accuracy of its move.
    pub(super) fn counted(turn: &Turn) -> [f64; 2] {
        let (best, played) = (turn.best(), turn.value(turn.chosen));
        let loss = best.min(CEILING) - played.clamp(-CEILING, CEILING);
        [loss.max(0.0), accuracy(best, played)]
    }
}

/// The accuracy of a move in percent, from the values before and after it in pawns.
fn accuracy(before: f64, after: f64) -> f64 {
    let chance = |pawns: f64| {
        let centipawns = 100.0 * pawns.clamp(-CEILING, CEILING);
        100.0 / (1.0 + exp(-0.003_682_08 * centipawns))
    };
    let lost = (chance(before) - chance(after)).max(0.0);
    (103.1668 * exp(-0.043_54 * lost) - 3.1669).clamp(0.0, 100.0)
}

impl GuidBratko {
    /// What it leaves out, whatever other rules are in force.
    pub(super) fn rules() -> TurnRules {
        TurnRules { opening: OPENING, decided: Some(DECIDED), ..TurnRules::none() }
    }

    /// The loss of a turn, and whether it is a blunder.
    pub(super) fn counted(turn: &Turn) -> [f64; 2] {
        [turn.loss(), f64::from(turn.loss() > BLUNDER)]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_is_full_for_the_best_move_and_nothing_for_the_worst() {
        assert!((accuracy(0.4, 0.4) - 100.0).abs() < 1e-3);
        assert_eq!(accuracy(10.0, -10.0), 0.0);
        // From even to two pawns down: 50 % to 32.4 %.
        assert!((accuracy(0.0, -2.0) - 44.75).abs() < 0.1, "{}", accuracy(0.0, -2.0));
    }
}
