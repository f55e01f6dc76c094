//! Pawns by themselves: what can be said of them without looking at any other piece.
//!
//! Pawns move seldom, so nearly every structure has been seen a moment ago: each thread keeps a
//! table of them under the key of the pawns.

use super::ledger::Ledger;
use super::score::Score;
use super::terms::Term;
use super::trace::{NullTracer, Tracer};
use super::weights::Weights;
use crate::board::{Bitboard, Colour, Position, Role, Square};
use crate::eval::geometry::{ahead, behind, beside, file, fill_ahead, pawn_attacks, relative_rank};

/// What is known of a pawn structure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PawnStructure {
    /// White's less Black's.
    pub score: Score,
    /// Passed pawns of each side.
    pub passed: [Bitboard; 2],
    /// All squares that a side's pawns attack or may attack one day.
    pub reach: [Bitboard; 2],
}

/// Structures seen before. 8192 of them are some 400 KB, enough for a hit rate above 95 %.
#[derive(Clone, Debug)]
pub struct PawnCache(Box<[(u64, PawnStructure)]>);

const CACHE_SIZE: usize = 1 << 13;

impl Default for PawnCache {
    fn default() -> PawnCache {
        // Without pawns the key is zero and the structure empty: the blank entry is a true one.
        PawnCache(vec![(0, PawnStructure::default()); CACHE_SIZE].into_boxed_slice())
    }
}

impl PawnCache {
    #[inline]
    pub fn get(&mut self, position: &Position, weights: &Weights) -> PawnStructure {
        let key = position.keys().pawns;
        let entry = &mut self.0[key as usize % CACHE_SIZE];
        if entry.0 != key {
            *entry = (key, PawnStructure::analyse(position, weights, &mut NullTracer));
        }
        entry.1
    }
}

impl PawnStructure {
    pub fn analyse(
        position: &Position,
        weights: &Weights,
        tracer: &mut impl Tracer,
    ) -> PawnStructure {
        let mut ledger = Ledger::new(weights, tracer);
        let mut structure = PawnStructure::default();
        for us in Colour::ALL {
            let pawns = position.pieces(us, Role::Pawn);
            structure.reach[us as usize] = pawn_attacks(us, fill_ahead(us, pawns));
            for square in pawns {
                let pawn = Pawn::new(position, us, square);
                pawn.judge(&mut ledger);
                if pawn.is_passed() {
                    ledger.add(us, Term::Passed, pawn.rank);
                    structure.passed[us as usize].add(square);
                }
            }
        }
        structure.score = ledger.score;
        structure
    }
}

/// One pawn and its surroundings.
struct Pawn {
    us: Colour,
    rank: usize,
    /// Enemy pawns that bar its way or may capture on it.
    stoppers: Bitboard,
    opposed: bool,
    /// An own pawn is ahead on its file.
    doubled: bool,
    isolated: bool,
    /// No own pawn can ever guard it, and it cannot advance safely.
    backward: bool,
    guards: usize,
    neighbours: usize,
}

impl Pawn {
    fn new(position: &Position, us: Colour, square: Square) -> Pawn {
        let ours = position.pieces(us, Role::Pawn);
        let theirs = position.pieces(!us, Role::Pawn);
        let pawn = Bitboard::from_square(square);
        let stop = ahead(us, pawn);
        let way = fill_ahead(us, stop);
        let helpers_behind = beside(fill_ahead(!us, pawn)) & ours;
        let stop_is_lost = (stop & (theirs | pawn_attacks(!us, theirs))).any();
        Pawn {
            us,
            rank: relative_rank(us, square),
            stoppers: (way | beside(way)) & theirs,
            opposed: (way & theirs).any(),
            doubled: (way & ours).any(),
            isolated: (beside(file(square)) & ours).is_empty(),
            backward: helpers_behind.is_empty() && stop_is_lost,
            guards: (beside(behind(us, pawn)) & ours).count(),
            neighbours: (beside(pawn) & ours).count(),
        }
    }

    fn is_passed(&self) -> bool {
        self.stoppers.is_empty() && !self.doubled
    }

    fn is_candidate(&self) -> bool {
        !self.opposed && !self.doubled && self.guards + self.neighbours >= self.stoppers.count()
    }

    fn judge(&self, ledger: &mut Ledger<'_, impl Tracer>) {
        let us = self.us;
        if self.isolated {
            ledger.add(us, Term::Isolated, usize::from(!self.opposed));
        } else if self.backward {
            ledger.add(us, Term::Backward, usize::from(!self.opposed));
        }
        if self.doubled && self.guards == 0 {
            ledger.add(us, Term::Doubled, 0);
        }
        if self.neighbours > 0 {
            ledger.add(us, Term::Phalanx, self.rank);
        }
        if self.guards > 0 {
            ledger.add_times(us, Term::Supported, self.rank, self.guards as i32);
        }
        if !self.is_passed() && self.is_candidate() {
            ledger.add(us, Term::Candidate, self.rank);
        }
    }
}
