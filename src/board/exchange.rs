//! Static exchange evaluation (SEE): whether a sequence of captures on one square wins a given amount.
//!
//! A capture may win a piece at first and lose more when the opponent recaptures. SEE plays out all captures on the
//! square without a search: both sides capture with their least valuable piece, and either may stop when another
//! capture would lose material. The caller asks only whether the gain reaches a threshold, so one running balance is
//! enough. After each capture, the balance is the capturing side's lead over the threshold, on the assumption that its
//! capturing piece is lost next. Pins are ignored, and a pawn that captures does not promote.

use shakmaty::attacks;
use shakmaty::{Bitboard, Role};

use super::moves::Move;
use super::position::Position;

/// Piece values in centipawns, indexed by role. Index 0 stands for no piece. The king (index 6) has no value, since it
/// cannot be captured.
pub const EXCHANGE_VALUES: [i32; 7] = [0, 100, 320, 330, 500, 950, 0];

/// Whether the static exchange evaluation (SEE) of a move is at least `threshold` centipawns.
pub fn see_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    if m.is_castle() {
        return threshold <= 0;
    }
    let mover = m.promoted().unwrap_or(m.role());
    let promotion_gain = match m.promoted() {
        Some(into) => value(into) - value(Role::Pawn),
        None => 0,
    };
    // 1. Suppose that the opponent does not recapture. If even that falls short, the exchange fails.
    let mut balance = m.captured().map_or(0, value) + promotion_gain - threshold;
    if balance < 0 {
        return false;
    }
    // 2. Suppose that the piece that moved is lost for nothing. If the gain is enough even then, the exchange succeeds.
    balance -= value(mover);
    if balance >= 0 {
        return true;
    }
    // 3. Let both sides capture in turn. Sliders behind other pieces can capture too (x-rays).
    let square = m.to();
    let mut occupied = position.occupied().without(m.from()).with(square);
    if m.is_en_passant() {
        occupied = occupied.without(shakmaty::Square::from_coords(square.file(), m.from().rank()));
    }
    let diagonal = position.of_role(Role::Bishop) | position.of_role(Role::Queen);
    let straight = position.of_role(Role::Rook) | position.of_role(Role::Queen);
    let mut attackers = position.attackers(square, occupied) & occupied;
    let us = position.turn();
    let mut side = !us;
    loop {
        let own = attackers & position.of_colour(side);
        let Some((role, from)) = least_valuable(position, own) else { break };
        occupied = occupied.without(Bitboard::from_square(from));
        if matches!(role, Role::Pawn | Role::Bishop | Role::Queen) {
            attackers |= attacks::bishop_attacks(square, occupied) & diagonal;
        }
        if matches!(role, Role::Rook | Role::Queen) {
            attackers |= attacks::rook_attacks(square, occupied) & straight;
        }
        attackers &= occupied;
        // A king may not capture a defended piece.
        if role == Role::King && (attackers & position.of_colour(!side)).any() {
            break;
        }
        side = !side;
        balance = -balance - 1 - value(role);
        if balance >= 0 {
            break;
        }
    }
    // The side that stops capturing loses the exchange.
    side != us
}

#[inline]
fn value(role: Role) -> i32 {
    EXCHANGE_VALUES[role as usize]
}

#[inline]
fn least_valuable(position: &Position, own: Bitboard) -> Option<(Role, shakmaty::Square)> {
    if own.is_empty() {
        return None;
    }
    Role::ALL
        .into_iter()
        .find_map(|role| (own & position.of_role(role)).first().map(|square| (role, square)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::board::random_games::visit_random_games;
    use shakmaty::{Color, Square};

    /// The pieces on a board.
    type Board = Vec<(Square, Color, Role)>;

    fn board(position: &Position) -> Board {
        let piece = |square| Some((square, position.colour_at(square)?, position.role_at(square)?));
        Square::ALL.into_iter().filter_map(piece).collect()
    }

    fn without(board: &Board, square: Square) -> Board {
        board.iter().copied().filter(|&(other, ..)| other != square).collect()
    }

    /// The pieces of a side that attack a square, sorted by value and then by square.
    fn attackers(board: &Board, square: Square, side: Color) -> Vec<(Role, Square)> {
        let occupied: Bitboard = board.iter().map(|&(square, ..)| square).collect();
        let attacks = |&&(from, colour, role): &&(Square, Color, Role)| {
            let reached = attacks::attacks(from, shakmaty::Piece { color: colour, role }, occupied);
            colour == side && reached.contains(square)
        };
        let mut found: Vec<(Role, Square)> =
            board.iter().filter(attacks).map(|&(from, _, role)| (role, from)).collect();
        found.sort_by_key(|&(role, from)| (role as u32, from as u32));
        found
    }

    /// The most that a side can win by capturing a piece on a square. It is 0 if it is better not to capture. Pins are
    /// ignored, pawns do not promote, and a king captures only undefended pieces.
    fn best_gain(board: &Board, square: Square, side: Color, victim: Role) -> i32 {
        let Some(&(role, from)) = attackers(board, square, side).first() else { return 0 };
        let mut after = without(&without(board, from), square);
        after.push((square, side, role));
        if role == Role::King && !attackers(&after, square, !side).is_empty() {
            return 0;
        }
        (value(victim) - best_gain(&after, square, !side, role)).max(0)
    }

    /// The balance of an exchange, found by playing it out.
    fn balance(position: &Position, m: Move) -> i32 {
        if m.is_castle() {
            return 0;
        }
        let mut after = without(&without(&board(position), m.from()), m.to());
        if m.is_en_passant() {
            after = without(&after, Square::from_coords(m.to().file(), m.from().rank()));
        }
        let becomes = m.promoted().unwrap_or(m.role());
        let gain = m.captured().map_or(0, value) + value(becomes) - value(m.role());
        after.push((m.to(), position.turn(), becomes));
        gain - best_gain(&after, m.to(), !position.turn(), becomes)
    }

    #[test]
    fn static_exchange_agrees_with_playing_it_out() {
        let (mut losing, mut winning, mut asked) = (0, 0, 0);
        visit_random_games(120, |position| {
            for &m in &position.legal_moves() {
                let worth = balance(position, m);
                losing += usize::from(worth < 0);
                winning += usize::from(worth > 0);
                let near = [worth - 1, worth, worth + 1];
                for threshold in near.into_iter().chain([-900, -320, -100, 0, 1, 100, 500, 1000]) {
                    asked += 1;
                    assert_eq!(
                        see_at_least(position, m, threshold),
                        worth >= threshold,
                        "{m:?} in {} is worth {worth}, at least {threshold}?",
                        position.fen()
                    );
                }
            }
        });
        assert!(asked > 1_000_000 && losing > 10_000 && winning > 3_000, "{losing} {winning}");
    }
}
