//! A choice in 448 bytes, in a simple format that training scripts in other languages can read.
//!
//! | bytes | content |
//! |-------|------|
//! | 0-31  | the pieces, four bits a square from the mover's left-hand corner, low nibble first: 1 to 6 for the mover's pieces (pawn to king), 7 to 12 for the opponent's |
//! | 32-39 | rooks that may castle, one bit per square |
//! | 40    | the en passant target square; 64: none |
//! | 41-54 | the from and to squares of the last seven moves, the latest first; 64: none |
//! | 55    | the kind of game, see [`GameKind`](stopdown::policy::GameKind), from 0 |
//! | 56-57 | the mover's rating |
//! | 58-59 | the opponent's rating; 0: unknown |
//! | 60-61 | seconds on the mover's clock; 65535: unknown |
//! | 62-63 | plies played |
//! | 64-71 | the number of the game, a hash of its moves |
//! | 72    | the index of the move played, from 0 |
//! | 73    | the number of moves |
//! | 74    | flags. 1: the mover is a collector, the single player whose games a collection contains; 2: the kind of game is a guess; 4: the ratings are chess.com ratings |
//! | 75    | 0 |
//! | 76-79 | a hash of the first forty plies |
//! | 80-239 | the moves, two bytes each: the from square, plus 64 times the to square, plus 4096 times the role of the promoted piece; 0: no promotion |
//! | 240-319 | the class of each move, see [`RelativeMove::class`] |
//! | 320-447 | the attackers of each square, two bytes each, see [`RelativeBoard::attacks`] |
//!
//! All numbers are little-endian.

use stopdown::board::Role;
use stopdown::policy::{
    EARLIER_MOVES, GameKind, KINDS, MOVE_CLASSES, PolicyConditions, RelativeBoard, RelativeMove,
};

const TRAIL: usize = 41;
const KIND: usize = TRAIL + 2 * EARLIER_MOVES;
const RATING: usize = KIND + 1;
const GAME: usize = RATING + 8;
const CHOSEN: usize = GAME + 8;
const COUNT: usize = CHOSEN + 1;
const FLAGS: usize = COUNT + 1;
const OPENING: usize = FLAGS + 2;
const MOVES: usize = OPENING + 4;
const CLASSES: usize = MOVES + 2 * MAX_LEGAL_MOVES;
const ATTACKS: usize = CLASSES + MAX_LEGAL_MOVES;
pub const RECORD: usize = ATTACKS + 2 * 64;

const COLLECTOR: u8 = 1;
const KIND_GUESSED: u8 = 2;
const CHESSCOM: u8 = 4;

/// Positions with more moves than this are omitted.
pub const MAX_LEGAL_MOVES: usize = 80;

const NO_SQUARE: u8 = 64;

/// A position in which a human chose a move.
#[derive(Clone, Debug, PartialEq)]
pub struct HumanChoice {
    pub view: RelativeBoard,
    pub setting: PolicyConditions,
    /// The opponent's rating, or 0 if unknown.
    pub opponent: u16,
    /// The seconds left on the clock.
    pub clock: Option<u32>,
    /// The number of plies played before this position.
    pub ply: u16,
    /// Identifies the game: the same for all its choices.
    pub game: u64,
    /// A hash that is the same for all games with the same first forty plies.
    pub opening: u32,
    pub chosen: u8,
    pub steps: Vec<RelativeMove>,
    /// Whether the game's tags say what kind of game it is.
    pub is_kind_stated: bool,
    /// Whether the mover is a collector, the single player whose games a collection contains.
    pub is_collector: bool,
    /// Whether the ratings are chess.com ratings.
    pub is_chesscom: bool,
}

impl HumanChoice {
    pub fn to_bytes(&self) -> [u8; RECORD] {
        let mut bytes = [0; RECORD];
        for (square, piece) in self.view.pieces.iter().enumerate() {
            bytes[square / 2] |= piece << (4 * (square % 2));
        }
        bytes[32..40].copy_from_slice(&self.view.castling.to_le_bytes());
        bytes[40] = self.view.en_passant.unwrap_or(NO_SQUARE);
        for (place, step) in bytes[TRAIL..KIND].chunks_exact_mut(2).zip(self.view.trail) {
            let (from, to) = step.unwrap_or((NO_SQUARE, NO_SQUARE));
            place.copy_from_slice(&[from, to]);
        }
        bytes[KIND] = self.setting.pool as u8;
        let clock = self.clock.map_or(u16::MAX, |seconds| seconds.min(65_534) as u16);
        let shorts = [self.setting.rating as u16, self.opponent, clock, self.ply];
        put_shorts(&mut bytes[RATING..GAME], shorts);
        bytes[GAME..CHOSEN].copy_from_slice(&self.game.to_le_bytes());
        bytes[CHOSEN] = self.chosen;
        bytes[COUNT] = self.steps.len().min(MAX_LEGAL_MOVES) as u8;
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        bytes[FLAGS] = flag(self.is_collector, COLLECTOR)
            | flag(!self.is_kind_stated, KIND_GUESSED)
            | flag(self.is_chesscom, CHESSCOM);
        bytes[OPENING..MOVES].copy_from_slice(&self.opening.to_le_bytes());
        let moves = self.steps.iter().map(|step| {
            let promotion = step.promotion.map_or(0, |role| role as u16);
            u16::from(step.from) | u16::from(step.to) << 6 | promotion << 12
        });
        put_shorts(&mut bytes[MOVES..CLASSES], moves);
        for (class, step) in bytes[CLASSES..ATTACKS].iter_mut().zip(&self.steps) {
            *class = step.class;
        }
        put_shorts(&mut bytes[ATTACKS..], self.view.attacks());
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
        for (step, place) in trail.iter_mut().zip(bytes[TRAIL..KIND].as_chunks::<2>().0) {
            *step = square(place[0]).zip(square(place[1]));
        }
        let castling = bytes[32..40].try_into().map(u64::from_le_bytes).ok()?;
        let view = RelativeBoard { pieces, castling, en_passant: square(bytes[40]), trail };
        let short = |at: usize| u16::from_le_bytes([bytes[at], bytes[at + 1]]);
        let step = |index: usize| {
            let number = short(MOVES + 2 * index);
            let promotion = usize::from(number >> 12).checked_sub(1);
            let promotion = promotion.and_then(|index| Role::ALL.get(index).copied());
            let class = bytes[CLASSES + index];
            RelativeMove {
                from: (number & 63) as u8,
                to: (number >> 6 & 63) as u8,
                promotion,
                class,
            }
        };
        let count = usize::from(bytes[COUNT]);
        let pool = *GameKind::ALL.get(usize::from(bytes[KIND]))?;
        let fits = count <= MAX_LEGAL_MOVES
            && usize::from(bytes[CHOSEN]) < count
            && view.pieces.iter().all(|&piece| usize::from(piece) <= KINDS)
            && bytes[CLASSES..ATTACKS].iter().all(|&class| usize::from(class) < MOVE_CLASSES);
        fits.then(|| HumanChoice {
            setting: PolicyConditions { rating: f64::from(short(RATING)), pool },
            opponent: short(RATING + 2),
            clock: Some(short(RATING + 4)).filter(|&clock| clock != u16::MAX).map(u32::from),
            ply: short(RATING + 6),
            game: bytes[GAME..CHOSEN].try_into().map_or(0, u64::from_le_bytes),
            opening: bytes[OPENING..MOVES].try_into().map_or(0, u32::from_le_bytes),
            chosen: bytes[CHOSEN],
            steps: (0..count).map(step).collect(),
            is_collector: bytes[FLAGS] & COLLECTOR != 0,
            is_kind_stated: bytes[FLAGS] & KIND_GUESSED == 0,
            is_chesscom: bytes[FLAGS] & CHESSCOM != 0,
            view,
        })
    }
}

/// Whether a file with this start and this length consists of choices. An empty file does.
pub fn are_choices(start: &[u8], length: u64) -> bool {
    let first = start.first_chunk().and_then(HumanChoice::from_bytes);
    let is_legal = first.is_some_and(|choice| choice.view.position().is_some());
    length == 0 || is_legal && length.is_multiple_of(RECORD as u64)
}

fn put_shorts(bytes: &mut [u8], shorts: impl IntoIterator<Item = u16>) {
    for (place, short) in bytes.chunks_exact_mut(2).zip(shorts) {
        place.copy_from_slice(&short.to_le_bytes());
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
            view: RelativeBoard::of(&game),
            setting: PolicyConditions { rating: 1634.0, pool: GameKind::Blitz },
            opponent: 0,
            clock: Some(59),
            ply: 301,
            game: u64::MAX / 3,
            opening: u32::MAX / 7,
            chosen: 3,
            steps: RelativeMove::all(game.position()),
            is_kind_stated: false,
            is_collector: true,
            is_chesscom: true,
        };
        let bytes = choice.to_bytes();
        assert_eq!(HumanChoice::from_bytes(&bytes), Some(choice));
        let mut broken = bytes;
        broken[CHOSEN] = broken[COUNT];
        assert_eq!(HumanChoice::from_bytes(&broken), None);
        assert_eq!(HumanChoice::from_bytes(&[0xff; RECORD]), None);
    }
}
