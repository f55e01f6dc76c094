//! A binary range coder (Martin 1979, "Range encoding: an algorithm for removing redundancy from a
//! digitised message").
//!
//! The coder writes a sequence of yes/no answers. An answer with probability p costs about -log2(p) bits, so a likely
//! answer costs much less than a bit. The coder keeps an interval of numbers. Each answer narrows the interval to the
//! part that corresponds to the probability of the answer. Any number in the final interval identifies all answers, and
//! the leading bytes of such a number are the output. A carry can still change bytes that have left the interval, so
//! they are held back until a carry can no longer reach them (as in Schindler's range coder).
//!
//! The probability of answering yes to each question is known in advance, in 256ths.

/// Counts, writes or reads answers to numbered questions.
///
/// A common trait for all three makes sure that they ask the same questions. A reader ignores `known` and returns the
/// answer that it reads.
pub trait Answers {
    fn answer(&mut self, question: usize, known: bool) -> bool;
}

/// Counts how often each question is answered with no and with yes.
pub struct Counts(pub Vec<[u64; 2]>);

impl Answers for Counts {
    #[inline]
    fn answer(&mut self, question: usize, known: bool) -> bool {
        self.0[question][usize::from(known)] += 1;
        known
    }
}

/// If the range is smaller than this, it is extended by a byte.
const SMALL: u32 = 1 << 24;

/// Writes answers.
pub struct RangeEncoder<'a> {
    chances: &'a [u8],
    low: u64,
    range: u32,
    /// The last byte before the `waiting` ones. A carry may still change it.
    held: Option<u8>,
    /// The number of bytes with the value 255 after `held`. A carry would turn them into zeros.
    waiting: usize,
    bytes: Vec<u8>,
}

impl<'a> RangeEncoder<'a> {
    pub fn new(chances: &'a [u8]) -> RangeEncoder<'a> {
        let (low, range) = (0, u32::MAX);
        RangeEncoder { chances, low, range, held: None, waiting: 0, bytes: Vec::new() }
    }

    /// Moves the highest byte out of the interval.
    fn shift(&mut self) {
        let (carry, byte) = ((self.low >> 32) as u8, (self.low >> 24) as u8);
        if carry == 0 && byte == u8::MAX {
            self.waiting += 1;
        } else {
            self.bytes.extend(self.held.map(|held| held.wrapping_add(carry)));
            let waiting = std::mem::take(&mut self.waiting);
            self.bytes.extend(std::iter::repeat_n(u8::MAX.wrapping_add(carry), waiting));
            self.held = Some(byte);
        }
        self.low = (self.low & 0x00ff_ffff) << 8;
    }

    /// Returns the bytes without the zeros at the end, because the reader adds them.
    pub fn finish(mut self) -> Vec<u8> {
        (0..5).for_each(|_| self.shift());
        self.bytes
            .truncate(self.bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1));
        self.bytes
    }
}

impl Answers for RangeEncoder<'_> {
    #[inline]
    fn answer(&mut self, question: usize, known: bool) -> bool {
        let bound = (self.range >> 8) * u32::from(self.chances[question]);
        if known {
            self.range = bound;
        } else {
            self.low += u64::from(bound);
            self.range -= bound;
        }
        while self.range < SMALL {
            self.range <<= 8;
            self.shift();
        }
        known
    }
}

/// Reads answers. After the end of the bytes, it reads zeros.
pub struct RangeDecoder<'a> {
    chances: &'a [u8],
    code: u32,
    range: u32,
    bytes: std::slice::Iter<'a, u8>,
}

impl<'a> RangeDecoder<'a> {
    pub fn new(chances: &'a [u8], bytes: &'a [u8]) -> RangeDecoder<'a> {
        let mut decoder = RangeDecoder { chances, code: 0, range: u32::MAX, bytes: bytes.iter() };
        (0..4).for_each(|_| decoder.shift());
        decoder
    }

    #[inline]
    fn shift(&mut self) {
        self.code = self.code << 8 | u32::from(self.bytes.next().copied().unwrap_or(0));
    }
}

impl Answers for RangeDecoder<'_> {
    #[inline]
    fn answer(&mut self, question: usize, _: bool) -> bool {
        let bound = (self.range >> 8) * u32::from(self.chances[question]);
        let yes = self.code < bound;
        if yes {
            self.range = bound;
        } else {
            self.code -= bound;
            self.range -= bound;
        }
        while self.range < SMALL {
            self.range <<= 8;
            self.shift();
        }
        yes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_read_back_and_likely_ones_take_few_bytes() {
        let chances = [1, 128, 255];
        let likely = |number: usize| if number % 3 == 1 { number % 7 < 3 } else { number % 3 == 2 };
        let answers: Vec<bool> =
            (0..30_000).map(|number| likely(number) != (number % 101 == 0)).collect();
        let mut writer = RangeEncoder::new(&chances);
        for (number, &answer) in answers.iter().enumerate() {
            writer.answer(number % 3, answer);
        }
        let bytes = writer.finish();
        assert!((1250..1700).contains(&bytes.len()), "{}", bytes.len());
        let mut reader = RangeDecoder::new(&chances, &bytes);
        for (number, &answer) in answers.iter().enumerate() {
            assert_eq!(reader.answer(number % 3, false), answer, "{number}");
        }
    }
}
