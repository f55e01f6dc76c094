//! Everything that a study knows of one player, or of another subject, as named sums. Any number of
//! processes may have read the games: in whatever order their summaries are added, the result is the same
//! to the last bit.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use super::Gains;
use super::curve::ReganSums;
use super::figures::{AverageSums, Figures, GuidBratkoSums};
use super::rating::RatingSums;
use super::suspicion::ComparisonSums;
use super::turn::Tally;
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
    pub(super) regan: ReganSums,
    pub(super) comparison: ComparisonSums,
    /// At each depth of the plan, and then under noise.
    pub(super) competence: Vec<CompetenceSums>,
}

/// The ratings that the games give to the player, one for each decision.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct KnownRatings {
    pub decisions: Count,
    pub elo: Count,
}

/// The evidence about competence, at each point of the scale.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CompetenceSums {
    /// Decisions that were informative.
    pub informative: Count,
    pub ln_likelihood: FineCurve<3>,
}

additive!(PlayerSummary: games, tally, known_ratings, averages, guid_bratko, gains, played, rating, regan, comparison, competence);
additive!(KnownRatings: decisions, elo);
additive!(CompetenceSums: informative, ln_likelihood);

impl PlayerSummary {
    /// How many decisions were counted, and why the others were not.
    pub fn tally(&self) -> &Tally {
        &self.tally
    }

    /// The numbers of points of all curves that the settings of a study determine.
    pub(super) fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        let competence = self.competence.iter().map(|sums| sums.ln_likelihood.len());
        self.rating.lengths().into_iter().chain(self.regan.lengths()).chain(competence)
    }
}

impl AddAssign<&PlayerSummary> for PlayerSummary {
    fn add_assign(&mut self, other: &PlayerSummary) {
        self.add(other);
    }
}
