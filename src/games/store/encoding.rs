//! Evaluations as bytes. Values and lines are apart, since whoever reads millions of positions wants
//! the values alone.
//!
//! Numbers take few bytes if they are small ([`write`]). The values:
//!
//! | what | bytes |
//! |------|-------|
//! | depth, nodes | number each |
//! | tables that were asked | 0, or 1 and their fingerprint in 8 bytes |
//! | moves | number |
//! | each move, best first: squares and promotion | 2 |
//! | its depths, twice, and 1 more if some value is not exact | number |
//! | which are, if some are not: a bit for each depth, the lowest first | as needed |
//! | its values: the first, then how each differs from the one before | signed number each |
//!
//! The lines, in the same order, are a number of moves each and their 2 bytes, without the first
//! move where that is the move itself: those have 1 added to twice the number.

use crate::board::{Move, PackedMove, Position};
use crate::evaluation::{Assessment, MoveEvaluation, RootEvaluation};
use crate::value::Value;

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

/// Values and lines.
pub(super) fn encode(evaluation: &RootEvaluation) -> [Vec<u8>; 2] {
    let mut values = Vec::with_capacity(16 + 16 * evaluation.moves.len());
    let mut lines = Vec::with_capacity(16 * evaluation.moves.len());
    write(u64::from(evaluation.depth), &mut values);
    write(evaluation.nodes, &mut values);
    match evaluation.oracle {
        None => values.push(0),
        Some(tables) => {
            values.push(1);
            values.extend(tables.to_le_bytes());
        }
    }
    write(evaluation.moves.len() as u64, &mut values);
    for m in &evaluation.moves {
        encode_values(m, &mut values);
        let is_usual = m.line.first() == Some(&m.mv);
        let line = if is_usual { &m.line[1..] } else { &m.line };
        write(2 * line.len() as u64 + u64::from(is_usual), &mut lines);
        line.iter().for_each(|mv| lines.extend(mv.packed().0.to_le_bytes()));
    }
    [values, lines]
}

fn encode_values(m: &MoveEvaluation, out: &mut Vec<u8>) {
    out.extend(m.mv.packed().0.to_le_bytes());
    let all_exact = m.by_depth.iter().all(|assessment| assessment.exact);
    write(2 * m.by_depth.len() as u64 + u64::from(!all_exact), out);
    if !all_exact {
        for eight in m.by_depth.chunks(8) {
            let bits = eight.iter().enumerate().map(|(bit, a)| u8::from(a.exact) << bit);
            out.push(bits.sum());
        }
    }
    let mut last = 0;
    for assessment in &m.by_depth {
        let raw = i64::from(assessment.value.raw());
        write_signed(raw - last, out);
        last = raw;
    }
}

/// The values of a position; the lines are left empty. `None` if the bytes say nothing about it.
pub(super) fn decode(bytes: &[u8], position: &Position) -> Option<RootEvaluation> {
    let mut reader = ByteReader(bytes);
    let depth = u8::try_from(reader.number()?).ok()?;
    let nodes = reader.number()?;
    let oracle = match reader.byte()? {
        0 => None,
        1 => Some(u64::from_le_bytes(reader.array()?)),
        _ => return None,
    };
    let count = reader.count()?;
    let mut left: Vec<Move> = position.legal_moves().into_iter().collect();
    let mut moves = Vec::with_capacity(count);
    for _ in 0..count {
        let packed = PackedMove(u16::from_le_bytes(reader.array()?));
        let place = left.iter().position(|m| m.packed() == packed)?;
        let by_depth = decode_values(&mut reader)?;
        if by_depth.len() != usize::from(depth) {
            return None;
        }
        moves.push(MoveEvaluation { mv: left.swap_remove(place), by_depth, line: Vec::new() });
    }
    // Every legal move has a value at every depth, or none has any.
    if depth > 0 && !left.is_empty() || depth == 0 && count > 0 {
        return None;
    }
    reader.is_at_end().then_some(RootEvaluation { depth, moves, nodes, oracle })
}

fn decode_values(reader: &mut ByteReader<'_>) -> Option<Vec<Assessment>> {
    let header = reader.count_twice()?;
    let (depths, all_exact) = (header / 2, header % 2 == 0);
    let mut exact = [255; 32];
    if !all_exact {
        for byte in exact.iter_mut().take(depths.div_ceil(8)) {
            *byte = reader.byte()?;
        }
    }
    let mut last = 0_i64;
    let mut by_depth = Vec::with_capacity(depths);
    for index in 0..depths {
        last = last.checked_add(reader.signed()?)?;
        let most = i64::from(Value::MATE.raw());
        let raw = i32::try_from(last).ok().filter(|_| (-most..=most).contains(&last))?;
        let value = Value::centipawns(raw);
        let exact = exact.get(index / 8).is_none_or(|bits| bits >> (index % 8) & 1 == 1);
        by_depth.push(Assessment { value, exact });
    }
    Some(by_depth)
}

/// The same evaluation with its lines.
pub(super) fn add_lines(
    mut evaluation: RootEvaluation,
    bytes: &[u8],
    position: &Position,
) -> Option<RootEvaluation> {
    let mut reader = ByteReader(bytes);
    for m in &mut evaluation.moves {
        let header = reader.count_twice()?;
        let mut after = position.clone();
        if header % 2 == 1 {
            m.line.push(m.mv);
            after.play(m.mv);
        }
        for _ in 0..header / 2 {
            let mv = next_move(&mut reader, &after)?;
            m.line.push(mv);
            after.play(mv);
        }
    }
    reader.is_at_end().then_some(evaluation)
}

fn next_move(reader: &mut ByteReader<'_>, position: &Position) -> Option<Move> {
    position.complete(PackedMove(u16::from_le_bytes(reader.array()?)))
}

impl ByteReader<'_> {
    /// Twice a count of things that take at least a byte each, or one more.
    fn count_twice(&mut self) -> Option<usize> {
        let number = usize::try_from(self.number()?).ok()?;
        (number / 2 <= self.0.len()).then_some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;
    use crate::math::streams::{Occasion, Purpose, Stream};

    /// An evaluation of some position with anything in it.
    fn anything(stream: &mut Stream) -> (Position, RootEvaluation) {
        let mut below = |n: usize| (stream.uniform() * n as f64) as usize;
        let mut game = Game::default();
        for _ in 0..below(60) {
            let legal = game.position().legal_moves();
            if legal.is_empty() {
                break;
            }
            game.play(legal[below(legal.len())]);
        }
        let position = game.position().clone();
        let depth = below(20);
        let mut moves = Vec::new();
        for mv in position.legal_moves().into_iter().filter(|_| depth > 0) {
            let by_depth = (0..depth).map(|_| Assessment {
                value: Value::centipawns((below(64_001) as i32 - 32_000) >> below(12)),
                exact: below(3) > 0,
            });
            let by_depth = by_depth.collect();
            let mut line = Vec::new();
            let mut after = position.clone();
            for index in 0..below(12) {
                let legal = after.legal_moves();
                let Some(first) = legal.first() else { break };
                let next = if index == 0 && below(4) > 0 { mv } else { *first };
                line.push(next);
                after.play(next);
            }
            moves.push(MoveEvaluation { mv, by_depth, line });
        }
        let nodes = below(usize::MAX) as u64;
        let oracle = (below(3) == 0).then(|| below(usize::MAX) as u64);
        (position, RootEvaluation { depth: depth as u8, moves, nodes, oracle })
    }

    #[test]
    fn every_evaluation_comes_back_exactly_and_cut_bytes_do_not() {
        let mut stream = Stream::new(Occasion { seed: 11, game: 0, ply: 0 }, Purpose::Move);
        for round in 0..300 {
            let (position, evaluation) = anything(&mut stream);
            let [values, lines] = encode(&evaluation);
            let found = decode(&values, &position).expect("what was written can be read");
            let found = add_lines(found, &lines, &position).expect("what was written");
            assert_eq!(found, evaluation, "{round}: {}", position.fen());
            for cut in 0..values.len() {
                assert_eq!(decode(&values[..cut], &position), None);
            }
        }
    }

    #[test]
    fn what_no_evaluation_says_is_refused() {
        let mut stream = Stream::new(Occasion { seed: 13, game: 0, ply: 0 }, Purpose::Move);
        let all = std::iter::repeat_with(|| anything(&mut stream));
        let all = all.filter(|(_, evaluation)| evaluation.depth > 0 && evaluation.moves.len() > 1);
        for (position, sound) in all.take(50) {
            let refused = |change: &dyn Fn(&mut RootEvaluation)| {
                let mut evaluation = sound.clone();
                change(&mut evaluation);
                let [values, _] = encode(&evaluation);
                assert_eq!(decode(&values, &position), None, "{evaluation:?}");
            };
            refused(&|evaluation| drop(evaluation.moves.pop()));
            refused(&|evaluation| evaluation.moves.clear());
            refused(&|evaluation| evaluation.moves[1] = evaluation.moves[0].clone());
            refused(&|evaluation| {
                let fewer = usize::from(evaluation.depth) - 1;
                evaluation.moves[1].by_depth.truncate(fewer);
            });
            refused(&|evaluation| evaluation.depth = 0);
            let beyond = Value::MATE.raw() + 1;
            for raw in [beyond, -beyond, i32::MIN] {
                let value = Value::centipawns(raw);
                refused(&|evaluation| evaluation.moves[0].by_depth[0].value = value);
            }
        }
    }

    #[test]
    fn any_bytes_are_read_without_harm() {
        let position = Game::default().position().clone();
        let mut stream = Stream::new(Occasion { seed: 12, game: 0, ply: 0 }, Purpose::Move);
        for _ in 0..2000 {
            let length = (stream.uniform() * 40.0) as usize;
            let bytes: Vec<u8> = (0..length).map(|_| (stream.uniform() * 256.0) as u8).collect();
            if let Some(found) = decode(&bytes, &position) {
                let _ = add_lines(found, &bytes, &position);
            }
        }
    }

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
