//! Interpolation between points on a line or a plane.
//!
//! [`log_linear`] aside, the interpolated value at a place is that of a polynomial through some of the points. It is a
//! weighted sum of the values at these points (Lagrange's formula). The weights do not depend on these values, so they
//! can be used for many functions.

use std::f64::consts::PI;

use super::exact::{exp, ln};

/// Interpolates between pairs (x, y), which are in increasing order of x. Every y is positive. Between two pairs, the
/// logarithm of y is linear in x. Beyond the ends, y is constant. `None` if there are no pairs.
pub(crate) fn log_linear(pairs: &[[f64; 2]], x: f64) -> Option<f64> {
    let after = pairs.partition_point(|[at, _]| *at < x);
    match (pairs.get(after.wrapping_sub(1)), pairs.get(after)) {
        (Some([low, below]), Some([high, above])) => {
            let part = (x - low) / (high - low);
            Some(exp((1.0 - part) * ln(*below) + part * ln(*above)))
        }
        (Some([_, end]), None) | (None, Some([_, end])) => Some(*end),
        (None, None) => None,
    }
}

/// The points of an interpolation on a line.
#[derive(Clone, Debug, PartialEq)]
pub struct LineInterpolation {
    points: Vec<f64>,
    /// The number of nearest points that contribute at a place. Chebyshev points all contribute.
    window: usize,
}

impl LineInterpolation {
    /// Evenly spaced points. At each place, the nearest six contribute.
    pub fn even(first: f64, last: f64, count: usize) -> LineInterpolation {
        LineInterpolation {
            points: super::grid::evenly_spaced(first, last, count),
            window: count.min(6),
        }
    }

    /// Chebyshev points, which are denser at the ends. All of them contribute. They suit functions that are smooth on
    /// the whole line.
    pub fn chebyshev(first: f64, last: f64, count: usize) -> LineInterpolation {
        let (middle, half) = ((first + last) / 2.0, (last - first) / 2.0);
        let cosine = |i: usize| libm::cos(PI * (i as f64 + 0.5) / count as f64);
        let points = (0..count).rev().map(|i| middle + half * cosine(i)).collect();
        LineInterpolation { points, window: count }
    }

    pub fn points(&self) -> &[f64] {
        &self.points
    }

    /// The weight of each point at a place, given by the polynomial through the points that contribute.
    pub fn weights(&self, x: f64) -> Vec<f64> {
        let count = self.points.len();
        let above = self.points.partition_point(|&point| point < x);
        let first = above.saturating_sub(self.window / 2).min(count - self.window);
        let near = first..first + self.window;
        let mut weights = vec![0.0; count];
        for i in near.clone() {
            let others = near.clone().filter(|&j| j != i);
            weights[i] =
                others.map(|j| (x - self.points[j]) / (self.points[i] - self.points[j])).product();
        }
        weights
    }
}

/// The points of an interpolation on a plane: the product of two lines. The coordinate on the second line varies
/// fastest.
#[derive(Clone, Debug, PartialEq)]
pub struct PlaneInterpolation(pub LineInterpolation, pub LineInterpolation);

impl PlaneInterpolation {
    pub fn points(&self) -> Vec<[f64; 2]> {
        let row = |&x: &f64| self.1.points.iter().map(move |&y| [x, y]);
        self.0.points.iter().flat_map(row).collect()
    }

    /// The weight of each point at a place.
    pub fn weights(&self, [x, y]: [f64; 2]) -> Vec<f64> {
        let columns = self.1.weights(y);
        let row = |along: f64| columns.iter().map(move |across| along * across);
        self.0.weights(x).into_iter().flat_map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_logarithm_is_linear_between_pairs_and_constant_beyond_them() {
        let pairs = [[0.0, 2.0], [10.0, 8.0]];
        for (x, expected) in [(-1.0, 2.0), (0.0, 2.0), (5.0, 4.0), (10.0, 8.0), (11.0, 8.0)] {
            assert!(log_linear(&pairs, x).is_some_and(|y| (y - expected).abs() < 1e-12), "{x}");
        }
        assert_eq!(log_linear(&[], 5.0), None);
    }

    #[test]
    fn polynomials_are_interpolated_exactly() {
        let of = |x: f64, y: f64| x * x * x - 2.0 * x * y + 3.0 * y * y * y;
        let plane = PlaneInterpolation(
            LineInterpolation::even(-1.0, 2.0, 9),
            LineInterpolation::chebyshev(0.0, 1.0, 4),
        );
        let known: Vec<f64> = plane.points().iter().map(|&[x, y]| of(x, y)).collect();
        for [x, y] in [[-0.95, 0.02], [0.3, 0.5], [1.99, 0.97], [0.125, 0.25]] {
            let found: f64 = plane.weights([x, y]).iter().zip(&known).map(|(w, k)| w * k).sum();
            assert!((found - of(x, y)).abs() < 1e-9, "{x} {y}: {found}");
        }
    }
}
