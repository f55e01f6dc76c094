//! Minimises functions of many variables by gradient descent.
//!
//! Plain gradient descent moves every parameter by the same multiple of its gradient, although some
//! gradients are much larger or noisier than others. Adam keeps a running mean of each gradient and
//! of its square. A parameter moves by the learning rate times the mean gradient, divided by the
//! root of the mean square. So a parameter whose gradient keeps its sign moves by the full rate,
//! and one whose gradient is mostly noise hardly moves.

use stopdown::math::exact;

/// The state of gradient descent by Adam (Kingma and Ba, "Adam: A Method for Stochastic
/// Optimization", 2015, algorithm 1) with decoupled weight decay (Loshchilov and Hutter, "Decoupled
/// Weight Decay Regularization", 2019, algorithm 2).
#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    /// The learning rate: roughly how far a parameter moves in one step.
    pub rate: f32,
    /// The weight decay: the fraction of each parameter that is lost in a step at rate 1.
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
