//! What a file of positions consists of: records of 32 bytes.
//!
//! A position:
//!
//! | bytes | what |
//! |-------|------|
//! | 0-26  | the position, see [`PackedPosition`] |
//! | 27    | White's result: 0, 1 for a draw, 2 for a win, 3 where there is none |
//! | 28-29 | what the search saw for White, in centipawns |
//! | 30-31 | the ply of the game |
//!
//! A mark, before the positions of each game: eight zero bytes (no position has an empty board),
//! the seed and the number of the game in eight bytes each, the number of positions that follow in
//! four, and [`MARK`]. All numbers are little-endian.

use crate::board::PackedPosition;

pub const RECORD: usize = 32;

const MARK: [u8; 4] = *b"game";
const UNKNOWN: u8 = 3;

/// A quiet position, what was thought of it, and how its game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sample {
    pub position: PackedPosition,
    /// None of a position that no game led to.
    pub outcome: Option<WhiteOutcome>,
    /// For White.
    pub centipawns: i16,
    pub ply: u16,
}

/// White's result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhiteOutcome {
    Lost = 0,
    Drawn = 1,
    Won = 2,
}

impl WhiteOutcome {
    /// As a score: 0, a half or 1.
    pub fn score(self) -> f32 {
        f32::from(self as u8) / 2.0
    }

    pub fn from_score(score: f32) -> Option<WhiteOutcome> {
        [WhiteOutcome::Lost, WhiteOutcome::Drawn, WhiteOutcome::Won]
            .into_iter()
            .find(|o| o.score() == score)
    }
}

/// Where a game begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Mark {
    pub seed: u64,
    pub number: u64,
    /// Positions that follow.
    pub positions: u32,
}

/// A record of either kind.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PositionRecord {
    Mark(Mark),
    Sample(Sample),
}

impl PositionRecord {
    /// `None` where the bytes are neither.
    pub fn from_bytes(bytes: &[u8; RECORD]) -> Option<PositionRecord> {
        if bytes[..8] == [0; 8] {
            return (bytes[28..] == MARK).then(|| {
                PositionRecord::Mark(Mark {
                    seed: u64::from_le_bytes(array(&bytes[8..16])),
                    number: u64::from_le_bytes(array(&bytes[16..24])),
                    positions: u32::from_le_bytes(array(&bytes[24..28])),
                })
            });
        }
        let outcome = match bytes[27] {
            0 => Some(WhiteOutcome::Lost),
            1 => Some(WhiteOutcome::Drawn),
            2 => Some(WhiteOutcome::Won),
            UNKNOWN => None,
            _ => return None,
        };
        Some(PositionRecord::Sample(Sample {
            position: PackedPosition(array(&bytes[..PackedPosition::SIZE])),
            outcome,
            centipawns: i16::from_le_bytes(array(&bytes[28..30])),
            ply: u16::from_le_bytes(array(&bytes[30..])),
        }))
    }
}

impl Mark {
    pub fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[8..16].copy_from_slice(&self.seed.to_le_bytes());
        bytes[16..24].copy_from_slice(&self.number.to_le_bytes());
        bytes[24..28].copy_from_slice(&self.positions.to_le_bytes());
        bytes[28..].copy_from_slice(&MARK);
        bytes
    }
}

impl Sample {
    pub fn to_bytes(self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        bytes[..PackedPosition::SIZE].copy_from_slice(&self.position.0);
        bytes[27] = self.outcome.map_or(UNKNOWN, |outcome| outcome as u8);
        bytes[28..30].copy_from_slice(&self.centipawns.to_le_bytes());
        bytes[30..].copy_from_slice(&self.ply.to_le_bytes());
        bytes
    }
}

/// Bytes of a length that the caller has cut.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.copy_from_slice(bytes);
    array
}
