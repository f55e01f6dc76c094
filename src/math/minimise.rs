//! Minimises functions of a few variables without derivatives, by the simplex method of Nelder and Mead.
//!
//! A simplex has one more corner than there are variables. At each step, the worst corner moves through the centre of
//! the others to the far side. If that does not help, the whole simplex shrinks towards its best corner.

/// The maximum number of iterations. If it is reached, the best point so far is returned.
const MAX_ROUNDS: usize = 400;
/// The search ends when the corners are close together and their values differ by at most this much.
const FLAT: f64 = 1e-12;

/// Returns the minimum found from a starting point, with its value. The first simplex extends by `reach` from the
/// starting point along every axis.
pub fn minimum(start: &[f64], reach: f64, of: impl Fn(&[f64]) -> f64) -> (Vec<f64>, f64) {
    let size = start.len();
    let mut corners: Vec<(Vec<f64>, f64)> = Vec::with_capacity(size + 1);
    corners.push((start.to_vec(), of(start)));
    for axis in 0..size {
        let mut corner = start.to_vec();
        corner[axis] += reach;
        let value = of(&corner);
        corners.push((corner, value));
    }
    for _ in 0..MAX_ROUNDS {
        corners.sort_by(|a, b| a.1.total_cmp(&b.1));
        let (best, worst) = (corners[0].1, corners[size].1);
        let width = (0..size).map(|axis| (corners[size].0[axis] - corners[0].0[axis]).abs());
        if size == 0 || (worst - best).abs() <= FLAT && width.fold(0.0, f64::max) < 1e-7 {
            break;
        }
        let centre: Vec<f64> = (0..size)
            .map(|axis| corners[..size].iter().map(|c| c.0[axis]).sum::<f64>() / size as f64)
            .collect();
        // The point on the other side of the centre, `factor` times as far from it as the worst corner.
        let beyond = |factor: f64| {
            let last = &corners[size].0;
            let point: Vec<f64> =
                centre.iter().zip(last).map(|(c, x)| c + factor * (c - x)).collect();
            let value = of(&point);
            (point, value)
        };
        let reflected = beyond(1.0);
        if reflected.1 < best {
            let expanded = beyond(2.0);
            corners[size] = if expanded.1 < reflected.1 { expanded } else { reflected };
        } else if reflected.1 < corners[size - 1].1 {
            corners[size] = reflected;
        } else {
            let contracted = beyond(if reflected.1 < worst { 0.5 } else { -0.5 });
            if contracted.1 < worst.min(reflected.1) {
                corners[size] = contracted;
            } else {
                shrink(&mut corners, &of);
            }
        }
    }
    corners.into_iter().min_by(|a, b| a.1.total_cmp(&b.1)).expect("the start is a corner")
}

/// Moves all corners halfway to the first one.
fn shrink(corners: &mut [(Vec<f64>, f64)], of: &impl Fn(&[f64]) -> f64) {
    let (best, others) = corners.split_first_mut().expect("the start is a corner");
    for (point, value) in others {
        point.iter_mut().zip(&best.0).for_each(|(x, b)| *x = b + (*x - b) / 2.0);
        *value = of(point);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_simplex_finds_the_minimum_of_a_curved_valley() {
        let banana = |x: &[f64]| (1.0 - x[0]).powi(2) + 100.0 * (x[1] - x[0] * x[0]).powi(2);
        let (point, value) = minimum(&[-1.2, 1.0], 0.5, banana);
        assert!((point[0] - 1.0).abs() < 1e-4 && (point[1] - 1.0).abs() < 1e-4, "{point:?}");
        assert!(value < 1e-9);
    }

    #[test]
    fn forbidden_points_are_avoided() {
        let bounded = |x: &[f64]| if x[0] < 2.0 { f64::INFINITY } else { x[0] };
        assert!((minimum(&[5.0], 1.0, bounded).0[0] - 2.0).abs() < 1e-6);
        assert_eq!(minimum(&[], 1.0, |_| 7.0), (vec![], 7.0));
    }
}
