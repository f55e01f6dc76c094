//! Maximum-likelihood fits of player models (Regan 2011, section 6), with standard errors.
//!
//! For any parameters, the decisions give the log-likelihood, its gradient and the Fisher
//! information. The fit maximises the likelihood by Fisher scoring: each step is the solution of a
//! linear system, with the information as the matrix and the gradient as the right-hand side. The
//! step is halved until the likelihood improves.
//!
//! The engine's tests include this file too, and compare its fits with those of the engine.

use stopdown::analyser::StudiedMove;
use stopdown::math::cholesky::Cholesky;
use stopdown::selector::{Distribution, Selector};
use stopdown::threads::{cores, share_out};

/// A fitted player.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PlayerFit {
    /// The parameters in the model's order.
    pub parameters: Vec<f64>,
    /// The covariance of the parameters from the Fisher information, in row-major order.
    pub covariance: Vec<f64>,
    /// The covariance again, allowing for correlated decisions within a game: the "sandwich"
    /// estimator, clustered by game.
    pub robust: Vec<f64>,
    pub ln_likelihood: f64,
}

/// Why the fit failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlayerFitError {
    #[error("there are no moves to fit")]
    NoTurns,
    #[error("the moves do not determine the parameters; there are too few, or all are alike")]
    Undetermined,
}

const MAX_ITERATIONS: usize = 60;
/// The fit stops when a step promises a smaller gain than this.
const MIN_GAIN: f64 = 1e-8;
/// The step for numerical derivatives. Parameters are of the order of one.
const STEP: f64 = 1e-3;
/// The number of decisions in one unit of work. Units are added in order, so results do not depend
/// on the number of threads.
const UNIT_OF_WORK: usize = 512;

/// The normal prior of a parameter.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ParameterPrior {
    pub mean: f64,
    pub deviation: f64,
}

impl ParameterPrior {
    /// No prior.
    pub const NONE: ParameterPrior = ParameterPrior { mean: 0.0, deviation: f64::INFINITY };
}

/// Fits the parameters with the highest likelihood by Fisher scoring. `model` returns the player
/// with the given parameters, or `None` if they are invalid.
pub fn by_likelihood(
    turns: &[&StudiedMove],
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

/// Like `by_likelihood`, but with a separate player for each decision. The parameters determine
/// that player's traits (such as s and c), and `choose` returns the player's move distribution for
/// the decision with this index.
pub fn of_each(
    turns: &[&StudiedMove],
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
    for _ in 0..MAX_ITERATIONS {
        let decomposed =
            Cholesky::new(&evidence.information, size).ok_or(PlayerFitError::Undetermined)?;
        let step = decomposed.solve(&evidence.slope);
        let expected_gain: f64 = step.iter().zip(&evidence.slope).map(|(a, b)| a * b).sum();
        if expected_gain < MIN_GAIN {
            break;
        }
        let Some((moved, better)) = take_step(&parameters, &step, &evidence, gather) else {
            break;
        };
        (parameters, evidence) = (moved, better);
    }
    let decomposed =
        Cholesky::new(&evidence.information, size).ok_or(PlayerFitError::Undetermined)?;
    let covariance = decomposed.inverse();
    let robust = sandwich(&covariance, &evidence.by_game, size);
    let ln_likelihood = evidence.ln_likelihood;
    Ok(PlayerFit { parameters, covariance, robust, ln_likelihood })
}

/// Tries the full step, then halves it until the likelihood improves.
fn take_step(
    from: &[f64],
    step: &[f64],
    evidence: &Evidence,
    gather: impl Fn(&[f64]) -> Option<Evidence>,
) -> Option<(Vec<f64>, Evidence)> {
    let mut fraction = 1.0;
    for _ in 0..30 {
        let moved: Vec<f64> = from.iter().zip(step).map(|(x, s)| x + fraction * s).collect();
        let found = gather(&moved);
        if let Some(found) = found.filter(|f| f.ln_likelihood > evidence.ln_likelihood) {
            return Some((moved, found));
        }
        fraction /= 2.0;
    }
    None
}

/// `C (Σ g gᵀ) C`, where g are the gradients of the games.
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

impl PlayerFit {
    /// The standard deviation of a parameter, from the Fisher information.
    pub fn deviation(&self, parameter: usize) -> f64 {
        let size = self.parameters.len();
        self.covariance[parameter * size + parameter].sqrt()
    }
}

/// What the decisions tell us about the parameters.
struct Evidence {
    ln_likelihood: f64,
    slope: Vec<f64>,
    information: Vec<f64>,
    /// The gradient of each game, in order.
    by_game: Vec<(usize, Vec<f64>)>,
}

/// How the parameters determine a player's traits (such as s and c). Each trait is a polynomial in a
/// known property of the decision, such as the player's rating. The parameters are the
/// coefficients.
#[derive(Clone, Copy, Debug)]
pub struct PlayerShape<'a> {
    /// The number of coefficients of each polynomial.
    pub coefficients: &'a [usize],
    /// The known property of each decision.
    pub x: &'a [f64],
}

impl PlayerShape<'_> {
    /// The player's traits at a decision.
    pub fn numbers(&self, parameters: &[f64], turn: usize) -> Vec<f64> {
        let mut rest = parameters;
        let mut number = |&count: &usize| {
            let (own, others) = rest.split_at(count);
            rest = others;
            own.iter().rev().fold(0.0, |sum, coefficient| sum * self.x[turn] + coefficient)
        };
        self.coefficients.iter().map(&mut number).collect()
    }

    /// For each parameter, the index of the number it belongs to, and the derivative of that
    /// number.
    fn parts(&self, turn: usize) -> Vec<(usize, f64)> {
        let of = |(number, &count): (usize, &usize)| {
            (0..count as i32).map(move |power| (number, self.x[turn].powi(power)))
        };
        self.coefficients.iter().enumerate().flat_map(of).collect()
    }
}

/// Computes the log-posterior, its gradient and the expected information. `choose` returns the move
/// distribution of a player with these numbers at a decision.
fn gather(
    turns: &[&StudiedMove],
    parameters: &[f64],
    priors: &[ParameterPrior],
    shape: PlayerShape<'_>,
    choose: &(impl Fn(&[f64], usize) -> Option<Distribution> + Sync),
) -> Option<Evidence> {
    let size = parameters.len();
    let measure_unit = |number: usize| {
        let first = number * UNIT_OF_WORK;
        let mut evidence = Evidence::none(size);
        for (turn, &decision) in turns.iter().enumerate().skip(first).take(UNIT_OF_WORK) {
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
    let units = share_out(turns.len().div_ceil(UNIT_OF_WORK), cores(), measure_unit);
    let mut evidence = Evidence::none(size);
    for part in units {
        evidence.merge(part?);
    }
    for (index, prior) in priors.iter().enumerate() {
        let deviation_from_mean = (parameters[index] - prior.mean) / prior.deviation;
        evidence.ln_likelihood -= deviation_from_mean * deviation_from_mean / 2.0;
        evidence.slope[index] -= deviation_from_mean / prior.deviation;
        evidence.information[index * size + index] += 1.0 / (prior.deviation * prior.deviation);
    }
    evidence.ln_likelihood.is_finite().then_some(evidence)
}

/// The derivatives of all log-probabilities. Impossible moves contribute zero.
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

    /// Adds a decision, with the derivatives of the log-probabilities of its moves with respect to each number.
    fn add(
        &mut self,
        turn: &StudiedMove,
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

    fn merge(&mut self, other: Evidence) {
        self.ln_likelihood += other.ln_likelihood;
        let add = |sums: &mut Vec<f64>, more: Vec<f64>| {
            sums.iter_mut().zip(more).for_each(|(sum, more)| *sum += more);
        };
        add(&mut self.slope, other.slope);
        add(&mut self.information, other.information);
        other.by_game.iter().for_each(|(game, slope)| self.add_game(*game, slope));
    }
}
