//! Solving a table by retrograde analysis.
//!
//! 1. Every position is looked at once. Moves that leave the table (captures, promotions; for the
//!    DTZ all pawn moves) are worth what the other tables say; the others are counted.
//! 2. Round by round, what is decided in n plies is played backwards. Before a lost position
//!    stands one that is won in n + 1. Before a won position stands one with one way out less;
//!    when none is left it is lost.
//! 3. What no round has reached is a draw.
//!
//! A pawn that moves two squares may be taken en passant. Positions with that right have no place
//! in the table, so such moves are followed one by one, beside the table.
//!
//! Mirror images share a place, so one position may have two moves to the same place, and a place
//! that is its own mirror image has only half the predecessors. Counting each way out as two
//! (four or one between such places) keeps the books exact: the number of moves from the one
//! orbit to the other is the same whichever side one counts from.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use super::cache::Lookup;
use super::layout::{Layout, Squares};
use super::links::Links;
use super::outcome::{Metric, Outcome, TableKey};
use super::pieces::{PieceMove, Pieces};
use super::table::{Cell, Cells, EndgameTable};
use crate::board::{Colour, Role, Square};
use crate::memory::returned;
use crate::threads::share_out;

/// What watches tables being made.
pub trait BuildObserver: Sync {
    /// Job `number` of `total` begins.
    fn begins(&self, _job: TableKey, _number: usize, _total: usize) {}

    /// A round of solving is done: so many positions of so many are decided.
    fn round(&self, _plies: u16, _decided: u64, _positions: u64) {}

    /// Should the work be given up?
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Nobody watches.
impl BuildObserver for () {}

/// The work was given up because the observer said so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("stopped before the table was solved")]
pub struct Stopped;

/// One table that is to be solved, from those of all materials that its moves lead to.
#[derive(Debug)]
pub struct Problem {
    pub layout: Layout,
    pub metric: Metric,
    pub links: Links,
    /// The solved DTC table of the same material, where pawn moves count as conversions.
    pub results: Option<Lookup>,
    pub threads: usize,
}

impl Problem {
    /// The table, not packed yet.
    pub fn solve(&self, observer: &dyn BuildObserver) -> Result<EndgameTable, Stopped> {
        let cells = 2 * self.layout.size;
        let mut states = returned(cells);
        states.extend((0..cells).map(|_| AtomicU16::new(EMPTY)));
        let solver = Solver {
            problem: self,
            observer,
            states,
            passing: Mutex::default(),
            horizon: AtomicU16::new(0),
            positions: AtomicU64::new(0),
            decided: AtomicU64::new(0),
        };
        solver.share(|range| solver.set_up(range))?;
        let mut plies = 0;
        while plies <= solver.horizon.load(Ordering::Relaxed) {
            solver.pass(plies);
            solver.share(|range| solver.play_back(range, plies))?;
            let [decided, positions] =
                [&solver.decided, &solver.positions].map(|count| count.load(Ordering::Relaxed));
            observer.round(plies, decided, positions);
            plies += 1;
        }
        // They stay where they are.
        let cells = solver.states.into_iter().map(|state| finished(state.into_inner()).0);
        Ok(EndgameTable::new(self.layout.clone(), self.metric, Cells::Words(cells.collect())))
    }

    /// The value of a move that reaches the metric's goal or leaves the table, else `None`.
    fn conversion(&self, pieces: &Pieces, side: Colour, m: PieceMove) -> Option<Outcome> {
        if m.captured.is_some() || m.promotion.is_some() {
            let after = self.links.outcome(side, m, &pieces.moved(m.slot, m.to));
            return Some(match self.metric {
                Metric::Dtm => after.before(),
                Metric::Dtc | Metric::Dtz => after.converting(),
            });
        }
        if self.metric != Metric::Dtz || self.layout.pieces[m.slot].role != Role::Pawn {
            return None;
        }
        let squares = pieces.moved(m.slot, m.to);
        let results = self.results.as_ref().expect("the DTZ with pawns is solved from the DTC");
        let after = results.get(!side, &squares).ok().flatten();
        let after = after.expect("a legal move leads to a legal position");
        let capture = if m.double { self.capture_in_passing(&squares, !side, m.to) } else { None };
        let taken = |(capture, forced)| after.or_in_passing(capture, forced);
        Some(capture.map_or(after, taken).converting())
    }

    /// The best capture by `side` of the pawn that has just moved two squares to `target`, and
    /// whether it is the only move.
    fn capture_in_passing(
        &self,
        squares: &Squares,
        side: Colour,
        target: Square,
    ) -> Option<(Outcome, bool)> {
        let pieces = Pieces::new(&self.layout, *squares);
        let captures = pieces
            .en_passant(side, target)
            .map(|m| self.conversion(&pieces, side, m).expect("a capture leaves the table"));
        let best = captures.reduce(Outcome::or)?;
        Some((best, !pieces.has_move(side)))
    }
}

/// States of a cell while it is worked on; the plies are added. They are ordered so that the
/// smaller state prevails.
const WON: u16 = 0;
const LOST: u16 = 0x4000;
/// Not decided. The lower byte counts the ways out. If none is left it is lost, and conversions delay
/// the end by twice what the upper byte adds: by one ply, which any loss takes, or in the DTM by an
/// even number.
const OPEN: u16 = 0x8000;
const EMPTY: u16 = u16::MAX;

/// More ways out than can ever be closed: the side to move can hold the draw.
const HOLDS: u16 = 0xff;
const WAYS: u16 = 0xff;
const PLIES: u16 = LOST - 1;

fn is_open(state: u16) -> bool {
    (OPEN..EMPTY).contains(&state)
}

/// Cells that a thread takes at a time.
const PORTION: usize = 1 << 14;

/// A move that lets a pawn be taken en passant.
#[derive(Clone, Copy, Debug)]
struct Passing {
    parent: usize,
    child: usize,
    /// The value of the best capture en passant for the side that may capture.
    capture: Outcome,
    /// There is no other legal move.
    forced: bool,
}

struct Solver<'a> {
    problem: &'a Problem,
    observer: &'a dyn BuildObserver,
    states: Vec<AtomicU16>,
    passing: Mutex<Vec<Passing>>,
    /// The largest depth that is waiting to be played backwards.
    horizon: AtomicU16,
    positions: AtomicU64,
    decided: AtomicU64,
}

fn finished(state: u16) -> Cell {
    match state {
        EMPTY => Cell::EMPTY,
        OPEN.. => Cell::DRAW,
        LOST.. => Cell::of(Outcome::Loss(state - LOST)),
        _ => Cell::of(Outcome::Win(state - WON)),
    }
}

impl Solver<'_> {
    /// Lets the threads work through all cells, a portion at a time.
    fn share(&self, work: impl Fn(Range<usize>) + Sync) -> Result<(), Stopped> {
        let cells = self.states.len();
        let portion = |number: usize| {
            if self.observer.is_stopped() {
                return Err(Stopped);
            }
            let start = number * PORTION;
            work(start..(start + PORTION).min(cells));
            Ok(())
        };
        share_out(cells.div_ceil(PORTION), self.problem.threads, portion).into_iter().collect()
    }

    #[inline]
    fn cell(&self, side: Colour, index: usize) -> usize {
        if side == Colour::White { index } else { self.problem.layout.size + index }
    }

    #[inline]
    fn side(&self, cell: usize) -> (Colour, usize) {
        let size = self.problem.layout.size;
        if cell < size { (Colour::White, cell) } else { (Colour::Black, cell - size) }
    }

    /// Step 1 for some cells.
    fn set_up(&self, range: Range<usize>) {
        let mut positions = 0;
        let mut horizon = 0;
        for cell in range {
            let (side, index) = self.side(cell);
            let Some(squares) = self.problem.layout.squares(index) else { continue };
            let pieces = Pieces::new(&self.problem.layout, squares);
            if pieces.in_check(!side) {
                continue;
            }
            positions += 1;
            let state = self.first_look(&pieces, side, cell);
            if !is_open(state) {
                horizon = horizon.max(state & PLIES);
            }
            self.states[cell].store(state, Ordering::Relaxed);
        }
        self.horizon.fetch_max(horizon, Ordering::Relaxed);
        self.positions.fetch_add(positions, Ordering::Relaxed);
    }

    fn first_look(&self, pieces: &Pieces, side: Colour, cell: usize) -> u16 {
        let mut ways_out = 0;
        let mut conversion: Option<Outcome> = None;
        pieces.moves(side, |m| {
            match self.problem.conversion(pieces, side, m) {
                Some(outcome) => conversion = Some(conversion.map_or(outcome, |c| c.or(outcome))),
                None => {
                    ways_out += 2;
                    if m.double {
                        self.note_passing(pieces, side, cell, m);
                    }
                }
            }
            // Nothing is quicker than one ply.
            conversion != Some(Outcome::Win(1))
        });
        match conversion {
            Some(Outcome::Win(plies)) => WON + plies,
            Some(Outcome::Draw) => OPEN | HOLDS,
            Some(Outcome::Loss(plies)) if ways_out == 0 => LOST + plies,
            Some(Outcome::Loss(plies)) => OPEN | (plies / 2) << 8 | ways_out,
            None if ways_out > 0 => OPEN | ways_out,
            None if pieces.in_check(side) => LOST,
            None => OPEN | HOLDS,
        }
    }

    /// Notes a pawn's move of two squares that lets it be taken en passant.
    fn note_passing(&self, pieces: &Pieces, side: Colour, parent: usize, m: PieceMove) {
        let squares = pieces.moved(m.slot, m.to);
        let Some((capture, forced)) = self.problem.capture_in_passing(&squares, !side, m.to) else {
            return;
        };
        let place = self.problem.layout.place(&squares).expect("a legal position has a place");
        let child = self.cell(!side, place.index);
        let note = Passing { parent, child, capture, forced };
        self.passing.lock().expect("no thread panics while it notes").push(note);
        self.horizon.fetch_max(capture.plies().unwrap_or(0), Ordering::Relaxed);
    }

    /// Step 2 for the moves beside the table: those whose outcome is `plies` deep are settled.
    fn pass(&self, plies: u16) {
        let mut passing = self.passing.lock().expect("no thread panics while it notes");
        passing.retain(|note| {
            let state = self.states[note.child].load(Ordering::Relaxed);
            let otherwise = match finished(state).outcome() {
                Some(outcome) if outcome.plies().is_some_and(|depth| depth <= plies) => outcome,
                // Not known yet; a win by the capture will do without.
                _ => Outcome::Draw,
            };
            let outcome = otherwise.or_in_passing(note.capture, note.forced);
            match outcome {
                Outcome::Win(depth) if depth <= plies => self.close(note.parent, 2, plies),
                Outcome::Loss(depth) if depth <= plies => self.win(note.parent, plies),
                _ => return true,
            }
            false
        });
    }

    /// Step 2 for some cells: plays back what is decided in `plies`.
    fn play_back(&self, range: Range<usize>, plies: u16) {
        let (won, lost) = (WON + plies, LOST + plies);
        let layout = &self.problem.layout;
        let mut decided = 0;
        for cell in range {
            let state = self.states[cell].load(Ordering::Relaxed);
            if state != won && state != lost {
                continue;
            }
            decided += 1;
            let (side, index) = self.side(cell);
            let pieces = Pieces::new(layout, layout.decode(index));
            let symmetric = layout.place(&pieces.squares).is_some_and(|place| place.symmetric);
            pieces.unmoves(!side, self.problem.metric != Metric::Dtz, |m| {
                let pushed = pieces.squares[m.slot];
                if m.double && pieces.en_passant(side, pushed).next().is_some() {
                    return;
                }
                let Some(place) = layout.place(&pieces.moved(m.slot, m.to)) else { return };
                let parent = self.cell(!side, place.index);
                if state == lost {
                    self.win(parent, plies);
                } else {
                    let ways = match (place.symmetric, symmetric) {
                        (true, false) => 4,
                        (false, true) => 1,
                        _ => 2,
                    };
                    self.close(parent, ways, plies);
                }
            });
        }
        self.decided.fetch_add(decided, Ordering::Relaxed);
    }

    /// A position has a move to one that is lost in `plies`.
    #[inline]
    fn win(&self, parent: usize, plies: u16) {
        let state = &self.states[parent];
        let won = WON + plies + 1;
        let before = state.load(Ordering::Relaxed);
        if before != EMPTY && before > won {
            state.fetch_min(won, Ordering::Relaxed);
            self.horizon.fetch_max(plies + 1, Ordering::Relaxed);
        }
    }

    /// A position has a move to one that is won for the other side in `plies`.
    #[inline]
    fn close(&self, parent: usize, ways: u16, plies: u16) {
        let depth = |state: u16| ((state & !OPEN) >> 8 << 1).max(plies + 1);
        let closed = |state: u16| match state & WAYS {
            _ if !is_open(state) => None,
            left if left == ways => Some(LOST + depth(state)),
            _ => Some(state - ways),
        };
        let relaxed = Ordering::Relaxed;
        let before = self.states[parent].fetch_update(relaxed, relaxed, closed);
        if let Ok(state) = before
            && state & WAYS == ways
        {
            self.horizon.fetch_max(depth(state), relaxed);
        }
    }
}
