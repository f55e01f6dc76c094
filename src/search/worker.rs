//! One thread of a search: its mode, its counters, its stack, and the data that it borrows.
//!
//! The steps of the search ([`alpha_beta`], [`quiescence`], [`history_updates`]) are functions that work on a
//! [`Worker`].
//!
//! [`alpha_beta`]: super::alpha_beta
//! [`quiescence`]: super::quiescence
//! [`history_updates`]: super::history_updates

use super::counters::{Counters, SharedCounters};
use super::histories::{Context, Histories};
use super::reductions::Reductions;
use super::report::{Root, Variation};
use super::stack::Stack;
use super::table::{Record, TableView};
use super::{Bound, Controls, Oracle};
use crate::board::{Game, Move, Position};
use crate::eval::{Evaluator, Reach, SearchParams, attacks_of};
use crate::value::{MAX_PLY, Value};

/// The selectivity of a search.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    /// Whether reductions, extensions and pruning are on. The evaluation of all moves turns them off at low depths, so
    /// that it sees every line. While they are off, a table entry causes a cut-off only if its depth is exactly the
    /// same.
    pub selective: bool,
    /// Whether the rules that only the search for the best move uses are on. Levels and ratings were fitted to
    /// evaluations of all moves, so those searches leave out rules that were added later. They also leave out singular
    /// extensions, which would double the time to depth 10. Another ply is a better use of that time.
    pub best_move: bool,
    /// No move is pruned before this ply. A search for a short mate needs this: the first move of a mate often
    /// looks bad, and null-move pruning misses zugzwang.
    pub unpruned_until: usize,
}

impl Mode {
    /// For the search for the best move: all techniques are on.
    pub const BEST_MOVE: Mode = Mode { selective: true, best_move: true, unpruned_until: 0 };

    /// For the evaluation of all moves.
    pub const EVALUATION: Mode = Mode { best_move: false, ..Mode::BEST_MOVE };

    /// Plain alpha-beta.
    pub const FULL_WIDTH: Mode = Mode { selective: false, ..Mode::EVALUATION };
}

/// An oracle, and the largest number of pieces in the positions that it is asked about.
#[derive(Clone, Copy, Debug)]
pub(super) struct Consulted<'a> {
    pub oracle: &'a dyn Oracle,
    pub most_pieces: usize,
}

/// The oracle's results never change, so the table stores them as if they had been searched this many plies deeper.
const EXTRA_PLIES_OF_ORACLE: i32 = 6;

/// The data that the threads of one search share.
pub(super) struct Shared<'a, E> {
    pub evaluator: &'a E,
    pub table: TableView<'a>,
    pub params: &'a SearchParams,
    pub reductions: &'a Reductions,
    pub controls: &'a Controls,
    pub counters: &'a SharedCounters,
}

/// A searching thread.
pub(super) struct Worker<'a, E: Evaluator> {
    pub evaluator: &'a E,
    pub table: TableView<'a>,
    pub params: &'a SearchParams,
    pub reductions: &'a Reductions,
    pub histories: &'a mut Histories,
    /// The oracle, which is asked at nodes with few pieces.
    pub oracle: Option<Consulted<'a>>,
    pub mode: Mode,
    pub counters: Counters<'a>,
    pub root: Root,
    pub stack: Stack<E::State>,
}

impl<'a, E: Evaluator> Worker<'a, E> {
    pub fn new(game: &Game, shared: &Shared<'a, E>, histories: &'a mut Histories) -> Worker<'a, E> {
        Worker {
            evaluator: shared.evaluator,
            table: shared.table,
            params: shared.params,
            reductions: shared.reductions,
            histories,
            oracle: None,
            mode: Mode::BEST_MOVE,
            counters: Counters::new(shared.controls, shared.counters),
            root: Root::default(),
            stack: Stack::new(game, shared.evaluator.root_state(game.position())),
        }
    }

    /// Sets the oracle that the search asks from now on.
    pub fn consult(&mut self, oracle: &'a dyn Oracle) {
        self.oracle = Some(Consulted { oracle, most_pieces: oracle.most_pieces() });
    }

    /// Starts an iteration.
    pub fn begin_depth(&mut self, depth: i32) {
        self.root.depth = depth;
    }

    /// Clears the cut-off count that other root moves left at ply 2. The killers at ply 1 stay: a
    /// reply to one root move is often a good reply to the next.
    pub fn begin_root_move(&mut self) {
        self.stack[2].cutoffs = 0;
    }

    /// Loads the table entry for the position after a move into the processor's cache. Call this as early as possible:
    /// a cache miss takes about half as long as a whole node.
    #[inline]
    pub fn prefetch(&self, position: &Position, m: Move) {
        self.table.prefetch(position.key_hint_after(m));
    }

    /// Plays a move: returns the position after it and pushes it onto the stack.
    #[inline]
    pub fn descend(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        let child = position.after(m);
        self.histories.prefetch_correction(&child);
        self.evaluator.advance(&mut self.stack.states, ply);
        self.stack.push(position, m, ply);
        child
    }

    /// [`Worker::descend`] for a null move. `None` in check.
    #[inline]
    pub fn descend_by_null_move(&mut self, position: &Position, ply: usize) -> Option<Position> {
        let child = position.after_null_move()?;
        self.table.prefetch(child.key());
        self.evaluator.advance(&mut self.stack.states, ply);
        self.stack.push_null_move(position, ply);
        Some(child)
    }

    /// Takes back the last move.
    #[inline]
    pub fn ascend(&mut self) {
        self.stack.pop();
    }

    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> Value {
        self.evaluator.evaluate(position, &mut self.stack.states, ply).clamp_evaluation()
    }

    /// The static evaluation plus the corrections learnt from similar positions. See [`Histories`].
    #[inline]
    pub fn corrected(&self, position: &Position, ply: usize, evaluation: Value) -> Value {
        let params = self.params;
        // Scale the evaluation towards zero as the fifty-move limit approaches.
        let counter = if self.mode.best_move { position.halfmoves().min(100) as i32 } else { 0 };
        let evaluation = Value::centipawns(evaluation.raw() * (200 - counter) / 200);
        let mut sum = self.histories.correction(position);
        if params.correction_by_moves > 0 {
            let by_moves = self.histories.correction_by_moves(&self.stack.earlier_pieces(ply));
            sum += by_moves * params.correction_by_moves / 100;
        }
        let correction = sum / params.correction;
        (evaluation + Value::centipawns(correction)).clamp_evaluation()
    }

    /// The context of quiet moves in a position.
    #[inline]
    pub fn context(&self, position: &Position, ply: usize) -> Context {
        let mut context = Context { earlier: self.stack.earlier_pieces(ply), ..Context::NONE };
        if self.params.threats > 0 {
            let reach = Reach::in_position(position, !position.turn());
            context.threats = attacks_of(position, !position.turn(), reach);
            context.reach = Some(reach);
        }
        if self.params.pawn_history > 0 {
            context.pawns = Context::pawn_row(position);
            context.pawn_weight = self.params.pawn_history;
        }
        context
    }

    /// Brings a value above beta closer to beta: a shallow search that fails high by a lot exaggerates the value. The
    /// deeper the search, the less is taken off.
    #[inline]
    pub fn softened(&self, value: Value, beta: Value, depth: i32) -> Value {
        let share = self.params.softening;
        if share == 0 || !self.mode.selective || value.is_decisive() {
            return value;
        }
        value - Value::centipawns((value - beta).raw() * share / 100 / (depth + 1))
    }

    /// Asks the oracle for the value of an inner node and stores it in the table. The oracle answers
    /// only right after a capture or pawn move.
    #[inline]
    pub fn ask_oracle(&mut self, position: &Position, ply: usize, depth: i32) -> Option<Value> {
        let Consulted { oracle, most_pieces } = self.oracle?;
        let pieces = position.occupied().count();
        if ply == 0 || position.halfmoves() != 0 || pieces > most_pieces {
            return None;
        }
        let result = oracle.result(position)?;
        self.counters.count_oracle_hit();
        let value = result.at_root(ply);
        let record = Record {
            mv: Move::NONE.packed(),
            value,
            evaluation: None,
            depth: (depth + EXTRA_PLIES_OF_ORACLE).min(MAX_PLY as i32 - 1),
            bound: Bound::Exact,
            was_pv: false,
        };
        self.table.store(position.key(), ply, record);
        Some(value)
    }

    /// Records the best root move so far, with its line.
    pub fn note_root_best(&mut self, value: Value) {
        let moves = self.stack[0].line.clone();
        let selective_depth = self.counters.selective_depth;
        self.root.best = Some(Variation { value, bound: Bound::Exact, moves, selective_depth });
    }
}
