//! Everything about one player, or one group of them, from their turns.

use serde::Serialize;

use super::accumulator::{Measured, StudyAccumulator};
use super::curve::Likeliest;
use super::plan::StudyPlan;
use super::scale::{Rating, RatingScale};
use super::summary::PlayerSummary;
use super::{Apparent, Averages, Gains, GuidBratko, Projection, Suspicion, Tally, Turn, TurnRules};
use crate::math::sums::Count;
use crate::threads::cores;
use crate::value::Depth;

/// The results of a study about one subject.
#[derive(Clone, Debug, Serialize)]
pub struct StudyReport {
    pub name: String,
    pub games: usize,
    pub tally: Tally,
    /// Of the ratings that the games give him.
    pub known_rating: Option<f64>,
    pub averages: Averages,
    pub guid_bratko: GuidBratko,
    pub gains: Gains,
    /// By depth.
    pub apparent: Vec<(Depth, Apparent)>,
    /// `None` where there are too few turns.
    pub fit: Option<Likeliest>,
    /// By the percentile method: ln s, ln c.
    pub percentiles: Option<[f64; 2]>,
    /// What the fitted player projects.
    pub projection: Option<Projection>,
    pub rating: Option<Rating>,
    /// Against a profile, or in each game the player of the rating that it gives.
    pub suspicion: Option<Suspicion>,
    /// The mean of those ratings, or of the plan's where a game gives none, or the nearest that the
    /// scale has; `None` where nothing is measured, or against a profile.
    pub measured_against: Option<f64>,
    /// How c moved under noise, at the deepest depth.
    pub under_noise: Option<f64>,
}

/// Fewer turns do not tell two parameters.
const FEWEST: usize = 20;

impl StudyReport {
    /// The report on a subject.
    pub fn new(accumulator: &StudyAccumulator, name: &str, summary: &PlayerSummary) -> StudyReport {
        let (plan, curve) = (&accumulator.plan, &accumulator.curve);
        let (tally, known) = (summary.tally.clone(), &summary.known_ratings);
        let (regan, comparison) = (&summary.regan, &summary.comparison);
        let played = summary.played.map(|sum| sum.value());
        let fit = curve.likeliest(regan).filter(|_| tally.used >= FEWEST);
        let projected = |fit: Likeliest| {
            let expected = curve.expected(&fit.parameters, regan);
            Projection::of_sums(tally.used, &expected, &played, fit.ln_likelihood)
        };
        let mean = |elo: Count, of: Count| (of.items() > 0).then(|| elo.value() / of.value());
        let depths = plan.depths.iter().enumerate();
        let noisy = plan.depths.len();
        StudyReport {
            name: name.to_owned(),
            games: summary.games.items(),
            known_rating: mean(known.elo, known.decisions),
            averages: summary.averages.averages(tally.used, played.equal),
            guid_bratko: summary.guid_bratko.averages(),
            gains: summary.gains.clone(),
            apparent: depths.map(|(at, &depth)| (depth, accumulator.belief(summary, at))).collect(),
            projection: fit.map(projected),
            percentiles: fit.map(|fit| curve.by_percentiles(&fit.parameters, regan, tally.used)),
            rating: accumulator.rate(summary),
            suspicion: comparison.suspicion(plan.window),
            measured_against: mean(comparison.rating, comparison.decisions)
                .filter(|_| plan.against.is_none()),
            under_noise: plan.noise.map(|_| accumulator.belief(summary, noisy).posterior.mean()),
            fit,
            tally,
        }
    }

    /// The report on a player. The decisions of each game must stand together, in the order of play.
    pub fn of_turns(
        plan: &StudyPlan,
        name: &str,
        turns: &[Turn],
        known_rating: Option<f64>,
    ) -> StudyReport {
        let accumulator = StudyAccumulator::new(plan, Measured::Everything, cores());
        StudyReport::new(&accumulator, name, &accumulator.measure_all(turns, known_rating))
    }
}

/// The belief in the competence of a player, at the depth of the plan.
pub fn apparent_competence(plan: &StudyPlan, used: &[&Turn]) -> Apparent {
    let plan = StudyPlan { rules: TurnRules::none(), ..plan.clone() };
    let accumulator = StudyAccumulator::new(&plan, Measured::Competence, cores());
    accumulator.apparent(&accumulator.measure_all(used.iter().copied(), None))
}

/// The rating under which some choices are likeliest; `None` where they are not informative.
pub fn rate(scale: &RatingScale, used: &[&Turn]) -> Option<Rating> {
    let plan = StudyPlan { rules: TurnRules::none(), scale: scale.clone(), ..StudyPlan::default() };
    let accumulator = StudyAccumulator::new(&plan, Measured::Rating, cores());
    accumulator.rate(&accumulator.measure_all(used.iter().copied(), None))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_summary_with_missing_sums_gives_a_report() {
        let accumulator = StudyAccumulator::new(&StudyPlan::default(), Measured::Everything, 1);
        let mut summary = PlayerSummary::default();
        (0..2 * FEWEST).for_each(|_| summary.tally.add(None));
        summary.comparison.decisions = Count::of_items(3);
        assert!(accumulator.accepts(&summary));
        let report = StudyReport::new(&accumulator, "somebody", &summary);
        assert!(report.fit.is_none() && report.rating.is_none() && report.suspicion.is_none());
    }
}
