//! The king's safety: the pawns before him, and what is brought against him.
//!
//! One attacker is no attack. Dangers are therefore summed first, and the square of the sum is
//! what counts in the middlegame.

use super::ledger::Ledger;
use super::score::Score;
use super::survey::Survey;
use super::terms::Term;
use super::trace::Tracer;
use crate::board::{Bitboard, Colour, File, Position, Role, attacks};
use crate::eval::geometry::{fill_ahead, rank_of, relative_rank, three_files};

/// What a sum of dangers costs its king.
#[inline]
pub fn cost(danger: Score) -> Score {
    let middlegame = danger.middlegame().clamp(0, LARGEST_DANGER);
    let endgame = danger.endgame().clamp(0, LARGEST_DANGER);
    Score::new(middlegame * middlegame / SQUARE_DIVISOR, endgame / ENDGAME_DIVISOR)
}

pub const LARGEST_DANGER: i32 = 1200;
pub const SQUARE_DIVISOR: i32 = 512;
pub const ENDGAME_DIVISOR: i32 = 16;

/// Pawns that shelter the king of `us`, and pawns that storm him.
#[inline(always)]
pub fn shelter<T: Tracer>(us: Colour, survey: &Survey, ledger: &mut Ledger<'_, T>) {
    let king = survey.king(us);
    let king_rank = relative_rank(us, king);
    let not_behind = fill_ahead(us, rank_of(us, king_rank));
    let middle = (king.file() as u32).clamp(1, 6);
    for file in middle - 1..=middle + 1 {
        let squares = Bitboard::from_file(File::new(file)) & not_behind;
        let own = nearest(us, survey.pawns(us) & squares);
        let enemy = nearest(us, survey.pawns(!us) & squares);
        let from_edge = file.min(7 - file) as usize;
        ledger.add(us, Term::Shelter, 8 * from_edge + own);
        if enemy > 0 {
            let blocked = own > 0 && own + 1 == enemy;
            ledger.add(us, if blocked { Term::StormBlocked } else { Term::Storm }, enemy);
        }
    }
}

/// The rank, from the side of `us`, of the pawn nearest to its first rank; 0 without any.
#[inline(always)]
fn nearest(us: Colour, pawns: Bitboard) -> usize {
    let pawn = match us {
        Colour::White => pawns.first(),
        Colour::Black => pawns.last(),
    };
    pawn.map_or(0, |square| relative_rank(us, square))
}

/// Is there enough against the king of `us` to reckon his danger at all?
#[inline(always)]
pub fn is_in_danger(us: Colour, position: &Position, survey: &Survey) -> bool {
    let queens = position.pieces(!us, Role::Queen).count() as i32;
    survey.attackers[us as usize] + queens >= 2
}

/// Adds up what endangers the king of `us`, beside the attackers that are counted already.
#[inline(always)]
pub fn dangers<T: Tracer>(
    us: Colour,
    position: &Position,
    survey: &Survey,
    ledger: &mut Ledger<'_, T>,
) {
    let them = !us;
    let king = survey.king(us);
    ledger.endanger(us, Term::DangerBase, 0, 1);
    if position.pieces(them, Role::Queen).is_empty() {
        ledger.endanger(us, Term::DangerNoQueen, 0, 1);
    }

    // Squares that only the king or the queen guards.
    let poorly = !survey.twice(us)
        & (!survey.all(us) | survey.by(us, Role::King) | survey.by(us, Role::Queen));
    let weak = survey.all(them) & poorly;
    let weak_ring = (survey.ring[us as usize] & weak).count() as i32;
    ledger.endanger(us, Term::DangerWeak, 0, weak_ring);

    // Checks. Our queen would not stop one: she is looked through.
    let safe = !position.of_colour(them) & (!survey.all(us) | (weak & survey.twice(them)));
    let occupied = survey.occupied & !position.pieces(us, Role::Queen);
    let knight_lines = attacks::knight_attacks(king);
    let bishop_lines = attacks::bishop_attacks(king, occupied);
    let rook_lines = attacks::rook_attacks(king, occupied);
    let checks = [
        (Role::Knight, knight_lines),
        (Role::Bishop, bishop_lines),
        (Role::Rook, rook_lines),
        (Role::Queen, bishop_lines | rook_lines),
    ];
    let mut unsafe_checks = Bitboard::EMPTY;
    for (index, (role, lines)) in checks.into_iter().enumerate() {
        let from = lines & survey.by(them, role) & !position.of_colour(them);
        if (from & safe).any() {
            ledger.endanger(us, Term::DangerSafeCheck, index, 1);
        } else if role != Role::Queen {
            unsafe_checks |= from;
        }
    }
    ledger.endanger(us, Term::DangerUnsafeCheck, 0, unsafe_checks.count() as i32);

    // The wing where he lives.
    let camp = wing(king.file()) & !(rank_of(us, 5) | rank_of(us, 6) | rank_of(us, 7));
    let attack = (survey.all(them) & camp).count() + (survey.twice(them) & camp).count();
    let defence = (survey.all(us) & camp).count();
    ledger.endanger(us, Term::DangerFlankAttack, 0, attack as i32);
    ledger.endanger(us, Term::DangerFlankDefence, 0, defence as i32);

    if (survey.by(us, Role::Knight) & survey.ring[us as usize]).any() {
        ledger.endanger(us, Term::DangerKnightDefender, 0, 1);
    }
    let guarded_files = fill_ahead(us, fill_ahead(them, survey.pawns(us)));
    let open = (three_files(king) & rank_of(us, 0) & !guarded_files).count() as i32;
    ledger.endanger(us, Term::DangerOpenFile, 0, open);
}

/// Four files around a king.
#[inline(always)]
fn wing(file: File) -> Bitboard {
    Bitboard(match file {
        File::A | File::B | File::C => 0x0f0f_0f0f_0f0f_0f0f,
        File::D | File::E => 0x3c3c_3c3c_3c3c_3c3c,
        File::F | File::G | File::H => 0xf0f0_f0f0_f0f0_f0f0,
    })
}
