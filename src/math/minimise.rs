//! Minimisation of functions: of a few variables without derivatives by the simplex method of Nelder and Mead, and of many
//! variables with the gradient by Adam.

use super::exact;

/// The most iterations. Then the best point so far is returned.
const MOST_ROUNDS: usize = 400;
/// The search ends when the values at the corners differ by less than this.
const FLAT: f64 = 1e-12;

/// Returns the minimum that is found from a start, with its value. The first simplex reaches `reach` from the start along
/// every axis.
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
    for _ in 0..MOST_ROUNDS {
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

/// Moves all corners half way to the first.
fn shrink(corners: &mut [(Vec<f64>, f64)], of: &impl Fn(&[f64]) -> f64) {
    let (best, others) = corners.split_first_mut().expect("the start is a corner");
    for (point, value) in others {
        point.iter_mut().zip(&best.0).for_each(|(x, b)| *x = b + (*x - b) / 2.0);
        *value = of(point);
    }
}

/// The state of gradient descent by Adam (Kingma and Ba, "Adam: A Method for Stochastic Optimization", 2015, algorithm 1) with
/// decoupled weight decay (Loshchilov and Hutter, "Decoupled Weight Decay Regularization", 2019, algorithm 2).
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// The learning rate: about how far a parameter moves in one step.
    pub rate: f32,
    /// The part of a parameter by which it decays in a step with rate 1.
    pub decay: f32,
    pub steps: i32,
    pub mean: Vec<f32>,
    pub variance: Vec<f32>,
}

const MEAN_DECAY: f32 = 0.9;
const VARIANCE_DECAY: f32 = 0.999;
const EPSILON: f32 = 1e-8;

impl Adam {
    pub fn new(parameters: usize, rate: f32) -> Adam {
        Adam {
            rate,
            decay: 0.0,
            steps: 0,
            mean: vec![0.0; parameters],
            variance: vec![0.0; parameters],
        }
    }

    /// Moves the parameters one step against the gradient.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32]) {
        self.steps += 1;
        let power =
            |base: f32| exact::exp(f64::from(self.steps) * exact::ln(f64::from(base))) as f32;
        let mean_correction = 1.0 - power(MEAN_DECAY);
        let variance_correction = 1.0 - power(VARIANCE_DECAY);
        let kept = (1.0 - self.rate * self.decay).max(0.0);
        let moments = self.mean.iter_mut().zip(&mut self.variance);
        for ((parameter, &slope), (mean, variance)) in
            parameters.iter_mut().zip(gradient).zip(moments)
        {
            *mean = MEAN_DECAY * *mean + (1.0 - MEAN_DECAY) * slope;
            *variance = VARIANCE_DECAY * *variance + (1.0 - VARIANCE_DECAY) * slope * slope;
            let deviation = (*variance / variance_correction).sqrt();
            *parameter *= kept;
            *parameter -= self.rate * (*mean / mean_correction) / (deviation + EPSILON);
        }
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

    #[test]
    fn adam_finds_the_minimum_of_a_long_valley() {
        let mut adam = Adam::new(2, 0.05);
        let mut at = [5.0, -3.0];
        for _ in 0..2000 {
            let gradient = [2.0 * (at[0] - 1.0), 200.0 * (at[1] - 2.0)];
            adam.step(&mut at, &gradient);
        }
        assert!((at[0] - 1.0).abs() < 0.01 && (at[1] - 2.0).abs() < 0.01, "{at:?}");
    }
}
