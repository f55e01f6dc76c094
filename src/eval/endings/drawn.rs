//! Advantages of which the material alone says that nothing can be made.
//!
//! A minor piece more without pawns is nothing, and neither are rook pawns that the defending king
//! stands before when the bishop cannot drive it away.

use crate::board::{Bitboard, Colour, File, Position, Rank, Role, Square};

/// Can `strong` make nothing of what it has?
#[inline]
pub fn without_hope(position: &Position, strong: Colour) -> bool {
    let pawns = position.pieces(strong, Role::Pawn);
    if pawns.is_empty() {
        return is_too_little(position, strong);
    }
    is_wrong_rook_pawn(position, strong, pawns, position.of_role(Role::Bishop))
}

/// Without pawns it takes more than a minor piece.
fn is_too_little(position: &Position, strong: Colour) -> bool {
    let (ours, theirs) = (strength(position, strong), strength(position, !strong));
    ours < 5 && ours - theirs <= 3
}

/// Pieces as beginners count them.
fn strength(position: &Position, colour: Colour) -> i32 {
    let own = position.of_colour(colour);
    let count = |role| (own & position.of_role(role)).count() as i32;
    3 * (count(Role::Knight) + count(Role::Bishop)) + 5 * count(Role::Rook) + 9 * count(Role::Queen)
}

/// Rook pawns whose corner the bishop cannot reach but the defending king does.
fn is_wrong_rook_pawn(
    position: &Position,
    strong: Colour,
    pawns: Bitboard,
    bishops: Bitboard,
) -> bool {
    let rook_file =
        [File::A, File::H].into_iter().find(|&file| pawns.is_subset(Bitboard::from_file(file)));
    let Some(file) = rook_file else { return false };
    let own_bishops = bishops & position.of_colour(strong);
    if position.of_colour(strong) != pawns | own_bishops | position.king(strong) {
        return false;
    }
    let rank = if strong == Colour::White { Rank::Eighth } else { Rank::First };
    let corner = Square::from_coords(file, rank);
    let same_colour =
        if corner.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
    own_bishops.is_disjoint(same_colour) && position.king(!strong).distance(corner) <= 1
}
