//! How much of an endgame advantage can be turned into a win.
//!
//! A piece more without pawns is often nothing, and bishops of opposite colours hold what they
//! please. The advantage in the endgame is cut down to so many 64ths.

use crate::board::{Bitboard, Colour, File, Position, Rank, Role, Square};

pub const FULL: i32 = 64;

/// 64ths that are kept of an advantage of `strong`.
#[inline]
pub fn scale(position: &Position, strong: Colour) -> i32 {
    if let Some(scale) = without_hope(position, strong) {
        return scale;
    }
    let weak = !strong;
    let pawns = position.pieces(strong, Role::Pawn);
    let bishops = position.of_role(Role::Bishop);
    let few_pawns = (40 + 8 * pawns.count() as i32).min(FULL);
    let (ours, theirs) = (bishops & position.of_colour(strong), bishops & position.of_colour(weak));
    let (Some(our_bishop), Some(their_bishop)) = (ours.single_square(), theirs.single_square())
    else {
        return few_pawns;
    };
    if our_bishop.is_light() == their_bishop.is_light() {
        return few_pawns;
    }
    let others = position.occupied()
        & !(bishops | position.of_role(Role::Pawn) | position.of_role(Role::King));
    if others.is_empty() { (12 + 4 * pawns.count() as i32).min(32) } else { few_pawns.min(48) }
}

/// The same where the material alone says that little or nothing can be made of it.
#[inline]
pub fn without_hope(position: &Position, strong: Colour) -> Option<i32> {
    let pawns = position.pieces(strong, Role::Pawn);
    if pawns.is_empty() {
        return Some(without_pawns(position, strong));
    }
    is_wrong_rook_pawn(position, strong, pawns, position.of_role(Role::Bishop)).then_some(0)
}

/// Without pawns it takes more than a minor piece extra.
fn without_pawns(position: &Position, strong: Colour) -> i32 {
    let (ours, theirs) = (strength(position, strong), strength(position, !strong));
    if ours - theirs > 3 {
        FULL
    } else if ours < 5 {
        0
    } else if theirs <= 3 {
        4
    } else {
        14
    }
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
