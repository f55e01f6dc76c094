//! The encoding of a cached evaluation. Values and lines are stored separately, because programs
//! that read millions of positions need only the values.
//!
//! Numbers have a variable length: small ones take one byte ([`put`], [`put_unsigned`]). The values
//! are stored as follows:
//!
//! | field | bytes |
//! |-------|-------|
//! | depth, nodes | a number each |
//! | the tablebases that were probed | 0 if none, otherwise 1 and their fingerprint in 8 bytes |
//! | the number of moves | a number |
//! | for each move, best first: its squares and promotion | 2 |
//! | twice its number of depths, plus 1 if some value is not exact | a number |
//! | if so, a bit for each depth, lowest first: whether the value is exact | as needed |
//! | its value at each depth, minus its value at the previous depth | a signed number each |
//!
//! The lines follow, with the moves in the same order. A line starts with twice the number of its
//! stored moves, followed by 2 bytes for each of them. If the first move of the line is the
//! evaluated move, it is not stored, and 1 is added to the number at the start.

use crate::board::{Move, PackedMove, Position};
use crate::evaluation::{DepthValue, MoveEvaluation, RootEvaluation};
use crate::math::sums::{put, put_unsigned, take, take_unsigned};
use crate::value::Value;

/// Reads bytes in the order they were written. Every method returns `None` for bad data.
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
        take_unsigned(&mut self.0)
    }

    /// Reads the number of items that take at least one byte each.
    pub fn count(&mut self) -> Option<usize> {
        let count = usize::try_from(self.number()?).ok()?;
        (count <= self.0.len()).then_some(count)
    }

    /// Reads twice the number of items that take at least one byte each, plus 0 or 1.
    fn count_twice(&mut self) -> Option<usize> {
        let number = usize::try_from(self.number()?).ok()?;
        (number / 2 <= self.0.len()).then_some(number)
    }
}

/// Encodes the values and the lines of an evaluation.
pub(super) fn encode(evaluation: &RootEvaluation) -> [Vec<u8>; 2] {
    let mut values = Vec::with_capacity(16 + 16 * evaluation.moves.len());
    let mut lines = Vec::with_capacity(16 * evaluation.moves.len());
    put_unsigned(&mut values, u64::from(evaluation.depth));
    put_unsigned(&mut values, evaluation.nodes);
    match evaluation.oracle {
        None => values.push(0),
        Some(tables) => {
            values.push(1);
            values.extend(tables.to_le_bytes());
        }
    }
    put_unsigned(&mut values, evaluation.moves.len() as u64);
    for m in &evaluation.moves {
        encode_values(m, &mut values);
        let is_usual = m.line.first() == Some(&m.mv);
        let line = if is_usual { &m.line[1..] } else { &m.line };
        put_unsigned(&mut lines, 2 * line.len() as u64 + u64::from(is_usual));
        line.iter().for_each(|mv| lines.extend(mv.packed().0.to_le_bytes()));
    }
    [values, lines]
}

fn encode_values(m: &MoveEvaluation, out: &mut Vec<u8>) {
    out.extend(m.mv.packed().0.to_le_bytes());
    let all_exact = m.by_depth.iter().all(|at_depth| at_depth.exact);
    put_unsigned(out, 2 * m.by_depth.len() as u64 + u64::from(!all_exact));
    if !all_exact {
        for eight in m.by_depth.chunks(8) {
            let bits = eight.iter().enumerate().map(|(bit, a)| u8::from(a.exact) << bit);
            out.push(bits.sum());
        }
    }
    let mut last = 0;
    for at_depth in &m.by_depth {
        let raw = i64::from(at_depth.value.raw());
        put(out, raw - last);
        last = raw;
    }
}

/// Decodes an evaluation of a position. If `lines` are not given, the lines of the result are
/// empty. Returns `None` if the bytes are not an evaluation of this position.
pub(super) fn decode(
    values: &[u8],
    lines: Option<&[u8]>,
    position: &Position,
) -> Option<RootEvaluation> {
    let mut reader = ByteReader(values);
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
    // Either every legal move has a value at every depth, or the evaluation contains no moves.
    if depth > 0 && !left.is_empty() || depth == 0 && count > 0 {
        return None;
    }
    if let Some(lines) = lines {
        decode_lines(&mut moves, lines, position)?;
    }
    reader.0.is_empty().then_some(RootEvaluation { depth, moves, nodes, oracle })
}

fn decode_values(reader: &mut ByteReader<'_>) -> Option<Vec<DepthValue>> {
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
        last = last.checked_add(take(&mut reader.0)?)?;
        let value = i32::try_from(last).ok().and_then(Value::from_raw)?;
        let exact = exact.get(index / 8).is_none_or(|bits| bits >> (index % 8) & 1 == 1);
        by_depth.push(DepthValue { value, exact });
    }
    Some(by_depth)
}

/// Decodes the lines of all moves.
fn decode_lines(moves: &mut [MoveEvaluation], bytes: &[u8], position: &Position) -> Option<()> {
    let mut reader = ByteReader(bytes);
    for m in moves {
        let header = reader.count_twice()?;
        let mut after = position.clone();
        if header % 2 == 1 {
            m.line.push(m.mv);
            after.play(m.mv);
        }
        for _ in 0..header / 2 {
            let mv = after.complete(PackedMove(u16::from_le_bytes(reader.array()?)))?;
            m.line.push(mv);
            after.play(mv);
        }
    }
    reader.0.is_empty().then_some(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::Game;
    use crate::math::streams::{Occasion, Purpose, Stream};

    /// A random evaluation of a random position.
    fn random_evaluation(stream: &mut Stream) -> (Position, RootEvaluation) {
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
            let by_depth = (0..depth).map(|_| {
                let raw = (below(64_001) as i32 - 32_000) >> below(12);
                let value = Value::from_raw(raw).unwrap_or_default();
                DepthValue { value, exact: below(3) > 0 }
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
    fn evaluations_survive_encoding_and_truncated_bytes_are_refused() {
        let mut stream = Stream::new(Occasion { seed: 11, game: 0, ply: 0 }, Purpose::Move);
        for round in 0..300 {
            let (position, evaluation) = random_evaluation(&mut stream);
            let [values, lines] = encode(&evaluation);
            let found = decode(&values, Some(&lines), &position).expect("it was encoded");
            assert_eq!(found, evaluation, "{round}: {}", position.fen());
            for cut in 0..values.len() {
                assert_eq!(decode(&values[..cut], None, &position), None);
            }
        }
    }

    #[test]
    fn inconsistent_evaluations_are_refused() {
        let mut stream = Stream::new(Occasion { seed: 13, game: 0, ply: 0 }, Purpose::Move);
        let all = std::iter::repeat_with(|| random_evaluation(&mut stream));
        let all = all.filter(|(_, evaluation)| evaluation.depth > 0 && evaluation.moves.len() > 1);
        for (position, sound) in all.take(50) {
            let refused = |change: &dyn Fn(&mut RootEvaluation)| {
                let mut evaluation = sound.clone();
                change(&mut evaluation);
                let [values, _] = encode(&evaluation);
                assert_eq!(decode(&values, None, &position), None, "{evaluation:?}");
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
            let between = Value::TABLE.raw() + 1;
            for raw in [beyond, -beyond, i32::MIN, between, -between] {
                let value = Value::centipawns(raw);
                refused(&|evaluation| evaluation.moves[0].by_depth[0].value = value);
            }
        }
    }

    #[test]
    fn random_bytes_do_not_panic() {
        let position = Game::default().position().clone();
        let mut stream = Stream::new(Occasion { seed: 12, game: 0, ply: 0 }, Purpose::Move);
        for _ in 0..2000 {
            let length = (stream.uniform() * 40.0) as usize;
            let bytes: Vec<u8> = (0..length).map(|_| (stream.uniform() * 256.0) as u8).collect();
            decode(&bytes, Some(&bytes), &position);
        }
    }
}
