//! What a model says of a player's turns, beside what he did (Regan 2011, section 6).
//!
//! Turns are independent in the model (section 3, principle (a)), so a projected figure is a sum
//! with a known variance, and its distance from the actual one can be told in standard deviations.

use serde::{Deserialize, Serialize};

use super::{Chooser, Turn};
use crate::selector::Distribution;

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

/// Sums that make a [`Figure`].
#[derive(Clone, Copy, Debug, Default)]
struct Sums {
    projected: f64,
    actual: f64,
    variance: f64,
}

impl Figure {
    /// How many standard deviations the actual figure lies above the projected one.
    pub fn z(&self) -> f64 {
        if self.deviation > 0.0 { (self.actual - self.projected) / self.deviation } else { 0.0 }
    }
}

impl Sums {
    /// Takes in a turn at which move j, which has probability p, counts as x.
    fn add(&mut self, chosen: usize, probabilities: &[f64], x: impl Fn(usize) -> f64) {
        let terms = || probabilities.iter().enumerate().filter(|(_, p)| **p > 0.0);
        let mean: f64 = terms().map(|(j, p)| p * x(j)).sum();
        self.projected += mean;
        self.actual += x(chosen);
        self.variance += terms().map(|(j, p)| p * (x(j) - mean) * (x(j) - mean)).sum::<f64>();
    }

    fn mean(self, turns: usize) -> Figure {
        let count = turns.max(1) as f64;
        Figure {
            projected: self.projected / count,
            actual: self.actual / count,
            deviation: self.variance.sqrt() / count,
        }
    }
}

/// What is expected of somebody at these turns, and what happened.
pub fn project(chooser: &impl Chooser, turns: &[&Turn]) -> Projection {
    project_each(turns, |turn| chooser.distribution(&turns[turn].values))
}

/// The same where every turn may have a player of his own, given by its number.
pub fn project_each(turns: &[&Turn], choose: impl Fn(usize) -> Distribution) -> Projection {
    let [mut first, mut equal, mut scaled, mut raw] = [Sums::default(); 4];
    let mut places = [Sums::default(); PLACES];
    let mut ln_likelihood = 0.0;
    for (number, turn) in turns.iter().enumerate() {
        let distribution = choose(number);
        let probabilities = distribution.probabilities();
        let truth = |is_so: bool| if is_so { 1.0 } else { 0.0 };
        let (best, first_index, chosen) = (turn.best(), turn.first(), turn.chosen);
        let losses = turn.values.deltas();
        let ranks = turn.ranks();
        first.add(chosen, probabilities, |j| truth(j == first_index));
        equal.add(chosen, probabilities, |j| truth(turn.value(j) == best));
        scaled.add(chosen, probabilities, |j| losses[j]);
        raw.add(chosen, probabilities, |j| best - turn.value(j));
        for (place, sums) in places.iter_mut().enumerate() {
            sums.add(chosen, probabilities, |j| truth(ranks[j] == place));
        }
        ln_likelihood += distribution.ln_probability(chosen);
    }
    let count = turns.len();
    Projection {
        turns: count,
        first: first.mean(count),
        equal: equal.mean(count),
        scaled_loss: scaled.mean(count),
        loss: raw.mean(count),
        frequencies: places.map(|sums| sums.mean(count)).to_vec(),
        ln_likelihood,
    }
}

impl Projection {
    /// How well the frequencies of the i-th best moves are met: 10,000 times the mean square of what
    /// they are off (Regan 2011, section 6: Qfit).
    pub fn misfit(&self) -> f64 {
        let off = |figure: &Figure| (figure.projected - figure.actual).powi(2);
        let sum: f64 = self.frequencies.iter().map(off).sum();
        10_000.0 * sum / self.frequencies.len().max(1) as f64
    }
}
