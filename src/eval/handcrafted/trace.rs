//! How often each weight counted in a position: nothing at play, everything when tuning.
//!
//! The evaluation tells a [`Tracer`] of every weight that it uses. At play that is a
//! [`NullTracer`], which the compiler removes; the tuner's [`Trace`] writes down the counts, so
//! that what is tuned can never differ from what is played.

use super::terms::COUNT;
use crate::board::Colour;

/// Is told of every use of a weight.
pub trait Tracer {
    /// `weight` counted `count` times for one side. A weight of the king's danger counts for the
    /// side whose king is in danger.
    fn count(&mut self, colour: Colour, weight: usize, count: i32);
}

/// Takes no notice.
#[derive(Clone, Copy, Debug, Default)]
pub struct NullTracer;

impl Tracer for NullTracer {
    #[inline(always)]
    fn count(&mut self, _colour: Colour, _weight: usize, _count: i32) {}
}

/// Everything that made up the evaluation of one position.
#[derive(Clone, Debug)]
pub struct Trace {
    /// For every weight, how often it counted for Black and for White (in that order, as colours
    /// are numbered).
    pub counts: Vec<[i16; 2]>,
    /// 24 in the full middlegame, 0 in the endgame.
    pub phase: i32,
    /// 64ths of the endgame part that are kept.
    pub scale: i32,
    /// The kings whose danger was reckoned at all, by colour.
    pub in_danger: [bool; 2],
}

impl Trace {
    pub(super) fn new() -> Trace {
        Trace { counts: vec![[0; 2]; COUNT], phase: 0, scale: 64, in_danger: [false; 2] }
    }
}

impl Tracer for Trace {
    fn count(&mut self, colour: Colour, weight: usize, count: i32) {
        self.counts[weight][colour as usize] += count as i16;
    }
}
