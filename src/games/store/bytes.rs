//! Numbers of few bytes if they are small.

/// Seven bits in a byte, the lowest first; the highest bit says that more follow.
pub(super) fn write(mut number: u64, out: &mut Vec<u8>) {
    while number >= 128 {
        out.push(number as u8 | 128);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Numbers near zero, of either sign: 0, -1, 1, -2, ... are 0, 1, 2, 3, ...
pub(super) fn write_signed(number: i64, out: &mut Vec<u8>) {
    write(((number << 1) ^ (number >> 63)).cast_unsigned(), out);
}

/// Reads in the order of writing; nothing more comes after what makes no sense.
#[derive(Debug)]
pub(super) struct ByteReader<'a>(pub &'a [u8]);

impl ByteReader<'_> {
    pub fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.0.split_first()?;
        self.0 = rest;
        Some(first)
    }

    pub fn array<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (&first, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(first)
    }

    pub fn number(&mut self) -> Option<u64> {
        let mut number = 0;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    pub fn signed(&mut self) -> Option<i64> {
        let number = self.number()?;
        Some((number >> 1).cast_signed() ^ -((number & 1).cast_signed()))
    }

    /// A count of things that take at least a byte each.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    pub fn is_at_end(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_number_comes_back_and_small_ones_are_short() {
        let numbers = [0, 1, -1, 63, -64, 64, 8191, 1 << 40, i64::MAX, i64::MIN];
        let mut bytes = Vec::new();
        for number in numbers {
            write_signed(number, &mut bytes);
            write(number.cast_unsigned(), &mut bytes);
        }
        let mut reader = ByteReader(&bytes);
        for number in numbers {
            assert_eq!(reader.signed(), Some(number));
            assert_eq!(reader.number(), Some(number.cast_unsigned()));
        }
        assert!(reader.is_at_end() && reader.number().is_none());
        let mut one = Vec::new();
        write_signed(-64, &mut one);
        assert_eq!(one.len(), 1);
        assert_eq!(ByteReader(&[255; 20]).number(), None);
    }
}
