//! What turns say about the parameters of a model: the likelihood, its slope, and the information that
//! they hold.

use super::Turn;
use super::fit::ParameterPrior;
use crate::selector::Distribution;
use crate::threads::{cores, share_out};

/// Steps of the derivatives; parameters are of the order of one.
const STEP: f64 = 1e-3;
/// Turns that one thread takes at a time. Sums are made in their order, whoever made them.
const PORTION: usize = 512;

/// What the turns say about some parameters.
pub(super) struct Evidence {
    pub ln_likelihood: f64,
    pub slope: Vec<f64>,
    pub information: Vec<f64>,
    /// Sums of the slopes by game, in order.
    pub by_game: Vec<(usize, Vec<f64>)>,
}

/// Which numbers of a player the parameters stand for: each number is a polynomial in something that is
/// known of the turn, such as the rating of whose it is, and the parameters are its coefficients.
#[derive(Clone, Copy, Debug)]
pub struct PlayerShape<'a> {
    /// How many coefficients each number has.
    pub coefficients: &'a [usize],
    /// What is known, by turn.
    pub x: &'a [f64],
}

impl PlayerShape<'_> {
    /// The numbers at a turn.
    pub fn numbers(&self, parameters: &[f64], turn: usize) -> Vec<f64> {
        let mut rest = parameters;
        let mut number = |&count: &usize| {
            let (own, others) = rest.split_at(count);
            rest = others;
            own.iter().rev().fold(0.0, |sum, coefficient| sum * self.x[turn] + coefficient)
        };
        self.coefficients.iter().map(&mut number).collect()
    }

    /// For each parameter, which number it is of, and how much that changes with it.
    fn parts(&self, turn: usize) -> Vec<(usize, f64)> {
        let of = |(number, &count): (usize, &usize)| {
            (0..count as i32).map(move |power| (number, self.x[turn].powi(power)))
        };
        self.coefficients.iter().enumerate().flat_map(of).collect()
    }
}

/// Likelihood, slope and expected information at some parameters, with those of what was thought
/// before. `choose` says what somebody with such numbers does at a turn.
pub(super) fn gather(
    turns: &[&Turn],
    parameters: &[f64],
    priors: &[ParameterPrior],
    shape: PlayerShape<'_>,
    choose: &(impl Fn(&[f64], usize) -> Option<Distribution> + Sync),
) -> Option<Evidence> {
    let size = parameters.len();
    let portion = |number: usize| {
        let first = number * PORTION;
        let mut evidence = Evidence::none(size);
        for (turn, &decision) in turns.iter().enumerate().skip(first).take(PORTION) {
            let numbers = shape.numbers(parameters, turn);
            let shifted = |index: usize, by: f64| {
                let mut numbers = numbers.clone();
                numbers[index] += by;
                choose(&numbers, turn)
            };
            let centre = choose(&numbers, turn)?;
            let slope = |index: usize| {
                Some(slopes(&centre, &shifted(index, -STEP)?, &shifted(index, STEP)?))
            };
            let slopes: Option<Vec<Vec<f64>>> = (0..numbers.len()).map(slope).collect();
            evidence.add(decision, &centre, &slopes?, &shape.parts(turn));
        }
        Some(evidence)
    };
    let portions = share_out(turns.len().div_ceil(PORTION), cores(), portion);
    let mut evidence = Evidence::none(size);
    for part in portions {
        evidence.join(part?);
    }
    for (index, prior) in priors.iter().enumerate() {
        let off = (parameters[index] - prior.mean) / prior.deviation;
        evidence.ln_likelihood -= off * off / 2.0;
        evidence.slope[index] -= off / prior.deviation;
        evidence.information[index * size + index] += 1.0 / (prior.deviation * prior.deviation);
    }
    evidence.ln_likelihood.is_finite().then_some(evidence)
}

/// The derivatives of the logarithms of all probabilities; nothing is learnt from what cannot
/// happen.
fn slopes(centre: &Distribution, below: &Distribution, above: &Distribution) -> Vec<f64> {
    (0..centre.len())
        .map(|j| (above.ln_probability(j) - below.ln_probability(j)) / (2.0 * STEP))
        .map(|slope| if slope.is_finite() { slope } else { 0.0 })
        .collect()
}

impl Evidence {
    fn none(size: usize) -> Evidence {
        Evidence {
            ln_likelihood: 0.0,
            slope: vec![0.0; size],
            information: vec![0.0; size * size],
            by_game: Vec::new(),
        }
    }

    /// Takes in a turn, with the slopes of the moves' logarithms by each number.
    fn add(
        &mut self,
        turn: &Turn,
        centre: &Distribution,
        slopes: &[Vec<f64>],
        parts: &[(usize, f64)],
    ) {
        let (size, numbers) = (parts.len(), slopes.len());
        self.ln_likelihood += centre.ln_probability(turn.chosen);
        let of_game: Vec<f64> =
            parts.iter().map(|&(number, part)| part * slopes[number][turn.chosen]).collect();
        self.slope.iter_mut().zip(&of_game).for_each(|(sum, slope)| *sum += slope);
        self.add_game(turn.game, &of_game);
        let product = |index: usize| -> f64 {
            let (one, other) = (&slopes[index / numbers], &slopes[index % numbers]);
            (0..centre.len()).map(|j| centre.probability(j) * one[j] * other[j]).sum()
        };
        let products: Vec<f64> = (0..numbers * numbers).map(product).collect();
        for (a, &(one, part)) in parts.iter().enumerate() {
            for (b, &(other, another)) in parts.iter().enumerate() {
                self.information[a * size + b] += part * another * products[one * numbers + other];
            }
        }
    }

    fn add_game(&mut self, game: usize, slope: &[f64]) {
        match self.by_game.last_mut().filter(|(last, _)| *last == game) {
            Some((_, sum)) => sum.iter_mut().zip(slope).for_each(|(sum, s)| *sum += s),
            None => self.by_game.push((game, slope.to_vec())),
        }
    }

    fn join(&mut self, other: Evidence) {
        self.ln_likelihood += other.ln_likelihood;
        let add = |sums: &mut Vec<f64>, more: Vec<f64>| {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        };
        add(&mut self.slope, other.slope);
        add(&mut self.information, other.information);
        other.by_game.iter().for_each(|(game, slope)| self.add_game(*game, slope));
    }
}
