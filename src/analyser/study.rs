//! The complete report on one player or group.

use serde::Serialize;

use super::curve::CurveFit;
use super::plan::StudyPlan;
use super::results::RatedResult;
use super::scale::{Rating, RatingScale};
use super::study_accumulator::{GameContext, Measured, RatedMove, StudyAccumulator};
use super::summary::PlayerSummary;
use super::{
    ApparentCompetence, Averages, Gains, GuidBratko, Projection, RatingWithResults, StudiedMove,
    StudyRules, Suspicion, Tally,
};
use crate::games::pgn::PgnGame;
use crate::math::sums::Count;
use crate::threads::cores;
use crate::value::Depth;

/// The results of a study for one subject.
#[derive(Clone, Debug, Serialize)]
pub struct StudyReport {
    /// The name of the subject, such as a player or an event.
    pub name: String,
    /// The number of games.
    pub games: usize,
    /// The numbers of decisions that were used and left out.
    pub tally: Tally,
    /// The mean of the player's ratings in the games.
    pub known_rating: Option<f64>,
    /// The averages that chess websites show.
    pub averages: Averages,
    /// The average difference by the rules of Guid and Bratko.
    pub(crate) guid_bratko: GuidBratko,
    /// The histogram of the gains of the moves.
    pub gains: Gains,
    /// The apparent competence at each depth.
    pub apparent: Vec<(Depth, ApparentCompetence)>,
    /// The fitted player, or `None` if the decisions are too few or not informative.
    pub fit: Option<CurveFit>,
    /// The parameters `ln s` and `ln c` from the percentile method.
    pub percentiles: Option<[f64; 2]>,
    /// The projection of the fitted player.
    pub projection: Option<Projection>,
    /// The rating, or `None` if the moves are not informative enough.
    pub rating: Option<Rating>,
    /// The rating from moves and results, or `None` without results.
    pub with_results: Option<RatingWithResults>,
    /// The result of a comparison with a profile, or with players who have the player's rating in
    /// each game.
    pub suspicion: Option<Suspicion>,
    /// The mean rating of the players used for the comparison, limited to the range of the scale.
    /// If a game gives no rating, the plan's rating is used. `None` if there was no comparison, or
    /// if it was with a profile.
    pub measured_against: Option<f64>,
    /// The estimate of c with noise, at the highest depth.
    pub under_noise: Option<f64>,
}

/// Two parameters cannot be fitted to fewer decisions than this.
const MIN_DECISIONS: usize = 20;

impl StudyReport {
    /// Builds the report on a subject.
    pub fn new(accumulator: &StudyAccumulator, name: &str, summary: &PlayerSummary) -> StudyReport {
        let (plan, curve) = (&accumulator.plan, &accumulator.curve);
        let (tally, known) = (summary.tally.clone(), &summary.known_ratings);
        let (regan, comparison) = (&summary.regan, &summary.comparison);
        let played = summary.played.map(|sum| sum.value());
        let fit = curve.likeliest(regan).filter(|_| tally.used >= MIN_DECISIONS);
        let projected = |fit: CurveFit| {
            let expected = curve.expected(&fit.parameters, regan);
            Projection::of_sums(tally.used, &expected, &played, fit.ln_likelihood)
        };
        let mean = |elo: Count, of: Count| (of.items() > 0).then(|| elo.value() / of.value());
        let depths = plan.depths.iter().enumerate();
        let noisy = plan.depths.len();
        let rating = accumulator.rate(summary);
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
            with_results: summary.with_results(rating.as_ref()),
            rating,
            suspicion: comparison.suspicion(plan.window, plan.scale.dispersion),
            measured_against: mean(comparison.rating, comparison.decisions)
                .filter(|_| plan.against.is_none()),
            under_noise: plan.noise.map(|_| accumulator.belief(summary, noisy).posterior.mean()),
            fit,
            tally,
        }
    }

    /// Builds the report on a player from one game. All decisions must be by this player, in the order of play.
    pub fn of_game(
        accumulator: &StudyAccumulator,
        name: &str,
        decisions: Vec<StudiedMove>,
        pgn: &PgnGame,
    ) -> StudyReport {
        let colour = decisions.first().map(|decision| decision.colour);
        let scale = &accumulator.plan.scale;
        let rating = colour.and_then(|colour| pgn.rating_on(scale.elo_scale(), colour));
        let rated: Vec<RatedMove> =
            decisions.into_iter().map(|decision| (decision, rating)).collect();
        let players = pgn.players();
        let result = colour.and_then(|colour| RatedResult::of(pgn, colour, scale));
        let context = GameContext { name: &players, seed: pgn.fingerprint(), result };
        StudyReport::new(accumulator, name, &accumulator.measure(&rated, &context))
    }

    /// Builds the report on a player. The decisions in each game must be adjacent and in the order
    /// of play.
    pub fn of_decisions(
        plan: &StudyPlan,
        name: &str,
        decisions: &[StudiedMove],
        known_rating: Option<f64>,
    ) -> StudyReport {
        let accumulator = StudyAccumulator::new(plan, Measured::Everything, cores());
        StudyReport::new(&accumulator, name, &accumulator.measure_all(decisions, known_rating))
    }
}

/// Estimates the competence of a player at the plan's depth.
pub fn apparent_competence(plan: &StudyPlan, used: &[&StudiedMove]) -> ApparentCompetence {
    let plan = StudyPlan { rules: StudyRules::none(), ..plan.clone() };
    let accumulator = StudyAccumulator::new(&plan, Measured::Competence, cores());
    accumulator.apparent(&accumulator.measure_all(used.iter().copied(), None))
}

/// Finds the likeliest rating given some decisions, or `None` if they are not informative.
pub fn rate(scale: &RatingScale, used: &[&StudiedMove]) -> Option<Rating> {
    let plan =
        StudyPlan { rules: StudyRules::none(), scale: scale.clone(), ..StudyPlan::default() };
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
        (0..2 * MIN_DECISIONS).for_each(|_| summary.tally.add(None));
        summary.comparison.decisions = Count::of_items(3);
        assert!(accumulator.accepts(&summary));
        let report = StudyReport::new(&accumulator, "somebody", &summary);
        assert!(report.fit.is_none() && report.rating.is_none() && report.suspicion.is_none());
    }
}
