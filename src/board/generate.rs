//! Generation of legal moves in two stages: noisy moves, for quiescence, and quiet moves.
//!
//! shakmaty generates all moves at once and filters captures afterwards. Nine times out of ten a search needs only the
//! captures, so this generator produces only the stage that is needed. All generated moves are legal: in check, pieces
//! move only to squares where they answer the check, and pinned pieces stay on the line of the pin.

use arrayvec::ArrayVec;
use shakmaty::attacks;
use shakmaty::{Bitboard, Board, CastlingSide, Chess, Color, Position as _, Rank, Role, Square};

use super::attackers::{attackers, king, pinned};
use super::moves::Move;

/// A list of moves. No reachable position has more than 218.
pub type MoveList = ArrayVec<Move, 256>;

/// A part of the legal moves. Every legal move is in exactly one part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selection {
    /// Captures and promotions to a queen, except captures with an underpromotion.
    Noisy,
    /// All other moves, including underpromotions with or without a capture.
    Quiet,
}

/// The moves to be generated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub selection: Selection,
    /// The squares from which moves may start.
    pub from: Bitboard,
}

struct Generator<'a> {
    chess: &'a Chess,
    board: &'a Board,
    us: Color,
    king: Square,
    ours: Bitboard,
    theirs: Bitboard,
    occupied: Bitboard,
    pinned: Bitboard,
    /// The squares to which a piece other than the king may move to answer a check. All squares if there is
    /// no check.
    check_mask: Bitboard,
    selection: Selection,
}

/// Appends the legal moves of a selection that start from the given squares.
pub(super) fn generate(
    chess: &Chess,
    checkers: Bitboard,
    Wanted { selection, from }: Wanted,
    moves: &mut MoveList,
) {
    let (board, us) = (chess.board(), chess.turn());
    let king = king(board, us);
    let check_mask = match checkers.single_square() {
        Some(checker) => attacks::between(king, checker) | checkers,
        None => Bitboard::FULL,
    };
    let generator = Generator {
        chess,
        board,
        us,
        king,
        ours: board.by_color(us),
        theirs: board.by_color(!us),
        occupied: board.occupied(),
        pinned: pinned(board, us),
        check_mask,
        selection,
    };
    // Only the king can answer a double check.
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
    /// The squares to which the selected kinds of moves may go.
    #[inline]
    fn targets(&self) -> Bitboard {
        match self.selection {
            Selection::Noisy => self.theirs,
            Selection::Quiet => !self.occupied,
        }
    }

    /// The squares to which a piece on `from` may move without exposing its king.
    #[inline]
    fn line(&self, from: Square) -> Bitboard {
        if self.pinned.contains(from) { attacks::ray(self.king, from) } else { Bitboard::FULL }
    }

    /// Whether a square is free from attack by enemy pieces, given the occupied squares.
    #[inline]
    fn is_safe(&self, square: Square, occupied: Bitboard) -> bool {
        (attackers(self.board, square, occupied) & self.theirs).is_empty()
    }

    #[inline]
    fn push_all(&self, role: Role, from: Square, to: Bitboard, moves: &mut MoveList) {
        for to in to {
            let captured = match self.selection {
                Selection::Noisy => self.board.role_at(to),
                Selection::Quiet => None,
            };
            moves.push(Move::normal(role, from, to, captured));
        }
    }

    fn pieces(&self, from: Bitboard, moves: &mut MoveList) {
        let targets = self.targets() & self.check_mask;
        let movers = self.ours & from;
        // A pinned knight never moves.
        for square in movers & self.board.by_role(Role::Knight) & !self.pinned {
            self.push_all(Role::Knight, square, attacks::knight_attacks(square) & targets, moves);
        }
        for square in movers & self.board.by_role(Role::Bishop) {
            let to = attacks::bishop_attacks(square, self.occupied) & targets & self.line(square);
            self.push_all(Role::Bishop, square, to, moves);
        }
        for square in movers & self.board.by_role(Role::Rook) {
            let to = attacks::rook_attacks(square, self.occupied) & targets & self.line(square);
            self.push_all(Role::Rook, square, to, moves);
        }
        for square in movers & self.board.by_role(Role::Queen) {
            let to = attacks::queen_attacks(square, self.occupied) & targets & self.line(square);
            self.push_all(Role::Queen, square, to, moves);
        }
    }

    fn king(&self, moves: &mut MoveList) {
        let without_king = self.occupied.toggled(self.king);
        for to in attacks::king_attacks(self.king) & self.targets() {
            if self.is_safe(to, without_king) {
                let captured = match self.selection {
                    Selection::Noisy => self.board.role_at(to),
                    Selection::Quiet => None,
                };
                moves.push(Move::normal(Role::King, self.king, to, captured));
            }
        }
    }

    fn castling(&self, moves: &mut MoveList) {
        let castles = self.chess.castles();
        for side in CastlingSide::ALL {
            let Some(rook) = castles.rook(self.us, side) else { continue };
            if (castles.path(self.us, side) & self.occupied).any() {
                continue;
            }
            let king_to = side.king_to(self.us);
            let without_king = self.occupied.toggled(self.king);
            let afterwards = without_king.without(rook).with(side.rook_to(self.us));
            let passed = attacks::between(self.king, king_to);
            if self.is_safe(king_to, afterwards)
                && passed.into_iter().all(|square| self.is_safe(square, without_king))
                && self.is_safe(king_to, without_king)
            {
                moves.push(Move::castle(self.king, rook));
            }
        }
    }

    fn pawns(&self, from: Bitboard, moves: &mut MoveList) {
        let pawns = self.ours & from & self.board.by_role(Role::Pawn);
        if pawns.is_empty() {
            return;
        }
        let double = match self.us {
            Color::White => Bitboard::from_rank(Rank::Fourth),
            Color::Black => Bitboard::from_rank(Rank::Fifth),
        };
        let empty = !self.occupied;
        let single = self.forward(pawns) & empty;
        let doubles = self.forward(single) & empty & double;

        for to in single & self.check_mask {
            let from = self.backward(to, 1);
            if self.line(from).contains(to) {
                self.push_pawn(from, to, None, moves);
            }
        }
        if self.selection == Selection::Quiet {
            for to in doubles & self.check_mask {
                let from = self.backward(to, 2);
                if self.line(from).contains(to) {
                    moves.push(Move::normal(Role::Pawn, from, to, None));
                }
            }
        }
        // Captures with underpromotion count as quiet moves, all other captures as noisy ones.
        let targets = match self.selection {
            Selection::Noisy => self.theirs,
            Selection::Quiet => self.theirs & self.last_rank(),
        } & self.check_mask;
        if targets.any() {
            for from in pawns {
                for to in attacks::pawn_attacks(self.us, from) & targets & self.line(from) {
                    self.push_pawn(from, to, self.board.role_at(to), moves);
                }
            }
        }
        if self.selection == Selection::Noisy {
            self.en_passant(pawns, moves);
        }
    }

    /// Adds a pawn move, or its promotions, if the selection includes them.
    #[inline]
    fn push_pawn(&self, from: Square, to: Square, captured: Option<Role>, moves: &mut MoveList) {
        match (self.selection, self.last_rank().contains(to)) {
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
        let Some(to) = self.chess.maybe_ep_square() else { return };
        for from in attacks::pawn_attacks(!self.us, to) & pawns {
            // En passant removes two pawns from their squares at once, so look for attackers of the king after the
            // capture.
            let taken = Square::from_coords(to.file(), from.rank());
            let occupied = self.occupied.toggled(from).toggled(taken).with(to);
            let attackers = attackers(self.board, self.king, occupied) & self.theirs;
            if attackers.without(taken).is_empty() {
                moves.push(Move::en_passant(from, to));
            }
        }
    }

    #[inline]
    fn last_rank(&self) -> Bitboard {
        match self.us {
            Color::White => Bitboard::from_rank(Rank::Eighth),
            Color::Black => Bitboard::from_rank(Rank::First),
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
