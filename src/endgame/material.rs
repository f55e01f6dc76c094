//! Material signatures, such as KQKR: the pieces on the board.
//!
//! The strong side is named first. It is the side with more pieces, or with the stronger pieces if
//! both sides have the same number. A table serves both colours: if Black is the strong side, the
//! colours are swapped.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use crate::board::{Colour, Position, Role};

/// The minimum number of pieces in a table, including the kings.
pub const MIN_PIECES: usize = 3;

/// The maximum number of pieces in a table, including the kings.
pub const MAX_PIECES: usize = 5;

/// The roles other than the king, strongest first, as names list them.
pub const ROLES: [Role; 5] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight, Role::Pawn];

/// The roles that a pawn may promote to, strongest first.
pub const PROMOTIONS: [Role; 4] = [Role::Queen, Role::Rook, Role::Bishop, Role::Knight];

/// The material signature: the pieces of both sides.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Material {
    /// The number of each piece in [`ROLES`], for the strong and for the weak side.
    counts: [[u8; 5]; 2],
}

/// Why a name was rejected. It must name an endgame for which tables can be built.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum MaterialError {
    /// The name does not begin with a king.
    #[error("\"{0}\" is not an endgame: begin with a king, as in KQKR or KBNvK")]
    NoKing(String),
    /// The name has only one king.
    #[error(
        "\"{0}\" is not an endgame: write the pieces of both sides, each with its king, for example \
         KQKR or KBNvK"
    )]
    OneKing(String),
    /// The name has more than two kings. Contains the name and the number of kings.
    #[error("\"{0}\" is not an endgame: it has {1} kings instead of two")]
    Kings(String, usize),
    /// A letter is not a piece. Contains the name and the letter.
    #[error("\"{0}\" is not an endgame: '{1}' is not one of K, Q, R, B, N, P")]
    Letter(String, char),
    /// There are too few or too many pieces for a table. Says what has them, and contains their number.
    #[error("{0} has {1} pieces; tables have {MIN_PIECES} to {MAX_PIECES}")]
    Pieces(String, usize),
}

/// Returns an error that names `subject` if there are too few or too many pieces for a table.
pub fn check_pieces(subject: &str, pieces: usize) -> Result<(), MaterialError> {
    match pieces {
        MIN_PIECES..=MAX_PIECES => Ok(()),
        _ => Err(MaterialError::Pieces(subject.to_owned(), pieces)),
    }
}

impl Material {
    /// Creates a material signature from the number of each piece in [`ROLES`], for both sides.
    /// Also returns whether the sides were swapped.
    pub(crate) fn new(first: [u8; 5], second: [u8; 5]) -> (Material, bool) {
        let pieces = |side: [u8; 5]| side.iter().sum::<u8>();
        let swapped = (pieces(second), second) > (pieces(first), first);
        let counts = if swapped { [second, first] } else { [first, second] };
        (Material { counts }, swapped)
    }

    /// The material signature of a position. Also returns whether Black is the strong side.
    #[inline]
    pub fn of(position: &Position) -> (Material, bool) {
        let count = |colour| ROLES.map(|role| position.pieces(colour, role).count().min(255) as u8);
        Material::new(count(Colour::White), count(Colour::Black))
    }

    /// All material signatures with this number of pieces, including the kings.
    pub(crate) fn all(pieces: usize) -> BTreeSet<Material> {
        let mut found = BTreeSet::from([Material { counts: [[0; 5]; 2] }]);
        for _ in 2..pieces {
            let mut grown = BTreeSet::new();
            for material in found {
                for (side, role) in (0..2).flat_map(|side| (0..5).map(move |role| (side, role))) {
                    let mut counts = material.counts;
                    counts[side][role] += 1;
                    grown.insert(Material::new(counts[0], counts[1]).0);
                }
            }
            found = grown;
        }
        found
    }

    /// The number of pieces, including the kings.
    pub fn pieces(self) -> usize {
        2 + self.counts.iter().flatten().map(|&count| usize::from(count)).sum::<usize>()
    }

    /// The number of each piece in `ROLES` for a side. White is the strong side.
    pub fn counts(self, side: Colour) -> [u8; 5] {
        self.counts[side as usize ^ Colour::White as usize]
    }

    /// Returns whether either side has a pawn.
    pub fn has_pawns(self) -> bool {
        self.counts[0][4] + self.counts[1][4] > 0
    }

    /// Returns whether tables can be built for this number of pieces.
    pub fn is_tabulated(self) -> bool {
        (MIN_PIECES..=MAX_PIECES).contains(&self.pieces())
    }

    /// The material signatures after a capture, a promotion, or both at once.
    pub fn conversions(self) -> BTreeSet<Material> {
        let mut found = BTreeSet::new();
        for side in 0..2 {
            let mut mine = vec![self.counts[side]];
            if self.counts[side][4] > 0 {
                mine.extend((0..4).map(|role| {
                    let mut counts = self.counts[side];
                    counts[4] -= 1;
                    counts[role] += 1;
                    counts
                }));
            }
            let other = self.counts[1 - side];
            let mut theirs = vec![other];
            theirs.extend((0..5).filter(|&role| other[role] > 0).map(|role| {
                let mut fewer = other;
                fewer[role] -= 1;
                fewer
            }));
            for &first in &mine {
                found.extend(theirs.iter().map(|&second| Material::new(first, second).0));
            }
        }
        found.remove(&self);
        found
    }
}

impl FromStr for Material {
    type Err = MaterialError;

    /// Parses `KQKR` or `KQvKR`. Case and the order of the sides do not matter.
    fn from_str(text: &str) -> Result<Material, MaterialError> {
        let quoted = || text.chars().take(40).collect::<String>();
        let mut sides = [[0u8; 5]; 2];
        let mut kings = 0;
        for letter in text.trim().chars().filter(|letter| !matches!(letter, 'v' | 'V')) {
            match Role::from_char(letter).ok_or_else(|| MaterialError::Letter(quoted(), letter))? {
                Role::King => kings += 1,
                _ if kings == 0 => return Err(MaterialError::NoKing(quoted())),
                _ if kings > 2 => {}
                role => {
                    let count = &mut sides[kings - 1][Role::Queen as usize - role as usize];
                    *count = count.saturating_add(1);
                }
            }
        }
        match kings {
            0 => return Err(MaterialError::NoKing(quoted())),
            1 => return Err(MaterialError::OneKing(quoted())),
            2 => {}
            _ => return Err(MaterialError::Kings(quoted(), kings)),
        }
        let pieces = 2 + sides.iter().flatten().map(|&count| usize::from(count)).sum::<usize>();
        check_pieces(&format!("\"{}\"", quoted()), pieces)?;
        Ok(Material::new(sides[0], sides[1]).0)
    }
}

impl fmt::Display for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut name = String::new();
        for side in self.counts {
            name.push('K');
            for (role, count) in ROLES.into_iter().zip(side) {
                name.extend(std::iter::repeat_n(role.upper_char(), usize::from(count)));
            }
        }
        f.pad(&name)
    }
}

impl fmt::Debug for Material {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_in_any_order_and_written_in_one_order() {
        for (text, name) in [
            ("KQKR", "KQKR"),
            ("KRKQ", "KQKR"),
            ("knbvk", "KBNK"),
            ("KRvKBP", "KBPKR"),
            ("KQVKR", "KQKR"),
        ] {
            assert_eq!(text.parse::<Material>().expect(text).to_string(), name);
        }
    }

    #[test]
    fn errors_say_what_is_wrong_with_a_name() {
        for (text, word) in [
            ("KQQQQKK", "3 kings"),
            ("KQQQQK", "6 pieces"),
            ("QKR", "begin with a king"),
            ("KQR", "each with its king"),
            ("KXK", "'X'"),
            ("KK", "2 pieces"),
            ("", "begin with a king"),
            ("K♛K", "'♛'"),
        ] {
            let error = text.parse::<Material>().expect_err(text).to_string();
            assert!(error.contains(word) && error.contains(text), "{error}");
        }
    }

    #[test]
    fn three_to_five_pieces_have_5_30_and_110_materials() {
        assert_eq!([3, 4, 5].map(|pieces| Material::all(pieces).len()), [5, 30, 110]);
    }

    #[test]
    fn conversions_include_capturing_promotions() {
        let material: Material = "KPKR".parse().expect("a material");
        let found: Vec<String> = material.conversions().iter().map(Material::to_string).collect();
        for name in ["KQKR", "KRKN", "KRKB", "KRKR", "KQK", "KNK", "KRK", "KPK"] {
            assert!(found.iter().any(|conversion| conversion == name), "{name} of {found:?}");
        }
    }
}
