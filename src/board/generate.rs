//! Legal moves, in two portions: the noisy ones that quiescence wants, and the rest.
//!
//! The rules library generates all moves at once and filters for captures afterwards. A search
//! asks for captures nine times out of ten, so this generator makes only what is asked for.
//! Every move it makes is legal: checks restrict the targets, pins the lines.

use arrayvec::ArrayVec;
use shakmaty::{Bitboard, CastlingSide, Color, Position as _, Rank, Role, Square, attacks};

use super::moves::Move;
use super::position::Position;

/// More than any position has (218 is the most that can be reached).
pub type MoveList = ArrayVec<Move, 256>;

/// Which moves to make. The two portions are disjoint and together complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Captures, and promotions to a queen; no other promotions.
    Noisy,
    /// All else, under-promotions with or without capture among them.
    Quiet,
}

struct Generator<'a> {
    position: &'a Position,
    us: Color,
    king: Square,
    ours: Bitboard,
    theirs: Bitboard,
    occupied: Bitboard,
    pinned: Bitboard,
    /// Where a piece other than the king may go to answer a check; everywhere without one.
    evasions: Bitboard,
    selection: Selection,
}

/// Appends the legal moves of a selection whose origin is in `from`.
pub(super) fn generate(
    position: &Position,
    selection: Selection,
    from: Bitboard,
    moves: &mut MoveList,
) {
    let us = position.turn();
    let king = position.king(us);
    let checkers = position.checkers();
    let evasions = match checkers.single_square() {
        Some(checker) => attacks::between(king, checker) | checkers,
        None => Bitboard::FULL,
    };
    let generator = Generator {
        position,
        us,
        king,
        ours: position.of_colour(us),
        theirs: position.of_colour(!us),
        occupied: position.occupied(),
        pinned: position.pinned(us),
        evasions,
        selection,
    };
    if !checkers.more_than_one() {
        generator.pawns(from, moves);
        generator.pieces(from, moves);
    }
    if from.contains(king) {
        generator.king(moves);
        if selection == Selection::Quiet && checkers.is_empty() {
            generator.castling(moves);
        }
    }
}

impl Generator<'_> {
    /// Squares that moves of this selection may land on.
    #[inline]
    fn targets(&self) -> Bitboard {
        match self.selection {
            Selection::Noisy => self.theirs,
            Selection::Quiet => !self.occupied,
        }
    }

    /// Where a piece standing on `from` may move without exposing its king.
    #[inline]
    fn line(&self, from: Square) -> Bitboard {
        if self.pinned.contains(from) { attacks::ray(self.king, from) } else { Bitboard::FULL }
    }

    #[inline]
    fn push_all(&self, role: Role, from: Square, to: Bitboard, moves: &mut MoveList) {
        for to in to {
            let captured = match self.selection {
                Selection::Noisy => self.position.role_at(to),
                Selection::Quiet => None,
            };
            moves.push(Move::normal(role, from, to, captured));
        }
    }

    fn pieces(&self, from: Bitboard, moves: &mut MoveList) {
        let targets = self.targets() & self.evasions;
        let movers = self.ours & from;
        // A pinned knight never moves.
        for square in movers & self.position.of_role(Role::Knight) & !self.pinned {
            self.push_all(Role::Knight, square, attacks::knight_attacks(square) & targets, moves);
        }
        for square in movers & self.position.of_role(Role::Bishop) {
            let to = attacks::bishop_attacks(square, self.occupied) & targets & self.line(square);
            self.push_all(Role::Bishop, square, to, moves);
        }
        for square in movers & self.position.of_role(Role::Rook) {
            let to = attacks::rook_attacks(square, self.occupied) & targets & self.line(square);
            self.push_all(Role::Rook, square, to, moves);
        }
        for square in movers & self.position.of_role(Role::Queen) {
            let to = attacks::queen_attacks(square, self.occupied) & targets & self.line(square);
            self.push_all(Role::Queen, square, to, moves);
        }
    }

    fn king(&self, moves: &mut MoveList) {
        let without_king = self.occupied.toggled(self.king);
        for to in attacks::king_attacks(self.king) & self.targets() {
            if (self.position.attackers(to, without_king) & self.theirs).is_empty() {
                let captured = match self.selection {
                    Selection::Noisy => self.position.role_at(to),
                    Selection::Quiet => None,
                };
                moves.push(Move::normal(Role::King, self.king, to, captured));
            }
        }
    }

    fn castling(&self, moves: &mut MoveList) {
        let castles = self.position.chess.castles();
        for side in CastlingSide::ALL {
            let Some(rook) = castles.rook(self.us, side) else { continue };
            if (castles.path(self.us, side) & self.occupied).any() {
                continue;
            }
            let king_to = side.king_to(self.us);
            let without_king = self.occupied.toggled(self.king);
            let afterwards = without_king.without(rook).with(side.rook_to(self.us));
            let safe = |square, occupied| {
                (self.position.attackers(square, occupied) & self.theirs).is_empty()
            };
            if safe(king_to, afterwards)
                && attacks::between(self.king, king_to).into_iter().all(|s| safe(s, without_king))
                && safe(king_to, without_king)
            {
                moves.push(Move::castle(self.king, rook));
            }
        }
    }

    fn pawns(&self, from: Bitboard, moves: &mut MoveList) {
        let pawns = self.ours & from & self.position.of_role(Role::Pawn);
        if pawns.is_empty() {
            return;
        }
        let (last, double) = match self.us {
            Color::White => (Bitboard::from_rank(Rank::Eighth), Bitboard::from_rank(Rank::Fourth)),
            Color::Black => (Bitboard::from_rank(Rank::First), Bitboard::from_rank(Rank::Fifth)),
        };
        let empty = !self.occupied;
        let single = self.forward(pawns) & empty;
        let doubles = self.forward(single) & empty & double;

        for to in single & self.evasions {
            let from = self.backward(to, 1);
            if self.line(from).contains(to) {
                self.push_pawn(from, to, None, last, moves);
            }
        }
        if self.selection == Selection::Quiet {
            for to in doubles & self.evasions {
                let from = self.backward(to, 2);
                if self.line(from).contains(to) {
                    moves.push(Move::normal(Role::Pawn, from, to, None));
                }
            }
        }
        // Captures: under-promotions are the quiet portion's, all others the noisy one's.
        let targets = match self.selection {
            Selection::Noisy => self.theirs,
            Selection::Quiet => self.theirs & last,
        } & self.evasions;
        if targets.any() {
            for from in pawns {
                for to in attacks::pawn_attacks(self.us, from) & targets & self.line(from) {
                    self.push_pawn(from, to, self.position.role_at(to), last, moves);
                }
            }
        }
        if self.selection == Selection::Noisy {
            self.en_passant(pawns, moves);
        }
    }

    /// Adds one pawn move, as far as it belongs to the selection.
    #[inline]
    fn push_pawn(
        &self,
        from: Square,
        to: Square,
        captured: Option<Role>,
        last: Bitboard,
        moves: &mut MoveList,
    ) {
        match (self.selection, last.contains(to)) {
            (Selection::Noisy, true) => {
                moves.push(Move::promotion(from, to, captured, Role::Queen));
            }
            (Selection::Quiet, true) => {
                for into in [Role::Knight, Role::Rook, Role::Bishop] {
                    moves.push(Move::promotion(from, to, captured, into));
                }
            }
            (Selection::Noisy, false) if captured.is_some() => {
                moves.push(Move::normal(Role::Pawn, from, to, captured));
            }
            (Selection::Quiet, false) if captured.is_none() => {
                moves.push(Move::normal(Role::Pawn, from, to, None));
            }
            _ => {}
        }
    }

    fn en_passant(&self, pawns: Bitboard, moves: &mut MoveList) {
        let Some(to) = self.position.chess.maybe_ep_square() else { return };
        for from in attacks::pawn_attacks(!self.us, to) & pawns {
            // Two pawns leave their squares at once, so pins are checked by looking.
            let taken = Square::from_coords(to.file(), from.rank());
            let occupied = self.occupied.toggled(from).toggled(taken).with(to);
            let attackers = self.position.attackers(self.king, occupied) & self.theirs;
            if attackers.without(taken).is_empty() {
                moves.push(Move::en_passant(from, to));
            }
        }
    }

    #[inline]
    fn forward(&self, pawns: Bitboard) -> Bitboard {
        match self.us {
            Color::White => pawns.shift(8),
            Color::Black => pawns.shift(-8),
        }
    }

    #[inline]
    fn backward(&self, square: Square, ranks: u32) -> Square {
        let index = square as u32;
        match self.us {
            Color::White => Square::new(index - 8 * ranks),
            Color::Black => Square::new(index + 8 * ranks),
        }
    }
}

/// Number of move sequences of `depth` plies.
pub fn perft(position: &Position, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let moves: MoveList = position.legal_moves();
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.iter().map(|&m| perft(&position.after(m), depth - 1)).sum()
}

/// [`perft`], by first move.
pub fn divide(position: &Position, depth: u32) -> Vec<(Move, u64)> {
    let moves = position.legal_moves();
    moves.iter().map(|&m| (m, perft(&position.after(m), depth.saturating_sub(1)))).collect()
}
