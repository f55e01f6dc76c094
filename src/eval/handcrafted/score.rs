//! A middlegame and an endgame number in one integer.
//!
//! Every weight has two values, and the position's phase mixes the two sums at the very end. Both
//! fit into 32 bits (the endgame in the upper half), so adding and multiplying work on both at the
//! price of one.

use std::fmt;
use std::ops::{Add, AddAssign, Mul, Neg, Sub, SubAssign};

/// Two numbers that are added together. Each must stay within 16 bits.
#[derive(Clone, Copy, PartialEq, Eq, Default)]
pub struct Score(i32);

impl Score {
    pub const ZERO: Score = Score(0);

    #[inline]
    pub const fn new(middlegame: i32, endgame: i32) -> Score {
        Score((endgame << 16).wrapping_add(middlegame))
    }

    #[inline]
    pub const fn middlegame(self) -> i32 {
        self.0 as i16 as i32
    }

    /// A negative lower half has borrowed one from the upper half; rounding gives it back.
    #[inline]
    pub const fn endgame(self) -> i32 {
        self.0.wrapping_add(0x8000) >> 16
    }
}

impl Add for Score {
    type Output = Score;
    #[inline]
    fn add(self, other: Score) -> Score {
        Score(self.0 + other.0)
    }
}

impl Sub for Score {
    type Output = Score;
    #[inline]
    fn sub(self, other: Score) -> Score {
        Score(self.0 - other.0)
    }
}

impl Neg for Score {
    type Output = Score;
    #[inline]
    fn neg(self) -> Score {
        Score(-self.0)
    }
}

impl Mul<i32> for Score {
    type Output = Score;
    #[inline]
    fn mul(self, count: i32) -> Score {
        Score(self.0 * count)
    }
}

impl AddAssign for Score {
    #[inline]
    fn add_assign(&mut self, other: Score) {
        self.0 += other.0;
    }
}

impl SubAssign for Score {
    #[inline]
    fn sub_assign(&mut self, other: Score) {
        self.0 -= other.0;
    }
}

impl fmt::Debug for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "({}, {})", self.middlegame(), self.endgame())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_halves_come_back_whatever_their_signs() {
        for (middlegame, endgame) in [(0, 0), (5, -7), (-5, 7), (-1, -1), (-3000, 2999)] {
            let score = Score::new(middlegame, endgame);
            assert_eq!((score.middlegame(), score.endgame()), (middlegame, endgame));
            let sum = score * 3 - score + Score::new(1, -1);
            assert_eq!(
                (sum.middlegame(), sum.endgame()),
                (2 * middlegame + 1, 2 * endgame - 1),
                "{score:?}"
            );
        }
    }
}
