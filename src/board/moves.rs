//! A move in four bytes.
//!
//! It includes the roles of the moving and the captured piece, so that move ordering and histories need not look at the
//! board. [`PackedMove`] is the two-byte form for tables. [`crate::board::Position::complete`] restores the move from it.
//!
//! | bits  | 0-5  | 6-11 | 12-14 | 15-17    | 18-20     | 21         | 22     |
//! |-------|------|------|-------|----------|-----------|------------|--------|
//! | field | from | to   | role  | captured | promotion | en passant | castle |
//!
//! Roles are numbered 1 to 6 as in `shakmaty`, and 0 means none. Castling is encoded as the king capturing its own
//! rook, in standard chess too.

use shakmaty::{Role, Square};

/// A move that is legal, or was legal in some position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct Move(u32);

/// The squares and the promotion of a move. Zero means no move.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default, Debug)]
pub struct PackedMove(pub u16);

const EN_PASSANT: u32 = 1 << 21;
const CASTLE: u32 = 1 << 22;

impl Move {
    /// No move.
    pub const NONE: Move = Move(0);

    /// A move or capture without promotion.
    #[inline]
    pub(crate) const fn normal(
        role: Role,
        from: Square,
        to: Square,
        captured: Option<Role>,
    ) -> Move {
        Move(from as u32 | (to as u32) << 6 | (role as u32) << 12 | role_bits(captured) << 15)
    }

    /// A pawn move to the last rank.
    #[inline]
    pub(crate) const fn promotion(
        from: Square,
        to: Square,
        captured: Option<Role>,
        into: Role,
    ) -> Move {
        Move(Move::normal(Role::Pawn, from, to, captured).0 | (into as u32) << 18)
    }

    /// An en passant capture.
    #[inline]
    pub(crate) const fn en_passant(from: Square, to: Square) -> Move {
        Move(Move::normal(Role::Pawn, from, to, Some(Role::Pawn)).0 | EN_PASSANT)
    }

    /// Castling, from the king's square to the rook's.
    #[inline]
    pub(crate) const fn castle(king: Square, rook: Square) -> Move {
        Move(Move::normal(Role::King, king, rook, None).0 | CASTLE)
    }

    /// Whether this stands for no move.
    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The square that the piece leaves.
    #[inline]
    pub const fn from(self) -> Square {
        Square::new(self.0 & 63)
    }

    /// The target square, which is the rook's square when castling.
    #[inline]
    pub const fn to(self) -> Square {
        Square::new(self.0 >> 6 & 63)
    }

    /// The role of the moving piece, a pawn for [`Move::NONE`].
    #[inline]
    pub const fn role(self) -> Role {
        match role_from_bits(self.0 >> 12 & 7) {
            Some(role) => role,
            None => Role::Pawn,
        }
    }

    /// The squares that the move leaves and reaches, as one number below 4096.
    #[inline]
    pub(crate) const fn squares(self) -> usize {
        (self.0 & 0xfff) as usize
    }

    /// 64 times the moving piece's role, plus the target square.
    #[inline]
    pub(crate) const fn role_and_target(self) -> usize {
        (self.0 >> 6 & 0x1ff) as usize
    }

    /// The moving piece's role as a number.
    #[inline]
    pub(crate) const fn role_number(self) -> usize {
        (self.0 >> 12 & 7) as usize
    }

    /// The captured piece's role as a number, or 0.
    #[inline]
    pub(crate) const fn captured_number(self) -> usize {
        (self.0 >> 15 & 7) as usize
    }

    #[inline]
    pub(crate) const fn captured(self) -> Option<Role> {
        role_from_bits(self.0 >> 15 & 7)
    }

    /// The piece that a pawn becomes.
    #[inline]
    pub const fn promoted(self) -> Option<Role> {
        role_from_bits(self.0 >> 18 & 7)
    }

    /// Whether a pawn is captured en passant.
    #[inline]
    pub const fn is_en_passant(self) -> bool {
        self.0 & EN_PASSANT != 0
    }

    /// Whether the king castles.
    #[inline]
    pub const fn is_castle(self) -> bool {
        self.0 & CASTLE != 0
    }

    /// Whether the move is neither a promotion nor en passant nor castling.
    #[inline]
    pub(crate) const fn is_plain(self) -> bool {
        self.0 >> 18 == 0
    }

    /// Whether a piece is captured.
    #[inline]
    pub const fn is_capture(self) -> bool {
        self.0 >> 15 & 7 != 0
    }

    /// Whether quiescence search includes the move: a promotion to a queen, or a capture without an underpromotion.
    #[inline]
    pub const fn is_noisy(self) -> bool {
        let promotion = self.0 >> 18 & 7;
        if promotion != 0 { promotion == Role::Queen as u32 } else { self.is_capture() }
    }

    /// The move in two bytes.
    #[inline]
    pub const fn packed(self) -> PackedMove {
        PackedMove((self.0 & 0xfff | (self.0 >> 18 & 7) << 12) as u16)
    }

    /// The move in shakmaty's form.
    pub(super) const fn to_shakmaty(self) -> shakmaty::Move {
        if self.is_castle() {
            shakmaty::Move::Castle { king: self.from(), rook: self.to() }
        } else if self.is_en_passant() {
            shakmaty::Move::EnPassant { from: self.from(), to: self.to() }
        } else {
            shakmaty::Move::Normal {
                role: self.role(),
                from: self.from(),
                capture: self.captured(),
                to: self.to(),
                promotion: self.promoted(),
            }
        }
    }

    /// Converts a move from shakmaty's form. Drops do not occur, because only other variants have them.
    pub(super) const fn from_shakmaty(m: shakmaty::Move) -> Move {
        match m {
            shakmaty::Move::Normal { role, from, capture, to, promotion } => match promotion {
                Some(into) => Move::promotion(from, to, capture, into),
                None => Move::normal(role, from, to, capture),
            },
            shakmaty::Move::EnPassant { from, to } => Move::en_passant(from, to),
            shakmaty::Move::Castle { king, rook } => Move::castle(king, rook),
            shakmaty::Move::Put { .. } => Move::NONE,
        }
    }
}

impl PackedMove {
    /// Whether this stands for no move.
    #[inline]
    pub(crate) const fn is_none(self) -> bool {
        self.0 == 0
    }

    /// The square that the piece leaves.
    #[inline]
    pub(crate) const fn from(self) -> Square {
        Square::new(self.0 as u32 & 63)
    }

    /// The target square, which is the rook's square when castling.
    #[inline]
    pub(super) const fn to(self) -> Square {
        Square::new(self.0 as u32 >> 6 & 63)
    }

    /// The piece that a pawn becomes.
    #[inline]
    pub(super) const fn promoted(self) -> Option<Role> {
        role_from_bits(self.0 as u32 >> 12)
    }
}

#[inline]
const fn role_bits(role: Option<Role>) -> u32 {
    match role {
        Some(role) => role as u32,
        None => 0,
    }
}

#[inline]
const fn role_from_bits(bits: u32) -> Option<Role> {
    match bits {
        1 => Some(Role::Pawn),
        2 => Some(Role::Knight),
        3 => Some(Role::Bishop),
        4 => Some(Role::Rook),
        5 => Some(Role::Queen),
        6 => Some(Role::King),
        _ => None,
    }
}

impl std::fmt::Debug for Move {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.is_none() {
            return f.write_str("none");
        }
        write!(f, "{}{}", self.from(), self.to())?;
        match self.promoted() {
            Some(role) => write!(f, "{}", role.char()),
            None => Ok(()),
        }
    }
}
