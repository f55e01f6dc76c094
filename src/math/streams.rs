//! Seeded streams of random numbers. They are the same on every machine and in every later version.
//!
//! Each random decision has its own stream, determined by [`Occasion`] and [`Purpose`]. The key of the ChaCha8
//! generator consists of the seed, the game, the ply and the purpose, in this order, as eight bytes each
//! (little-endian). Decisions do not share any state, so a decision can be repeated without the earlier ones.

use rand::rngs::ChaCha8Rng;
use rand::{Rng, SeedableRng};
use rand_distr::{Distribution, LogNormal, StandardNormal};

use super::exact::ln;

/// Identifies a decision: the seed, the game and the ply.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Occasion {
    /// The seed of the player or of the study.
    pub seed: u64,
    /// The number of the game with this seed, usually counted from 1.
    pub game: u64,
    /// The number of plies before the move, according to its move number.
    pub ply: u64,
}

/// The purpose for which a stream is used. Streams for different purposes on the same occasion are independent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Purpose {
    /// The choice of a move.
    Move = 1,
    /// The component of a composite profile that plays a game.
    ComponentOfGame = 2,
    /// The component of a composite profile that plays a move.
    ComponentOfMove = 3,
    /// The thinking time.
    Pace = 4,
    /// Simulated data in studies and tests.
    Simulation = 5,
    /// The pairings in a study. [`Occasion::ply`] identifies the player.
    Pairing = 6,
}

/// A stream of random numbers.
#[derive(Debug)]
pub struct Stream(ChaCha8Rng);

impl Stream {
    /// The stream for this purpose on this occasion.
    pub fn new(occasion: Occasion, purpose: Purpose) -> Stream {
        let words = [occasion.seed, occasion.game, occasion.ply, purpose as u64];
        let mut key = [0; 32];
        for (bytes, word) in key.chunks_exact_mut(8).zip(words) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        Stream(ChaCha8Rng::from_seed(key))
    }

    /// The next 64 random bits.
    pub fn next_u64(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A number uniform on [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        (self.next_u64() >> 11) as f64 / (1u64 << 53) as f64
    }

    /// A number from the standard normal distribution.
    pub(crate) fn normal(&mut self) -> f64 {
        StandardNormal.sample(&mut self.0)
    }

    /// A number from a log-normal distribution. If the spread is invalid, the result is the median.
    pub(crate) fn log_normal(&mut self, median: f64, spread: f64) -> f64 {
        LogNormal::new(ln(median), spread).map_or(median, |law| law.sample(&mut self.0))
    }

    /// Draws an index in proportion to the weights. `None` if their sum is not positive.
    ///
    /// The running sum uses plain IEEE addition in the given order, so the same weights give the same index on every
    /// machine.
    pub fn index(&mut self, weights: &[f64]) -> Option<usize> {
        let total: f64 = weights.iter().sum();
        if total.is_nan() || total <= 0.0 {
            return None;
        }
        let target = self.uniform() * total;
        let mut sum = 0.0;
        for (index, &weight) in weights.iter().enumerate() {
            sum += weight;
            if target < sum {
                return Some(index);
            }
        }
        // Rounding can raise the target to the total. In that case, choose the last possible index.
        weights.iter().rposition(|&weight| weight > 0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stream(ply: u64) -> Stream {
        Stream::new(Occasion { seed: 42, game: 3, ply }, Purpose::Move)
    }

    #[test]
    fn streams_agree_with_the_reference() {
        let mut stream = stream(17);
        let drawn: Vec<u64> = (0..3).map(|_| stream.next_u64()).collect();
        // The reference values come from an independent implementation of ChaCha8 in another language.
        let known = [6260670720181283101, 14385930094481853463, 14274341367047276890];
        assert_eq!(drawn, known);
    }

    #[test]
    fn every_field_of_an_occasion_changes_the_stream() {
        let base = Occasion { seed: 1, game: 1, ply: 1 };
        let first = |occasion, purpose| Stream::new(occasion, purpose).next_u64();
        let mut drawn = vec![
            first(base, Purpose::Move),
            first(base, Purpose::Pace),
            first(Occasion { seed: 2, ..base }, Purpose::Move),
            first(Occasion { game: 2, ..base }, Purpose::Move),
            first(Occasion { ply: 2, ..base }, Purpose::Move),
        ];
        drawn.sort_unstable();
        drawn.dedup();
        assert_eq!(drawn.len(), 5);
    }

    #[test]
    fn indices_are_drawn_in_proportion_to_their_weights() {
        let mut counts = [0; 4];
        for ply in 0..20_000 {
            counts[stream(ply).index(&[1.0, 0.0, 2.0, 1.0]).expect("positive weights")] += 1;
        }
        assert_eq!(counts[1], 0);
        // The tolerance is five standard deviations of a binomial count.
        for (count, expected) in [(counts[0], 5_000_i32), (counts[2], 10_000), (counts[3], 5_000)] {
            assert!((count - expected).abs() < 350, "{counts:?}");
        }
    }

    #[test]
    fn weights_without_a_positive_sum_give_no_index() {
        for weights in [&[] as &[f64], &[0.0, 0.0], &[f64::NAN, 1.0]] {
            assert_eq!(stream(0).index(weights), None);
        }
    }
}
