//! The likelihood of decisions along a rating scale, and the rating that it suggests.
//!
//! For a grid of ratings, the sums hold the log-likelihood, its slope, the information, and the
//! squared slope of each whole game. All of these add up over games, so the games of a study can be
//! divided among several processes.
//!
//! Opening moves are evidence too, but only through how often players of each rating choose them.
//! Their sums are kept apart, because players repeat their openings: a hundred games with the same
//! opening are hardly better evidence than ten. Opening moves therefore only shift the prior.

use serde::{Deserialize, Serialize};

use super::StudiedMove;
use super::scale::{Rating, RatingScale, UNIT};
use crate::math::grid::Posterior;
use crate::math::interpolation::LineInterpolation;
use crate::math::sums::{FineCurve, additive};
use crate::player::{ClockEffect, all_ratings};
use crate::search::Clock;
use crate::selector::{Selector, human};

/// The ratings of the grid, on the human model's own scale. Each grid point has three players: one
/// with the rating itself, one slightly below it and one slightly above it.
#[derive(Clone, Debug)]
pub(super) struct RatingGrid {
    /// The scale of the result.
    shown: RatingScale,
    /// The scale of the grid.
    scale: RatingScale,
    points: Vec<f64>,
    players: Vec<[Selector; 3]>,
    /// The distance between the outer two players of each point, in units of the fit.
    spacing: Vec<f64>,
    /// For each point, the weights of the policy's ratings in the interpolation between them.
    opening_weights: Vec<Vec<f64>>,
}

/// The evidence from one decision about its player's rating, at each point of the grid.
#[derive(Clone, Debug)]
pub(super) struct RatingEvidence {
    pub ln_likelihood: Vec<f64>,
    pub slope: Vec<f64>,
    pub information: Vec<f64>,
    /// The log-likelihood of opening moves at each of the policy's ratings.
    pub opening: Vec<f64>,
}

/// The same evidence, added up over many games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RatingSums {
    pub ln_likelihood: FineCurve<3>,
    pub slope: FineCurve<3>,
    pub information: FineCurve<2>,
    /// The squared slopes of whole games.
    pub squared_slope: FineCurve<2>,
    pub opening: FineCurve<1>,
}

additive!(RatingEvidence: ln_likelihood, slope, information, opening);
additive!(RatingSums: ln_likelihood, slope, information, squared_slope, opening);

impl RatingSums {
    /// Converts the evidence from one game.
    pub fn of(game: &RatingEvidence) -> RatingSums {
        let squares: Vec<f64> = game.slope.iter().map(|slope| slope * slope).collect();
        RatingSums {
            ln_likelihood: FineCurve::of(&game.ln_likelihood),
            slope: FineCurve::of(&game.slope),
            information: FineCurve::of(&game.information),
            squared_slope: FineCurve::of(&squares),
            opening: FineCurve::of(&game.opening),
        }
    }

    /// The number of points of each curve.
    pub fn lengths(&self) -> [usize; 5] {
        let RatingSums { ln_likelihood, slope, information, squared_slope, opening } = self;
        [ln_likelihood.len(), slope.len(), information.len(), squared_slope.len(), opening.len()]
    }
}

/// The distance in Elo from a grid point to its two outer players, which give the slope.
const STEP: f64 = 0.4;
/// The standard deviation, among players with the same rating, of the ratings that their openings
/// suggest.
const BETWEEN_OPENINGS: f64 = 250.0;
/// How far beyond the ends of the scale the prior from openings reaches.
const OPENING_MARGIN: f64 = 800.0;
/// A lower bound on the information, which prevents division by zero.
const MIN_INFORMATION: f64 = 1e-6;
/// How far beyond an end of the scale the moves alone can place a player.
const MAX_BEYOND: f64 = 400.0;
/// The number of steps between two grid points in the search for the likeliest rating.
const STEPS_PER_INTERVAL: usize = 50;

impl RatingGrid {
    pub fn new(scale: &RatingScale) -> RatingGrid {
        let (shown, scale) = (scale.clone(), scale.native());
        let points = scale.points();
        let players = players(&scale, &points, None);
        let spacing = points.iter().map(|&elo| {
            let [low, _, high] = neighbours(&points, elo);
            (high - low) / UNIT
        });
        let spacing = spacing.collect();
        let asked = all_ratings();
        let line = LineInterpolation::even(human::LOWEST, human::HIGHEST, asked.len());
        let opening_weights = points.iter().map(|&elo| line.weights(elo)).collect();
        RatingGrid { shown, scale, points, players, spacing, opening_weights }
    }

    /// Measures a decision.
    pub fn observe(&self, decision: &StudiedMove) -> RatingEvidence {
        let mut found = self.empty_evidence();
        // With enough time left, the players are the usual ones.
        let short = decision.clock.filter(ClockEffect::is_short);
        let timed = short.map(|clock| players(&self.scale, &self.points, Some(&clock)));
        let players = timed.as_ref().unwrap_or(&self.players);
        for (index, (players, spacing)) in players.iter().zip(&self.spacing).enumerate() {
            let [low, at, high] = players.each_ref().map(|p| p.distribution(&decision.values));
            let slope = |j: usize| {
                let slope = (high.ln_probability(j) - low.ln_probability(j)) / spacing;
                if slope.is_finite() { slope } else { 0.0 }
            };
            let information = |(j, p): (usize, &f64)| p * slope(j) * slope(j);
            found.ln_likelihood[index] = at.ln_probability(decision.chosen);
            found.slope[index] = slope(decision.chosen);
            let terms = at.probabilities().iter().enumerate().map(information);
            found.information[index] = terms.sum();
        }
        found
    }

    /// Evidence from no decisions.
    pub fn empty_evidence(&self) -> RatingEvidence {
        let zeros = || vec![0.0; self.points.len()];
        let opening = vec![0.0; all_ratings().len()];
        RatingEvidence { ln_likelihood: zeros(), slope: zeros(), information: zeros(), opening }
    }

    /// The mean and the standard deviation of the prior, shifted by the opening moves.
    fn prior(&self, opening: &FineCurve<1>) -> Option<(f64, f64)> {
        let (mean, spread) = self.scale.prior?;
        let ln_likelihood = |weights: &Vec<f64>| -> f64 {
            weights.iter().zip(opening.values()).map(|(weight, sum)| weight * sum).sum()
        };
        let found: Vec<f64> = self.opening_weights.iter().map(ln_likelihood).collect();
        if found.iter().all(|&ln| ln == 0.0) {
            return self.scale.prior;
        }
        // The policy knows ratings on the scale only, but a player may be better or worse than the openings suggest.
        let step = self.points[1] - self.points[0];
        let margin = (OPENING_MARGIN / step).ceil() as usize;
        let first = self.points[0] - margin as f64 * step;
        let points: Vec<f64> =
            (0..found.len() + 2 * margin).map(|index| first + index as f64 * step).collect();
        let unknown = vec![f64::NEG_INFINITY; margin];
        let mut by_opening = Posterior::uniform(points).ok()?;
        by_opening.update(&[unknown.clone(), found, unknown].concat());
        let mut belief = by_opening.widened(BETWEEN_OPENINGS);
        let ln_prior = |&elo: &f64| -((elo - mean) / spread).powi(2) / 2.0;
        let ln_prior: Vec<f64> = belief.points().iter().map(ln_prior).collect();
        belief.update(&ln_prior);
        Some((belief.mean(), belief.standard_deviation()))
    }

    /// Finds the rating that maximises the posterior of these sums, or `None` if they are not
    /// informative.
    ///
    /// The search first tries evenly spaced ratings and then refines the best one. It treats the
    /// likelihood as a normal distribution around the maximum, so that it can separate the
    /// contribution of the moves from that of the prior. The two are then combined again, with an
    /// error that allows for the differences between players with the same rating.
    pub fn rate(&self, sums: &RatingSums, decisions: usize) -> Option<Rating> {
        let RatingSums { ln_likelihood, slope, information, squared_slope, opening } = sums;
        let points = self.points.len();
        if decisions == 0 || sums.lengths() != [points, points, points, points, all_ratings().len()]
        {
            return None;
        }
        let (low, high) = (self.points[0], self.points[self.points.len() - 1]);
        let middle = (low + high) / 2.0;
        let (mean, spread) = self.prior(opening).unwrap_or((middle, f64::INFINITY));
        let ln_posterior = |elo: f64| {
            self.interpolate(ln_likelihood, slope, elo) - ((elo - mean) / spread).powi(2) / 2.0
        };
        let steps = STEPS_PER_INTERVAL * (self.points.len() - 1);
        let width = (high - low) / steps as f64;
        let candidates = (0..=steps).map(|step| low + width * step as f64);
        let by_posterior = |a: &f64, b: &f64| ln_posterior(*a).total_cmp(&ln_posterior(*b));
        let best = candidates.max_by(by_posterior).unwrap_or(middle);
        let likeliest = maximise((best - width).max(low), (best + width).min(high), ln_posterior);
        // Remove the prior, as if the likelihood were a normal distribution.
        let before = (UNIT / spread).powi(2);
        let information = self.interpolate_linearly(information, likeliest);
        if information < MIN_INFORMATION && before == 0.0 {
            return None;
        }
        let own_information = information.max(MIN_INFORMATION);
        let slope_of_prior = before * (likeliest - mean) / UNIT;
        // At an end of the grid, the posterior may still rise outwards. The moves then suggest a rating beyond the end.
        let slope_of_moves = if likeliest - low < width {
            slope.at(0).min(slope_of_prior)
        } else if high - likeliest < width {
            slope.at(points - 1).max(slope_of_prior)
        } else {
            slope_of_prior
        };
        let alone = likeliest + UNIT * slope_of_moves / own_information;
        let alone = alone.clamp(low - MAX_BEYOND, high + MAX_BEYOND);
        let sampling = UNIT / own_information.sqrt();
        let by_games = UNIT * self.interpolate_linearly(squared_slope, likeliest).max(0.0).sqrt()
            / own_information;
        // The playing strength of players with the same rating varies, so moves are weaker evidence
        // about the rating than about the strength.
        let precision_of_moves = 1.0
            / ((self.scale.dispersion * sampling).powi(2)
                + self.scale.between_players * self.scale.between_players);
        let precision_of_prior = 1.0 / (spread * spread);
        let precision = precision_of_moves + precision_of_prior;
        let elo = (precision_of_moves * alone + precision_of_prior * mean) / precision;
        let (elo, deviation) = self.shown.of_native((elo, 1.0 / precision.sqrt()));
        let ((alone, sampling), (_, by_games)) =
            (self.shown.of_native((alone, sampling)), self.shown.of_native((alone, by_games)));
        Some(Rating { elo, deviation, alone, sampling, by_games, decisions })
    }

    /// The grid point below a rating, and the fraction of the way to the next point.
    fn locate(&self, elo: f64) -> (usize, f64) {
        let step = self.points[1] - self.points[0];
        let position = (elo - self.points[0]) / step;
        let below = (position as usize).min(self.points.len() - 2);
        (below, position - below as f64)
    }

    /// Interpolates linearly between grid points.
    fn interpolate_linearly(&self, sums: &FineCurve<2>, elo: f64) -> f64 {
        let (below, part) = self.locate(elo);
        sums.at(below) * (1.0 - part) + sums.at(below + 1) * part
    }

    /// Interpolates between grid points with a cubic that matches the values and slopes.
    fn interpolate(&self, sums: &FineCurve<3>, slopes: &FineCurve<3>, elo: f64) -> f64 {
        let (below, t) = self.locate(elo);
        let step = (self.points[1] - self.points[0]) / UNIT;
        let value = |index: usize| sums.at(index);
        let slope = |index: usize| step * slopes.at(index);
        let (t2, u) = (t * t, 1.0 - t);
        value(below) * (1.0 + 2.0 * t) * u * u
            + slope(below) * t * u * u
            + value(below + 1) * t2 * (3.0 - 2.0 * t)
            - slope(below + 1) * t2 * u
    }
}

/// Returns a rating with the two ratings that give the slope there, which are within the grid.
fn neighbours(points: &[f64], elo: f64) -> [f64; 3] {
    [(elo - STEP).max(points[0]), elo, (elo + STEP).min(points[points.len() - 1])]
}

/// Returns the three players of each grid point, at this clock if there is one.
fn players(scale: &RatingScale, points: &[f64], clock: Option<&Clock>) -> Vec<[Selector; 3]> {
    let players = |&elo: &f64| neighbours(points, elo).map(|elo| scale.timed_selector(elo, clock));
    let complete = |[low, at, high]: [Option<Selector>; 3]| Some([low?, at?, high?]);
    points.iter().map(players).filter_map(complete).collect()
}

/// Finds the maximum of a unimodal function by ternary search.
fn maximise(mut low: f64, mut high: f64, of: impl Fn(f64) -> f64) -> f64 {
    for _ in 0..60 {
        let third = (high - low) / 3.0;
        let (one, other) = (low + third, high - third);
        if of(one) < of(other) { low = one } else { high = other }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::board::{Colour, Phase};
    use crate::math::sums::Additive as _;
    use crate::player::EloScale;
    use crate::policy::GameKind;
    use crate::selector::Values;

    /// The rating from moves that suggest 1800 with this error, and from `games` games whose
    /// openings suggest 2400.
    fn rated(error: f64, games: f64) -> Rating {
        rated_at(1800.0, error, games)
    }

    /// The same for moves that suggest the rating `peak`.
    fn rated_at(peak: f64, error: f64, games: f64) -> Rating {
        let scale = RatingScale::of_people(GameKind::Board);
        let grid = RatingGrid::new(&scale);
        let ln = |elo: f64, peak: f64, error: f64| -0.5 * ((elo - peak) / error).powi(2);
        let each = |of: &dyn Fn(f64) -> f64| grid.points.iter().map(|&elo| of(elo)).collect();
        let evidence = RatingEvidence {
            ln_likelihood: each(&|elo| ln(elo, peak, error)),
            slope: each(&|elo| (peak - elo) / (error * error) * UNIT),
            information: each(&|_| (UNIT / error).powi(2)),
            opening: all_ratings().iter().map(|&elo| games * ln(elo, 2400.0, 300.0)).collect(),
        };
        grid.rate(&RatingSums::of(&evidence), 30).expect("there are moves")
    }

    #[test]
    fn moves_can_suggest_a_rating_beyond_the_scale() {
        for (peak, elo, alone) in
            [(400.0, 505.0, 400.0), (1500.0, 1537.0, 1500.0), (3000.0, 2944.0, 3000.0)]
        {
            let found = rated_at(peak, 20.0, 0.0);
            assert!((found.alone - alone).abs() < 10.0, "{found:?}");
            assert!((found.elo - elo).abs() < 10.0, "{found:?}");
            let shown = found.shown(&RatingScale::of_people(GameKind::Board), 0.8);
            let shown = shown.expect("enough moves");
            assert_eq!(shown.bound.is_some(), peak != 1500.0, "{found:?}");
            assert!((600.0..=2800.0).contains(&shown.elo), "{shown:?}");
        }
        // From a few moves, a rating beyond the scale is possible, but the prior outweighs it.
        assert!(rated_at(400.0, 600.0, 0.0).elo > 1000.0);
    }

    fn decision(values: Values, chosen: usize, clock: Option<Clock>) -> StudiedMove {
        StudiedMove {
            game: 0,
            ply: 60,
            colour: Colour::White,
            values,
            chosen,
            repeats: false,
            phase: Phase::Middlegame,
            after: None,
            opening: Vec::new(),
            clock,
        }
    }

    #[test]
    fn an_error_in_time_trouble_counts_for_less() {
        let scale = RatingScale::of_people(GameKind::Blitz);
        let grid = RatingGrid::new(&scale);
        let values = Values::by_depth(&vec![vec![0.0, -1.0, -2.0]; 12]).expect("finite");
        let rated = |seconds: u64| {
            let clock = Clock {
                base: Some(Duration::from_secs(180)),
                remaining: Some(Duration::from_secs(seconds)),
                ..Clock::default()
            };
            let error = decision(values.clone(), 1, Some(clock));
            let sums = RatingSums::of(&grid.observe(&error));
            grid.rate(&sums, 1).expect("informative").elo
        };
        let [short, plenty] = [5, 120].map(rated);
        assert!(short > plenty + 20.0, "{short} {plenty}");
    }

    #[test]
    fn a_rating_on_a_converted_scale_is_the_converted_rating() {
        let [native, other] = [EloScale::LichessBlitz, EloScale::ChesscomBlitz].map(|scale| {
            let scale = RatingScale::of(scale);
            let grid = RatingGrid::new(&scale);
            let mut sums = RatingSums::default();
            for number in 0..40 {
                let values = Values::by_depth(&vec![vec![0.0, -1.0, -2.0]; 12]).expect("finite");
                let chosen = usize::from(number % 4 == 0);
                sums.add(&RatingSums::of(&grid.observe(&decision(values, chosen, None))));
            }
            grid.rate(&sums, 40).expect("informative")
        });
        let converted = |elo: f64| EloScale::LichessBlitz.on(EloScale::ChesscomBlitz, elo);
        assert!((other.elo - converted(native.elo)).abs() < 1e-6, "{native:?} {other:?}");
        let (low, high) = native.interval(0.8);
        let (lowest, highest) = other.interval(0.8);
        let ratio = (highest - lowest) / (converted(high) - converted(low));
        assert!((0.9..1.1).contains(&ratio), "{native:?} {other:?}");
    }

    #[test]
    fn openings_count_when_there_are_few_moves() {
        let (without, with) = (rated(300.0, 0.0), rated(300.0, 1.0));
        assert!(with.elo > without.elo + 50.0, "{with:?} {without:?}");
        assert!(with.deviation < without.deviation, "{with:?} {without:?}");
    }

    #[test]
    fn openings_at_the_end_of_the_scale_allow_for_ratings_beyond_it() {
        let scale = RatingScale::of_people(GameKind::Board);
        let grid = RatingGrid::new(&scale);
        for (end, expected) in [(600.0, 1092.0), (2800.0, 2548.0)] {
            let ln = |elo: &f64| -0.5 * ((elo - end) / 100.0).powi(2);
            let sums = FineCurve::of(&all_ratings().iter().map(ln).collect::<Vec<f64>>());
            let (mean, deviation) = grid.prior(&sums).expect("the scale has a prior");
            assert!((mean - expected).abs() < 20.0, "{mean}");
            assert!((deviation - 218.0).abs() < 5.0, "{deviation}");
        }
    }

    #[test]
    fn many_games_with_an_opening_do_not_outweigh_the_other_moves() {
        let (without, with) = (rated(20.0, 0.0), rated(20.0, 1000.0));
        assert!(with.elo - without.elo < 100.0, "{with:?} {without:?}");
    }
}
