//! A scale of players that an observed one is compared with: the "Aeolian harp" of Haworth 2007,
//! section 2, held into the wind of evidence.
//!
//! The scale may be c itself or a rating; each point of it is a way of choosing moves. The imitator
//! and every analysis infer through this one path.

use super::engine::{all_ratings, seen};
use super::path::as_they_choose;
use super::{Elo, EloScale, Levels};
use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::math::grid::{Posterior, evenly_spaced};
use crate::math::largest;
use crate::selector::{Competence, Curve, DepthWeights, Family, Selector, Values};
use crate::value::Depth;

/// Likelihoods that differ by less than this over the whole scale tell nothing.
const INFORMATIVE: f64 = 1e-6;

/// Decisions of one game are alike: errors are so many times as long as their number explains.
pub const DISPERSION: f64 = 1.15;
/// Players of one rating differ in what their moves show, by so much of a standard deviation.
pub const BETWEEN_PLAYERS: f64 = 100.0;

/// Players along a scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypotheses {
    points: Vec<f64>,
    selectors: Vec<Selector>,
    /// The points are exponents of one curve.
    is_of_competence: bool,
}

impl Hypotheses {
    /// One player for each competence, in rising order; what is not a number is left out.
    pub fn of_competence(curve: Curve, weights: &DepthWeights, points: &[f64]) -> Hypotheses {
        let (points, selectors) = points
            .iter()
            .filter_map(|&c| Some((c, Competence::new(c).ok()?)))
            .map(|(c, competence)| {
                let curve = curve.with_competence(competence);
                (c, Selector { curve, weights: weights.clone() })
            })
            .unzip();
        Hypotheses { points, selectors, is_of_competence: true }
    }

    /// One player for each level of the family, about 40 Elo apart: whole numbers, which a file
    /// gives back as they were.
    pub fn of_rating(family: Family, scale: EloScale, weights: &DepthWeights) -> Hypotheses {
        let levels = Levels::built_in();
        let range = levels.range(family, scale);
        let (first, last) = (*range.start(), *range.end());
        let mut points = evenly_spaced(first, last, 1 + ((last - first) / 40.0) as usize);
        points.iter_mut().for_each(|elo| *elo = elo.round());
        let selector = |&elo: &f64| Selector {
            curve: as_they_choose(&levels.curve(family, Elo(elo), scale)),
            weights: weights.clone(),
        };
        let selectors = points.iter().map(selector).collect();
        Hypotheses { points, selectors, is_of_competence: false }
    }

    pub fn points(&self) -> &[f64] {
        &self.points
    }

    pub fn selectors(&self) -> &[Selector] {
        &self.selectors
    }

    /// What all of these players see of a position.
    pub fn seen(&self, game: &Game, evaluation: &RootEvaluation, depth: Depth) -> Values {
        match self.selectors.first() {
            None => Values::of(evaluation, depth),
            Some(first) => {
                let curve = first.curve;
                let own = [curve.scale()];
                let ratings = if self.is_of_competence { own.to_vec() } else { all_ratings() };
                seen(game, evaluation, depth, curve.family(), &ratings)
            }
        }
    }

    /// `ln q(move)` under each hypothesis.
    pub fn ln_likelihoods(&self, values: &Values, chosen: usize) -> Vec<f64> {
        let one_by_one = |s: &Selector| s.distribution(values).ln_probability(chosen);
        match self.selectors.first() {
            Some(any) if self.is_of_competence => any.ln_likelihoods(values, chosen, &self.points),
            _ => self.selectors.iter().map(one_by_one).collect(),
        }
    }

    /// Takes a decision with these likelihoods into a belief, for as much as it is worth beside others of
    /// its game. Says whether it told anything.
    pub fn learn(belief: &mut Posterior, ln_likelihoods: &[f64]) -> bool {
        if !Hypotheses::is_informative(ln_likelihoods) {
            return false;
        }
        let worth = 1.0 / (DISPERSION * DISPERSION);
        let tempered: Vec<f64> = ln_likelihoods.iter().map(|l| l * worth).collect();
        belief.update(&tempered)
    }

    /// Does an observation with these likelihoods tell any hypothesis from another? A forced move
    /// does not, nor does a choice among equals.
    pub fn is_informative(ln_likelihoods: &[f64]) -> bool {
        let low = ln_likelihoods.iter().copied().fold(f64::INFINITY, f64::min);
        let high = largest(ln_likelihoods);
        high - low > INFORMATIVE
    }

    /// A belief around a point of the scale.
    pub fn believe(&self, mean: f64, deviation: f64) -> Posterior {
        Posterior::normal(self.points.clone(), mean, deviation.max(1e-3))
            .expect("the points rise and one is nearest to the mean")
    }

    /// A belief around a rating that was told. Each share of such ratings has errors of this deviation; the
    /// rest of them are made up.
    pub fn believe_told(&self, rating: f64, errors: &[(f64, f64)]) -> Posterior {
        let made_up = 1.0 - errors.iter().map(|(share, _)| share).sum::<f64>();
        let mut weights = vec![made_up / self.points.len() as f64; self.points.len()];
        for &(share, deviation) in errors {
            let near = self.believe(rating, deviation);
            for (weight, near) in weights.iter_mut().zip(near.weights()) {
                *weight += share * near;
            }
        }
        Posterior::new(self.points.clone(), &weights).expect("the same points")
    }
}
