//! Projected match rates and losses of a player's decisions, compared with the actual ones (Regan
//! 2011, section 6).
//!
//! The model treats decisions as independent (section 3, principle (a)). A projected figure is
//! therefore a sum with a known variance. The difference between the actual and the projected
//! figure can be given in standard deviations.
//!
//! This file also computes popular averages: centipawn loss, accuracy, and the average difference
//! of Guid and Bratko. They consider only the best move and the move played, so simple positions look
//! well played. They are included for comparison. Haworth 2007, section 3.2, explains their limits.

use serde::{Deserialize, Serialize};

use super::winning_chances::{CEILING, lost_chances};
use super::{StudiedMove, StudyRules};
use crate::math::exact::exp;
use crate::math::sums::{Additive as _, Count, Fine, additive};
use crate::selector::{Distribution, Selector};

/// The projected and the actual mean of a quantity over decisions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Figure {
    /// The mean that the model expects.
    pub projected: f64,
    /// The mean for the moves that were played.
    pub actual: f64,
    /// The standard deviation of the actual mean under the model.
    pub deviation: f64,
}

/// The projected and actual figures of a set of decisions.
#[derive(Clone, Debug, Default, PartialEq, Deserialize, Serialize)]
pub struct Projection {
    /// The number of decisions.
    #[serde(rename = "turns")]
    pub decisions: usize,
    /// The frequency of playing the best move (MM). In case of a tie, only the first best move
    /// counts.
    pub first: Figure,
    /// The frequency of playing a move with the best evaluation.
    pub equal: Figure,
    /// The average scaled difference (AD) from the best move: the mean of δ.
    pub scaled_loss: Figure,
    /// The average difference from the best move, in pawns.
    pub loss: Figure,
    /// The frequencies of playing the best, second-best, third-best move and so on.
    pub frequencies: Vec<Figure>,
    /// The natural logarithm of the probability of all played moves under the model.
    pub ln_likelihood: f64,
}

/// The number of ranks that are counted separately.
const RANKS: usize = 20;

/// One value for each figure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Figures<T> {
    /// Whether the move has the best evaluation.
    pub equal: T,
    /// The loss, on Regan's scale (δ) and in pawns.
    pub scaled_loss: T,
    pub loss: T,
    /// For each rank, whether the move has it.
    pub by_rank: [T; RANKS],
}

/// The expected figures of a player, with their variances.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Expectation {
    pub mean: Figures<f64>,
    pub variance: Figures<f64>,
}

/// The figures of each move in a decision.
#[derive(Debug)]
pub(super) struct MoveFigures {
    equal: Vec<f64>,
    scaled_loss: Vec<f64>,
    loss: Vec<f64>,
    ranks: Vec<usize>,
}

impl<T> Figures<T> {
    pub fn map<U>(&self, of: impl Fn(&T) -> U) -> Figures<U> {
        Figures {
            equal: of(&self.equal),
            scaled_loss: of(&self.scaled_loss),
            loss: of(&self.loss),
            by_rank: self.by_rank.each_ref().map(of),
        }
    }

    pub fn iter(&self) -> impl Iterator<Item = &T> {
        [&self.equal, &self.scaled_loss, &self.loss].into_iter().chain(&self.by_rank)
    }

    pub fn iter_mut(&mut self) -> impl Iterator<Item = &mut T> {
        [&mut self.equal, &mut self.scaled_loss, &mut self.loss]
            .into_iter()
            .chain(&mut self.by_rank)
    }
}

additive!(Figures<T>: equal, scaled_loss, loss, by_rank);
additive!(Expectation: mean, variance);
additive!(AverageSums: loss, accuracy, blunders);
additive!(GuidBratkoSums: decisions, loss, blunders);

impl MoveFigures {
    pub fn of(decision: &StudiedMove) -> MoveFigures {
        let (best, moves) = (decision.best(), 0..decision.values.moves());
        MoveFigures {
            equal: moves.clone().map(|j| f64::from(decision.value(j) == best)).collect(),
            scaled_loss: decision.values.deltas(),
            loss: moves.map(|j| best - decision.value(j)).collect(),
            ranks: decision.ranks(),
        }
    }

    /// The figures expected of a player with these move probabilities.
    pub fn expected(&self, probabilities: &[f64]) -> Expectation {
        let mut expected = Expectation::default();
        let Expectation { mean, variance } = &mut expected;
        let moments = |row: &[f64]| {
            let terms = || probabilities.iter().zip(row).filter(|(p, _)| **p > 0.0);
            let mean: f64 = terms().map(|(p, x)| p * x).sum();
            (mean, terms().map(|(p, x)| p * (x - mean).powi(2)).sum())
        };
        (mean.equal, variance.equal) = moments(&self.equal);
        (mean.scaled_loss, variance.scaled_loss) = moments(&self.scaled_loss);
        (mean.loss, variance.loss) = moments(&self.loss);
        for (&rank, p) in self.ranks.iter().zip(probabilities).filter(|(rank, _)| **rank < RANKS) {
            mean.by_rank[rank] = *p;
            variance.by_rank[rank] = p * (1.0 - p);
        }
        expected
    }

    /// The figures of one move.
    pub fn played(&self, chosen: usize) -> Figures<f64> {
        let mut by_rank = [0.0; RANKS];
        by_rank.iter_mut().skip(self.ranks[chosen]).take(1).for_each(|rank| *rank = 1.0);
        Figures {
            equal: self.equal[chosen],
            scaled_loss: self.scaled_loss[chosen],
            loss: self.loss[chosen],
            by_rank,
        }
    }
}

impl Expectation {
    /// Widens the variances. Moves of the same game are not independent, so the figures deviate `dispersion` times as
    /// much as those of independent moves. `spread` is their standard deviation among equally rated players.
    pub fn widen(&mut self, dispersion: f64, spread: &Figures<f64>) {
        for (variance, spread) in self.variance.iter_mut().zip(spread.iter()) {
            *variance = dispersion * dispersion * *variance + spread * spread;
        }
    }
}

impl Figure {
    /// The difference between the actual and the projected figure, in standard deviations.
    pub fn z(&self) -> f64 {
        if self.deviation > 0.0 { (self.actual - self.projected) / self.deviation } else { 0.0 }
    }
}

/// Compares a player's expected figures in these decisions with the actual ones.
pub fn project(player: &Selector, decisions: &[&StudiedMove]) -> Projection {
    project_each(decisions, |index| player.distribution(&decisions[index].values))
}

/// Like [`project`], but with a separate distribution for each decision, given its index.
pub fn project_each(
    decisions: &[&StudiedMove],
    choose: impl Fn(usize) -> Distribution,
) -> Projection {
    let (mut expected, mut played) = (Expectation::default(), Figures::<f64>::default());
    let mut ln_likelihood = 0.0;
    for (number, decision) in decisions.iter().enumerate() {
        let (distribution, figures) = (choose(number), MoveFigures::of(decision));
        expected.add(&figures.expected(distribution.probabilities()));
        played.add(&figures.played(decision.chosen));
        ln_likelihood += distribution.ln_probability(decision.chosen);
    }
    Projection::of_sums(decisions.len(), &expected, &played, ln_likelihood)
}

impl Projection {
    /// Computes the means from sums over `decisions` decisions.
    pub(super) fn of_sums(
        decisions: usize,
        expected: &Expectation,
        played: &Figures<f64>,
        ln_likelihood: f64,
    ) -> Projection {
        let count = decisions.max(1) as f64;
        let Expectation { mean, variance } = expected;
        let mut figures = Figures::<Figure>::default();
        let sums = mean.iter().zip(variance.iter()).zip(played.iter());
        for (found, ((&projected, &variance), &actual)) in figures.iter_mut().zip(sums) {
            *found = Figure {
                projected: projected / count,
                actual: actual / count,
                deviation: variance.max(0.0).sqrt() / count,
            };
        }
        let Figures { equal, scaled_loss, loss, by_rank } = figures;
        let first = by_rank[0];
        let frequencies = by_rank.to_vec();
        Projection { decisions, first, equal, scaled_loss, loss, frequencies, ln_likelihood }
    }

    /// The misfit of the rank frequencies (Qfit in Regan 2011, section 6). It is 10,000 times the
    /// mean squared error.
    pub fn misfit(&self) -> f64 {
        let squared_error = |figure: &Figure| (figure.projected - figure.actual).powi(2);
        let sum: f64 = self.frequencies.iter().map(squared_error).sum();
        10_000.0 * sum / self.frequencies.len().max(1) as f64
    }
}

/// The averages that chess websites show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Averages {
    /// The number of decisions.
    pub decisions: usize,
    /// The fraction of decisions in which a move with the best evaluation was played. If there are
    /// no decisions, all averages are NaN.
    pub best: f64,
    /// The mean loss in centipawns. Evaluations are capped at ten pawns.
    pub centipawn_loss: f64,
    /// The mean accuracy of the moves in percent, by the published Lichess formula
    /// (lichess.org/page/accuracy). It depends on the winning chances that the moves give away.
    pub accuracy: f64,
    /// The fraction of decisions that lost a pawn or more.
    pub blunders: f64,
}

/// The average difference by the rules of Guid and Bratko (2006).
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub(crate) struct GuidBratko {
    /// The number of decisions that the rules include.
    #[serde(rename = "used")]
    pub decisions: usize,
    /// The average difference from the best move, in pawns.
    pub difference: f64,
    /// The fraction of moves that lost more than a pawn.
    pub blunders: f64,
}

/// The sums used to compute [`Averages`], over the decisions that count.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct AverageSums {
    /// In pawns.
    pub loss: Fine,
    /// In percent.
    pub accuracy: Fine,
    /// The number of moves that lost a pawn or more.
    pub blunders: Count,
}

/// The sums used to compute [`GuidBratko`].
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct GuidBratkoSums {
    pub decisions: Count,
    pub loss: Fine,
    pub blunders: Count,
}

/// A move that loses at least this many pawns is a blunder. For Guid and Bratko, it must lose more
/// than this.
const BLUNDER: f64 = 1.0;
/// The number of opening moves that Guid and Bratko left out, and their limit for decided positions
/// in pawns.
const OPENING: usize = 11;
const DECIDED: f64 = 2.0;

impl AverageSums {
    pub fn of<'t>(decisions: impl Iterator<Item = &'t StudiedMove>) -> AverageSums {
        let (mut losses, mut accuracies, mut blunders) = (0.0, 0.0, 0);
        for decision in decisions {
            let loss = capped_loss(decision);
            losses += loss;
            accuracies += accuracy(decision.best(), decision.value(decision.chosen));
            blunders += usize::from(loss >= BLUNDER);
        }
        AverageSums {
            loss: Fine::of(losses),
            accuracy: Fine::of(accuracies),
            blunders: Count::of_items(blunders),
        }
    }

    /// Returns the averages over `decisions` decisions. In `equal` of them, the player chose a move
    /// with the best evaluation.
    pub fn averages(&self, decisions: usize, equal: f64) -> Averages {
        let mean = |sum: f64| sum / decisions as f64;
        Averages {
            decisions,
            best: mean(equal),
            centipawn_loss: 100.0 * mean(self.loss.value()),
            accuracy: mean(self.accuracy.value()),
            blunders: mean(self.blunders.value()),
        }
    }
}

/// The number of pawns that the move played loses, from capped evaluations.
fn capped_loss(decision: &StudiedMove) -> f64 {
    let (best, played) = (decision.best(), decision.value(decision.chosen));
    (best.min(CEILING) - played.clamp(-CEILING, CEILING)).max(0.0)
}

/// The accuracy of a move in percent, from the evaluations before and after it in pawns.
fn accuracy(before: f64, after: f64) -> f64 {
    (103.1668 * exp(-0.043_54 * lost_chances(before, after)) - 3.1669).clamp(0.0, 100.0)
}

impl GuidBratko {
    /// The rules of the original study. Of our own rules, only the one for opening moves applies as
    /// well.
    pub(super) fn rules() -> StudyRules {
        StudyRules { opening: OPENING, decided: Some(DECIDED), ..StudyRules::none() }
    }
}

impl GuidBratkoSums {
    pub fn of(decisions: &[&StudiedMove]) -> GuidBratkoSums {
        let losses = || decisions.iter().map(|decision| decision.loss());
        GuidBratkoSums {
            decisions: Count::of_items(decisions.len()),
            loss: Fine::of(losses().fold(0.0, |sum, loss| sum + loss)),
            blunders: Count::of_items(losses().filter(|&loss| loss > BLUNDER).count()),
        }
    }

    pub fn averages(&self) -> GuidBratko {
        let decisions = self.decisions.items();
        let mean = |sum: f64| sum / decisions as f64;
        let (difference, blunders) = (mean(self.loss.value()), mean(self.blunders.value()));
        GuidBratko { decisions, difference, blunders }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn accuracy_is_100_for_the_best_move_and_0_for_the_worst() {
        assert!((accuracy(0.4, 0.4) - 100.0).abs() < 1e-3);
        assert_eq!(accuracy(10.0, -10.0), 0.0);
        // When an equal position turns into a deficit of two pawns, the winning chances fall from
        // 50% to 32.4%.
        assert!((accuracy(0.0, -2.0) - 44.75).abs() < 0.1, "{}", accuracy(0.0, -2.0));
    }
}
