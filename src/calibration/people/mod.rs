//! What games of people whose ratings are known say of the curves.
//!
//! A sample of their decisions is valued once; every model of how people choose is fitted to it as a
//! smooth function of their rating (fitted rating by rating, even thousands of moves would leave 50
//! Elo), and judged on games that its numbers were not fitted to: the games are split in two, and
//! each half is judged by the fit to the other.

mod cast;
mod coverage;
mod following;
mod models;
mod sample;
mod verdict;

use self::sample::levels;
use crate::analyser::{PlayerFit, PlayerFitError, PlayerShape, Turn, by_likelihood, of_each};
use crate::selector::Distribution;
use crate::value::Depth;

pub use cast::{Cast, Chosen};
pub use coverage::{Coverage, CoverageRow, RatedPlayer};
pub use following::{Following, Told};
pub use models::CurveModel;
pub use sample::{RatedDecision, is_wanted, known, sides};
pub use verdict::{Bin, Judged, Misses, OfPool, ProjectionVerdict, judge};

/// A model with its parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Fitted {
    pub model: CurveModel,
    pub depth: Depth,
    /// From all games.
    pub whole: PlayerFit,
    /// From the games of either half.
    halves: [Vec<f64>; 2],
}

impl Fitted {
    /// How somebody is expected to choose by those games that this one is not among. Lines may lead to
    /// numbers that nobody has, beyond the ratings of their games: there all moves are alike.
    pub fn unseen(&self, known: &RatedDecision) -> Distribution {
        let parameters = &self.halves[1 - known.half()];
        let found = self.model.distribution(parameters, known, self.depth);
        let alike = || CurveModel::Uniform.distribution(&[], known, self.depth);
        found.or_else(alike).unwrap_or_default()
    }
}

/// Fits a model to all and to either half. `told` is called before each fit.
pub fn fit_model(
    model: CurveModel,
    sample: &[&RatedDecision],
    depth: Depth,
    mut told: impl FnMut(&str),
) -> Result<Fitted, PlayerFitError> {
    let mut fit = |of: &str, start: &[f64], some: &[&RatedDecision]| {
        told(of);
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
    Ok(Fitted { model, depth, whole, halves })
}

/// A model with so many numbers as the weights of all depths is fitted to every fourth game: it would
/// take too long, and those tell enough.
fn one(
    model: CurveModel,
    start: &[f64],
    some: &[&RatedDecision],
    depth: Depth,
) -> Result<PlayerFit, PlayerFitError> {
    if start.is_empty() {
        return Ok(PlayerFit { turns: some.len(), ..PlayerFit::default() });
    }
    let counts =
        |known: &&RatedDecision| model != CurveModel::ReganByDepth || known.game >> 40 & 3 == 0;
    let some: Vec<&RatedDecision> = some.iter().copied().filter(counts).collect();
    let turns: Vec<&Turn> = some.iter().map(|known| &known.turn).collect();
    let x: Vec<f64> = some.iter().map(|known| CurveModel::x(known.rating)).collect();
    let shape = PlayerShape { coefficients: &model.coefficients(depth), x: &x };
    let choose = |numbers: &[f64], turn: usize| model.by_numbers(numbers, some[turn]);
    of_each(&turns, start, &model.priors(depth), shape, choose)
}

/// A curve fitted to one level alone, to be seen beside the smooth fit.
#[derive(Clone, Debug, PartialEq, serde::Deserialize, serde::Serialize)]
pub struct OfLevel {
    pub level: i64,
    pub turns: usize,
    /// The exponent and the scale, each with its standard deviation.
    pub exponent: (f64, f64),
    pub scale: (f64, f64),
}

/// Regan's two numbers level by level, as the paper has them.
pub fn fit_levels(sample: &[&RatedDecision], least: usize) -> Vec<OfLevel> {
    let of = |level: i64| {
        let turns: Vec<&Turn> =
            sample.iter().filter(|k| k.level() == level).map(|k| &k.turn).collect();
        if turns.len() < least {
            return None;
        }
        let model = |numbers: &[f64]| CurveModel::Regan.selector(numbers);
        let fit = by_likelihood(&turns, &[-2.0, 0.46], model).ok()?;
        let scale = crate::math::exact::exp(fit.parameters[0]);
        Some(OfLevel {
            level,
            turns: turns.len(),
            exponent: (fit.parameters[1], fit.robust[3].sqrt()),
            scale: (scale, scale * fit.robust[0].sqrt()),
        })
    };
    levels(sample).into_iter().filter_map(of).collect()
}
