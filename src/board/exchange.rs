//! Static exchange: does a sequence of captures on one square win at least so much?
//!
//! Both sides capture with their least valuable piece and stop when it pays. The running balance
//! is kept from the view of the side that must still come out ahead, so no list of gains is
//! needed. Pinned pieces are not kept from capturing; promotions count as pawn captures.

use shakmaty::attacks;
use shakmaty::{Bitboard, Role};

use super::moves::Move;
use super::position::Position;

/// Centipawns by role number (0 is none, 6 the king, who never counts as taken).
pub const EXCHANGE_VALUES: [i32; 7] = [0, 100, 320, 330, 500, 950, 0];

/// Is the material balance of the exchange that `m` starts at least `threshold` centipawns?
pub fn exchange_at_least(position: &Position, m: Move, threshold: i32) -> bool {
    if m.is_castle() {
        return threshold <= 0;
    }
    let mover = m.promoted().unwrap_or(m.role());
    let promotion_gain = match m.promoted() {
        Some(into) => value(into) - value(Role::Pawn),
        None => 0,
    };
    // 1. Take what stands there. If even that is not enough, nothing is.
    let mut balance = m.captured().map_or(0, value) + promotion_gain - threshold;
    if balance < 0 {
        return false;
    }
    // 2. Lose the piece that moved. If that still is enough, anything is.
    balance -= value(mover);
    if balance >= 0 {
        return true;
    }
    // 3. Let both sides capture in turn, x-rays included.
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
        // A king may not capture what is still defended.
        if role == Role::King && (attackers & position.of_colour(!side)).any() {
            break;
        }
        side = !side;
        balance = -balance - 1 - value(role);
        if balance >= 0 {
            break;
        }
    }
    // The side that cannot (or need not) go on has lost the exchange.
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
