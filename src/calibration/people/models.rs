//! Models of how people choose, each a smooth function of their rating.
//!
//! `x` is the rating's distance from 2000 in steps of 500; a line is its level and its slope.

use super::RatedDecision;
use crate::analyser::{ParameterPrior, PlayerShape};
use crate::math::exact::exp;
use crate::policy::Pool;
use crate::selector::human::{Human, MIDDLE, UNIT};
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
    /// The curve `human` of a pool with the numbers that are built in: no parameter, for
    /// `tuning/policy` fits them.
    Human(Pool),
}

impl CurveModel {
    /// All models for a pool.
    pub fn all(pool: Pool) -> [CurveModel; 6] {
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

    /// Where a fit begins.
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
            _ => vec![ParameterPrior::NONE; self.start(depth).len()],
        }
    }

    /// How many coefficients each number has: those of a line in the rating.
    pub fn coefficients(self, depth: Depth) -> Vec<usize> {
        match self {
            CurveModel::Uniform | CurveModel::Human(_) => Vec::new(),
            CurveModel::Haworth => vec![2],
            CurveModel::Levelled | CurveModel::Regan => vec![2; 2],
            CurveModel::ReganByDepth => vec![2; 1 + usize::from(depth)],
        }
    }

    /// A rating as the lines take it.
    pub fn x(rating: f64) -> f64 {
        (rating - MIDDLE) / UNIT
    }

    /// How somebody with such numbers chooses.
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

    /// The same by the parameters, at his rating.
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
    }
}
