//! A choice in 232 bytes, in a simple format that training scripts in other languages can read.
//!
//! | bytes | content |
//! |-------|------|
//! | 0-31  | the pieces, four bits a square from the mover's left corner, low nibble first: 1 to 6 for the mover's pieces (pawn to king), 7 to 12 for the opponent's |
//! | 32-39 | rooks that may castle, one bit per square |
//! | 40    | the en passant target square; 64: none |
//! | 41-46 | from and to of the last three moves, the latest first; 64: none |
//! | 47    | the kind of game, see [`GameKind`](stopdown::policy::GameKind), from 0 |
//! | 48-49 | the mover's rating |
//! | 50-51 | the opponent's rating; 0: unknown |
//! | 52-53 | seconds on the mover's clock; 65535: unknown |
//! | 54-55 | plies played |
//! | 56-63 | the number of the game |
//! | 64    | the index of the played move, from 0 |
//! | 65    | the number of moves |
//! | 66    | flags. 1: the mover collected the games, and so is in most of them; 2: the kind of game is a guess |
//! | 67    | 0 |
//! | 68-71 | a hash of the first forty plies |
//! | 72-231 | the moves, two bytes each: from, plus 64 times to, plus 4096 times the promotion's role |
//!
//! All numbers are little-endian.

use stopdown::board::Role;
use stopdown::policy::{BoardAsSeen, EARLIER_MOVES, GameKind, KINDS, MoveAsSeen, PolicyConditions};

pub const RECORD: usize = 72 + 2 * LARGEST_CHOICE;

/// Positions with more moves are omitted.
pub const LARGEST_CHOICE: usize = 80;

const NO_SQUARE: u8 = 64;

/// A position in which a human chose a move.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanChoice {
    pub view: BoardAsSeen,
    pub setting: PolicyConditions,
    /// The opponent's rating, or 0 if unknown.
    pub opponent: u16,
    /// Seconds left on the clock.
    pub clock: Option<u32>,
    /// Plies played before.
    pub ply: u16,
    /// Identifies the game: the same for all its choices.
    pub game: u64,
    /// The same for all games with the same first forty plies.
    pub opening: u32,
    pub chosen: u8,
    pub steps: Vec<MoveAsSeen>,
    /// Whether the game states its kind.
    pub is_kind_told: bool,
    /// Whether the mover is the player who collected the games.
    pub is_collector: bool,
}

impl HumanChoice {
    pub fn to_bytes(&self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        for (square, piece) in self.view.pieces.iter().enumerate() {
            bytes[square / 2] |= piece << (4 * (square % 2));
        }
        bytes[32..40].copy_from_slice(&self.view.castling.to_le_bytes());
        bytes[40] = self.view.en_passant.unwrap_or(NO_SQUARE);
        for (place, step) in bytes[41..47].chunks_exact_mut(2).zip(self.view.trail) {
            let (from, to) = step.unwrap_or((NO_SQUARE, NO_SQUARE));
            place.copy_from_slice(&[from, to]);
        }
        bytes[47] = self.setting.pool as u8;
        let clock = self.clock.map_or(u16::MAX, |seconds| seconds.min(65_534) as u16);
        let shorts = [self.setting.rating as u16, self.opponent, clock, self.ply];
        let places = bytes[48..56].chunks_exact_mut(2);
        places.zip(shorts).for_each(|(place, n)| place.copy_from_slice(&n.to_le_bytes()));
        bytes[56..64].copy_from_slice(&self.game.to_le_bytes());
        bytes[64] = self.chosen;
        bytes[65] = self.steps.len().min(LARGEST_CHOICE) as u8;
        bytes[66] = u8::from(self.is_collector) | u8::from(!self.is_kind_told) << 1;
        bytes[68..72].copy_from_slice(&self.opening.to_le_bytes());
        for (place, step) in bytes[72..].chunks_exact_mut(2).zip(&self.steps) {
            let promotion = step.promotion.map_or(0, |role| role as u16);
            let number = u16::from(step.from) | u16::from(step.to) << 6 | promotion << 12;
            place.copy_from_slice(&number.to_le_bytes());
        }
        bytes
    }

    /// Returns `None` for invalid bytes.
    pub fn from_bytes(bytes: &[u8; RECORD]) -> Option<HumanChoice> {
        let mut pieces = [0; 64];
        for (square, piece) in pieces.iter_mut().enumerate() {
            *piece = bytes[square / 2] >> (4 * (square % 2)) & 15;
        }
        let square = |byte: u8| (byte < NO_SQUARE).then_some(byte);
        let mut trail = [None; EARLIER_MOVES];
        for (step, place) in trail.iter_mut().zip(bytes[41..47].as_chunks::<2>().0) {
            *step = square(place[0]).zip(square(place[1]));
        }
        let castling = bytes[32..40].try_into().map(u64::from_le_bytes).ok()?;
        let view = BoardAsSeen { pieces, castling, en_passant: square(bytes[40]), trail };
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let step = |at: usize| {
            let number = short(at);
            let promotion = usize::from(number >> 12).checked_sub(1);
            let promotion = promotion.and_then(|index| Role::ALL.get(index).copied());
            MoveAsSeen { from: (number & 63) as u8, to: (number >> 6 & 63) as u8, promotion }
        };
        let count = usize::from(bytes[65]);
        let pool = *GameKind::ALL.get(usize::from(bytes[47]))?;
        let fits = count <= LARGEST_CHOICE
            && usize::from(bytes[64]) < count
            && view.pieces.iter().all(|&piece| usize::from(piece) <= KINDS);
        fits.then(|| HumanChoice {
            setting: PolicyConditions { rating: f64::from(short(48)), pool },
            opponent: short(50),
            clock: Some(short(52)).filter(|&clock| clock != u16::MAX).map(u32::from),
            ply: short(54),
            game: bytes[56..64].try_into().map_or(0, u64::from_le_bytes),
            opening: bytes[68..72].try_into().map_or(0, u32::from_le_bytes),
            chosen: bytes[64],
            steps: (0..count).map(|index| step(72 + 2 * index)).collect(),
            is_collector: bytes[66] & 1 != 0,
            is_kind_told: bytes[66] & 2 == 0,
            view,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stopdown::board::Game;

    #[test]
    fn records_survive_a_round_trip() {
        let fen = "rnbqkbnr/1Pp1pppp/p7/8/3pP3/8/P1PP1PPP/RNBQKBNR b KQkq e3 0 1";
        let game = Game::from_uci(Some(fen), ["d4e3"], false).expect("legal");
        let choice = HumanChoice {
            view: BoardAsSeen::of(&game),
            setting: PolicyConditions { rating: 1634.0, pool: GameKind::Blitz },
            opponent: 0,
            clock: Some(59),
            ply: 301,
            game: u64::MAX / 3,
            opening: u32::MAX / 7,
            chosen: 3,
            steps: MoveAsSeen::all(game.position()),
            is_kind_told: false,
            is_collector: true,
        };
        let bytes = choice.to_bytes();
        assert_eq!(HumanChoice::from_bytes(&bytes), Some(choice));
        let mut broken = bytes;
        broken[64] = broken[65];
        assert_eq!(HumanChoice::from_bytes(&broken), None);
        assert_eq!(HumanChoice::from_bytes(&[0xff; RECORD]), None);
    }
}
