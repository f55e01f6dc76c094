//! Fitting a player: the parameters under which his choices are likeliest, and those under which
//! the predicted probabilities come true at every height (Regan 2011, section 6).
//!
//! The first is the more exact where the model is right, and comes with its errors; the second is
//! the one that the paper used.

use super::Turn;
use crate::math::cholesky::Cholesky;
use crate::math::percentiling::{misfit, predicted_interval};
use crate::math::simplex::minimum;
use crate::selector::{Distribution, Selector};

/// A fitted player.
#[derive(Clone, Debug, PartialEq)]
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
    model: impl Fn(&[f64]) -> Option<Selector>,
) -> Result<Fit, FitError> {
    if turns.is_empty() {
        return Err(FitError::NoTurns);
    }
    let size = start.len();
    let mut parameters = start.to_vec();
    let mut evidence = gather(turns, &parameters, &model).ok_or(FitError::Undetermined)?;
    for _ in 0..MOST_ROUNDS {
        let decomposed =
            Cholesky::new(&evidence.information, size).ok_or(FitError::Undetermined)?;
        let step = decomposed.solve(&evidence.slope);
        let promise: f64 = step.iter().zip(&evidence.slope).map(|(a, b)| a * b).sum();
        if promise < ENOUGH {
            break;
        }
        let Some((moved, better)) = follow(turns, &parameters, &step, &evidence, &model) else {
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
    turns: &[&Turn],
    from: &[f64],
    step: &[f64],
    evidence: &Evidence,
    model: &impl Fn(&[f64]) -> Option<Selector>,
) -> Option<(Vec<f64>, Evidence)> {
    let mut part = 1.0;
    for _ in 0..30 {
        let moved: Vec<f64> = from.iter().zip(step).map(|(x, s)| x + part * s).collect();
        let found = gather(turns, &moved, model);
        if let Some(found) = found.filter(|f| f.ln_likelihood > evidence.ln_likelihood) {
            return Some((moved, found));
        }
        part /= 2.0;
    }
    None
}

/// Likelihood, slope and expected information at some parameters.
fn gather(
    turns: &[&Turn],
    parameters: &[f64],
    model: &impl Fn(&[f64]) -> Option<Selector>,
) -> Option<Evidence> {
    let size = parameters.len();
    let shifted = |index: usize, by: f64| {
        let mut parameters = parameters.to_vec();
        parameters[index] += by;
        model(&parameters)
    };
    let here = model(parameters)?;
    let neighbours: Option<Vec<[Selector; 2]>> =
        (0..size).map(|index| Some([shifted(index, -STEP)?, shifted(index, STEP)?])).collect();
    let neighbours = neighbours?;
    let mut evidence = Evidence {
        ln_likelihood: 0.0,
        slope: vec![0.0; size],
        information: vec![0.0; size * size],
        by_game: Vec::new(),
    };
    for turn in turns {
        let centre = here.distribution(&turn.values);
        let slopes: Vec<Vec<f64>> = neighbours
            .iter()
            .map(|pair| {
                let [below, above] = pair.each_ref().map(|s| s.distribution(&turn.values));
                slopes(&centre, &below, &above)
            })
            .collect();
        evidence.add(turn, &centre, &slopes);
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
    fn add(&mut self, turn: &Turn, centre: &Distribution, slopes: &[Vec<f64>]) {
        let size = slopes.len();
        self.ln_likelihood += centre.ln_probability(turn.chosen);
        if self.by_game.last().is_none_or(|(game, _)| *game != turn.game) {
            self.by_game.push((turn.game, vec![0.0; size]));
        }
        let (_, of_game) = self.by_game.last_mut().expect("one was just added");
        for a in 0..size {
            self.slope[a] += slopes[a][turn.chosen];
            of_game[a] += slopes[a][turn.chosen];
            for b in 0..size {
                self.information[a * size + b] += (0..centre.len())
                    .map(|j| centre.probability(j) * slopes[a][j] * slopes[b][j])
                    .sum::<f64>();
            }
        }
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
