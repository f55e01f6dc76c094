//! What turns say about the parameters of a model: the likelihood, its slope, and the information that
//! they hold.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Turn;
use super::fit::Prior;
use crate::selector::Distribution;

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

/// Likelihood, slope and expected information at some parameters, with those of what was thought
/// before.
pub(super) fn gather(
    turns: &[&Turn],
    parameters: &[f64],
    priors: &[Prior],
    choose: &(impl Fn(&[f64], usize) -> Option<Distribution> + Sync),
) -> Option<Evidence> {
    let size = parameters.len();
    let shifted = |index: usize, by: f64| {
        let mut parameters = parameters.to_vec();
        parameters[index] += by;
        parameters
    };
    let neighbours: Vec<[Vec<f64>; 2]> =
        (0..size).map(|index| [shifted(index, -STEP), shifted(index, STEP)]).collect();
    let portion = |first: usize| {
        let mut evidence = Evidence::none(size);
        for (turn, &decision) in turns.iter().enumerate().skip(first).take(PORTION) {
            let centre = choose(parameters, turn)?;
            let slope = |[below, above]: &[Vec<f64>; 2]| {
                Some(slopes(&centre, &choose(below, turn)?, &choose(above, turn)?))
            };
            let slopes: Option<Vec<Vec<f64>>> = neighbours.iter().map(slope).collect();
            evidence.add(decision, &centre, &slopes?);
        }
        Some(evidence)
    };
    let portions = in_portions(turns.len(), portion);
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

/// Does something with every portion of so many turns, on all cores where there are many.
fn in_portions<T: Send>(turns: usize, portion: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let count = turns.div_ceil(PORTION);
    let cores = std::thread::available_parallelism().map_or(1, usize::from).min(count);
    let next = AtomicUsize::new(0);
    let work = || {
        let mut done = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return done;
            }
            done.push((number, portion(number * PORTION)));
        }
    };
    let mut all = std::thread::scope(|scope| {
        let helpers: Vec<_> = (1..cores).map(|_| scope.spawn(work)).collect();
        let mut all = work();
        // A thread that ended badly did so for a reason that is this one's too.
        helpers.into_iter().for_each(|helper| match helper.join() {
            Ok(more) => all.extend(more),
            Err(panic) => std::panic::resume_unwind(panic),
        });
        all
    });
    all.sort_by_key(|(number, _)| *number);
    all.into_iter().map(|(_, done)| done).collect()
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

    fn add(&mut self, turn: &Turn, centre: &Distribution, slopes: &[Vec<f64>]) {
        let size = slopes.len();
        self.ln_likelihood += centre.ln_probability(turn.chosen);
        self.add_game(turn.game, &slopes.iter().map(|s| s[turn.chosen]).collect::<Vec<f64>>());
        for a in 0..size {
            self.slope[a] += slopes[a][turn.chosen];
            for b in 0..size {
                self.information[a * size + b] += (0..centre.len())
                    .map(|j| centre.probability(j) * slopes[a][j] * slopes[b][j])
                    .sum::<f64>();
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
