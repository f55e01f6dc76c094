//! What is attacked and should not be.

use super::ledger::Ledger;
use super::survey::Survey;
use super::terms::Term;
use super::trace::Tracer;
use crate::board::{Bitboard, Colour, Position, Role, attacks};
use crate::eval::geometry::pawn_attacks;

/// Threats of `us` against the other side.
#[inline(always)]
pub fn threats<T: Tracer>(
    us: Colour,
    position: &Position,
    survey: &Survey,
    ledger: &mut Ledger<'_, T>,
) {
    let them = !us;
    let theirs = position.of_colour(them);
    let pieces = theirs & !survey.pawns(them);
    let well_guarded = survey.strongly_guarded(them);
    let weak = theirs & survey.all(us) & !well_guarded;

    // 1. By a piece of less worth, or upon something badly guarded.
    let by_minor = survey.by(us, Role::Knight) | survey.by(us, Role::Bishop);
    let minor_targets = by_minor & ((pieces & well_guarded) | weak);
    let rook_targets = survey.by(us, Role::Rook) & weak;
    for (index, role) in
        [Role::Pawn, Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().enumerate()
    {
        let victims = position.of_role(role);
        count(ledger, us, Term::ThreatByMinor, index, minor_targets & victims);
        count(ledger, us, Term::ThreatByRook, index, rook_targets & victims);
    }
    if (survey.by(us, Role::King) & weak).any() {
        ledger.add(us, Term::ThreatByKing, 0);
    }
    let outnumbered = pieces & survey.twice(us);
    count(ledger, us, Term::Hanging, 0, weak & (!survey.all(them) | outnumbered));

    // 2. By a pawn, now or after its next step.
    let safe = !survey.all(them) | survey.all(us);
    let safe_pawns = survey.pawns(us) & safe;
    let by_pawn = pawn_attacks(us, safe_pawns) & pieces;
    if by_pawn.any() {
        for (index, role) in
            [Role::Knight, Role::Bishop, Role::Rook, Role::Queen].into_iter().enumerate()
        {
            count(ledger, us, Term::ThreatByPawn, index, by_pawn & position.of_role(role));
        }
    }
    let steps = survey.pawn_steps(us) & !survey.by(them, Role::Pawn) & safe;
    count(ledger, us, Term::ThreatByPush, 0, pawn_attacks(us, steps) & pieces & !by_pawn);

    // 3. Squares from which a lone queen can be chased.
    if let Some(queen) = position.pieces(them, Role::Queen).single_square() {
        let safe = survey.area[us as usize] & !well_guarded & !position.of_colour(us);
        let by_knight = survey.by(us, Role::Knight) & attacks::knight_attacks(queen);
        count(ledger, us, Term::ThreatToQueen, 0, by_knight & safe);
        let lines = (survey.by(us, Role::Bishop) & attacks::bishop_attacks(queen, survey.occupied))
            | (survey.by(us, Role::Rook) & attacks::rook_attacks(queen, survey.occupied));
        count(ledger, us, Term::ThreatToQueen, 1, lines & safe & survey.twice(us));
    }

    // 4. Squares that they would like to use.
    let restricted = survey.all(them) & !well_guarded & survey.all(us);
    count(ledger, us, Term::Restricted, 0, restricted);
}

#[inline(always)]
fn count<T: Tracer>(
    ledger: &mut Ledger<'_, T>,
    us: Colour,
    term: Term,
    index: usize,
    squares: Bitboard,
) {
    ledger.add_times(us, term, index, squares.count() as i32);
}
