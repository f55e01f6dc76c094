//! The power law of fallible choice: `q ∝ (κ + w)^-c` (Haworth 2002, section 2; 2007, section 2).
//!
//! The larger the competence c, the stronger the preference for small w. With a negative c, large w
//! are preferred.

use super::exact::{ln, ln_sum_exp};
use super::largest;

/// Returns the natural logarithms of the probabilities, for distances `w >= 0`, any real or
/// infinite `c`, and `kappa >= 0`. If c is infinite, only the extreme distances are possible. If
/// `kappa` is 0 and c is positive, only distances of 0 are possible, provided that there are any.
pub fn ln_probabilities(distances: &[f64], kappa: f64, c: f64) -> Vec<f64> {
    let ln_term = |w: &f64| if c == 0.0 { 0.0 } else { -c * ln(kappa + w) };
    let mut terms: Vec<f64> = distances.iter().map(ln_term).collect();
    let top = largest(&terms);
    if c.is_infinite() || top == f64::INFINITY {
        let extreme = match c.is_infinite() {
            // All terms are infinite, so compare the distances themselves.
            true => distances.iter().copied().reduce(if c > 0.0 { f64::min } else { f64::max }),
            false => Some(0.0),
        };
        for (term, &w) in terms.iter_mut().zip(distances) {
            *term = if Some(w) == extreme { 0.0 } else { f64::NEG_INFINITY };
        }
    }
    let total = ln_sum_exp(&terms);
    terms.iter_mut().for_each(|term| *term -= total);
    terms
}

#[cfg(test)]
mod tests {
    use super::*;

    fn probabilities(distances: &[f64], kappa: f64, c: f64) -> Vec<f64> {
        ln_probabilities(distances, kappa, c).into_iter().map(f64::exp).collect()
    }

    /// Computes the probabilities with plain powers, which overflow for extreme numbers.
    fn plain(distances: &[f64], kappa: f64, c: f64) -> Vec<f64> {
        let terms: Vec<f64> = distances.iter().map(|w| (kappa + w).powf(-c)).collect();
        terms.iter().map(|t| t / terms.iter().sum::<f64>()).collect()
    }

    #[test]
    fn probabilities_agree_with_plain_powers() {
        for c in [-3.0, -0.5, 0.0, 1.0, 7.5] {
            for kappa in [0.5, 1.0] {
                let w = [0.0, 1.0, 1.0, 4.0, 9.0];
                for (a, b) in probabilities(&w, kappa, c).iter().zip(plain(&w, kappa, c)) {
                    assert!((a - b).abs() < 1e-14);
                }
            }
        }
    }

    #[test]
    fn only_extreme_distances_are_possible_with_infinite_competence_or_zero_kappa() {
        let w = [2.0, 0.0, 5.0, 0.0, 5.0];
        assert_eq!(probabilities(&w, 1.0, f64::INFINITY), [0.0, 0.5, 0.0, 0.5, 0.0]);
        assert_eq!(probabilities(&w, 1.0, f64::NEG_INFINITY), [0.0, 0.0, 0.5, 0.0, 0.5]);
        assert_eq!(probabilities(&w, 0.0, 2.0), [0.0, 0.5, 0.0, 0.5, 0.0]);
        assert_eq!(probabilities(&w, 0.0, 0.0), [0.2; 5]);
        assert!(probabilities(&w, 1.0, 1e5).iter().sum::<f64>() - 1.0 < 1e-12);
        assert!(probabilities(&[], 1.0, 3.0).is_empty());
    }
}
