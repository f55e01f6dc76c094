//! Measures the decisions in games and adds up the results by subject.
//!
//! Each decision contributes a [`DecisionEvidence`]. The evidence from one game is added in
//! floating point, in the order of play, and then rounded once. Sums over games are integers, so a
//! report does not depend on which process read which games.

use super::curve::{CurveGrid, ReganEvidence, ReganSums};
use super::figures::{AverageSums, Figures, GuidBratkoSums, MoveFigures};
use super::plan::{ApparentCompetence, StudyPlan};
use super::rating::{RatingEvidence, RatingGrid, RatingSums};
use super::results::{RatedResult, ResultSums};
use super::summary::{CompetenceSums, KnownRatings, PlayerSummary};
use super::suspicion::{Comparison, ComparisonSums};
use super::{Gains, GuidBratko, Rating, StudiedMove};
use crate::math::grid::Posterior;
use crate::math::sums::{Additive, Count, Fine, FineCurve};
use crate::player::Hypotheses;
use crate::selector::Family;
use crate::threads::share_out;

/// The selection of measurements: everything, or only those that one command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    /// All measurements of a report.
    Everything,
    /// The measurements for ratings.
    Rating,
    /// The measurements for apparent competence.
    Competence,
}

/// Measures decisions according to a plan.
#[derive(Clone, Debug)]
pub struct StudyAccumulator {
    /// The plan of the study.
    pub(crate) plan: StudyPlan,
    pub(super) measured: Measured,
    /// The number of threads that measure the decisions of a game.
    pub(super) threads: usize,
    hypotheses: Hypotheses,
    ratings: RatingGrid,
    pub(super) curve: CurveGrid,
    /// The expected length of each curve in a summary.
    lengths: Vec<usize>,
}

/// A decision, with the player's rating if the game gives one.
pub type RatedMove = (StudiedMove, Option<f64>);

/// What a study knows about a game, besides the decisions.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct GameContext<'g> {
    /// The name of the game.
    pub name: &'g str,
    /// The seed for the noise.
    pub seed: u64,
    /// The result for the subject, if all decisions are by one player.
    pub result: Option<RatedResult>,
}

/// A lower bound for log-likelihoods on the scale of c, in nats.
const MIN_LN_LIKELIHOOD: f64 = -128.0;

/// The contribution of one decision, before rounding.
struct DecisionEvidence {
    /// The log-likelihoods along the competence scale, for each depth and with noise. An entry is
    /// `None` if it would not be informative.
    competence: Vec<Option<Vec<f64>>>,
    rating: Option<RatingEvidence>,
    regan: Option<ReganEvidence>,
    played: Figures<f64>,
    comparison: Option<Comparison>,
}

impl StudyAccumulator {
    /// Creates an accumulator. Results do not depend on the number of threads.
    pub fn new(plan: &StudyPlan, measured: Measured, threads: usize) -> StudyAccumulator {
        let (hypotheses, curve) = (plan.hypotheses(), CurveGrid::new());
        let (plan, ratings) = (plan.clone(), RatingGrid::new(&plan.scale));
        let lengths = Vec::new();
        let mut accumulator =
            StudyAccumulator { plan, measured, threads, hypotheses, ratings, curve, lengths };
        accumulator.lengths = accumulator.measure(&[], &GameContext::default()).lengths().collect();
        accumulator
    }

    /// Whether ratings are measured.
    pub(crate) fn rates(&self) -> bool {
        self.measured != Measured::Competence
    }

    /// The curve for which decisions must be prepared.
    pub(super) fn family(&self) -> Family {
        match self.measured {
            Measured::Competence => self.plan.family,
            Measured::Everything | Measured::Rating => self.plan.scale.family(),
        }
    }

    /// Summarises a subject's decisions in one game. They must be in the order of play.
    pub(crate) fn measure(&self, decisions: &[RatedMove], game: &GameContext<'_>) -> PlayerSummary {
        let rules = &self.plan.rules;
        let mut summary = PlayerSummary { games: Count::of_items(1), ..PlayerSummary::default() };
        let mut used: Vec<&RatedMove> = Vec::new();
        for rated in decisions {
            let (decision, rating) = rated;
            let omission = rules.omission(decision);
            summary.tally.add(omission);
            if omission.is_none() {
                used.push(rated);
            }
            if let Some(rating) = *rating {
                let known = KnownRatings { decisions: Count::of_items(1), elo: Count::of(rating) };
                summary.known_ratings.add(&known);
            }
        }
        let found =
            share_out(used.len(), self.threads, |number| self.observe(used[number], game.seed));
        summary.competence =
            (0..self.belief_count()).map(|at| self.competence(&found, at)).collect();
        if self.rates() {
            let found = found.iter().filter_map(|of| of.rating.as_ref());
            let mut evidence = sum_of(self.ratings.empty_evidence(), found);
            decisions.iter().for_each(|(decision, _)| evidence.opening.add(&decision.opening));
            summary.rating = RatingSums::of(&evidence);
            summary.results = ResultSums::of(game.result.as_ref());
        }
        if self.measured != Measured::Everything {
            return summary;
        }
        let regan = found.iter().filter_map(|of| of.regan.as_ref());
        summary.regan = ReganSums::of(&sum_of(self.curve.empty_evidence(), regan));
        let played = sum_of(Figures::default(), found.iter().map(|of| &of.played));
        summary.played = played.map(|x| Fine::of(*x));
        let compared = found.iter().filter_map(|of| of.comparison.as_ref());
        let compared = sum_of(Comparison::default(), compared);
        summary.comparison = ComparisonSums::of(&compared, self.plan.window, game.name);
        summary.averages = AverageSums::of(used.iter().map(|(decision, _)| decision));
        let decisions = decisions.iter().map(|(decision, _)| decision);
        let gained = decisions.clone().filter(|decision| self.has_gain(decision));
        summary.gains = Gains::of(gained, self.plan.gain);
        // The rules of Guid and Bratko may include decisions that ours leave out, but not opening
        // moves, because these may not have been evaluated.
        let (others, opening) = (GuidBratko::rules(), rules.opening);
        let counted = decisions.filter(|t| t.number() > opening && others.omission(t).is_none());
        summary.guid_bratko = GuidBratkoSums::of(&counted.collect::<Vec<&StudiedMove>>());
        summary
    }

    /// Summarises the decisions in several games. The decisions in each game must be adjacent.
    pub(super) fn measure_all<'t>(
        &self,
        decisions: impl IntoIterator<Item = &'t StudiedMove>,
        rating: Option<f64>,
    ) -> PlayerSummary {
        let decisions: Vec<RatedMove> =
            decisions.into_iter().map(|decision| (decision.clone(), rating)).collect();
        let mut summary = PlayerSummary::default();
        for game in decisions.chunk_by(|(a, _), (b, _)| a.game == b.game) {
            let number = game[0].0.game;
            let name = format!("game {}", number + 1);
            let context = GameContext { name: &name, seed: number as u64, result: None };
            summary += &self.measure(game, &context);
        }
        summary
    }

    /// Whether the curves of a summary have the lengths that this plan expects. A corrupt file may
    /// contain other lengths.
    pub fn accepts(&self, summary: &PlayerSummary) -> bool {
        let lengths = summary.lengths().zip(&self.lengths);
        summary.lengths().count() <= self.lengths.len()
            && lengths.into_iter().all(|(found, &usual)| found == usual || found == 0)
    }

    /// The posterior of c at the depth with this index in the plan. The index after the last depth
    /// stands for the posterior with noise.
    pub(super) fn belief(&self, summary: &PlayerSummary, at: usize) -> ApparentCompetence {
        let mut posterior: Posterior = StudyPlan::flat_prior(&self.hypotheses);
        let Some(sums) = summary.competence.get(at) else {
            return ApparentCompetence { posterior, informative: 0 };
        };
        let found: Vec<f64> = sums.ln_likelihood.values().collect();
        if found.len() == posterior.points().len() {
            posterior.update(&found);
        }
        ApparentCompetence { posterior, informative: sums.informative.items() }
    }

    /// The posterior of c at the plan's depth.
    pub(crate) fn apparent(&self, summary: &PlayerSummary) -> ApparentCompetence {
        self.belief(summary, self.plan.depths.len() - 1)
    }

    /// The rating that the moves suggest, or `None` if they are not informative.
    pub(crate) fn rate(&self, summary: &PlayerSummary) -> Option<Rating> {
        self.ratings.rate(&summary.rating, summary.tally.used)
    }

    /// The number of competence posteriors: one for each depth, and one with noise if there is any.
    fn belief_count(&self) -> usize {
        match self.measured {
            Measured::Rating => 0,
            _ => self.plan.depths.len() + usize::from(self.plan.noise.is_some()),
        }
    }

    fn has_gain(&self, decision: &StudiedMove) -> bool {
        decision.is_evaluated()
            && (self.plan.gains_of_all || !self.plan.rules.is_opening(decision.ply))
    }

    fn observe(&self, (decision, rating): &RatedMove, seed: u64) -> DecisionEvidence {
        let figures = (self.measured == Measured::Everything).then(|| MoveFigures::of(decision));
        DecisionEvidence {
            competence: match self.measured {
                Measured::Rating => Vec::new(),
                _ => self.likelihoods(decision, seed),
            },
            rating: self.rates().then(|| self.ratings.observe(decision)),
            regan: figures.as_ref().map(|figures| self.curve.observe(decision, figures)),
            played: figures.as_ref().map(|of| of.played(decision.chosen)).unwrap_or_default(),
            comparison: figures.and_then(|figures| self.compare(decision, *rating, &figures)),
        }
    }

    fn likelihoods(&self, decision: &StudiedMove, seed: u64) -> Vec<Option<Vec<f64>>> {
        let (_, shallower) = self.plan.depths.split_last().expect("a plan has a depth");
        let mut seen: Vec<StudiedMove> =
            shallower.iter().map(|&depth| decision.up_to(depth)).collect();
        seen.push(decision.clone());
        if let Some((variance, own)) = self.plan.noise {
            seen.push(decision.with_noise(variance.sqrt(), own, seed));
        }
        let found = seen.iter().map(|decision| {
            let found = self.hypotheses.ln_likelihoods(&decision.values, decision.chosen);
            let is_informative = Hypotheses::is_informative(&found);
            is_informative.then(|| found.into_iter().map(|ln| ln.max(MIN_LN_LIKELIHOOD)).collect())
        });
        found.collect()
    }

    /// Compares a decision with the choices expected from the plan's profile or, if there is none,
    /// from a player with the same rating.
    fn compare(
        &self,
        decision: &StudiedMove,
        rating: Option<f64>,
        figures: &MoveFigures,
    ) -> Option<Comparison> {
        let StudyPlan { scale, against, .. } = &self.plan;
        if let Some(profile) = against {
            let choices = profile.distribution(&decision.values, decision.clock.as_ref());
            return Some(Comparison::new(0.0, &choices, decision, figures));
        }
        Comparison::with_rating(scale, rating.or(self.plan.rating)?, decision, figures)
    }

    fn competence(&self, found: &[DecisionEvidence], at: usize) -> CompetenceSums {
        let rows = || found.iter().filter_map(|of| of.competence[at].as_ref());
        let zeros = vec![0.0; self.hypotheses.points().len()];
        CompetenceSums {
            informative: Count::of_items(rows().count()),
            ln_likelihood: FineCurve::of(&sum_of(zeros, rows())),
        }
    }
}

/// Adds the terms in order.
fn sum_of<'t, T: Additive + 't>(mut sum: T, terms: impl Iterator<Item = &'t T>) -> T {
    terms.for_each(|term| sum.add(term));
    sum
}
