//! Fitting a player: the parameters under which his choices are likeliest, and those under which
//! the predicted probabilities come true at every height (Regan 2011, section 6).
//!
//! The first is the more exact where the model is right, and comes with its errors; the second is
//! the one that the paper used.

use std::sync::atomic::{AtomicUsize, Ordering};

use super::Turn;
use crate::math::cholesky::Cholesky;
use crate::math::percentiling::{misfit, predicted_interval};
use crate::math::simplex::minimum;
use crate::selector::{Distribution, Selector};

/// A fitted player.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fit {
    /// As the model takes them.
    pub parameters: Vec<f64>,
    /// Of the parameters, from the information in the turns; row by row.
    pub covariance: Vec<f64>,
    /// The same, allowing for turns of one game that are alike: the "sandwich" over games.
    pub robust: Vec<f64>,
    pub ln_likelihood: f64,
    pub turns: usize,
}

/// Why no parameters could be fitted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    #[error("there are no turns to fit")]
    NoTurns,
    #[error("the turns do not tell the parameters: there are too few, or all are alike")]
    Undetermined,
}

/// Steps of the derivatives; parameters are of the order of one.
const STEP: f64 = 1e-3;
const MOST_ROUNDS: usize = 60;
/// A step that promises less than this is the last.
const ENOUGH: f64 = 1e-8;
/// Turns that one thread takes at a time. Sums are made in their order, whoever made them.
const PORTION: usize = 512;

/// What was thought of a parameter before: a normal distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Prior {
    pub mean: f64,
    pub deviation: f64,
}

impl Prior {
    /// Nothing.
    pub const NONE: Prior = Prior { mean: 0.0, deviation: f64::INFINITY };
}

/// What the turns say about some parameters.
struct Evidence {
    ln_likelihood: f64,
    slope: Vec<f64>,
    information: Vec<f64>,
    /// Sums of the slopes by game, in order.
    by_game: Vec<(usize, Vec<f64>)>,
}

/// The parameters under which the choices are likeliest, found from a start by Fisher's scoring.
/// `model` gives the player of some parameters, or `None` where there is none.
pub fn by_likelihood(
    turns: &[&Turn],
    start: &[f64],
    model: impl Fn(&[f64]) -> Option<Selector> + Sync,
) -> Result<Fit, FitError> {
    let choose = |parameters: &[f64], turn: usize| {
        Some(model(parameters)?.distribution(&turns[turn].values))
    };
    of_each(turns, start, &vec![Prior::NONE; start.len()], choose)
}

/// The same where every turn may have a player of his own: `choose` gives what he would do at the turn
/// of this number.
pub fn of_each(
    turns: &[&Turn],
    start: &[f64],
    priors: &[Prior],
    choose: impl Fn(&[f64], usize) -> Option<Distribution> + Sync,
) -> Result<Fit, FitError> {
    if turns.is_empty() {
        return Err(FitError::NoTurns);
    }
    let size = start.len();
    let gather = |parameters: &[f64]| gather(turns, parameters, priors, &choose);
    let mut parameters = start.to_vec();
    let mut evidence = gather(&parameters).ok_or(FitError::Undetermined)?;
    for _ in 0..MOST_ROUNDS {
        let decomposed =
            Cholesky::new(&evidence.information, size).ok_or(FitError::Undetermined)?;
        let step = decomposed.solve(&evidence.slope);
        let promise: f64 = step.iter().zip(&evidence.slope).map(|(a, b)| a * b).sum();
        if promise < ENOUGH {
            break;
        }
        let Some((moved, better)) = follow(&parameters, &step, &evidence, gather) else {
            break;
        };
        (parameters, evidence) = (moved, better);
    }
    let decomposed = Cholesky::new(&evidence.information, size).ok_or(FitError::Undetermined)?;
    let covariance = decomposed.inverse();
    let robust = sandwich(&covariance, &evidence.by_game, size);
    let ln_likelihood = evidence.ln_likelihood;
    Ok(Fit { parameters, covariance, robust, ln_likelihood, turns: turns.len() })
}

/// Goes as much of a step as makes things better.
fn follow(
    from: &[f64],
    step: &[f64],
    evidence: &Evidence,
    gather: impl Fn(&[f64]) -> Option<Evidence>,
) -> Option<(Vec<f64>, Evidence)> {
    let mut part = 1.0;
    for _ in 0..30 {
        let moved: Vec<f64> = from.iter().zip(step).map(|(x, s)| x + part * s).collect();
        let found = gather(&moved);
        if let Some(found) = found.filter(|f| f.ln_likelihood > evidence.ln_likelihood) {
            return Some((moved, found));
        }
        part /= 2.0;
    }
    None
}

/// Likelihood, slope and expected information at some parameters, with those of what was thought
/// before.
fn gather(
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

/// `C (Σ g gᵀ) C` over the games' slopes g.
fn sandwich(covariance: &[f64], by_game: &[(usize, Vec<f64>)], size: usize) -> Vec<f64> {
    let mut middle = vec![0.0; size * size];
    for (_, slope) in by_game {
        for a in 0..size {
            for b in 0..size {
                middle[a * size + b] += slope[a] * slope[b];
            }
        }
    }
    let product = |one: &[f64], other: &[f64]| -> Vec<f64> {
        let element = |a: usize, b: usize| -> f64 {
            (0..size).map(|k| one[a * size + k] * other[k * size + b]).sum()
        };
        (0..size * size).map(|index| element(index / size, index % size)).collect()
    };
    product(&product(covariance, &middle), covariance)
}

/// The parameters under which the percentiles come true best: `Σ_q (R^q - q)²` over q = 0, 0.05,
/// ..., 1 is least.
pub fn by_percentiles(
    turns: &[&Turn],
    start: &[f64],
    model: impl Fn(&[f64]) -> Option<Selector>,
) -> Result<(Vec<f64>, f64), FitError> {
    if turns.is_empty() {
        return Err(FitError::NoTurns);
    }
    let percentiles: Vec<f64> = (0..=20).map(|q| f64::from(q) / 20.0).collect();
    let score = |parameters: &[f64]| {
        let Some(selector) = model(parameters) else { return f64::INFINITY };
        let intervals: Vec<(f64, f64)> =
            turns.iter().map(|turn| interval(&selector.distribution(&turn.values), turn)).collect();
        misfit(&intervals, &percentiles)
    };
    Ok(minimum(start, 0.3, score))
}

/// What was predicted for the played move, better moves first.
fn interval(distribution: &Distribution, turn: &Turn) -> (f64, f64) {
    let ranks = turn.ranks();
    let mut in_order = vec![0.0; ranks.len()];
    ranks.iter().enumerate().for_each(|(j, &rank)| in_order[rank] = distribution.probability(j));
    predicted_interval(&in_order, ranks[turn.chosen])
}

impl Fit {
    /// The standard deviation of a parameter, from the information in the turns.
    pub fn deviation(&self, parameter: usize) -> f64 {
        let size = self.parameters.len();
        self.covariance[parameter * size + parameter].sqrt()
    }
}
