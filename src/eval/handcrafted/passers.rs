//! Passed pawns among pieces and kings.

use super::ledger::Ledger;
use super::survey::Survey;
use super::terms::Term;
use super::trace::Tracer;
use crate::board::{Bitboard, Colour, Position, Role, Square};
use crate::eval::geometry::{ahead, file, fill_ahead, promotion_square, relative_rank};

/// Judges the passed pawns of `us`. What a passed pawn is worth by itself the pawns know.
#[inline(always)]
pub fn passers<T: Tracer>(
    us: Colour,
    passed: Bitboard,
    position: &Position,
    survey: &Survey,
    ledger: &mut Ledger<'_, T>,
) {
    for pawn in passed {
        passer(us, pawn, position, survey, ledger);
    }
}

fn passer<T: Tracer>(
    us: Colour,
    pawn: Square,
    position: &Position,
    survey: &Survey,
    ledger: &mut Ledger<'_, T>,
) {
    let them = !us;
    let rank = relative_rank(us, pawn);
    let stop = ahead(us, Bitboard::from_square(pawn));
    let Some(stop_square) = stop.first() else { return };
    let own_king = survey.king(us).distance(stop_square) as i32;
    let their_king = survey.king(them).distance(stop_square) as i32;
    ledger.add_times(us, Term::PassedOwnKing, rank, own_king.min(5));
    ledger.add_times(us, Term::PassedTheirKing, rank, their_king.min(5));

    let way = fill_ahead(us, stop);
    if (stop & survey.occupied).any() {
        ledger.add(us, Term::PassedBlocked, rank);
    } else {
        if (stop & survey.all(them)).is_empty() {
            ledger.add(us, Term::PassedStep, rank);
        }
        if (stop & survey.all(us)).any() {
            ledger.add(us, Term::PassedGuarded, rank);
        }
        if (way & (survey.all(them) | position.of_colour(them))).is_empty() {
            ledger.add(us, Term::PassedPath, rank);
        }
    }

    let behind = file(pawn) & !way & position.of_role(Role::Rook);
    if (behind & position.of_colour(us)).any() {
        ledger.add(us, Term::PassedRook, 0);
    }
    if (behind & position.of_colour(them)).any() {
        ledger.add(us, Term::PassedRook, 1);
    }

    if !position.has_pieces(them) && outruns_king(us, pawn, way, position, survey) {
        ledger.add(us, Term::PassedUnstoppable, 0);
    }
}

/// Is the enemy king too far away to catch the pawn, its way being free of own pieces?
fn outruns_king(
    us: Colour,
    pawn: Square,
    way: Bitboard,
    position: &Position,
    survey: &Survey,
) -> bool {
    let goal = promotion_square(us, pawn);
    // A pawn on its first square may step twice at once.
    let steps = (7 - relative_rank(us, pawn)).min(5) as u32;
    let start = u32::from(position.turn() != us);
    let king = survey.king(!us).distance(goal).saturating_sub(start);
    (way & position.of_colour(us)).is_empty() && king > steps
}
