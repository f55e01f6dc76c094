//! Regan's curve from sums: the likelihood over sensitivity and consistency, what its players project,
//! and how far predicted probabilities come true, at some points of the plane of `ln s` and `ln c`.
//!
//! The likelihood has a sharp peak and is kept at many points; what is projected changes slowly and is
//! kept at few (Regan 2011, section 6).

use super::Turn;
use super::figures::{Counting, FIGURES};
use super::fit::interval;
use super::scale::regan_by_logarithms;
use crate::math::exact::ln;
use crate::math::interpolation::{LineInterpolation, PlaneInterpolation};
use crate::math::minimise::minimum;
use crate::math::statistics::part_below;
use crate::math::sums::{COARSE, FINE};
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
#[derive(Clone, Copy, Debug, PartialEq)]
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
/// Of the figures and their variances so many are kept. Of far places the variance is as good as the
/// figure itself, for what seldom comes comes by the law of small numbers.
const KEPT: usize = FIGURES + 13;
/// q = 0.05, 0.1, ..., 0.95: at 0 and 1 everything is right.
pub(super) const PERCENTILES: usize = 19;
/// Nobody is as unlikely to choose a move as this, in nats: the peak does not depend on it.
const LEAST: f64 = -64.0;
/// The step of second derivatives, and how near the edge of the plane no peak is believed.
const STEP: f64 = 0.05;

/// What a turn, or some, say at the points: of the likelihood, the figures, and the percentiles, each
/// figure and percentile with all its points together.
#[derive(Clone, Debug)]
pub(super) struct Seen {
    pub likelihood: Vec<f64>,
    pub figures: Vec<f64>,
    pub percentiles: Vec<f64>,
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

    pub fn nothing(&self) -> Seen {
        let few = self.projecting.len();
        Seen {
            likelihood: vec![0.0; self.likely.len()],
            figures: vec![0.0; KEPT * few],
            percentiles: vec![0.0; PERCENTILES * few],
        }
    }

    /// What a turn says.
    pub fn observe(&self, turn: &Turn, counting: &Counting, seen: &mut Seen) {
        for (sum, player) in seen.likelihood.iter_mut().zip(&self.likely) {
            *sum += player.distribution(&turn.values).ln_probability(turn.chosen).max(LEAST);
        }
        let few = self.projecting.len();
        for (place, player) in self.projecting.iter().enumerate() {
            let distribution = player.distribution(&turn.values);
            let mut figures = [0.0; 2 * FIGURES];
            counting.expect(distribution.probabilities(), &mut figures);
            let sums = seen.figures[place..].iter_mut().step_by(few);
            sums.zip(figures).for_each(|(sum, figure)| *sum += figure);
            let predicted = interval(&distribution, turn);
            let sums = seen.percentiles[place..].iter_mut().step_by(few);
            sums.zip(1..).for_each(|(sum, q)| *sum += part_below(predicted, percentile(q)));
        }
    }

    /// The player under whom turns with these sums are likeliest; `None` where they do not tell.
    pub fn likeliest(&self, likelihood: &[i64]) -> Option<Likeliest> {
        let points = self.many.points();
        let best = (0..points.len()).max_by_key(|&place| likelihood.get(place))?;
        likelihood.get(best)?;
        let of = |point: &[f64]| match self.contains(point, 0.0) {
            true => between(&self.many, likelihood, point, FINE),
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

    /// What a player of these parameters projects, by sums of [`Counting`].
    pub fn expected(&self, parameters: &[f64; 2], figures: &[i64]) -> Vec<f64> {
        let rows = figures.chunks_exact(self.projecting.len());
        let mut expected: Vec<f64> =
            rows.map(|row| between(&self.few, row, parameters, COARSE)).collect();
        if expected.len() == KEPT {
            expected.extend_from_within(KEPT - FIGURES..FIGURES);
        }
        expected
    }

    /// The parameters under which the percentiles come true best: `Σ_q (R^q - q)²` is least.
    pub fn by_percentiles(&self, start: &[f64; 2], percentiles: &[i64], turns: usize) -> [f64; 2] {
        let count = turns.max(1) as f64;
        let score = |point: &[f64]| -> f64 {
            if !self.contains(point, 0.0) {
                return f64::INFINITY;
            }
            let rows = percentiles.chunks_exact(self.projecting.len()).zip(1..);
            let part = |row: &[i64]| between(&self.few, row, point, COARSE) / count;
            rows.map(|(row, q)| (part(row) - percentile(q)).powi(2)).sum()
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
fn between(plane: &PlaneInterpolation, sums: &[i64], point: &[f64], unit: f64) -> f64 {
    let weights = plane.weights([point[0], point[1]]);
    weights.iter().zip(sums).filter(|(w, _)| **w != 0.0).map(|(w, &s)| w * s as f64 / unit).sum()
}
