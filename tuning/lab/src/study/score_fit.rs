//! Fits a normal curve to average scores by depth or another variable x, and finds the value of one
//! unit of x in Elo.
//!
//! In Elo's original model, the expected score for a rating difference is Φ(difference/(200√2)). If
//! strength is linear in x, scores against one opponent are Φ((x-μ)/σ), and one unit of x is worth
//! 200√2/σ Elo (Ferreira, "The Impact of Search Depth on Chess Playing Strength", section 3). The
//! interval for σ is that of linearised least squares.

use stopdown::math::statistics::{
    ELO_UNIT, REACH_LEVEL, normal, normal_density, normal_quantile, student_reach,
};

const MAX_STEPS: usize = 200;

/// A normal curve, fitted by least squares.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ScoreFit {
    /// μ, the value of x at which the score is one half.
    pub centre: f64,
    /// σ, the standard deviation.
    pub spread: f64,
    /// Half the width of the interval for σ. NaN if there are only two points.
    pub reach: f64,
}

impl ScoreFit {
    /// Fits points, each a value of x and a score, with equal weights. Returns `None` if they do
    /// not determine a rising curve: there are fewer than two points, all scores are 0 or all are
    /// 1, or the scores fall.
    pub fn new(points: &[(f64, f64)]) -> Option<ScoreFit> {
        let mut fit = start(points)?;
        let mut system = System::at(fit, points);
        for _ in 0..MAX_STEPS {
            let (centre_step, spread_step) = system.step()?;
            let (better, next) = (0..60).find_map(|halvings| {
                let share = 0.5f64.powi(halvings);
                let spread = fit.spread + share * spread_step;
                let tried = ScoreFit { centre: fit.centre + share * centre_step, spread, ..fit };
                let reached = System::at(tried, points);
                (spread > 0.0 && reached.squares <= system.squares).then_some((tried, reached))
            })?;
            let moved = (better.centre - fit.centre).abs() + (better.spread - fit.spread).abs();
            (fit, system) = (better, next);
            if moved <= 1e-12 * fit.spread {
                return Some(ScoreFit { reach: system.reach(points.len())?, ..fit });
            }
        }
        None
    }

    pub fn score_at(&self, x: f64) -> f64 {
        normal((x - self.centre) / self.spread)
    }

    /// The interval of σ.
    pub fn spread_interval(&self) -> [f64; 2] {
        [self.spread - self.reach, self.spread + self.reach]
    }

    /// The Elo per unit of x (equation 5).
    pub fn elo_per_unit(&self) -> f64 {
        ELO_UNIT / self.spread
    }

    /// The interval of [`ScoreFit::elo_per_unit`]. Its upper end is infinite if the interval of σ
    /// includes zero.
    pub fn elo_interval(&self) -> [f64; 2] {
        let [low, high] = self.spread_interval();
        [ELO_UNIT / high, if low <= 0.0 { f64::INFINITY } else { ELO_UNIT / low }]
    }
}

/// The starting point of the fit: a line through the quantiles of the scores. Each score is
/// weighted by how well it determines its quantile. Scores of 0 and 1 are moved slightly inwards.
fn start(points: &[(f64, f64)]) -> Option<ScoreFit> {
    let [mut weights, mut xs, mut zs, mut xxs, mut xzs] = [0.0; 5];
    for &(x, score) in points {
        let z = normal_quantile(score.clamp(0.001, 0.999));
        let weight = normal_density(z).powi(2);
        weights += weight;
        xs += weight * x;
        zs += weight * z;
        xxs += weight * x * x;
        xzs += weight * x * z;
    }
    let slope = (weights * xzs - xs * zs) / (weights * xxs - xs * xs);
    let is_rising = slope.is_finite() && slope > 1e-9;
    is_rising.then(|| {
        let spread = 1.0 / slope;
        ScoreFit { centre: xs / weights - zs / weights * spread, spread, reach: f64::NAN }
    })
}

/// The normal equations of a Gauss-Newton step: JᵀJ and Jᵀr for the parameters (μ, σ).
struct System {
    squares: f64,
    matrix: [f64; 3],
    right: [f64; 2],
}

impl System {
    fn at(fit: ScoreFit, points: &[(f64, f64)]) -> System {
        let mut system = System { squares: 0.0, matrix: [0.0; 3], right: [0.0; 2] };
        for &(x, score) in points {
            let z = (x - fit.centre) / fit.spread;
            let by_centre = -normal_density(z) / fit.spread;
            let by_spread = z * by_centre;
            let residual = score - normal(z);
            system.squares += residual * residual;
            system.matrix[0] += by_centre * by_centre;
            system.matrix[1] += by_centre * by_spread;
            system.matrix[2] += by_spread * by_spread;
            system.right[0] += by_centre * residual;
            system.right[1] += by_spread * residual;
        }
        system
    }

    fn determinant(&self) -> Option<f64> {
        let [a, b, c] = self.matrix;
        let determinant = a * c - b * b;
        (determinant > 1e-14 * a * c).then_some(determinant)
    }

    fn step(&self) -> Option<(f64, f64)> {
        let determinant = self.determinant()?;
        let ([a, b, c], [first, second]) = (self.matrix, self.right);
        Some(((c * first - b * second) / determinant, (a * second - b * first) / determinant))
    }

    fn reach(&self, points: usize) -> Option<f64> {
        if points <= 2 {
            return Some(f64::NAN);
        }
        let freedom = points - 2;
        let variance = self.squares / freedom as f64 * self.matrix[0] / self.determinant()?;
        Some(student_reach(REACH_LEVEL, freedom) * variance.sqrt())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parameters_of_a_curve_are_recovered() {
        for (centre, spread) in [(13.0, 3.2), (5.0, 0.8), (-2.0, 40.0)] {
            let truth = ScoreFit { centre, spread, reach: 0.0 };
            let points: Vec<(f64, f64)> =
                (-10..25).map(|x| (f64::from(x), truth.score_at(f64::from(x)))).collect();
            let found = ScoreFit::new(&points).expect("a rising curve");
            assert!((found.centre - centre).abs() < 1e-8 && (found.spread - spread).abs() < 1e-8);
            assert!(found.reach < 1e-6);
        }
    }

    #[test]
    fn points_without_a_rising_curve_have_no_fit() {
        for points in [
            &[][..],
            &[(1.0, 0.5)],
            &[(1.0, 0.4), (1.0, 0.6)],
            &[(1.0, 0.9), (2.0, 0.5), (3.0, 0.1)],
            &[(1.0, 0.5), (2.0, 0.5)],
            &[(1.0, f64::NAN), (2.0, 0.5)],
        ] {
            assert_eq!(ScoreFit::new(points), None, "{points:?}");
        }
        let two = ScoreFit::new(&[(1.0, 0.4), (2.0, 0.6)]).expect("a line");
        assert!((two.centre - 1.5).abs() < 1e-9 && two.reach.is_nan());
    }
}
