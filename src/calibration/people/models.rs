//! Models of how people choose, each a smooth function of their rating.
//!
//! `x` is the rating's distance from 2000 in steps of 500; a line is its level and its slope, a parabola
//! its bend besides.

use super::RatedDecision;
use crate::analyser::{ParameterPrior, PlayerShape};
use crate::math::exact::{exp, ln};
use crate::policy::Pool;
use crate::selector::human::{HIGHEST, Human, LOWEST, MIDDLE, NUMBERS, Parabolas, UNIT};
use crate::selector::{Competence, Curve, DepthWeights, Distribution, Family, Selector};
use crate::value::Depth;

/// A model that is fitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CurveModel {
    /// All moves alike: no parameter.
    Uniform,
    /// `ln c` on a line, κ = 1.
    Haworth,
    /// `ln c` and `ln κ` on lines.
    Levelled,
    /// `ln s` and c on lines (Regan 2011, section 7).
    Regan,
    /// The same with depth weights, whose logarithms against that of the deepest are on lines (section 8).
    ReganByDepth,
    /// The curve `human` of a pool: seven parabolas.
    Human(Pool),
    /// The same with the numbers that are built in, which are played by: no parameter.
    BuiltIn(Pool),
}

/// Of what order the seven numbers of `human` are: a, c1, k1, c4, k4, cp and kp.
const ORDERS: [f64; NUMBERS] = [0.7, 0.5, 0.5, 1.0, 0.3, 2.0, 0.5];

impl CurveModel {
    /// All models for a pool.
    pub fn all(pool: Pool) -> [CurveModel; 7] {
        [
            CurveModel::Uniform,
            CurveModel::Haworth,
            CurveModel::Levelled,
            CurveModel::Regan,
            CurveModel::ReganByDepth,
            CurveModel::Human(pool),
            CurveModel::BuiltIn(pool),
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
            CurveModel::BuiltIn(_) => "Human as built in",
        }
    }

    /// Where a fit begins.
    pub fn start(self, depth: Depth) -> Vec<f64> {
        match self {
            CurveModel::Uniform | CurveModel::BuiltIn(_) => Vec::new(),
            CurveModel::Haworth => vec![1.8, 0.2],
            CurveModel::Levelled => vec![1.0, 0.2, -1.0, 0.0],
            CurveModel::Regan => vec![-2.0, -0.3, 0.46, 0.03],
            CurveModel::ReganByDepth => {
                [vec![-2.0, -0.3, 0.46, 0.03], [-1.0, -0.2].repeat(usize::from(depth) - 1)].concat()
            }
            CurveModel::Human(pool) => {
                Human::built_in().fit(pool, usize::from(depth)).coefficients().concat()
            }
        }
    }

    /// What is thought of the parameters before: nothing, where there are few of them; else that they are
    /// of an order that makes sense and change slowly with the rating. It hangs on nothing that was
    /// fitted, so that the same games give the same numbers however often they are asked.
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
            CurveModel::Human(_) => {
                let of = |order: &f64| {
                    [(ln(*order), 1.0), (0.0, 0.5), (0.0, 0.1)]
                        .map(|(mean, deviation)| ParameterPrior { mean, deviation })
                };
                ORDERS.iter().flat_map(of).collect()
            }
            _ => vec![ParameterPrior::NONE; self.start(depth).len()],
        }
    }

    /// How many coefficients each number has: those of a line or a parabola in the rating.
    pub fn coefficients(self, depth: Depth) -> Vec<usize> {
        match self {
            CurveModel::Uniform | CurveModel::BuiltIn(_) => Vec::new(),
            CurveModel::Haworth => vec![2],
            CurveModel::Levelled | CurveModel::Regan => vec![2; 2],
            CurveModel::ReganByDepth => vec![2; 1 + usize::from(depth)],
            CurveModel::Human(_) => vec![3; NUMBERS],
        }
    }

    /// A rating as the lines take it. Those of `human` end where hardly anybody is.
    pub fn x(self, rating: f64) -> f64 {
        let is_human = matches!(self, CurveModel::Human(_));
        let rating = if is_human { rating.clamp(LOWEST, HIGHEST) } else { rating };
        (rating - MIDDLE) / UNIT
    }

    /// How somebody with such numbers chooses.
    pub fn by_numbers(
        self,
        numbers: &[f64],
        known: &RatedDecision,
        depth: Depth,
    ) -> Option<Distribution> {
        let values = &known.turn.values;
        match self {
            CurveModel::Uniform => Some(Distribution::from_ln(vec![0.0; values.moves()])),
            CurveModel::BuiltIn(pool) => {
                Some(Human::built_in().distribution(values, pool, known.rating))
            }
            CurveModel::Human(pool) => {
                let constant: Vec<f64> =
                    numbers.iter().flat_map(|&level| [level, 0.0, 0.0]).collect();
                Some(human(&constant, pool, depth)?.distribution(values, pool, known.rating))
            }
            _ => Some(self.selector(numbers)?.distribution(values)),
        }
    }

    /// The same by the parameters, at his rating.
    pub fn distribution(
        self,
        parameters: &[f64],
        known: &RatedDecision,
        depth: Depth,
    ) -> Option<Distribution> {
        let (coefficients, x) = (self.coefficients(depth), [self.x(known.rating)]);
        let numbers = PlayerShape { coefficients: &coefficients, x: &x }.numbers(parameters, 0);
        self.by_numbers(&numbers, known, depth)
    }

    /// The player with such numbers; `None` where there is none, and for those that are no selector.
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

/// The curve `human` with the numbers of one pool as parameters. How long people play by what they know
/// of the opening is not fitted here.
pub fn human(parameters: &[f64], pool: Pool, depth: Depth) -> Option<Human> {
    let fit = Parabolas::new(depth, parameters.as_chunks::<3>().0.try_into().ok()?);
    let none = Vec::new;
    let mut human = Human {
        opening: Human::built_in().opening,
        played: Human::built_in().played,
        board: none(),
        classical: none(),
        rapid: none(),
        blitz: none(),
        bullet: none(),
    };
    *human.fits_mut(pool) = vec![fit];
    Some(human)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_model_begins_with_a_player_and_as_many_priors_as_parameters() {
        for model in CurveModel::all(Pool::Blitz) {
            let start = model.start(12);
            assert_eq!(start.len(), model.priors(12).len(), "{model:?}");
            assert_eq!(start.len(), model.coefficients(12).iter().sum::<usize>(), "{model:?}");
        }
        let start = CurveModel::Human(Pool::Blitz).start(12);
        let human = human(&start, Pool::Blitz, 12).expect("all numbers are there");
        assert_eq!(human.blitz, Human::built_in().blitz[..1]);
    }
}
