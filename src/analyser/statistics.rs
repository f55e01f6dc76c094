//! All that is known of a subject of a study, as sums: whatever machine has read which of his games,
//! and in whatever order they are put together, the sums are the same to the last bit.
//!
//! A few thousand whole numbers of small units. Along a scale they are smooth and are written by their
//! differences, which makes of them a few kilobytes.

use std::collections::BTreeMap;

use super::turn::Tally;
use crate::math::sums::{add, add_curve, put, put_curve, take};

/// The sums of a subject.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Statistics {
    /// By [`block`].
    pub(super) blocks: Vec<Vec<i64>>,
    /// Of the gains of moves in centipawns.
    pub(super) gains: BTreeMap<i32, i64>,
    /// The stretch of moves in a game with most evidence of help.
    pub(super) window: Option<Stretch>,
}

/// A stretch of turns in a game; the later in this order is kept.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Stretch {
    pub evidence: i64,
    /// The game, and the number of the first move.
    pub game: String,
    pub number: i64,
}

/// Which numbers stand where, and by differences of which order they are written.
pub(super) mod block {
    /// Whole numbers and sums of single ones; see [`super::count`].
    pub const COUNTS: usize = 0;
    /// The four of a scale of ratings.
    pub const RATING: usize = 1;
    pub const LIKELIHOOD: usize = 5;
    pub const FIGURES: usize = 6;
    pub const PERCENTILES: usize = 7;
    pub const ACTUAL: usize = 8;
    /// Of measuring against a player: expected figures, actual ones, and the evidence for help.
    pub const EXPECTED: usize = 9;
    pub const MEASURED: usize = 10;
    pub const EVIDENCE: usize = 11;
    /// Of the competence at each depth, and under noise.
    pub const COMPETENCE: usize = 12;
    const ORDERS: [usize; COMPETENCE] = [0, 3, 3, 2, 2, 2, 1, 1, 0, 0, 0, 3];

    pub fn order(block: usize) -> usize {
        ORDERS.get(block).copied().unwrap_or(3)
    }
}

/// Places in the block of counts.
pub(super) mod count {
    pub const GAMES: usize = 0;
    pub const TURNS: usize = 1;
    pub const USED: usize = 2;
    pub const LEFT_OUT: usize = 3;
    /// The ratings that turns carry.
    pub const RATED: usize = 9;
    pub const RATINGS: usize = 10;
    pub const LOSS: usize = 11;
    pub const ACCURACY: usize = 12;
    /// Of Guid and Bratko: turns, loss and blunders.
    pub const GUID_BRATKO: usize = 13;
    /// Turns that were measured against somebody, the ratings of whom, and the logarithm of the
    /// likelihood under them.
    pub const MEASURED: usize = 16;
    pub const AGAINST: usize = 17;
    pub const LN_LIKELIHOOD: usize = 18;
    /// Turns that told something of c, by depth.
    pub const INFORMATIVE: usize = 19;
}

impl Statistics {
    /// Adds those of other games.
    pub fn add(&mut self, other: &Statistics) {
        if self.blocks.len() < other.blocks.len() {
            self.blocks.resize(other.blocks.len(), Vec::new());
        }
        self.blocks.iter_mut().zip(&other.blocks).for_each(|(sums, more)| add(sums, more));
        for (&gain, &count) in &other.gains {
            let sum = self.gains.entry(gain).or_default();
            *sum = sum.wrapping_add(count);
        }
        self.window = self.window.take().max(other.window.clone());
    }

    /// In as few bytes as they need.
    pub fn write(&self, bytes: &mut Vec<u8>) {
        put(bytes, self.blocks.len() as i64);
        for (number, sums) in self.blocks.iter().enumerate() {
            put_curve(bytes, sums, block::order(number));
        }
        put(bytes, self.gains.len() as i64);
        let mut before = 0;
        for (&gain, &count) in &self.gains {
            put(bytes, i64::from(gain) - before);
            put(bytes, count);
            before = i64::from(gain);
        }
        put(bytes, i64::from(self.window.is_some()));
        if let Some(Stretch { evidence, game, number }) = &self.window {
            put(bytes, *evidence);
            put(bytes, *number);
            bytes.extend(game.as_bytes());
        }
    }

    /// Adds what [`Statistics::write`] wrote; `None` where it did not.
    pub fn add_written(&mut self, mut bytes: &[u8]) -> Option<()> {
        let bytes = &mut bytes;
        let count = length(bytes)?;
        if self.blocks.len() < count {
            self.blocks.resize(count, Vec::new());
        }
        for number in 0..count {
            add_curve(bytes, &mut self.blocks[number], block::order(number))?;
        }
        let mut gain = 0_i64;
        for _ in 0..length(bytes)? {
            gain = gain.checked_add(take(bytes)?)?;
            let sum = self.gains.entry(i32::try_from(gain).ok()?).or_default();
            *sum = sum.wrapping_add(take(bytes)?);
        }
        if take(bytes)? == 1 {
            let (evidence, number) = (take(bytes)?, take(bytes)?);
            let game = std::str::from_utf8(std::mem::take(bytes)).ok()?.to_owned();
            self.window = self.window.take().max(Some(Stretch { evidence, game, number }));
        }
        bytes.is_empty().then_some(())
    }

    /// A number of the block of counts.
    pub(super) fn count(&self, place: usize) -> i64 {
        self.block(block::COUNTS).get(place).copied().unwrap_or(0)
    }

    /// The sums of a block; none where nothing was measured.
    pub(super) fn block(&self, number: usize) -> &[i64] {
        self.blocks.get(number).map_or(&[], Vec::as_slice)
    }

    /// All turns, whether they are used or not.
    pub fn turns(&self) -> usize {
        usize::try_from(self.count(count::TURNS)).unwrap_or(0)
    }

    pub fn tally(&self) -> Tally {
        let left_out: Vec<i64> =
            (count::LEFT_OUT..count::RATED).map(|place| self.count(place)).collect();
        Tally::of_counts(self.count(count::USED), &left_out)
    }
}

/// A number of things that follow.
fn length(bytes: &mut &[u8]) -> Option<usize> {
    usize::try_from(take(bytes)?).ok().filter(|&count| count <= bytes.len())
}
