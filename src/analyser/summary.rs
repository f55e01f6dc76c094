//! The sums of a study for one subject. Several processes may share the games. Adding their
//! summaries in any order gives the same result to the last bit.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::Gains;
use super::curve::ReganSums;
use super::decision::Tally;
use super::figures::{AverageSums, Figures, GuidBratkoSums};
use super::rating::RatingSums;
use super::results::{RatingWithResults, ResultSums};
use super::scale::Rating;
use super::suspicion::ComparisonSums;
use crate::math::sums::{Additive as _, Count, Fine, FineCurve, additive};

/// The sums over the games of a subject.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlayerSummary {
    pub(super) games: Count,
    pub(super) tally: Tally,
    pub(super) known_ratings: KnownRatings,
    pub(super) averages: AverageSums,
    pub(super) guid_bratko: GuidBratkoSums,
    pub(super) gains: Gains,
    pub(super) played: Figures<Fine>,
    pub(super) rating: RatingSums,
    pub(super) results: ResultSums,
    pub(super) regan: ReganSums,
    pub(super) comparison: ComparisonSums,
    /// One entry for each depth of the plan, then one with noise.
    pub(super) competence: Vec<CompetenceSums>,
}

/// The sum of the player's ratings in the games. Each decision adds the rating in its game once.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownRatings {
    pub decisions: Count,
    pub elo: Count,
}

/// The evidence about competence, at each point of the scale.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CompetenceSums {
    /// The number of informative decisions.
    pub informative: Count,
    pub ln_likelihood: FineCurve<3>,
}

additive!(PlayerSummary: games, tally, known_ratings, averages, guid_bratko, gains, played, rating, results, regan, comparison, competence);
additive!(KnownRatings: decisions, elo);
additive!(CompetenceSums: informative, ln_likelihood);

impl PlayerSummary {
    /// The number of decisions that count, and the number left out for each reason.
    pub(crate) fn tally(&self) -> &Tally {
        &self.tally
    }

    /// Combines the rating from the moves with the results. `None` if there are no results.
    pub(crate) fn with_results(&self, rating: Option<&Rating>) -> Option<RatingWithResults> {
        self.results.combine(rating?)
    }

    /// The number of points of every curve whose length depends on the study's settings.
    pub(super) fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        let competence = self.competence.iter().map(|sums| sums.ln_likelihood.len());
        let rating = self.rating.lengths().into_iter().chain([self.results.len()]);
        rating.chain(self.regan.lengths()).chain(competence)
    }
}

impl AddAssign<&PlayerSummary> for PlayerSummary {
    fn add_assign(&mut self, other: &PlayerSummary) {
        self.add(other);
    }
}
