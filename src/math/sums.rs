//! Sums that do not depend on the order of their terms: whole numbers of a small unit.
//!
//! What many machines have added up has to be the same to the last bit as what one has, whoever was
//! first. Sums of floating-point numbers are not; sums of integers are. A term is rounded once, when it
//! becomes so many units, and never again.
//!
//! As bytes, whole numbers take few if they are small: seven bits in each, the lowest first; the highest bit
//! says that more follow.

/// So many units are 1.
pub const FINE: f64 = 65_536.0;
/// The same for what is shown with few digits.
pub const COARSE: f64 = 1024.0;
/// No term has more units than this: a sum of 2^23 such terms still fits.
const MOST: f64 = (1_u64 << 40) as f64;

/// A number in whole units; what is no number counts nothing.
pub fn units(x: f64, unit: f64) -> i64 {
    (x * unit).round().clamp(-MOST, MOST) as i64
}

/// Adds numbers to others, place by place. A sum that leaves its range goes round, so that even then
/// no order of adding differs from another.
pub fn add(sums: &mut Vec<i64>, more: &[i64]) {
    if sums.len() < more.len() {
        sums.resize(more.len(), 0);
    }
    sums.iter_mut().zip(more).for_each(|(sum, &term)| *sum = sum.wrapping_add(term));
}

/// Writes a number of either sign in as few bytes as it needs: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
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

/// Reads a number and moves on; `None` where there is none.
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

/// Writes neighbouring points of a smooth curve by their differences of an order, which are small.
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

/// Adds such a curve to another of the same length, or to none, or none to it; `None` where the bytes are
/// no such curve.
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
    fn numbers_and_curves_come_back_as_they_were() {
        let numbers = [0, 1, -1, 63, 64, -65, i64::MAX, i64::MIN, 1 << 40];
        for order in 0..=MOST_ORDER {
            let mut bytes = Vec::new();
            put_curve(&mut bytes, &numbers, order);
            let (mut rest, mut sums) = (&bytes[..], vec![]);
            add_curve(&mut rest, &mut sums, order).expect("it is a curve");
            assert_eq!((&sums[..], rest.len()), (&numbers[..], 0));
            for end in 0..bytes.len() {
                assert!(add_curve(&mut &bytes[..end], &mut vec![], order).is_none(), "{end}");
            }
            assert!(add_curve(&mut &bytes[..], &mut vec![0; 3], order).is_none());
            let mut none = Vec::new();
            put_curve(&mut none, &[], order);
            add_curve(&mut &none[..], &mut sums, order).expect("nothing is added");
            assert_eq!(sums, numbers);
        }
    }

    #[test]
    fn what_is_no_number_counts_nothing_and_the_vast_is_bounded() {
        assert_eq!(units(f64::NAN, FINE), 0);
        assert_eq!(units(f64::NEG_INFINITY, FINE), -units(f64::INFINITY, FINE));
        assert_eq!((units(1.0, FINE), units(-0.5, COARSE)), (1 << 16, -512));
    }

    #[test]
    fn smooth_curves_take_little_room() {
        let curve: Vec<i64> = (0..361_i64).map(|i| -(i - 100) * (i - 100) * 1000).collect();
        let mut bytes = Vec::new();
        put_curve(&mut bytes, &curve, 3);
        assert!(bytes.len() < 400, "{}", bytes.len());
    }
}
