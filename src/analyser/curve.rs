//! Regan's curve from sums: the likelihood over sensitivity and consistency, what its players project,
//! and how far predicted probabilities come true, at some points of the plane of `ln s` and `ln c`.
//!
//! The likelihood has a sharp peak and is kept at many points; what is projected changes slowly and is
//! kept at few (Regan 2011, section 6).

use serde::{Deserialize, Serialize};

use super::Turn;
use super::figures::{Expectation, Figures, MoveFigures};
use super::fit::interval;
use super::scale::regan_by_logarithms;
use crate::math::exact::ln;
use crate::math::interpolation::{LineInterpolation, PlaneInterpolation};
use crate::math::minimise::minimum;
use crate::math::statistics::part_below;
use crate::math::sums::{CoarseCurve, FineCurve, SumCurve, additive};
use crate::selector::Selector;

/// The points of the plane, with their players.
#[derive(Clone, Debug)]
pub(super) struct CurveGrid {
    many: PlaneInterpolation,
    likely: Vec<Selector>,
    few: PlaneInterpolation,
    projecting: Vec<Selector>,
}

/// A fitted player.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Likeliest {
    /// `ln s` and `ln c`, with their standard deviations.
    pub parameters: [f64; 2],
    pub deviations: [f64; 2],
    pub ln_likelihood: f64,
}

/// Sensitivities and consistencies that are thought possible.
const SENSITIVITY: (f64, f64) = (0.02, 1.2);
const CONSISTENCY: (f64, f64) = (0.2, 1.2);
const MANY: (usize, usize) = (20, 13);
const FEW: (usize, usize) = (6, 4);
/// The variances of places from this one on are not kept: seldom played places come by the law of small
/// numbers, whose variance is the figure itself.
const FAR: usize = 10;
/// q = 0.05, 0.1, ..., 0.95: at 0 and 1 everything is right.
const PERCENTILES: usize = 19;
/// Nobody is as unlikely to choose a move as this, in nats: the peak does not depend on it.
const LEAST: f64 = -64.0;
/// The step of second derivatives, and how near the edge of the plane no peak is believed.
const STEP: f64 = 0.05;

/// What a decision shows about the player on Regan's curve: the likelihood at the many points, the rest
/// at the few.
#[derive(Clone, Debug)]
pub(super) struct ReganEvidence {
    ln_likelihood: Vec<f64>,
    mean: Figures<Vec<f64>>,
    variance: Figures<Vec<f64>>,
    /// The part of what was predicted for the move that lies below each percentile.
    percentiles: [Vec<f64>; PERCENTILES],
}

/// The same of many games.
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
    /// The sums of one game.
    pub fn of(game: &ReganEvidence) -> ReganSums {
        let curve = |row: &Vec<f64>| CoarseCurve::of(row);
        ReganSums {
            ln_likelihood: FineCurve::of(&game.ln_likelihood),
            mean: game.mean.map(curve),
            variance: game.variance.map(curve),
            percentiles: game.percentiles.each_ref().map(curve),
        }
    }

    /// The numbers of points of its curves.
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
        let (many, few) =
            (plane(LineInterpolation::even, MANY), plane(LineInterpolation::chebyshev, FEW));
        let players = |plane: &PlaneInterpolation| {
            plane.points().iter().filter_map(|point| regan_by_logarithms(point)).collect()
        };
        CurveGrid { likely: players(&many), projecting: players(&few), many, few }
    }

    /// The evidence of no decision.
    pub fn nothing(&self) -> ReganEvidence {
        let zeros = vec![0.0; self.projecting.len()];
        let mean = Figures::<()>::default().map(|()| zeros.clone());
        let mut variance = mean.clone();
        variance.places[FAR..].fill(Vec::new());
        ReganEvidence {
            ln_likelihood: vec![0.0; self.likely.len()],
            mean,
            variance,
            percentiles: std::array::from_fn(|_| zeros.clone()),
        }
    }

    /// The evidence of a decision.
    pub fn observe(&self, turn: &Turn, figures: &MoveFigures) -> ReganEvidence {
        let mut found = self.nothing();
        for (ln, player) in found.ln_likelihood.iter_mut().zip(&self.likely) {
            *ln = player.distribution(&turn.values).ln_probability(turn.chosen).max(LEAST);
        }
        for (point, player) in self.projecting.iter().enumerate() {
            let distribution = player.distribution(&turn.values);
            let expected = figures.expected(distribution.probabilities());
            let predicted = interval(&distribution, turn);
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

    /// The player under whom turns with these sums are likeliest; `None` where they do not tell.
    pub fn likeliest(&self, sums: &ReganSums) -> Option<Likeliest> {
        let (points, likelihood) = (self.many.points(), &sums.ln_likelihood);
        let best = likelihood.highest().filter(|&best| best < points.len())?;
        let of = |point: &[f64]| match self.contains(point, 0.0) {
            true => between(&self.many, likelihood, point),
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
        is_peak.then_some(Likeliest { parameters, deviations, ln_likelihood })
    }

    /// What a player of these parameters is expected to do.
    pub fn expected(&self, parameters: &[f64; 2], sums: &ReganSums) -> Expectation {
        let at = |curve: &CoarseCurve<1>| between(&self.few, curve, parameters);
        let (mean, mut variance) = (sums.mean.map(at), sums.variance.map(at));
        variance.places[FAR..].copy_from_slice(&mean.places[FAR..]);
        Expectation { mean, variance }
    }

    /// The parameters under which the percentiles come true best: `Σ_q (R^q - q)²` is least.
    pub fn by_percentiles(&self, start: &[f64; 2], sums: &ReganSums, turns: usize) -> [f64; 2] {
        let count = turns.max(1) as f64;
        let score = |point: &[f64]| -> f64 {
            if !self.contains(point, 0.0) {
                return f64::INFINITY;
            }
            let part = |row: &CoarseCurve<1>| between(&self.few, row, point) / count;
            let rows = sums.percentiles.iter().zip(1..);
            rows.map(|(row, number)| (part(row) - percentile(number)).powi(2)).sum()
        };
        let (found, _) = minimum(start, 0.3, score);
        [found[0], found[1]]
    }

    /// Is it a place of the plane, and so far from its edges?
    fn contains(&self, point: &[f64], margin: f64) -> bool {
        let inside = |(line, x): (&LineInterpolation, &f64)| {
            let (first, last) = (line.points()[0], line.points()[line.points().len() - 1]);
            (first + margin..=last - margin).contains(x)
        };
        [&self.many.0, &self.many.1].into_iter().zip(point).all(inside)
    }
}

fn percentile(number: usize) -> f64 {
    number as f64 / (PERCENTILES + 1) as f64
}

/// A sum between the points of a plane.
fn between<const UNITS: u32, const ORDER: usize>(
    plane: &PlaneInterpolation,
    sums: &SumCurve<UNITS, ORDER>,
    point: &[f64],
) -> f64 {
    let weights = plane.weights([point[0], point[1]]);
    weights.iter().zip(sums.values()).filter(|(w, _)| **w != 0.0).map(|(w, sum)| w * sum).sum()
}
