//! Knights, bishops, rooks and queens: their freedom, their posts, and their hold on the king.

use super::ledger::Ledger;
use super::pawns::PawnStructure;
use super::survey::Survey;
use super::terms::Term;
use super::trace::Tracer;
use crate::board::{Bitboard, Colour, Position, Role, Square, attacks};
use crate::eval::geometry::{behind, file, fill_ahead, rank_of, relative_rank};

const MOBILITY: [Term; 7] = [
    Term::KnightMobility,
    Term::KnightMobility,
    Term::KnightMobility,
    Term::BishopMobility,
    Term::RookMobility,
    Term::QueenMobility,
    Term::QueenMobility,
];

/// Judges one side's pieces, and enters their attacks into the survey.
pub struct Pieces<'a, 'w, T> {
    pub us: Colour,
    pub position: &'a Position,
    pub structure: &'a PawnStructure,
    pub survey: &'a mut Survey,
    pub ledger: &'a mut Ledger<'w, T>,
}

impl<T: Tracer> Pieces<'_, '_, T> {
    #[inline(always)]
    pub fn judge(&mut self) {
        self.knights();
        self.bishops();
        self.rooks();
        self.queens();
    }

    #[inline(always)]
    fn ours(&self, role: Role) -> Bitboard {
        self.position.pieces(self.us, role)
    }

    /// What every piece has: attacks, mobility, and a hold on the enemy king.
    #[inline(always)]
    fn piece(&mut self, role: Role, attacked: Bitboard) {
        let (us, them) = (self.us, !self.us);
        self.survey.enter(us, role, attacked);
        let reach = (attacked & self.survey.area[us as usize]).count();
        self.ledger.add(us, MOBILITY[role as usize], reach);
        if (attacked & self.survey.ring[them as usize]).any() {
            self.survey.attackers[them as usize] += 1;
            self.ledger.endanger(them, Term::DangerAttacker, role as usize - 2, 1);
            let hits = (attacked & attacks::king_attacks(self.survey.king(them))).count();
            self.ledger.endanger(them, Term::DangerHits, 0, hits as i32);
        }
    }

    /// Where a minor piece stands firm.
    #[inline(always)]
    fn outposts(&self) -> Bitboard {
        let (us, them) = (self.us, !self.us);
        let ranks = rank_of(us, 3) | rank_of(us, 4) | rank_of(us, 5);
        ranks & self.survey.by(us, Role::Pawn) & !self.structure.reach[them as usize]
    }

    /// What both minor pieces have; `index` is 0 for knights, 1 for bishops.
    #[inline(always)]
    fn minor(&mut self, index: usize, square: Square) {
        let us = self.us;
        if self.outposts().contains(square) {
            self.ledger.add(us, Term::Outpost, index);
        }
        let pawns = self.position.of_role(Role::Pawn);
        if behind(us, pawns).contains(square) {
            self.ledger.add(us, Term::MinorShielded, 0);
        }
        let distance = square.distance(self.survey.king(us)) as i32;
        self.ledger.add_times(us, Term::MinorKingDistance, index, distance);
    }

    #[inline(always)]
    fn knights(&mut self) {
        for square in self.ours(Role::Knight) {
            let attacked = attacks::knight_attacks(square);
            self.piece(Role::Knight, attacked);
            self.minor(0, square);
            let free = self.outposts() & !self.position.of_colour(self.us);
            if !self.outposts().contains(square) && (attacked & free).any() {
                self.ledger.add(self.us, Term::OutpostReach, 0);
            }
        }
    }

    #[inline(always)]
    fn bishops(&mut self) {
        let us = self.us;
        let bishops = self.ours(Role::Bishop);
        if (bishops & Bitboard::LIGHT_SQUARES).any() && (bishops & Bitboard::DARK_SQUARES).any() {
            self.ledger.add(us, Term::BishopPair, 0);
        }
        // A piece of the same movement lets the attack through.
        let occupied = self.survey.occupied & !self.ours(Role::Queen);
        let pawns = self.position.of_role(Role::Pawn);
        for square in bishops {
            let attacked = attacks::bishop_attacks(square, occupied);
            self.piece(Role::Bishop, attacked);
            self.minor(1, square);
            let colour =
                if square.is_light() { Bitboard::LIGHT_SQUARES } else { Bitboard::DARK_SQUARES };
            let same = (self.survey.pawns(us) & colour).count() as i32;
            self.ledger.add_times(us, Term::BishopPawns, 0, same);
            let through_pawns = attacks::bishop_attacks(square, pawns) | square;
            if (through_pawns & Bitboard::CENTER).more_than_one() {
                self.ledger.add(us, Term::BishopLongDiagonal, 0);
            }
        }
    }

    #[inline(always)]
    fn rooks(&mut self) {
        let (us, them) = (self.us, !self.us);
        let occupied = self.survey.occupied & !(self.ours(Role::Rook) | self.ours(Role::Queen));
        for square in self.ours(Role::Rook) {
            self.piece(Role::Rook, attacks::rook_attacks(square, occupied));
            let file = file(square);
            if (file & self.survey.pawns(us)).is_empty() {
                let open = (file & self.survey.pawns(them)).is_empty();
                self.ledger.add(us, Term::RookFile, usize::from(open));
            }
            let king_shut_in = relative_rank(us, self.survey.king(them)) == 7;
            let pawns = (self.survey.pawns(them) & rank_of(us, 6)).any();
            if relative_rank(us, square) == 6 && (king_shut_in || pawns) {
                self.ledger.add(us, Term::RookSeventh, 0);
            }
        }
    }

    #[inline(always)]
    fn queens(&mut self) {
        for square in self.ours(Role::Queen) {
            self.piece(Role::Queen, attacks::queen_attacks(square, self.survey.occupied));
        }
    }
}

/// Room behind the own pawns in the centre counts while there are pieces to use it.
#[inline(always)]
pub fn space<T: Tracer>(
    us: Colour,
    position: &Position,
    survey: &Survey,
    ledger: &mut Ledger<'_, T>,
) {
    let them = !us;
    let centre =
        Bitboard(0x3c3c_3c3c_3c3c_3c3c) & (rank_of(us, 1) | rank_of(us, 2) | rank_of(us, 3));
    let safe = centre & !survey.pawns(us) & !survey.by(them, Role::Pawn);
    let sheltered = safe & fill_ahead(them, behind(us, survey.pawns(us)));
    let room = safe.count() + (sheltered & !survey.all(them)).count();
    let pieces = (position.of_colour(us) & !survey.pawns(us)).count();
    ledger.add_times(us, Term::Space, 0, (room * pieces / 16) as i32);
}
