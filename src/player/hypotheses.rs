//! A set of hypothetical players along a scale, with which an observed player is compared: the
//! "Aeolian harp" of Haworth 2007, section 2.
//!
//! The scale is either c or a rating. Each point on it is a way of choosing moves. Given a move,
//! Bayes' rule updates the probability of each hypothesis. The imitator and all analyses use this
//! one implementation.

use super::engine::{Perception, all_ratings};
use super::rating_path::human_choice_curve;
use super::reading::reading_curve;
use super::{Elo, EloScale, Levels};
use crate::board::Game;
use crate::evaluation::RootEvaluation;
use crate::math::grid::{Posterior, evenly_spaced};
use crate::math::largest;
use crate::selector::{Competence, Curve, DepthWeights, Family, Selector, Values};
use crate::value::Depth;

/// If the log-likelihoods of all hypotheses differ by less than this, the move is uninformative.
const INFORMATIVE: f64 = 1e-6;

/// The decisions in a game are correlated, so the standard error of an estimate is this many times
/// as large as for independent decisions.
pub const DISPERSION: f64 = 1.15;
/// The standard deviation of the ratings that the model assigns to players with the same true
/// rating.
pub const BETWEEN_PLAYERS: f64 = 100.0;

/// The highest rating of a hypothesis, on the scale of its curve. Evaluations at the usual depth cannot tell stronger
/// players apart.
const HIGHEST: f64 = 2958.0;

/// Hypothetical players along a scale.
#[derive(Clone, Debug, PartialEq)]
pub struct Hypotheses {
    points: Vec<f64>,
    selectors: Vec<Selector>,
    /// Whether the points are exponents of a single curve, rather than ratings.
    is_of_competence: bool,
}

impl Hypotheses {
    /// One player for each competence, in ascending order. NaN is skipped.
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

    /// One player for each level of the family up to `HIGHEST`, about 40 Elo apart. The ratings are whole numbers,
    /// so a file can store them exactly.
    pub fn of_rating(family: Family, scale: EloScale, weights: &DepthWeights) -> Hypotheses {
        let levels = Levels::built_in();
        let range = levels.range(family, scale);
        let (first, last) =
            (*range.start(), range.end().min(EloScale::of(family).on(scale, HIGHEST)));
        let mut points = evenly_spaced(first, last, 1 + ((last - first) / 40.0) as usize);
        points.iter_mut().for_each(|elo| *elo = elo.round());
        let selector = |&elo: &f64| Selector {
            curve: reading_curve(&human_choice_curve(&levels.curve(family, Elo(elo), scale))),
            weights: weights.clone(),
        };
        let selectors = points.iter().map(selector).collect();
        Hypotheses { points, selectors, is_of_competence: false }
    }

    /// The ratings or competences of the players, in ascending order.
    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// How each player chooses, in the order of [`Hypotheses::points`].
    pub fn selectors(&self) -> &[Selector] {
        &self.selectors
    }

    /// Returns what these players perceive of a position.
    pub(crate) fn perceived_values(
        &self,
        game: &Game,
        evaluation: &RootEvaluation,
        depth: Depth,
    ) -> Values {
        match self.selectors.first() {
            None => Values::of(evaluation, depth),
            Some(first) => {
                let curve = first.curve;
                let own = [curve.scale()];
                let ratings = if self.is_of_competence { own.to_vec() } else { all_ratings() };
                Perception { depth, family: curve.family(), ratings: &ratings }
                    .values(game, evaluation)
            }
        }
    }

    /// The log-probability of the chosen move under each hypothesis.
    pub fn ln_likelihoods(&self, values: &Values, chosen: usize) -> Vec<f64> {
        let ln_probability_of = |s: &Selector| s.distribution(values).ln_probability(chosen);
        match self.selectors.first() {
            Some(any) if self.is_of_competence => any.ln_likelihoods(values, chosen, &self.points),
            _ => self.selectors.iter().map(ln_probability_of).collect(),
        }
    }

    /// Updates a belief with the likelihoods of a decision. Decisions in one game are correlated,
    /// so each counts for less than an independent one. Returns false if the decision was
    /// uninformative.
    pub fn learn(belief: &mut Posterior, ln_likelihoods: &[f64]) -> bool {
        if !Hypotheses::is_informative(ln_likelihoods) {
            return false;
        }
        let weight = 1.0 / (DISPERSION * DISPERSION);
        let tempered: Vec<f64> = ln_likelihoods.iter().map(|l| l * weight).collect();
        belief.update(&tempered)
    }

    /// Returns whether an observation distinguishes between hypotheses. A forced move or a choice
    /// among equal moves does not.
    pub fn is_informative(ln_likelihoods: &[f64]) -> bool {
        let low = ln_likelihoods.iter().copied().fold(f64::INFINITY, f64::min);
        let high = largest(ln_likelihoods);
        high - low > INFORMATIVE
    }

    /// A normal distribution around a point on the scale.
    pub fn believe(&self, mean: f64, deviation: f64) -> Posterior {
        Posterior::normal(self.points.clone(), mean, deviation.max(1e-3))
            .expect("the points ascend, and one is nearest to the mean")
    }

    /// A belief based on a stated rating. Its error follows a mixture: each pair is a share of all
    /// cases and the standard deviation of the error in those cases. In the remaining cases, the
    /// stated rating carries no information.
    pub(crate) fn belief_from_stated_rating(
        &self,
        rating: f64,
        errors: &[(f64, f64)],
    ) -> Posterior {
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
