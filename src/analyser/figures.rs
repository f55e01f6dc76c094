//! What a model says of a player's turns, beside what he did (Regan 2011, section 6).
//!
//! Turns are independent in the model (section 3, principle (a)), so a projected figure is a sum
//! with a known variance, and its distance from the actual one can be told in standard deviations.

use serde::{Deserialize, Serialize};

use super::Turn;
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
