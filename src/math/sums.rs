//! Sums that do not depend on the order of their terms. They are integers that count small units.
//!
//! Many machines add up parts of one study, and the total must be the same to the last bit however the games are
//! divided. Floating-point addition depends on the order of the terms, but integer addition does not. A term is rounded
//! only once, when it becomes a number of units.
//!
//! Integers are written with a variable number of bytes. Each byte has seven bits of the number, the lowest first. The
//! highest bit of a byte is set if more bytes follow.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The largest number of units in a term. A sum of 2^22 such terms still fits.
const MOST: f64 = (1_u64 << 40) as f64;

/// A sum of numbers, counted in units of 1 / `UNITS`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Sum<const UNITS: u32>(i64);

/// A sum of whole numbers.
pub type Count = Sum<1>;
/// A sum of fractions, counted in small units.
pub type Fine = Sum<65_536>;

impl<const UNITS: u32> Sum<UNITS> {
    /// The sum that is nearest to this number. NaN counts as zero.
    pub fn of(x: f64) -> Sum<UNITS> {
        Sum((x * f64::from(UNITS)).round().clamp(-MOST, MOST) as i64)
    }

    pub fn value(self) -> f64 {
        self.0 as f64 / f64::from(UNITS)
    }
}

impl Count {
    pub fn of_items(items: usize) -> Count {
        Sum(items as i64)
    }

    /// The count as an index type. Zero if a corrupt file made the count negative.
    pub fn items(self) -> usize {
        usize::try_from(self.0).unwrap_or(0)
    }
}

/// Quantities that can be added. If they have items, they are added item by item.
pub trait Additive {
    fn add(&mut self, other: &Self);
}

impl Additive for f64 {
    fn add(&mut self, other: &f64) {
        *self += other;
    }
}

/// Addition of integers wraps around, so that even an overflow does not depend on the order.
impl Additive for usize {
    fn add(&mut self, other: &usize) {
        *self = self.wrapping_add(*other);
    }
}

impl<const UNITS: u32> Additive for Sum<UNITS> {
    fn add(&mut self, other: &Sum<UNITS>) {
        self.0 = self.0.wrapping_add(other.0);
    }
}

impl<T: Additive, const LENGTH: usize> Additive for [T; LENGTH] {
    fn add(&mut self, other: &[T; LENGTH]) {
        self.iter_mut().zip(other).for_each(|(sum, term)| sum.add(term));
    }
}

/// Items that only the other list has are appended.
impl<T: Additive + Clone> Additive for Vec<T> {
    fn add(&mut self, other: &Vec<T>) {
        self.iter_mut().zip(other).for_each(|(sum, term)| sum.add(term));
        self.extend_from_slice(other.get(self.len()..).unwrap_or_default());
    }
}

impl<K: Ord + Clone, T: Additive + Default> Additive for BTreeMap<K, T> {
    fn add(&mut self, other: &BTreeMap<K, T>) {
        for (key, term) in other {
            self.entry(key.clone()).or_default().add(term);
        }
    }
}

/// The greater value is kept.
impl<T: Ord + Clone> Additive for Option<T> {
    fn add(&mut self, other: &Option<T>) {
        *self = self.take().max(other.clone());
    }
}

/// Makes a struct additive, field by field.
macro_rules! additive {
    ($name:ident $(<$T:ident>)?: $($field:ident),+) => {
        impl$(<$T: $crate::math::sums::Additive>)? $crate::math::sums::Additive for $name$(<$T>)? {
            fn add(&mut self, other: &Self) {
                $($crate::math::sums::Additive::add(&mut self.$field, &other.$field);)+
            }
        }
    };
}
pub(crate) use additive;

/// Sums at the points of a grid, along which they change smoothly. They are serialised as differences of order `ORDER`,
/// which are small.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SumCurve<const UNITS: u32, const ORDER: usize>(Vec<Sum<UNITS>>);

pub type FineCurve<const ORDER: usize> = SumCurve<65_536, ORDER>;
pub type CoarseCurve<const ORDER: usize> = SumCurve<1024, ORDER>;

impl<const UNITS: u32, const ORDER: usize> SumCurve<UNITS, ORDER> {
    pub fn of(values: &[f64]) -> SumCurve<UNITS, ORDER> {
        SumCurve(values.iter().map(|&x| Sum::of(x)).collect())
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The value at a point of the grid.
    pub fn at(&self, point: usize) -> f64 {
        self.0[point].value()
    }

    pub fn values(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().map(|sum| sum.value())
    }

    /// The point with the largest sum. In case of a tie, the last one. `None` if there are no points.
    pub fn highest(&self) -> Option<usize> {
        (0..self.0.len()).max_by_key(|&point| self.0[point])
    }
}

impl<const UNITS: u32, const ORDER: usize> Additive for SumCurve<UNITS, ORDER> {
    fn add(&mut self, other: &SumCurve<UNITS, ORDER>) {
        self.0.add(&other.0);
    }
}

impl<const UNITS: u32, const ORDER: usize> Serialize for SumCurve<UNITS, ORDER> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut last = [0_i64; ORDER];
        serializer.collect_seq(self.0.iter().map(|sum| {
            last.iter_mut().fold(sum.0, |value, last| {
                let difference = value.wrapping_sub(*last);
                *last = value;
                difference
            })
        }))
    }
}

impl<'de, const UNITS: u32, const ORDER: usize> Deserialize<'de> for SumCurve<UNITS, ORDER> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut sums = Vec::<Sum<UNITS>>::deserialize(deserializer)?;
        let mut last = [0_i64; ORDER];
        for Sum(value) in &mut sums {
            for last in last.iter_mut().rev() {
                *last = last.wrapping_add(*value);
                *value = *last;
            }
        }
        Ok(SumCurve(sums))
    }
}

/// Writes a number of either sign in as few bytes as possible: 0, -1, 1, -2, ... are encoded as 0, 1, 2, 3, ...
pub fn put(bytes: &mut Vec<u8>, number: i64) {
    put_unsigned(bytes, ((number << 1) ^ (number >> 63)).cast_unsigned());
}

pub fn put_unsigned(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 127 {
        bytes.push(number as u8 | 128);
        number >>= 7;
    }
    bytes.push(number as u8);
}

/// Reads a number and advances past it. `None` if the bytes do not contain a number.
pub fn take(bytes: &mut &[u8]) -> Option<i64> {
    let number = take_unsigned(bytes)?;
    Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
}

pub fn take_unsigned(bytes: &mut &[u8]) -> Option<u64> {
    let (mut number, mut shift) = (0_u64, 0);
    loop {
        let (&byte, after) = bytes.split_first()?;
        *bytes = after;
        number |= u64::from(byte & 127).checked_shl(shift)?;
        if byte < 128 {
            return Some(number);
        }
        shift += 7;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_survive_serialisation_at_every_order() {
        fn check<const ORDER: usize>() {
            let numbers = [0, 1, -1, 63, 64, -65, i64::MAX, i64::MIN, 1 << 40];
            let curve = SumCurve::<1, ORDER>(numbers.map(Sum).to_vec());
            let bytes = postcard::to_allocvec(&curve).expect("it fits in memory");
            assert_eq!(postcard::from_bytes(&bytes), Ok(curve));
            for end in 0..bytes.len() {
                let found: Result<SumCurve<1, ORDER>, _> = postcard::from_bytes(&bytes[..end]);
                assert!(found.is_err(), "{end}");
            }
        }
        check::<0>();
        check::<1>();
        check::<2>();
        check::<3>();
    }

    #[test]
    fn nan_counts_as_zero_and_infinity_is_bounded() {
        assert_eq!(Fine::of(f64::NAN), Fine::default());
        assert_eq!(Fine::of(f64::NEG_INFINITY).value(), -Fine::of(f64::INFINITY).value());
        assert_eq!((Fine::of(1.0), Sum::<1024>::of(-0.5)), (Sum(1 << 16), Sum(-512)));
    }

    #[test]
    fn smooth_curves_take_few_bytes() {
        let curve: Vec<f64> = (0..361).map(|i| -f64::from(i - 100).powi(2) * 1000.0).collect();
        let curve = SumCurve::<1, 3>::of(&curve);
        let bytes = postcard::to_allocvec(&curve).expect("it fits in memory");
        assert!(bytes.len() < 400, "{}", bytes.len());
    }
}
