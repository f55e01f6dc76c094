//! The score of a position or move, from the point of view of the side to move.
//!
//! A single 16-bit scale contains every kind of score: evaluations in centipawns, tablebase results above all
//! evaluations, and mates above those. A shorter mate has a higher score than a longer one.

use std::fmt;
use std::ops::{Add, AddAssign, Neg, Sub, SubAssign};

/// A search depth in plies.
pub type Depth = u8;

/// A search depth in words: `1 ply`, `2 plies`.
pub(crate) fn plies(depth: Depth) -> String {
    let noun = if depth == 1 { "ply" } else { "plies" };
    format!("{depth} {noun}")
}

/// The greatest distance from the root that a search may reach.
pub(crate) const MAX_PLY: usize = 200;

/// The greatest depth of a search. Quiescence and extensions need the plies that are left.
pub(crate) const MAX_DEPTH: Depth = MAX_PLY as Depth - 10;

/// A value in centipawns, or an encoded mate or tablebase result.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Debug)]
pub struct Value(i32);

/// The meaning of a [`Value`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Hundredths of a pawn.
    Centipawns(i32),
    /// A tablebase win, or a loss if negative. The number counts the plies from the root to the tablebase position.
    Table(i32),
    /// The number of moves to mate. Negative if the side to move will be mated.
    Mate(i32),
}

impl Value {
    /// The value of a draw.
    pub const DRAW: Value = Value(0);
    /// The value of mate on the board. A mate n plies away is worth n less.
    pub(crate) const MATE: Value = Value(32_000);
    /// Greater than every value of a position.
    pub const INFINITE: Value = Value(32_001);
    /// The smallest value that stands for a mate.
    pub(crate) const MATE_BOUND: Value = Value(32_000 - MAX_PLY as i32);
    /// The value of a tablebase win at the root. In a position n plies from the root, it is worth n less.
    pub(crate) const TABLE: Value = Value(31_000);
    /// The smallest value that stands for a tablebase win.
    pub(crate) const TABLE_BOUND: Value = Value(31_000 - MAX_PLY as i32);
    /// The largest static evaluation.
    pub(crate) const EVALUATION_BOUND: Value = Value(30_000);

    /// A value in hundredths of a pawn.
    #[inline]
    pub const fn centipawns(n: i32) -> Value {
        Value(n)
    }

    /// The raw number on the scale.
    #[inline]
    pub const fn raw(self) -> i32 {
        self.0
    }

    /// Checks a raw number from a file. `None` if it is outside the ranges for evaluations, tablebase results and
    /// mates.
    pub(crate) fn from_raw(raw: i32) -> Option<Value> {
        let size = Value(raw.checked_abs()?);
        let is_valid = size <= Value::EVALUATION_BOUND
            || (Value::TABLE_BOUND..=Value::TABLE).contains(&size)
            || (Value::MATE_BOUND..=Value::MATE).contains(&size);
        is_valid.then_some(Value(raw))
    }

    /// The value of giving mate in `plies` plies.
    #[inline]
    pub const fn mate_in(plies: usize) -> Value {
        Value(Value::MATE.0 - plies as i32)
    }

    /// The value of being mated in `plies` plies.
    #[inline]
    pub const fn mated_in(plies: usize) -> Value {
        Value(-Value::MATE.0 + plies as i32)
    }

    /// Whether this is a mate for either side.
    #[inline]
    pub(crate) const fn is_mate(self) -> bool {
        self.0.abs() >= Value::MATE_BOUND.0
    }

    /// Whether this is a mate or tablebase win for either side, not an evaluation.
    #[inline]
    pub const fn is_decisive(self) -> bool {
        self.0.abs() >= Value::TABLE_BOUND.0
    }

    /// Clamps an evaluation to the range allowed for evaluations.
    #[inline]
    pub fn clamp_evaluation(self) -> Value {
        Value(self.0.clamp(-Value::EVALUATION_BOUND.0, Value::EVALUATION_BOUND.0))
    }

    /// Converts a value for the transposition table. In the table, mates and tablebase wins are counted from the stored
    /// position instead of from the root. `ply` is the distance between the two.
    #[inline]
    pub(crate) const fn to_table(self, ply: usize) -> Value {
        if !self.is_decisive() {
            self
        } else if self.0 > 0 {
            Value(self.0 + ply as i32)
        } else {
            Value(self.0 - ply as i32)
        }
    }

    /// Counts mates and tablebase wins from the root again. The inverse of [`Value::to_table`].
    #[inline]
    pub(crate) const fn at_root(self, ply: usize) -> Value {
        if !self.is_decisive() {
            self
        } else if self.0 > 0 {
            Value(self.0 - ply as i32)
        } else {
            Value(self.0 + ply as i32)
        }
    }

    /// The meaning of the number.
    pub const fn meaning(self) -> Meaning {
        let distance = self.0.abs();
        let sign = self.0.signum();
        if distance >= Value::MATE_BOUND.0 {
            Meaning::Mate(sign * ((Value::MATE.0 - distance + 1) / 2))
        } else if distance >= Value::TABLE_BOUND.0 {
            Meaning::Table(sign * (Value::TABLE.0 - distance))
        } else {
            Meaning::Centipawns(self.0)
        }
    }

    /// The value in pawns, for curves and averages. All code uses this conversion.
    ///
    /// | value | pawns |
    /// |---|---|
    /// | up to 10 pawns | unchanged |
    /// | a larger evaluation x | `10 + 8 (x - 10) / (x - 2)`: 14 at 18, below 17.8 at the bound |
    /// | a tablebase win in n plies | `19 - n / 250` |
    /// | mate in n plies | `20 - n / 250` |
    ///
    /// Negative values are converted in the same way, with the opposite sign. The conversion is strictly monotone, so a
    /// shorter mate counts for more, and it is smooth at 10 pawns. It is bounded by 20 pawns. For the choice of a move,
    /// it hardly matters whether a game is won by 30 pawns or by mate, but huge values would dominate averages and
    /// flatten curves.
    ///
    /// The bounds that a capped evaluation gives for bad moves are treated like values.
    pub fn pawns(self) -> f64 {
        let distance = f64::from(self.0.abs());
        let size = if distance >= f64::from(Value::MATE_BOUND.0) {
            20.0 - (f64::from(Value::MATE.0) - distance) / 250.0
        } else if distance >= f64::from(Value::TABLE_BOUND.0) {
            19.0 - (f64::from(Value::TABLE.0) - distance) / 250.0
        } else if distance > 1000.0 {
            let pawns = distance / 100.0;
            10.0 + 8.0 * (pawns - 10.0) / (pawns - 2.0)
        } else {
            distance / 100.0
        };
        if self.0 < 0 { -size } else { size }
    }

    /// The evaluation that [`Value::pawns`] converts to this number, or to the number nearest to it.
    pub(crate) fn of_pawns(pawns: f64) -> Value {
        let size = pawns.abs();
        let evaluation = match size {
            ..=10.0 => size,
            ..18.0 => (80.0 - 2.0 * (size - 10.0)) / (18.0 - size),
            _ => f64::INFINITY,
        };
        let most = f64::from(Value::EVALUATION_BOUND.0);
        let raw = (100.0 * evaluation).min(most).round() as i32;
        Value(if pawns < 0.0 { -raw } else { raw })
    }
}

impl Add for Value {
    type Output = Value;
    #[inline]
    fn add(self, other: Value) -> Value {
        Value(self.0 + other.0)
    }
}

impl Sub for Value {
    type Output = Value;
    #[inline]
    fn sub(self, other: Value) -> Value {
        Value(self.0 - other.0)
    }
}

impl Neg for Value {
    type Output = Value;
    #[inline]
    fn neg(self) -> Value {
        Value(-self.0)
    }
}

impl AddAssign for Value {
    #[inline]
    fn add_assign(&mut self, other: Value) {
        self.0 += other.0;
    }
}

impl SubAssign for Value {
    #[inline]
    fn sub_assign(&mut self, other: Value) {
        self.0 -= other.0;
    }
}

impl fmt::Display for Value {
    /// Pawns with two decimal places, `won` or `lost` for tablebase results, or `#n` for a mate in n moves.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.meaning() {
            Meaning::Centipawns(n) => f.pad(&format!("{:+.2}", f64::from(n) / 100.0)),
            Meaning::Table(_) => f.pad(if self.0 < 0 { "lost" } else { "won" }),
            Meaning::Mate(n) => f.pad(&format!("#{n}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shorter_mate_is_worth_more() {
        assert!(Value::mate_in(1) > Value::mate_in(3));
        assert!(Value::mated_in(2) < Value::mated_in(4));
        assert!(Value::mate_in(MAX_PLY) > Value::TABLE);
        assert!(Value::TABLE_BOUND > Value::EVALUATION_BOUND);
    }

    #[test]
    fn mates_are_counted_in_moves() {
        assert_eq!(Value::mate_in(1).meaning(), Meaning::Mate(1));
        assert_eq!(Value::mate_in(3).meaning(), Meaning::Mate(2));
        assert_eq!(Value::mated_in(2).meaning(), Meaning::Mate(-1));
        assert_eq!(Value::mated_in(0).meaning(), Meaning::Mate(0));
    }

    #[test]
    fn pawns_are_strictly_monotone_and_bounded() {
        let bound = Value::EVALUATION_BOUND.raw();
        let evaluations = (-bound..=bound).map(Value);
        let tables = (0..=MAX_PLY as i32).rev().map(|n| Value(Value::TABLE.0 - n));
        let mates = (0..=MAX_PLY as i32).rev().map(|n| Value(Value::MATE.0 - n));
        let pawns: Vec<f64> = evaluations.chain(tables).chain(mates).map(Value::pawns).collect();
        assert!(pawns.windows(2).all(|w| w[0] < w[1]));
        assert_eq!(Value::MATE.pawns(), 20.0);
        assert_eq!(Value::mated_in(4).pawns(), -Value::mate_in(4).pawns());
        assert_eq!(Value(-123).pawns(), -1.23);
        let there_and_back = |raw: i32| Value::of_pawns(Value(raw).pawns());
        assert!((-bound..=bound).step_by(7).all(|raw| there_and_back(raw) == Value(raw)));
        assert_eq!(Value::of_pawns(-Value::MATE.pawns()), -Value::EVALUATION_BOUND);
    }

    #[test]
    fn numbers_between_the_ranges_are_not_values() {
        let values = (-40_000..=40_000).filter_map(Value::from_raw);
        assert!(values.clone().is_sorted_by(|a, b| a.pawns() < b.pawns()));
        assert_eq!(values.count(), 60_001 + 4 * (MAX_PLY + 1));
        for raw in [30_001, 31_001, -31_799, 32_001, i32::MAX, i32::MIN] {
            assert_eq!(Value::from_raw(raw), None, "{raw}");
        }
    }

    #[test]
    fn values_survive_the_transposition_table() {
        for raw in [-31_990, -31_000, -57, 0, 12, 31_000, 31_997] {
            let value = Value(raw);
            assert_eq!(value.to_table(7).at_root(7), value);
        }
    }
}
