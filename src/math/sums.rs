//! Sums that do not depend on the order of their terms, as integers in a small unit.
//!
//! Sums of many machines must agree to the last bit with the sum of one machine, in any order. Sums of floating-point numbers
//! do not, but sums of integers do. A term is rounded once, when it is converted to units.
//!
//! Integers are written as varints: seven bits in each byte, lowest first, and the high bit shows that more bytes follow.

/// The number of units that make 1.
pub const FINE: f64 = 65_536.0;
/// The number of units that make 1 for numbers that are shown with few digits.
pub const COARSE: f64 = 1024.0;
/// The most units of a term. A sum of 2^23 such terms does not overflow.
const MOST: f64 = (1_u64 << 40) as f64;

/// Converts a number to units. NaN becomes 0.
pub fn units(x: f64, unit: f64) -> i64 {
    (x * unit).round().clamp(-MOST, MOST) as i64
}

/// Adds numbers to others, element by element. A sum that overflows wraps around, so that even then the order of adding does
/// not matter.
pub fn add(sums: &mut Vec<i64>, more: &[i64]) {
    if sums.len() < more.len() {
        sums.resize(more.len(), 0);
    }
    sums.iter_mut().zip(more).for_each(|(sum, &term)| *sum = sum.wrapping_add(term));
}

/// Writes a signed number as a varint: 0, -1, 1, -2 are written as 0, 1, 2, 3 and so on (zigzag).
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

/// Reads a number and advances. `None` if the bytes are not a number.
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

/// The highest order of differences.
const MOST_ORDER: usize = 4;

/// Writes the points of a smooth curve by their differences of an order, which are small numbers.
pub fn put_curve(bytes: &mut Vec<u8>, values: &[i64], order: usize) {
    let mut before = [0_i64; MOST_ORDER];
    put(bytes, values.len() as i64);
    for &value in values {
        let mut difference = value;
        for last in &mut before[..order] {
            let next = difference.wrapping_sub(*last);
            *last = difference;
            difference = next;
        }
        put(bytes, difference);
    }
}

/// Reads a curve and adds it to another of the same length. Either may be empty. `None` if the bytes are not such a curve.
pub fn add_curve(bytes: &mut &[u8], sums: &mut Vec<i64>, order: usize) -> Option<()> {
    let length = usize::try_from(take(bytes)?).ok().filter(|&length| length <= bytes.len())?;
    if sums.is_empty() {
        sums.resize(length, 0);
    }
    if length == 0 {
        return Some(());
    }
    if sums.len() != length {
        return None;
    }
    let mut before = [0_i64; MOST_ORDER];
    for sum in sums {
        let mut value = take(bytes)?;
        for last in before[..order].iter_mut().rev() {
            *last = last.wrapping_add(value);
            value = *last;
        }
        *sum = sum.wrapping_add(value);
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_curves_are_read_back() {
        let numbers = [0, 1, -1, 63, 64, -65, i64::MAX, i64::MIN, 1 << 40];
        for order in 0..=MOST_ORDER {
            let mut bytes = Vec::new();
            put_curve(&mut bytes, &numbers, order);
            let (mut rest, mut sums) = (&bytes[..], vec![]);
            add_curve(&mut rest, &mut sums, order).expect("a curve");
            assert_eq!((&sums[..], rest.len()), (&numbers[..], 0));
            for end in 0..bytes.len() {
                assert!(add_curve(&mut &bytes[..end], &mut vec![], order).is_none(), "{end}");
            }
            assert!(add_curve(&mut &bytes[..], &mut vec![0; 3], order).is_none());
            let mut none = Vec::new();
            put_curve(&mut none, &[], order);
            add_curve(&mut &none[..], &mut sums, order).expect("an empty curve");
            assert_eq!(sums, numbers);
        }
    }

    #[test]
    fn nan_is_zero_and_huge_numbers_are_limited() {
        assert_eq!(units(f64::NAN, FINE), 0);
        assert_eq!(units(f64::NEG_INFINITY, FINE), -units(f64::INFINITY, FINE));
        assert_eq!((units(1.0, FINE), units(-0.5, COARSE)), (1 << 16, -512));
    }

    #[test]
    fn smooth_curves_take_few_bytes() {
        let curve: Vec<i64> = (0..361_i64).map(|i| -(i - 100) * (i - 100) * 1000).collect();
        let mut bytes = Vec::new();
        put_curve(&mut bytes, &curve, 3);
        assert!(bytes.len() < 400, "{}", bytes.len());
    }
}
