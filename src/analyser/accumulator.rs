//! Measures the decisions of games and sums them up by subject.
//!
//! Each decision contributes a [`DecisionEvidence`]. Those of one game are added as floating-point numbers,
//! in the order of play, and rounded once; summaries of games are sums of integers. So a report does not
//! depend on how the games were shared among processes.

use super::curve::{CurveGrid, ReganEvidence, ReganSums};
use super::figures::{AverageSums, Figures, GuidBratkoSums, MoveFigures};
use super::plan::{Apparent, StudyPlan};
use super::rating::{RatingEvidence, RatingGrid, RatingSums};
use super::summary::{CompetenceSums, KnownRatings, PlayerSummary};
use super::suspicion::{Comparison, ComparisonSums};
use super::{Gains, GuidBratko, Rating, Turn};
use crate::math::grid::Posterior;
use crate::math::sums::{Additive, Count, Fine, FineCurve};
use crate::player::Hypotheses;
use crate::selector::Family;
use crate::threads::share_out;

/// What is measured: everything, or what one command needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measured {
    Everything,
    Rating,
    Competence,
}

/// Measures decisions by a plan.
#[derive(Clone, Debug)]
pub struct StudyAccumulator {
    pub plan: StudyPlan,
    what: Measured,
    /// Threads that measure the decisions of a game.
    pub(super) threads: usize,
    hypotheses: Hypotheses,
    ratings: RatingGrid,
    pub(super) curve: CurveGrid,
    /// The lengths of all curves in a summary.
    lengths: Vec<usize>,
}

/// A decision with the rating that the game gives to its player.
pub type RatedTurn = (Turn, Option<f64>);

/// No choice is less likely than this on the scale of c, in nats.
const LEAST: f64 = -128.0;

/// What one decision contributes, before rounding.
struct DecisionEvidence {
    /// The log-likelihoods along the scale of competence, for each depth and under noise; `None` where the
    /// decision is not informative.
    competence: Vec<Option<Vec<f64>>>,
    rating: Option<RatingEvidence>,
    regan: Option<ReganEvidence>,
    played: Figures<f64>,
    comparison: Option<Comparison>,
}

impl StudyAccumulator {
    pub fn new(plan: &StudyPlan, what: Measured, threads: usize) -> StudyAccumulator {
        let (hypotheses, curve) = (plan.hypotheses(), CurveGrid::new());
        let (plan, ratings) = (plan.clone(), RatingGrid::new(&plan.scale));
        let lengths = Vec::new();
        let mut accumulator =
            StudyAccumulator { plan, what, threads, hypotheses, ratings, curve, lengths };
        accumulator.lengths = accumulator.measure(&[], "", 0).lengths().collect();
        accumulator
    }

    /// Does it measure ratings?
    pub fn rates(&self) -> bool {
        self.what != Measured::Competence
    }

    /// The curve that decisions have to be seen with.
    pub(super) fn family(&self) -> Family {
        match self.what {
            Measured::Competence => self.plan.family,
            Measured::Everything | Measured::Rating => self.plan.scale.family(),
        }
    }

    /// The summary of the decisions of a subject in one game, in the order of play. `game` is the name of
    /// the game; `seed` is that of the noise on its values.
    pub fn measure(&self, turns: &[RatedTurn], game: &str, seed: u64) -> PlayerSummary {
        let rules = &self.plan.rules;
        let mut summary = PlayerSummary { games: Count::of_items(1), ..PlayerSummary::default() };
        let mut used: Vec<&RatedTurn> = Vec::new();
        for rated in turns {
            let (turn, rating) = rated;
            let omission = rules.against(turn);
            summary.tally.add(omission);
            if omission.is_none() {
                used.push(rated);
            }
            if let Some(rating) = *rating {
                let known = KnownRatings { decisions: Count::of_items(1), elo: Count::of(rating) };
                summary.known_ratings.add(&known);
            }
        }
        let found = share_out(used.len(), self.threads, |number| self.observe(used[number], seed));
        summary.competence = (0..self.grids()).map(|at| self.competence(&found, at)).collect();
        if self.rates() {
            let found = found.iter().filter_map(|of| of.rating.as_ref());
            summary.rating = RatingSums::of(&added(self.ratings.nothing(), found));
        }
        if self.what != Measured::Everything {
            return summary;
        }
        let regan = found.iter().filter_map(|of| of.regan.as_ref());
        summary.regan = ReganSums::of(&added(self.curve.nothing(), regan));
        let played = added(Figures::default(), found.iter().map(|of| &of.played));
        summary.played = played.map(|x| Fine::of(*x));
        let compared = found.iter().filter_map(|of| of.comparison.as_ref());
        let compared = added(Comparison::default(), compared);
        summary.comparison = ComparisonSums::of(&compared, self.plan.window, game);
        summary.averages = AverageSums::of(used.iter().map(|(turn, _)| turn));
        let turns = turns.iter().map(|(turn, _)| turn);
        let gained = turns.clone().filter(|turn| self.has_gain(turn));
        summary.gains = Gains::of(gained, self.plan.gain);
        // The rules of Guid and Bratko may count more, but never the opening: it need not be valued.
        let (others, opening) = (GuidBratko::rules(), rules.opening);
        let counted = turns.filter(|t| t.number() > opening && others.against(t).is_none());
        summary.guid_bratko = GuidBratkoSums::of(&counted.collect::<Vec<&Turn>>());
        summary
    }

    /// The summary of the decisions of several games. Those of one game must stand together.
    pub(super) fn measure_all<'t>(
        &self,
        turns: impl IntoIterator<Item = &'t Turn>,
        rating: Option<f64>,
    ) -> PlayerSummary {
        let turns: Vec<RatedTurn> = turns.into_iter().map(|turn| (turn.clone(), rating)).collect();
        let mut summary = PlayerSummary::default();
        for game in turns.chunk_by(|(a, _), (b, _)| a.game == b.game) {
            let number = game[0].0.game;
            let name = format!("game {}", number + 1);
            summary += &self.measure(game, &name, number as u64);
        }
        summary
    }

    /// Whether the curves of a summary have the lengths that this plan gives them. A damaged file may hold
    /// others.
    pub fn accepts(&self, summary: &PlayerSummary) -> bool {
        let lengths = summary.lengths().zip(&self.lengths);
        summary.lengths().count() <= self.lengths.len()
            && lengths.into_iter().all(|(found, &usual)| found == usual || found == 0)
    }

    /// The belief in c at a depth of the plan, given by its place, or under noise, which comes last.
    pub(super) fn belief(&self, summary: &PlayerSummary, at: usize) -> Apparent {
        let mut posterior: Posterior = StudyPlan::know_nothing(&self.hypotheses);
        let Some(sums) = summary.competence.get(at) else {
            return Apparent { posterior, informative: 0 };
        };
        let found: Vec<f64> = sums.ln_likelihood.values().collect();
        if found.len() == posterior.points().len() {
            posterior.update(&found);
        }
        Apparent { posterior, informative: sums.informative.items() }
    }

    /// The belief in c at the depth of the plan.
    pub fn apparent(&self, summary: &PlayerSummary) -> Apparent {
        self.belief(summary, self.plan.depths.len() - 1)
    }

    /// The rating that the moves show; `None` where they are not informative.
    pub fn rate(&self, summary: &PlayerSummary) -> Option<Rating> {
        self.ratings.rate(&self.plan.scale, &summary.rating, summary.tally.used)
    }

    /// Scales of c: of each depth, and of noisy values.
    fn grids(&self) -> usize {
        match self.what {
            Measured::Rating => 0,
            _ => self.plan.depths.len() + usize::from(self.plan.noise.is_some()),
        }
    }

    fn has_gain(&self, turn: &Turn) -> bool {
        turn.is_valued() && (self.plan.gains_of_all || turn.number() > self.plan.rules.opening)
    }

    fn observe(&self, (turn, rating): &RatedTurn, seed: u64) -> DecisionEvidence {
        let figures = (self.what == Measured::Everything).then(|| MoveFigures::of(turn));
        DecisionEvidence {
            competence: match self.what {
                Measured::Rating => Vec::new(),
                _ => self.likelihoods(turn, seed),
            },
            rating: self.rates().then(|| self.ratings.observe(turn)),
            regan: figures.as_ref().map(|figures| self.curve.observe(turn, figures)),
            played: figures.as_ref().map(|of| of.played(turn.chosen)).unwrap_or_default(),
            comparison: figures.and_then(|figures| self.compare(turn, *rating, &figures)),
        }
    }

    fn likelihoods(&self, turn: &Turn, seed: u64) -> Vec<Option<Vec<f64>>> {
        let (_, shallower) = self.plan.depths.split_last().expect("a plan has a depth");
        let mut seen: Vec<Turn> = shallower.iter().map(|&depth| turn.up_to(depth)).collect();
        seen.push(turn.clone());
        if let Some((variance, own)) = self.plan.noise {
            seen.push(turn.blurred(variance.sqrt(), own, seed));
        }
        let found = seen.iter().map(|turn| {
            let found = self.hypotheses.ln_likelihoods(&turn.values, turn.chosen);
            let is_informative = Hypotheses::is_informative(&found);
            is_informative.then(|| found.into_iter().map(|ln| ln.max(LEAST)).collect())
        });
        found.collect()
    }

    /// A decision beside what is expected of the profile or the rating that the player is compared with.
    fn compare(
        &self,
        turn: &Turn,
        rating: Option<f64>,
        figures: &MoveFigures,
    ) -> Option<Comparison> {
        let StudyPlan { scale, against, .. } = &self.plan;
        let rating = rating.or(self.plan.rating).map(|elo| scale.nearest(elo));
        let (distribution, rating) = match against {
            Some(profile) => (profile.distribution(&turn.values), 0.0),
            None => (scale.selector(rating?)?.distribution(&turn.values), rating?),
        };
        Some(Comparison::new(rating, &distribution, turn, figures))
    }

    fn competence(&self, found: &[DecisionEvidence], at: usize) -> CompetenceSums {
        let rows = || found.iter().filter_map(|of| of.competence[at].as_ref());
        let zeros = vec![0.0; self.hypotheses.points().len()];
        CompetenceSums {
            informative: Count::of_items(rows().count()),
            ln_likelihood: FineCurve::of(&added(zeros, rows())),
        }
    }
}

/// Adds up terms in their order.
fn added<'t, T: Additive + 't>(mut sum: T, terms: impl Iterator<Item = &'t T>) -> T {
    terms.for_each(|term| sum.add(term));
    sum
}
