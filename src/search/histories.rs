//! Statistics that one thread gathers while it searches.
//!
//! *Histories* score moves by how often they caused cut-offs in other nodes. A move that was good in one position is
//! often good in similar ones, so histories order the moves. Quiet moves have scores by side and squares, and captures
//! by piece and captured piece. Continuation histories have scores by the piece moved now and a piece moved one, two or
//! four plies before.
//!
//! *Correction history* remembers how far the static evaluation of similar positions was from the search result, and
//! corrects later evaluations accordingly. Similar means the same pawns, the same pieces of one side, or the same last
//! two moves.
//!
//! All entries are updated with *gravity*: the nearer an entry is to its bound, the less it moves. So entries never
//! overflow, and old results fade.

use crate::board::{Bitboard, Colour, EXCHANGE_VALUES, Move, Position, Role};
use crate::eval::Reach;
use crate::simd::prefetch;
use crate::value::Value;

const HISTORY_BOUND: i32 = 16_384;
const CORRECTION_SLOTS: usize = 16_384;
const CORRECTION_BOUND: i32 = 1024;

/// Colour, role and target square of a moved piece, as one number.
pub(super) type PieceTarget = usize;
const PIECES: usize = 2 * 6 * 64;

/// The pieces moved one, two and four plies before.
pub(super) type EarlierPieces = [PieceTarget; 3];

/// Stands for no earlier piece: the ply is before the root or was a null move.
pub(super) const NO_PIECE: PieceTarget = PIECES;

/// The circumstances that the history score of a quiet move depends on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Context {
    pub earlier: EarlierPieces,
    /// The squares that the opponent attacks, or none if they do not count.
    pub threats: Bitboard,
    /// The opponent's attacks by value of the attacker, if they are known.
    pub reach: Option<Reach>,
    /// The row of the pawn history, or [`NO_PAWNS`] if that history does not count.
    pub pawns: usize,
    /// The weight of the pawn history, in hundredths.
    pub pawn_weight: i32,
}

const PAWN_STRUCTURES: usize = 128;

/// Stands for no pawn structure.
pub(super) const NO_PAWNS: usize = PAWN_STRUCTURES;

impl Context {
    /// A context about which nothing is known.
    pub const NONE: Context = Context {
        earlier: [NO_PIECE; 3],
        threats: Bitboard::EMPTY,
        reach: None,
        pawns: NO_PAWNS,
        pawn_weight: 0,
    };

    /// The row of a position in the pawn history.
    pub fn pawn_row(position: &Position) -> usize {
        position.keys().pawns as usize % PAWN_STRUCTURES
    }
}

/// The piece that a move moves, with its target square.
#[inline]
pub(super) fn piece_index(colour: Colour, m: Move) -> PieceTarget {
    usize::from(colour == Colour::White) * (PIECES / 2) + m.role_and_target() - 64
}

/// The colour of a piece.
pub(super) fn colour_of(piece: PieceTarget) -> Colour {
    if piece >= PIECES / 2 { Colour::White } else { Colour::Black }
}

/// Histories and corrections of one thread.
#[derive(Clone)]
pub(super) struct Histories {
    /// By colour, whether the opponent attacks the from-square, whether it attacks the to-square, and the two squares.
    quiet: Vec<i16>,
    /// By moved piece and captured role.
    capture: Vec<i16>,
    /// By an earlier moved piece and the piece moved now. The last row belongs to [`NO_PIECE`] and stays zero.
    continuation: Vec<[i16; PIECES]>,
    /// By the pawns of both sides and the piece moved. The last row belongs to [`NO_PAWNS`] and stays zero.
    pawns: Vec<[i16; PIECES]>,
    /// By side to move and one of three keys: the key of the pawns, of White's pieces or of Black's pieces.
    corrections: [Vec<i16>; 3],
    /// By the last two moves.
    correction_by_moves: Vec<i16>,
    /// Clearing a megabyte takes time, so only the parts that have been used are cleared.
    used: Used,
}

/// The parts of the histories that are not all zero.
#[derive(Clone, Default)]
struct Used {
    moves: bool,
    /// Rows of the continuation histories, one for each earlier piece.
    rows: Vec<bool>,
    pawns: bool,
    corrections: bool,
}

impl Histories {
    pub fn new() -> Histories {
        Histories {
            quiet: vec![0; 2 * 4 * 64 * 64],
            capture: vec![0; PIECES * 7],
            continuation: vec![[0; PIECES]; PIECES + 1],
            pawns: vec![[0; PIECES]; PAWN_STRUCTURES + 1],
            corrections: std::array::from_fn(|_| vec![0; 2 * CORRECTION_SLOTS]),
            correction_by_moves: vec![0; CORRECTION_SLOTS],
            used: Used { rows: vec![false; PIECES], ..Used::default() },
        }
    }

    /// Lowers the scores by squares at the start of a search for the best move, since they come from other positions.
    pub fn age(&mut self) {
        for value in &mut self.quiet {
            *value = (i32::from(*value) * 3 / 4) as i16;
        }
    }

    pub fn clear(&mut self) {
        if std::mem::take(&mut self.used.moves) {
            self.quiet.fill(0);
            self.capture.fill(0);
            for (row, used) in self.continuation.iter_mut().zip(&mut self.used.rows) {
                if std::mem::take(used) {
                    row.fill(0);
                }
            }
        }
        if std::mem::take(&mut self.used.pawns) {
            self.pawns.fill([0; PIECES]);
        }
        if std::mem::take(&mut self.used.corrections) {
            self.corrections.iter_mut().for_each(|table| table.fill(0));
            self.correction_by_moves.fill(0);
        }
    }

    #[inline]
    fn quiet_index(colour: Colour, m: Move, threats: Bitboard) -> usize {
        let attacked = |square| usize::from(threats.contains(square));
        let block =
            4 * usize::from(colour == Colour::White) + 2 * attacked(m.from()) + attacked(m.to());
        block * (64 * 64) + m.squares()
    }

    #[inline]
    fn capture_index(colour: Colour, m: Move) -> usize {
        piece_index(colour, m) * 7 + m.captured_number()
    }

    /// The score of a quiet move in its context.
    #[inline]
    pub fn quiet_score(&self, colour: Colour, m: Move, context: &Context) -> i32 {
        let now = piece_index(colour, m);
        let mut score = i32::from(self.quiet[Self::quiet_index(colour, m, context.threats)]);
        for piece in context.earlier {
            score += i32::from(self.continuation[piece][now]);
        }
        if context.pawn_weight > 0 {
            score += i32::from(self.pawns[context.pawns][now]) * context.pawn_weight / 100;
        }
        score
    }

    #[inline]
    pub fn capture_score(&self, colour: Colour, m: Move) -> i32 {
        i32::from(self.capture[Self::capture_index(colour, m)])
    }

    #[inline]
    pub fn learn_quiet(&mut self, colour: Colour, m: Move, context: &Context, bonus: i32) {
        self.learn_squares(colour, m, context, bonus);
        self.learn_pawns(colour, m, context, bonus);
        let now = piece_index(colour, m);
        for piece in context.earlier.into_iter().filter(|&piece| piece != NO_PIECE) {
            self.used.rows[piece] = true;
            gravity_update(&mut self.continuation[piece][now], bonus, HISTORY_BOUND);
        }
    }

    /// [`Histories::learn_quiet`] for the history by squares alone.
    #[inline]
    pub fn learn_squares(&mut self, colour: Colour, m: Move, context: &Context, bonus: i32) {
        self.used.moves = true;
        let index = Self::quiet_index(colour, m, context.threats);
        gravity_update(&mut self.quiet[index], bonus, HISTORY_BOUND);
    }

    /// [`Histories::learn_quiet`] for the pawn history alone.
    #[inline]
    pub fn learn_pawns(&mut self, colour: Colour, m: Move, context: &Context, bonus: i32) {
        if context.pawns != NO_PAWNS {
            self.used.pawns = true;
            let now = piece_index(colour, m);
            gravity_update(&mut self.pawns[context.pawns][now], bonus, HISTORY_BOUND);
        }
    }

    #[inline]
    pub fn learn_capture(&mut self, colour: Colour, m: Move, bonus: i32) {
        self.used.moves = true;
        gravity_update(&mut self.capture[Self::capture_index(colour, m)], bonus, HISTORY_BOUND);
    }

    #[inline]
    fn correction_indices(position: &Position) -> [usize; 3] {
        let keys = position.keys();
        let side = usize::from(position.turn() == Colour::White) * CORRECTION_SLOTS;
        [keys.pawns, keys.pieces[0], keys.pieces[1]]
            .map(|key| side + key as usize % CORRECTION_SLOTS)
    }

    /// Loads the corrections of a position into the processor's cache.
    #[inline]
    pub fn prefetch_correction(&self, position: &Position) {
        for (table, i) in self.corrections.iter().zip(Self::correction_indices(position)) {
            prefetch(&table[i]);
        }
    }

    /// The correction that similar positions suggest for the static evaluation, in fractions of a centipawn.
    #[inline]
    pub fn correction(&self, position: &Position) -> i32 {
        let indices = Self::correction_indices(position);
        self.corrections.iter().zip(indices).map(|(table, i)| i32::from(table[i])).sum()
    }

    fn slot_of_moves(&[last, before, _]: &EarlierPieces) -> Option<usize> {
        let are_known = last != NO_PIECE && before != NO_PIECE;
        are_known.then(|| (last * (PIECES + 1) + before) % CORRECTION_SLOTS)
    }

    /// The correction that the last two moves suggest for the static evaluation, in fractions of a centipawn.
    #[inline]
    pub fn correction_by_moves(&self, earlier: &EarlierPieces) -> i32 {
        Self::slot_of_moves(earlier).map_or(0, |i| i32::from(self.correction_by_moves[i]))
    }

    /// Records that the static evaluation of similar positions is wrong by `error`. A deeper search counts for more.
    #[inline]
    pub fn learn_correction(
        &mut self,
        position: &Position,
        earlier: &EarlierPieces,
        depth: i32,
        error: Value,
    ) {
        self.used.corrections = true;
        let bonus = (error.raw() * depth / 8).clamp(-CORRECTION_BOUND / 4, CORRECTION_BOUND / 4);
        for (table, i) in self.corrections.iter_mut().zip(Self::correction_indices(position)) {
            gravity_update(&mut table[i], bonus, CORRECTION_BOUND);
        }
        if let Some(i) = Self::slot_of_moves(earlier) {
            gravity_update(&mut self.correction_by_moves[i], bonus, CORRECTION_BOUND);
        }
    }
}

/// Adds a bonus to an entry. The nearer the entry is to the bound, the less is added.
#[inline]
fn gravity_update(value: &mut i16, bonus: i32, bound: i32) {
    let old = i32::from(*value);
    *value = (old + bonus - old * bonus.abs() / bound) as i16;
}

/// The value of the captured piece, used to order captures (MVV, most valuable victim): the rank of the piece, or its
/// exchange value.
#[inline]
pub(super) fn victim_worth(m: Move, by_value: bool) -> i32 {
    let is_queen = m.promoted() == Some(Role::Queen);
    if by_value {
        let of = |role: Role| EXCHANGE_VALUES[role as usize];
        let promoted = if is_queen { of(Role::Queen) - of(Role::Pawn) } else { 0 };
        return 20 * (m.captured().map_or(0, of) + promoted);
    }
    let captured = m.captured().map_or(0, |role| role as i32);
    4096 * (captured + if is_queen { 5 } else { 0 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_is_remembered_for_the_last_two_moves() {
        let position = Position::default();
        let mut histories = Histories::new();
        let moves = [1, 500, NO_PIECE];
        histories.learn_correction(&position, &moves, 8, Value::centipawns(100));
        assert!(histories.correction_by_moves(&moves) > 0);
        assert_eq!(histories.correction_by_moves(&[2, 500, NO_PIECE]), 0);
        assert_eq!(
            histories.correction_by_moves(&[1, NO_PIECE, NO_PIECE]),
            0,
            "one move alone is not enough"
        );
        histories.clear();
        assert_eq!(histories.correction_by_moves(&moves), 0);
    }
}
