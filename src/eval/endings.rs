//! Endings with a known result: wins against a bare king, and draws in spite of extra material. They take precedence
//! over the network, which need not learn them.
//!
//! The values of known wins guide a shallow search to the mate. They reward driving the bare king to the edge and
//! bringing the other king near. With bishop and knight, they reward driving it to a corner of the bishop's colour. A
//! side cannot win with a single minor piece and no pawns. Nor can it win with only bishops and pawns on one rook file
//! if the defending king controls the promotion square and no bishop does.

use crate::board::{
    Bitboard, Colour, EXCHANGE_VALUES, File, Position, Rank, Role, Square, attacks,
};
use crate::eval::geometry::{ahead, beside};
use crate::value::Value;

/// The base value of a known win: more than any other evaluation, less than any proven result.
pub const KNOWN_WIN: i32 = 5000;

/// Returns the value for the side to move if one side has a bare king and the result is known. `None` if it depends on
/// pawns.
#[inline]
pub fn against_bare_king(position: &Position) -> Option<Value> {
    let bare = |colour| position.of_colour(colour).single_square().is_some();
    let strong = if bare(Colour::Black) {
        Colour::White
    } else if bare(Colour::White) {
        Colour::Black
    } else {
        return None;
    };
    let value = Value::centipawns(outcome(position, strong)?);
    Some(if position.turn() == strong { value } else { -value })
}

fn outcome(position: &Position, strong: Colour) -> Option<i32> {
    let pieces = |role| position.pieces(strong, role);
    let bishops = pieces(Role::Bishop);
    let both_colours =
        bishops.intersects(Bitboard::LIGHT_SQUARES) && bishops.intersects(Bitboard::DARK_SQUARES);
    let lone = position.king(!strong);
    let can_drive = pieces(Role::Queen).any()
        || pieces(Role::Rook).any()
        || both_colours
        || pieces(Role::Knight).count() >= 3;
    let drive = if can_drive {
        20 * from_centre(lone)
    } else if bishops.any() && pieces(Role::Knight).any() {
        60 * towards_corner(lone, bishops) + 2 * from_centre(lone)
    } else if pieces(Role::Pawn).is_empty() {
        return Some(0);
    } else {
        return None;
    };
    let near = 7 - position.king(strong).distance(lone) as i32;
    let material: i32 = Role::ALL
        .into_iter()
        .map(|role| EXCHANGE_VALUES[role as usize] * pieces(role).count() as i32)
        .sum();
    Some(KNOWN_WIN + material + drive + 10 * near - 4 * room(position, strong))
}

/// The number of squares that the bare king can reach if the other side does not move.
fn room(position: &Position, strong: Colour) -> i32 {
    let lone = Bitboard::from_square(position.king(!strong));
    let occupied = position.occupied() & !lone;
    let barred = position
        .of_colour(strong)
        .into_iter()
        .filter_map(|square| Some((square, position.role_at(square)?)))
        .fold(Bitboard::EMPTY, |barred, (square, role)| {
            barred | attacks::attacks(square, role.of(strong), occupied)
        });
    let mut room = lone;
    loop {
        let wider = room | (kings_reach(room) & !barred);
        if wider == room {
            return room.count() as i32;
        }
        room = wider;
    }
}

/// The given squares and all their neighbours.
fn kings_reach(squares: Bitboard) -> Bitboard {
    let row = squares | beside(squares);
    row | ahead(Colour::White, row) | ahead(Colour::Black, row)
}

/// The distance from the four central squares, in steps along files and ranks: 0 to 6.
fn from_centre(square: Square) -> i32 {
    let steps = |n: u32| if n < 4 { 3 - n as i32 } else { n as i32 - 4 };
    steps(square.file() as u32) + steps(square.rank() as u32)
}

/// 7 in the corners of the bishop's colour, 0 on the diagonal between the other two corners.
fn towards_corner(square: Square, bishops: Bitboard) -> i32 {
    let (file, rank) = (square.file() as i32, square.rank() as i32);
    if bishops.intersects(Bitboard::LIGHT_SQUARES) {
        (file - rank).abs()
    } else {
        (7 - file - rank).abs()
    }
}

/// Whether `strong` cannot win with its material.
#[inline]
pub fn cannot_win(position: &Position, strong: Colour) -> bool {
    let pawns = position.pieces(strong, Role::Pawn);
    if pawns.is_empty() {
        return has_at_most_a_minor_piece(position, strong);
    }
    is_wrong_rook_pawn(position, strong, pawns, position.of_role(Role::Bishop))
}

/// Whether a side without pawns has no more than a single minor piece.
fn has_at_most_a_minor_piece(position: &Position, strong: Colour) -> bool {
    strength(position, strong) < 5
}

/// The value of a side's pieces in pawns: 3 for a knight or bishop, 5 for a rook and 9 for a queen.
fn strength(position: &Position, colour: Colour) -> i32 {
    let own = position.of_colour(colour);
    let count = |role| (own & position.of_role(role)).count() as i32;
    3 * (count(Role::Knight) + count(Role::Bishop)) + 5 * count(Role::Rook) + 9 * count(Role::Queen)
}

/// Whether all pieces of a side are pawns on one rook file or bishops that cannot attack the promotion square, and the
/// defending king controls this square.
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_that_can_mate_a_bare_king_win() {
        for (pieces, wins) in [
            ("KQ6", Some(true)),
            ("KR6", Some(true)),
            ("KBB5", Some(true)),
            ("KBN5", Some(true)),
            ("KNNN4", Some(true)),
            ("KB1B4", Some(false)),
            ("KNN5", Some(false)),
            ("KN6", Some(false)),
            ("K7", Some(false)),
        ] {
            let fen = format!("8/8/8/4k3/8/8/8/{pieces} w - - 0 1");
            let position = Position::from_fen(&fen, false).expect("a legal position");
            let found = against_bare_king(&position).map(|value| value > Value::DRAW);
            assert_eq!(found, wins, "{pieces}");
        }
    }
}
