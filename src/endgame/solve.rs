//! Solves a table by retrograde analysis (Ströhlein 1970; Thompson 1986, "Retrograde Analysis of Certain Endgames").
//!
//! Searching forwards from each position would visit the same positions again and again. Retrograde analysis works
//! backwards from the ends of games and needs to look at each position only twice:
//!
//! 1. Every position is set up once. Mated positions are lost in 0 plies. Captures, promotions, and for DTZ all pawn
//!    moves get their outcomes from other tables. All other moves are only counted.
//! 2. Round n takes back moves from the positions that are decided in n plies. If a position has a move to a lost
//!    position, it is won in n + 1 plies. If it has a move to a position that the opponent wins, it has one fewer way
//!    out. When its last way out is closed, it is lost.
//! 3. Positions that no round has decided are draws.
//!
//! Positions with en passant rights are not in the table. So if a two-square pawn advance allows an en passant
//! capture, it is kept in a separate list ([`DoublePush`]) and settled round by round.
//!
//! Mirror images share a cell. So a position may have two moves to the same cell, and a cell that is its own mirror
//! image has half as many predecessors. Each way out therefore counts as two. It counts as four if the cell that
//! the move starts from is its own mirror image and the cell that it leads to is not, and as one in the opposite case.
//! With these weights, the number of moves between two cells is the same in both directions.

use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU16, AtomicU64, Ordering};

use super::cache::LoadedTable;
use super::layout::{Layout, Squares};
use super::links::Links;
use super::observer::{BuildObserver, Stopped};
use super::outcome::{Metric, Outcome};
use super::pieces::{PieceMove, Pieces};
use super::table::{Cell, Cells, EndgameTable};
use crate::board::{Colour, Role, Square};
use crate::free_memory::returned_when_dropped;
use crate::threads::share_out;

/// A table to be solved, with the tables that its moves lead to.
#[derive(Debug)]
pub struct Problem {
    pub layout: Layout,
    pub metric: Metric,
    pub links: Links,
    /// The DTC table with the same material, for DTZ with pawns.
    pub results: Option<LoadedTable>,
    pub threads: usize,
}

impl Problem {
    /// Solves the table. Its cells are not yet packed.
    pub fn solve(&self, observer: &dyn BuildObserver) -> Result<EndgameTable, Stopped> {
        let count = 2 * self.layout.size;
        let mut states = returned_when_dropped(count);
        states.extend((0..count).map(|_| AtomicU16::new(EMPTY)));
        let solver = Solver {
            problem: self,
            observer,
            states,
            double_pushes: Mutex::default(),
            horizon: AtomicU16::new(0),
            positions: AtomicU64::new(0),
            decided: AtomicU64::new(0),
        };
        solver.share(|range| solver.set_up(range))?;
        let mut plies = 0;
        while plies <= solver.horizon.load(Ordering::Relaxed) {
            solver.settle_double_pushes(plies);
            solver.share(|range| solver.take_back(range, plies))?;
            let [decided, positions] =
                [&solver.decided, &solver.positions].map(|count| count.load(Ordering::Relaxed));
            observer.round(plies, decided, positions);
            plies += 1;
        }
        // `collect` works in place here, so the finished cells reuse the memory of the states.
        let cells = solver.states.into_iter().map(|state| finished(state.into_inner()).0);
        Ok(EndgameTable::new(self.layout.clone(), self.metric, Cells::Words(cells.collect())))
    }

    /// The outcome of a move that reaches the goal of the metric or leaves the table. `None` for other moves.
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
        let results =
            self.results.as_ref().expect("a DTZ table with pawns is solved from the DTC table");
        let found = results.get(!side, &squares).ok().flatten();
        let after = found.expect("a legal move leads to a legal position");
        let capture = if m.double { self.best_en_passant(&squares, !side, m.to) } else { None };
        let with_capture = |(capture, forced)| after.or_en_passant(capture, forced);
        Some(capture.map_or(after, with_capture).converting())
    }

    /// The best en passant capture by `side` of the pawn that has just moved to `target`, and whether this capture is
    /// forced.
    fn best_en_passant(
        &self,
        squares: &Squares,
        side: Colour,
        target: Square,
    ) -> Option<(Outcome, bool)> {
        let pieces = Pieces::new(&self.layout, *squares);
        let captures = pieces
            .en_passant(side, target)
            .map(|m| self.conversion(&pieces, side, m).expect("a capture leaves the table"));
        let best = captures.reduce(Outcome::better)?;
        Some((best, !pieces.has_move(side)))
    }
}

/// The state of a won cell, to which the plies are added. Of two states that are found for a cell, the smaller one
/// counts.
const WON: u16 = 0;
/// The state of a lost cell, to which the plies are added.
const LOST: u16 = 0x4000;
/// The state of a cell that is not decided. The lower byte counts its ways out. When the last way out is closed, the
/// position is lost. A losing conversion may delay the end, so the lower seven bits of the upper byte contain half the
/// plies of the slowest one. The loss takes at least twice this number. For DTC and DTZ, it is 0.
const OPEN: u16 = 0x8000;
/// The state of a cell that has no position.
const EMPTY: u16 = u16::MAX;

/// More ways out than can ever be closed: the side to move has a drawing conversion or is stalemated.
const HOLDS: u16 = 0xff;
/// The bits of an open state that count ways out.
const WAYS: u16 = 0xff;
/// The bits of a decided state that contain the plies.
const PLIES: u16 = LOST - 1;

fn is_open(state: u16) -> bool {
    (OPEN..EMPTY).contains(&state)
}

/// The number of cells that a thread processes at a time.
const PORTION: usize = 1 << 14;

/// A pawn move of two squares that allows an en passant capture.
#[derive(Clone, Copy, Debug)]
struct DoublePush {
    parent: usize,
    child: usize,
    /// The outcome of the best en passant capture, for the capturing side.
    capture: Outcome,
    /// Whether the capture is the only legal move.
    forced: bool,
}

struct Solver<'a> {
    problem: &'a Problem,
    observer: &'a dyn BuildObserver,
    states: Vec<AtomicU16>,
    double_pushes: Mutex<Vec<DoublePush>>,
    /// The largest depth for which a round is needed.
    horizon: AtomicU16,
    positions: AtomicU64,
    decided: AtomicU64,
}

/// The cell that corresponds to a final state.
fn finished(state: u16) -> Cell {
    match state {
        EMPTY => Cell::EMPTY,
        OPEN.. => Cell::DRAW,
        LOST.. => Cell::of(Outcome::Loss(state - LOST)),
        _ => Cell::of(Outcome::Win(state - WON)),
    }
}

impl Solver<'_> {
    /// Divides all cells among the threads.
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

    /// Carries out step 1 for a range of cells.
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

    /// The state of a position after looking at each of its moves once.
    fn first_look(&self, pieces: &Pieces, side: Colour, cell: usize) -> u16 {
        let mut ways_out = 0;
        let mut conversion: Option<Outcome> = None;
        pieces.moves(side, |m| {
            match self.problem.conversion(pieces, side, m) {
                Some(outcome) => {
                    conversion = Some(conversion.map_or(outcome, |c| c.better(outcome)))
                }
                None => {
                    ways_out += 2;
                    if m.double {
                        self.note_double_push(pieces, side, cell, m);
                    }
                }
            }
            // No win is faster than 1 ply.
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

    /// Adds a pawn move of two squares to the list if it allows an en passant capture.
    fn note_double_push(&self, pieces: &Pieces, side: Colour, parent: usize, m: PieceMove) {
        let squares = pieces.moved(m.slot, m.to);
        let Some((capture, forced)) = self.problem.best_en_passant(&squares, !side, m.to) else {
            return;
        };
        let place = self.problem.layout.place(&squares).expect("a legal position has a place");
        let child = self.cell(!side, place.index);
        let note = DoublePush { parent, child, capture, forced };
        self.double_pushes.lock().expect("no thread panics with the lock").push(note);
        self.horizon.fetch_max(capture.plies().unwrap_or(0), Ordering::Relaxed);
    }

    /// Carries out step 2 for moves that allow an en passant capture: settles those that are decided in `plies`.
    fn settle_double_pushes(&self, plies: u16) {
        let mut double_pushes = self.double_pushes.lock().expect("no thread panics with the lock");
        double_pushes.retain(|note| {
            let state = self.states[note.child].load(Ordering::Relaxed);
            let otherwise = match finished(state).outcome() {
                Some(outcome) if outcome.plies().is_some_and(|depth| depth <= plies) => outcome,
                // The outcome of the other moves is not known yet, but the capture may win anyway.
                _ => Outcome::Draw,
            };
            let outcome = otherwise.or_en_passant(note.capture, note.forced);
            match outcome {
                Outcome::Win(depth) if depth <= plies => self.close(note.parent, 2, plies),
                Outcome::Loss(depth) if depth <= plies => self.win(note.parent, plies),
                _ => return true,
            }
            false
        });
    }

    /// Carries out step 2 for a range of cells: takes back moves from positions that are decided in `plies`.
    fn take_back(&self, range: Range<usize>, plies: u16) {
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

    /// Records that a position has a move to one that is lost in `plies`.
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

    /// Records that a position has a move to one that the opponent wins in `plies`.
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
