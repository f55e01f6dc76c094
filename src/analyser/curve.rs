//! The sums needed to fit Regan's curve: the likelihood of the decisions, the projected figures,
//! and the calibration of predicted probabilities. All of them are stored at grid points in the
//! plane of `ln s` and `ln c`.
//!
//! The likelihood has a sharp peak, so it is stored on a fine grid. Projections change slowly, so a
//! coarse grid is enough (Regan 2011, section 6).

use serde::{Deserialize, Serialize};

use super::StudiedMove;
use super::figures::{Expectation, Figures, MoveFigures};
use super::scale::regan_by_logarithms;
use crate::math::exact::{exp, ln};
use crate::math::interpolation::{LineInterpolation, PlaneInterpolation};
use crate::math::minimise::minimum;
use crate::math::statistics::{part_below, predicted_interval};
use crate::math::sums::{CoarseCurve, FineCurve, SumCurve, additive};
use crate::selector::{Distribution, Selector};

/// The two grids, with the player at each point.
#[derive(Clone, Debug)]
pub(super) struct CurveGrid {
    likelihood_plane: PlaneInterpolation,
    likelihood_players: Vec<Selector>,
    projection_plane: PlaneInterpolation,
    projection_players: Vec<Selector>,
}

/// The parameters of a fitted player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct CurveFit {
    /// `ln s` and `ln c`.
    pub parameters: [f64; 2],
    pub deviations: [f64; 2],
    pub ln_likelihood: f64,
}

/// The ranges of sensitivity and consistency covered by the grids.
const SENSITIVITY: (f64, f64) = (0.02, 1.2);
const CONSISTENCY: (f64, f64) = (0.2, 1.2);
const LIKELIHOOD_SIZE: (usize, usize) = (20, 13);
const PROJECTION_SIZE: (usize, usize) = (6, 4);
/// Variances are not stored for this rank and higher ones. Such moves are rarely played, so their
/// counts are nearly Poisson-distributed and the variance nearly equals the mean.
const RARE_RANK: usize = 10;
/// The number of percentiles q = 0.05, 0.1, ..., 0.95. Percentiles 0 and 1 carry no information.
const PERCENTILES: usize = 19;
/// A lower bound for log-probabilities, in nats. It is too low to affect the peak.
const MIN_LN_PROBABILITY: f64 = -64.0;
/// The step for second derivatives. A peak that is closer than this to the edge of the plane is
/// rejected.
const STEP: f64 = 0.05;

/// The evidence from one decision about the player's `ln s` and `ln c`: the likelihood on the fine
/// grid, and everything else on the coarse grid.
#[derive(Clone, Debug)]
pub(super) struct ReganEvidence {
    ln_likelihood: Vec<f64>,
    mean: Figures<Vec<f64>>,
    variance: Figures<Vec<f64>>,
    /// For each percentile, the fraction of the played move's predicted interval that lies below
    /// it.
    percentiles: [Vec<f64>; PERCENTILES],
}

/// The same evidence, added up over many games.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ReganSums {
    pub ln_likelihood: FineCurve<2>,
    mean: Figures<CoarseCurve<1>>,
    variance: Figures<CoarseCurve<1>>,
    percentiles: [CoarseCurve<1>; PERCENTILES],
}

additive!(ReganEvidence: ln_likelihood, mean, variance, percentiles);
additive!(ReganSums: ln_likelihood, mean, variance, percentiles);

impl ReganSums {
    /// Converts the evidence from one game.
    pub fn of(game: &ReganEvidence) -> ReganSums {
        let curve = |row: &Vec<f64>| CoarseCurve::of(row);
        ReganSums {
            ln_likelihood: FineCurve::of(&game.ln_likelihood),
            mean: game.mean.map(curve),
            variance: game.variance.map(curve),
            percentiles: game.percentiles.each_ref().map(curve),
        }
    }

    /// The number of points of each curve.
    pub fn lengths(&self) -> impl Iterator<Item = usize> + '_ {
        let figures = self.mean.iter().chain(self.variance.iter()).chain(&self.percentiles);
        std::iter::once(self.ln_likelihood.len()).chain(figures.map(CoarseCurve::len))
    }
}

impl CurveGrid {
    pub fn new() -> CurveGrid {
        let plane = |line: fn(f64, f64, usize) -> LineInterpolation, (rows, columns)| {
            let ends = |(low, high)| (ln(low), ln(high));
            let ((a, b), (c, d)) = (ends(SENSITIVITY), ends(CONSISTENCY));
            PlaneInterpolation(line(a, b, rows), line(c, d, columns))
        };
        let (likelihood_plane, projection_plane) = (
            plane(LineInterpolation::even, LIKELIHOOD_SIZE),
            plane(LineInterpolation::chebyshev, PROJECTION_SIZE),
        );
        let players = |plane: &PlaneInterpolation| {
            plane.points().iter().filter_map(|point| regan_by_logarithms(point)).collect()
        };
        CurveGrid {
            likelihood_players: players(&likelihood_plane),
            projection_players: players(&projection_plane),
            likelihood_plane,
            projection_plane,
        }
    }

    /// Evidence from no decisions.
    pub fn empty_evidence(&self) -> ReganEvidence {
        let zeros = vec![0.0; self.projection_players.len()];
        let mean = Figures::<()>::default().map(|()| zeros.clone());
        let mut variance = mean.clone();
        variance.by_rank[RARE_RANK..].fill(Vec::new());
        ReganEvidence {
            ln_likelihood: vec![0.0; self.likelihood_players.len()],
            mean,
            variance,
            percentiles: std::array::from_fn(|_| zeros.clone()),
        }
    }

    /// Measures a decision.
    pub fn observe(&self, decision: &StudiedMove, figures: &MoveFigures) -> ReganEvidence {
        let mut found = self.empty_evidence();
        for (ln, player) in found.ln_likelihood.iter_mut().zip(&self.likelihood_players) {
            *ln = player
                .distribution(&decision.values)
                .ln_probability(decision.chosen)
                .max(MIN_LN_PROBABILITY);
        }
        for (point, player) in self.projection_players.iter().enumerate() {
            let distribution = player.distribution(&decision.values);
            let expected = figures.expected(distribution.probabilities());
            let predicted = interval(&distribution, decision);
            let mean = found.mean.iter_mut().zip(expected.mean.iter());
            let variance = found.variance.iter_mut().zip(expected.variance.iter());
            for (row, &x) in mean.chain(variance) {
                row.get_mut(point).into_iter().for_each(|place| *place = x);
            }
            for (row, number) in found.percentiles.iter_mut().zip(1..) {
                row[point] = part_below(predicted, percentile(number));
            }
        }
        found
    }

    /// Finds the player with the highest likelihood, or `None` if the sums are not informative.
    ///
    /// The search starts at the best grid point and maximises the interpolated likelihood. The
    /// standard deviations come from second differences around the maximum.
    pub fn likeliest(&self, sums: &ReganSums) -> Option<CurveFit> {
        let (points, likelihood) = (self.likelihood_plane.points(), &sums.ln_likelihood);
        let best = likelihood.highest().filter(|&best| best < points.len())?;
        let of = |point: &[f64]| match self.contains(point, 0.0) {
            true => interpolate(&self.likelihood_plane, likelihood, point),
            false => f64::NEG_INFINITY,
        };
        let (peak, lowest) = minimum(&points[best], STEP, |point| -of(point));
        let (parameters, ln_likelihood) = ([peak[0], peak[1]], -lowest);
        if !self.contains(&peak, STEP) {
            return None;
        }
        let at = |x: f64, y: f64| of(&[peak[0] + STEP * x, peak[1] + STEP * y]);
        let square = STEP * STEP;
        let xx = (at(1.0, 0.0) + at(-1.0, 0.0) - 2.0 * ln_likelihood) / -square;
        let yy = (at(0.0, 1.0) + at(0.0, -1.0) - 2.0 * ln_likelihood) / -square;
        let corners = at(1.0, 1.0) + at(-1.0, -1.0) - at(1.0, -1.0) - at(-1.0, 1.0);
        let xy = corners / (-4.0 * square);
        let determinant = xx * yy - xy * xy;
        let deviations = [(yy / determinant).sqrt(), (xx / determinant).sqrt()];
        let is_peak = xx > 0.0 && determinant > 0.0;
        is_peak.then_some(CurveFit { parameters, deviations, ln_likelihood })
    }

    /// The figures expected of a player with these parameters.
    pub fn expected(&self, parameters: &[f64; 2], sums: &ReganSums) -> Expectation {
        let plane = &self.projection_plane;
        let mean = sums.mean.map(|curve| interpolate(plane, curve, parameters));
        let mut variance =
            sums.variance.map(|curve| interpolate_logarithm(plane, curve, parameters));
        variance.by_rank[RARE_RANK..].copy_from_slice(&mean.by_rank[RARE_RANK..]);
        Expectation { mean, variance }
    }

    /// Finds the parameters with the best-calibrated percentiles. They minimise the sum of
    /// `(R - q)²` over the percentiles q, where R is the mean fraction of the predicted intervals
    /// below q.
    pub fn by_percentiles(&self, start: &[f64; 2], sums: &ReganSums, decisions: usize) -> [f64; 2] {
        let count = decisions.max(1) as f64;
        let score = |point: &[f64]| -> f64 {
            if !self.contains(point, 0.0) {
                return f64::INFINITY;
            }
            let part =
                |row: &CoarseCurve<1>| interpolate(&self.projection_plane, row, point) / count;
            let rows = sums.percentiles.iter().zip(1..);
            rows.map(|(row, number)| (part(row) - percentile(number)).powi(2)).sum()
        };
        let (found, _) = minimum(start, 0.3, score);
        [found[0], found[1]]
    }

    /// Whether a point is inside the plane and at least `margin` away from its edges.
    fn contains(&self, point: &[f64], margin: f64) -> bool {
        let inside = |(line, x): (&LineInterpolation, &f64)| {
            let (first, last) = (line.points()[0], line.points()[line.points().len() - 1]);
            (first + margin..=last - margin).contains(x)
        };
        [&self.likelihood_plane.0, &self.likelihood_plane.1].into_iter().zip(point).all(inside)
    }
}

fn percentile(number: usize) -> f64 {
    number as f64 / (PERCENTILES + 1) as f64
}

/// Interpolates sums between the points of a plane.
fn interpolate<const UNITS: u32, const ORDER: usize>(
    plane: &PlaneInterpolation,
    sums: &SumCurve<UNITS, ORDER>,
    point: &[f64],
) -> f64 {
    let weights = plane.weights([point[0], point[1]]);
    weights.iter().zip(sums.values()).filter(|(w, _)| **w != 0.0).map(|(w, sum)| w * sum).sum()
}

/// Interpolates the logarithms of sums between the points of a plane. Variances of losses differ by orders of magnitude
/// from point to point, so a curve through the variances themselves can fall below zero. If any sum is not positive, the
/// sums are interpolated.
fn interpolate_logarithm<const UNITS: u32, const ORDER: usize>(
    plane: &PlaneInterpolation,
    sums: &SumCurve<UNITS, ORDER>,
    point: &[f64],
) -> f64 {
    let weights = plane.weights([point[0], point[1]]);
    let used = || weights.iter().zip(sums.values()).filter(|(weight, _)| **weight != 0.0);
    if used().any(|(_, sum)| sum <= 0.0) {
        return interpolate(plane, sums, point);
    }
    exp(used().map(|(weight, sum)| weight * ln(sum)).sum())
}

/// The interval of the played move in the cumulative distribution, in which better moves come
/// first.
fn interval(distribution: &Distribution, decision: &StudiedMove) -> (f64, f64) {
    let ranks = decision.ranks();
    let mut in_order = vec![0.0; ranks.len()];
    ranks.iter().enumerate().for_each(|(j, &rank)| in_order[rank] = distribution.probability(j));
    predicted_interval(&in_order, ranks[decision.chosen])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn interpolated_variances_are_positive() {
        let line = || LineInterpolation::even(0.0, 4.0, 5);
        let plane = PlaneInterpolation(line(), line());
        // Each row has a hundred times the variance of the one before.
        let variances: Vec<f64> =
            plane.points().iter().map(|[x, _]| exp(x * ln(100.0) - 4.0)).collect();
        let sums = FineCurve::<1>::of(&variances);
        let place = [0.5, 2.0];
        assert!(interpolate(&plane, &sums, &place) < 0.0);
        let found = interpolate_logarithm(&plane, &sums, &place);
        assert!((found / exp(0.5 * ln(100.0) - 4.0) - 1.0).abs() < 0.01, "{found}");
        let zeros = FineCurve::<1>::of(&vec![0.0; variances.len()]);
        assert_eq!(interpolate_logarithm(&plane, &zeros, &place), 0.0);
    }
}
