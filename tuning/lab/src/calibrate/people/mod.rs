//! Fits the curves to games of players with known ratings.
//!
//! The decisions in a sample are evaluated once. Every model of human choice is fitted to them as a
//! smooth function of the rating. Separate fits for each rating would have errors of 50 Elo even
//! with thousands of moves. Models are tested by cross-validation: the games are split into two
//! halves, and each half is predicted with the fit to the other.
//!
//! In a model, `x` is the rating minus 2000, divided by 500. A number that is linear in the rating
//! has two coefficients: its value at `x = 0`, and its slope.

mod coverage;
mod fit;
mod imitator;
mod sample;
mod verdict;

use self::fit::{ParameterPrior, PlayerFit, PlayerFitError, PlayerShape, by_likelihood, of_each};
use self::sample::levels;
use stopdown::analyser::StudiedMove;
use stopdown::math::exact::exp;
use stopdown::policy::GameKind;
use stopdown::selector::human::{Human, MIDDLE, UNIT};
use stopdown::selector::{Competence, Curve, DepthWeights, Distribution, Family, Selector};
use stopdown::value::Depth;

pub use coverage::{Coverage, CoverageRow, RatedPlayer};
pub use imitator::{ImitatorResults, StatedRating};
pub use sample::{
    GameSelector, RatedDecision, SelectedGames, is_wanted, known, sides, sort_by_game,
};
pub use verdict::{Bin, GroupPrediction, MeanErrors, PoolResults, TestedModel, test_model};

/// A model of human choice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveModel {
    /// All moves are equally likely. No parameters.
    Uniform,
    /// `ln c` is linear in the rating, with κ = 1.
    Haworth,
    /// `ln c` and `ln κ` are linear in the rating.
    Levelled,
    /// `ln s` and c are linear in the rating (Regan 2011, section 7).
    Regan,
    /// Regan's model with depth weights. The logarithms of the ratios between the weights and the
    /// weight of the greatest depth are linear in the rating (section 8).
    ReganByDepth,
    /// The built-in curve `human` of a pool. No parameters, since `tuning/policy` fits them.
    Human(GameKind),
}

impl CurveModel {
    /// All models for a pool.
    pub fn all(pool: GameKind) -> [CurveModel; 6] {
        [
            CurveModel::Uniform,
            CurveModel::Haworth,
            CurveModel::Levelled,
            CurveModel::Regan,
            CurveModel::ReganByDepth,
            CurveModel::Human(pool),
        ]
    }

    pub fn name(self) -> &'static str {
        match self {
            CurveModel::Uniform => "uniform",
            CurveModel::Haworth => "Haworth",
            CurveModel::Levelled => "Levelled",
            CurveModel::Regan => "Regan",
            CurveModel::ReganByDepth => "Regan with depth weights",
            CurveModel::Human(_) => "Human",
        }
    }

    /// The starting point of a fit.
    pub fn start(self, depth: Depth) -> Vec<f64> {
        match self {
            CurveModel::Uniform | CurveModel::Human(_) => Vec::new(),
            CurveModel::Haworth => vec![1.8, 0.2],
            CurveModel::Levelled => vec![1.0, 0.2, -1.0, 0.0],
            CurveModel::Regan => vec![-2.0, -0.3, 0.46, 0.03],
            CurveModel::ReganByDepth => {
                [vec![-2.0, -0.3, 0.46, 0.03], [-1.0, -0.2].repeat(usize::from(depth) - 1)].concat()
            }
        }
    }

    /// The priors of the parameters. Models with few parameters have none. Otherwise the priors
    /// favour plausible magnitudes and slow changes with the rating. They do not depend on any
    /// fit, so that the same games always give the same numbers.
    pub fn priors(self, depth: Depth) -> Vec<ParameterPrior> {
        match self {
            CurveModel::ReganByDepth => {
                let weights = [
                    ParameterPrior { mean: -1.0, deviation: 2.0 },
                    ParameterPrior { mean: 0.0, deviation: 0.5 },
                ];
                let of = |index: usize| {
                    if index < 4 { ParameterPrior::NONE } else { weights[index % 2] }
                };
                (0..self.start(depth).len()).map(of).collect()
            }
            _ => vec![ParameterPrior::NONE; self.start(depth).len()],
        }
    }

    /// For each of the player's traits, the number of coefficients of its line over the rating.
    pub fn coefficients(self, depth: Depth) -> Vec<usize> {
        vec![2; self.start(depth).len() / 2]
    }

    /// Converts a rating to the `x` of the lines.
    pub fn x(rating: f64) -> f64 {
        (rating - MIDDLE) / UNIT
    }

    /// The choice probabilities of a player with these numbers.
    pub fn by_numbers(self, numbers: &[f64], known: &RatedDecision) -> Option<Distribution> {
        let values = &known.turn.values;
        match self {
            CurveModel::Uniform => Some(Distribution::from_ln(vec![0.0; values.moves()])),
            CurveModel::Human(pool) => {
                Some(Human::built_in().distribution(values, pool, known.rating))
            }
            _ => Some(self.selector(numbers)?.distribution(values)),
        }
    }

    /// The choice probabilities at the player's rating, given the parameters.
    pub fn distribution(
        self,
        parameters: &[f64],
        known: &RatedDecision,
        depth: Depth,
    ) -> Option<Distribution> {
        let (coefficients, x) = (self.coefficients(depth), [CurveModel::x(known.rating)]);
        let numbers = PlayerShape { coefficients: &coefficients, x: &x }.numbers(parameters, 0);
        self.by_numbers(&numbers, known)
    }

    /// The player with these numbers. Returns `None` if the numbers are invalid, or if the model
    /// is not a selector.
    pub fn selector(self, numbers: &[f64]) -> Option<Selector> {
        let (family, exponent, scale) = match (self, numbers) {
            (CurveModel::Haworth, [c]) => (Family::HAWORTH, exp(*c), 1.0),
            (CurveModel::Levelled, [c, kappa]) => (Family::LEVELLED, exp(*c), exp(*kappa)),
            (CurveModel::Regan | CurveModel::ReganByDepth, [s, c, ..]) => {
                (Family::REGAN, *c, exp(*s))
            }
            _ => return None,
        };
        let is_sound = exponent > 0.0 && exponent.is_finite();
        let exponent = Competence::new(exponent).ok().filter(|_| is_sound)?;
        let curve = Curve::new(family, exponent, scale).ok()?;
        let weights = match self {
            CurveModel::ReganByDepth => {
                let shallow = numbers[2..].iter().map(|&logarithm| exp(logarithm));
                DepthWeights::new(&shallow.chain([1.0]).collect::<Vec<f64>>()).ok()?
            }
            _ => DepthWeights::deepest(),
        };
        Some(Selector { curve, weights })
    }
}

/// A model with its fitted parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct FittedModel {
    pub model: CurveModel,
    pub depth: Depth,
    /// The fit to all games.
    pub whole: PlayerFit,
    /// The fits to the two halves.
    halves: [Vec<f64>; 2],
}

impl FittedModel {
    /// Predicts a choice with the fit to the half that does not contain this game. Outside the
    /// ratings in its games, that fit may give invalid numbers. All moves are then equally likely.
    pub fn predict_held_out(&self, known: &RatedDecision) -> Distribution {
        let parameters = &self.halves[1 - known.half()];
        let found = self.model.distribution(parameters, known, self.depth);
        let uniform = || CurveModel::Uniform.distribution(&[], known, self.depth);
        found.or_else(uniform).unwrap_or_default()
    }
}

/// Fits a model to the whole sample and to each half. Calls `announce` before each fit.
pub fn fit_model(
    model: CurveModel,
    sample: &[&RatedDecision],
    depth: Depth,
    mut announce: impl FnMut(&str),
) -> Result<FittedModel, PlayerFitError> {
    let mut fit = |of: &str, start: &[f64], some: &[&RatedDecision]| {
        announce(of);
        one(model, start, some, depth)
    };
    let start = model.start(depth);
    let whole = fit("all games", &start, sample)?;
    let mut half = |number: usize, name: &str| {
        let some: Vec<&RatedDecision> =
            sample.iter().copied().filter(|k| k.half() == number).collect();
        Ok(fit(name, &whole.parameters, &some)?.parameters)
    };
    let halves = [half(0, "one half")?, half(1, "the other half")?];
    Ok(FittedModel { model, depth, whole, halves })
}

/// Fits the model to one set of games. A model with weights for every depth uses only every fourth
/// game, which is sufficient and saves time.
fn one(
    model: CurveModel,
    start: &[f64],
    some: &[&RatedDecision],
    depth: Depth,
) -> Result<PlayerFit, PlayerFitError> {
    if start.is_empty() {
        return Ok(PlayerFit::default());
    }
    let counts =
        |known: &&RatedDecision| model != CurveModel::ReganByDepth || known.game >> 40 & 3 == 0;
    let some: Vec<&RatedDecision> = some.iter().copied().filter(counts).collect();
    let turns: Vec<&StudiedMove> = some.iter().map(|known| &known.turn).collect();
    let x: Vec<f64> = some.iter().map(|known| CurveModel::x(known.rating)).collect();
    let shape = PlayerShape { coefficients: &model.coefficients(depth), x: &x };
    let choose = |numbers: &[f64], turn: usize| model.by_numbers(numbers, some[turn]);
    of_each(&turns, start, &model.priors(depth), shape, choose)
}

/// A curve fitted to a single level, for comparison with the smooth fit.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct LevelFit {
    pub level: i64,
    pub turns: usize,
    /// The exponent and the scale, each with its standard deviation.
    pub exponent: (f64, f64),
    pub scale: (f64, f64),
}

/// Regan's two numbers fitted level by level, as in the paper.
pub fn fit_levels(sample: &[&RatedDecision], least: usize) -> Vec<LevelFit> {
    let of = |level: i64| {
        let turns: Vec<&StudiedMove> =
            sample.iter().filter(|k| k.level() == level).map(|k| &k.turn).collect();
        if turns.len() < least {
            return None;
        }
        let model = |numbers: &[f64]| CurveModel::Regan.selector(numbers);
        let fit = by_likelihood(&turns, &[-2.0, 0.46], model).ok()?;
        let scale = exp(fit.parameters[0]);
        Some(LevelFit {
            level,
            turns: turns.len(),
            exponent: (fit.parameters[1], fit.robust[3].sqrt()),
            scale: (scale, scale * fit.robust[0].sqrt()),
        })
    };
    levels(sample).into_iter().filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_starts_from_a_valid_player_with_a_prior_for_each_parameter() {
        for model in CurveModel::all(GameKind::Blitz) {
            let start = model.start(12);
            assert_eq!(start.len(), model.priors(12).len(), "{model:?}");
            assert_eq!(start.len() % 2, 0, "{model:?}");
        }
    }
}
