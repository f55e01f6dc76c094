//! What inputs have in common.
//!
//! Some pieces hardly ever hang on some squares, and what a rare input is taught is mostly chance. So
//! what is added to a row is learnt in three parts: one for the piece on his square, however he
//! stands; one for all pieces of his kind that stand so, wherever; and one of its own for what these
//! leave. The first two learn from many times as many positions. The network is given the sums, so
//! it is none the larger or slower for it.
//!
//! All parts begin with nothing and shrink towards it, so what positions do not ask for stays as it
//! was at the start.

use super::model::{TrainedNetwork, TrainedShape};
use crate::eval::network::inputs::{INPUTS, PIECES};

const SQUARES: usize = 64;
/// Parts in common: by the piece and his square, then by his kind and how he stands.
const COMMON: usize = PIECES + INPUTS / SQUARES;

/// What has been learnt: what is added to each number of a model, then what is added in common.
#[derive(Clone, Debug, PartialEq)]
pub struct Parts {
    pub numbers: Vec<f32>,
}

impl Parts {
    /// How many numbers there are for a shape.
    pub fn count(shape: TrainedShape) -> usize {
        shape.numbers() + COMMON * shape.width
    }

    /// Nothing learnt yet.
    pub fn none(shape: TrainedShape) -> Parts {
        Parts { numbers: vec![0.0; Parts::count(shape)] }
    }

    /// Makes a model what the start becomes with all that has been learnt.
    pub fn add_to(&self, start: &TrainedNetwork, model: &mut TrainedNetwork) {
        let TrainedShape { width, .. } = start.shape;
        let (own, common) = self.numbers.split_at(start.shape.numbers());
        for ((sum, start), part) in model.numbers.iter_mut().zip(&start.numbers).zip(own) {
            *sum = start + part;
        }
        for (input, row) in model.numbers.chunks_exact_mut(width).take(INPUTS).enumerate() {
            for part in common_to(input) {
                let part = &common[part * width..(part + 1) * width];
                row.iter_mut().zip(part).for_each(|(sum, part)| *sum += part);
            }
        }
        model.clip();
    }

    /// Puts the slopes of the parts in common behind those of the model's numbers.
    pub fn extend(shape: TrainedShape, slopes: &mut Vec<f32>) {
        let TrainedShape { width, .. } = shape;
        slopes.resize(Parts::count(shape), 0.0);
        let (own, common) = slopes.split_at_mut(shape.numbers());
        for (input, row) in own.chunks_exact(width).take(INPUTS).enumerate() {
            for part in common_to(input) {
                let part = &mut common[part * width..(part + 1) * width];
                part.iter_mut().zip(row).for_each(|(sum, slope)| *sum += slope);
            }
        }
    }
}

/// What the row of an input has in common with others.
fn common_to(input: usize) -> [usize; 2] {
    [input % PIECES, PIECES + input / SQUARES]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::ChaCha8Rng;
    use rand::{RngExt, SeedableRng};

    const SHAPE: TrainedShape = TrainedShape { width: 32, buckets: 2 };

    #[test]
    fn parts_move_what_their_slopes_are_of() {
        let mut random = ChaCha8Rng::seed_from_u64(1);
        let mut some = |count: usize| -> Vec<f32> {
            (0..count).map(|_| random.random_range(-0.01..0.01)).collect()
        };
        let product = |one: &[f32], other: &[f32]| -> f64 {
            one.iter().zip(other).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum()
        };
        let start = TrainedNetwork { shape: SHAPE, numbers: some(SHAPE.numbers()) };
        let parts = Parts { numbers: some(Parts::count(SHAPE)) };
        let mut slopes = some(SHAPE.numbers());
        let mut model = start.clone();
        parts.add_to(&start, &mut model);
        let moved = product(&slopes, &model.numbers) - product(&slopes, &start.numbers);
        Parts::extend(SHAPE, &mut slopes);
        let expected = product(&slopes, &parts.numbers);
        assert!(expected.abs() > 0.01 && (moved - expected).abs() < 1e-6, "{moved}, {expected}");
    }

    #[test]
    fn a_piece_shares_with_itself_and_with_its_like() {
        let start = TrainedNetwork { shape: SHAPE, numbers: vec![0.0; SHAPE.numbers()] };
        let rows = |part: usize| -> Vec<usize> {
            let mut parts = Parts::none(SHAPE);
            parts.numbers[SHAPE.numbers() + part * SHAPE.width] = 0.5;
            let mut model = start.clone();
            parts.add_to(&start, &mut model);
            (0..INPUTS).filter(|&input| model.numbers[SHAPE.row(input)][0] != 0.0).collect()
        };
        // The own knight on g1, in each of the four ways that he can stand.
        assert_eq!(rows(70), [70, 70 + PIECES, 70 + 2 * PIECES, 70 + 3 * PIECES]);
        // Hanging knights of the own side, everywhere.
        let knights: Vec<usize> = (2 * PIECES + 64..2 * PIECES + 128).collect();
        assert_eq!(rows(PIECES + 2 * 12 + 1), knights);
    }
}
