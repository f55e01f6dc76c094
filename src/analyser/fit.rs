//! Fitting a player: the parameters under which his choices are likeliest (Regan 2011, section 6), of
//! any model, with their errors.

use super::Turn;
use super::evidence::{Evidence, PlayerShape, gather};
use crate::math::cholesky::Cholesky;
use crate::math::statistics::predicted_interval;
use crate::selector::{Distribution, Selector};

/// A fitted player.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerFit {
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
pub enum PlayerFitError {
    #[error("there are no turns to fit")]
    NoTurns,
    #[error("the turns do not tell the parameters: there are too few, or all are alike")]
    Undetermined,
}

const MOST_ROUNDS: usize = 60;
/// A step that promises less than this is the last.
const ENOUGH: f64 = 1e-8;
/// What was thought of a parameter before: a normal distribution.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterPrior {
    pub mean: f64,
    pub deviation: f64,
}

impl ParameterPrior {
    /// Nothing.
    pub const NONE: ParameterPrior = ParameterPrior { mean: 0.0, deviation: f64::INFINITY };
}

/// The parameters under which the choices are likeliest, found from a start by Fisher's scoring.
/// `model` gives the player of some parameters, or `None` where there is none.
pub fn by_likelihood(
    turns: &[&Turn],
    start: &[f64],
    model: impl Fn(&[f64]) -> Option<Selector> + Sync,
) -> Result<PlayerFit, PlayerFitError> {
    let choose = |parameters: &[f64], turn: usize| {
        Some(model(parameters)?.distribution(&turns[turn].values))
    };
    let (ones, nothing) = (vec![1; start.len()], vec![0.0; turns.len()]);
    let shape = PlayerShape { coefficients: &ones, x: &nothing };
    of_each(turns, start, &vec![ParameterPrior::NONE; start.len()], shape, choose)
}

/// The same where every turn may have a player of his own: the parameters give his numbers, and `choose`
/// gives what he would do at the turn of this number.
pub fn of_each(
    turns: &[&Turn],
    start: &[f64],
    priors: &[ParameterPrior],
    shape: PlayerShape<'_>,
    choose: impl Fn(&[f64], usize) -> Option<Distribution> + Sync,
) -> Result<PlayerFit, PlayerFitError> {
    if turns.is_empty() {
        return Err(PlayerFitError::NoTurns);
    }
    let size = start.len();
    let gather = |parameters: &[f64]| gather(turns, parameters, priors, shape, &choose);
    let mut parameters = start.to_vec();
    let mut evidence = gather(&parameters).ok_or(PlayerFitError::Undetermined)?;
    for _ in 0..MOST_ROUNDS {
        let decomposed =
            Cholesky::new(&evidence.information, size).ok_or(PlayerFitError::Undetermined)?;
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
    let decomposed =
        Cholesky::new(&evidence.information, size).ok_or(PlayerFitError::Undetermined)?;
    let covariance = decomposed.inverse();
    let robust = sandwich(&covariance, &evidence.by_game, size);
    let ln_likelihood = evidence.ln_likelihood;
    Ok(PlayerFit { parameters, covariance, robust, ln_likelihood, turns: turns.len() })
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

/// What was predicted for the played move, better moves first.
pub(super) fn interval(distribution: &Distribution, turn: &Turn) -> (f64, f64) {
    let ranks = turn.ranks();
    let mut in_order = vec![0.0; ranks.len()];
    ranks.iter().enumerate().for_each(|(j, &rank)| in_order[rank] = distribution.probability(j));
    predicted_interval(&in_order, ranks[turn.chosen])
}

impl PlayerFit {
    /// The standard deviation of a parameter, from the information in the turns.
    pub fn deviation(&self, parameter: usize) -> f64 {
        let size = self.parameters.len();
        self.covariance[parameter * size + parameter].sqrt()
    }
}
