//! One thread of a search, with its parts: what it borrows, what it may leave out, what it counts, where it
//! stands, and what it has found.

use super::accounts::{Accounts, Common};
use super::histories::Histories;
use super::pruning::Reductions;
use super::report::{Root, Variation};
use super::stack::Stack;
use super::table::TableView;
use super::{Bound, Controls, Oracle};
use crate::board::{Game, Move, Position};
use crate::eval::Evaluator;
use crate::value::{MAX_PLY, Value};

/// What a search may leave out, and what it looks at deeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mode {
    /// Reductions and pruning: off for the small depths that must mean what they say. There only results
    /// of the very depth count of the table, not those of deeper searches.
    pub selective: bool,
    /// Moves much better than all others are looked at deeper.
    pub singular: bool,
    /// Above this ply no move is left out: a mate in few moves that is asked for often begins with one
    /// that looks bad, and a null move does not see zugzwang.
    pub unpruned_until: usize,
}

impl Mode {
    /// Whatever brings the best move sooner.
    pub const BEST_MOVE: Mode = Mode { selective: true, singular: true, unpruned_until: 0 };

    /// When every move is valued, singular extensions double the time at depth 10, and another ply is the
    /// better bargain.
    pub const EVALUATION: Mode = Mode { singular: false, ..Mode::BEST_MOVE };

    /// Alpha-beta and nothing else.
    pub const FULL_WIDTH: Mode = Mode { selective: false, ..Mode::EVALUATION };
}

/// An oracle, asked about positions with no more pieces than this.
#[derive(Clone, Copy, Debug)]
pub(super) struct Consulted<'a> {
    pub oracle: &'a dyn Oracle,
    pub most_pieces: usize,
}

/// What is known never changes, so it is kept in the table as if searched this much deeper.
const MORE_PLIES: i32 = 6;

/// A searching thread.
pub(super) struct Worker<'a, E: Evaluator> {
    pub evaluator: &'a E,
    pub table: TableView<'a>,
    pub reductions: &'a Reductions,
    pub histories: &'a mut Histories,
    cache: &'a mut E::Cache,
    /// Asked at nodes with few pieces.
    pub oracle: Option<Consulted<'a>>,
    pub mode: Mode,
    pub accounts: Accounts<'a>,
    pub root: Root,
    pub stack: Stack<E::State>,
}

impl<'a, E: Evaluator> Worker<'a, E> {
    #[expect(
        clippy::too_many_arguments,
        reason = "what a worker borrows, named at the two callers"
    )]
    pub fn new(
        game: &Game,
        evaluator: &'a E,
        table: TableView<'a>,
        reductions: &'a Reductions,
        histories: &'a mut Histories,
        cache: &'a mut E::Cache,
        controls: &'a Controls,
        common: &'a Common,
    ) -> Worker<'a, E> {
        Worker {
            evaluator,
            table,
            reductions,
            histories,
            cache,
            oracle: None,
            mode: Mode::BEST_MOVE,
            accounts: Accounts::new(controls, common),
            root: Root::default(),
            stack: Stack::new(game, evaluator.refresh(game.position())),
        }
    }

    /// From now on asks an oracle.
    pub fn consult(&mut self, oracle: &'a dyn Oracle) {
        self.oracle = Some(Consulted { oracle, most_pieces: oracle.most_pieces() });
    }

    /// An iteration begins.
    pub fn begin_depth(&mut self, depth: i32) {
        self.root.depth = depth;
        self.accounts.can_be_stopped = depth > 1;
    }

    /// Nothing is left at the second ply of what other root moves had there. Killers of the first stay:
    /// what answers one move often answers the next.
    pub fn begin_root_move(&mut self) {
        self.stack[2].cuts = 0;
    }

    /// The position after a move, with everything that goes with it put on the stack.
    #[inline]
    pub fn descend(&mut self, position: &Position, m: Move, ply: usize) -> Position {
        self.table.prefetch(position.key_hint_after(m));
        let child = position.after(m);
        self.evaluator.follow(&mut self.stack.states, ply, position, m, &child);
        self.stack.push(position, m, ply);
        child
    }

    /// [`Worker::descend`] for a null move.
    #[inline]
    pub fn descend_by_null_move(&mut self, position: &Position, ply: usize) -> Option<Position> {
        let child = position.after_pass()?;
        self.evaluator.pass(&mut self.stack.states, ply);
        self.stack.push_null_move(position, ply);
        Some(child)
    }

    /// Takes back what `descend` put on the stack.
    #[inline]
    pub fn ascend(&mut self) {
        self.stack.pop();
    }

    #[inline]
    pub fn evaluate(&mut self, position: &Position, ply: usize) -> Value {
        self.evaluator
            .evaluate(position, &mut self.stack.states, ply, self.cache)
            .clamp_evaluation()
    }

    /// The static evaluation, mended by what similar positions taught.
    #[inline]
    pub fn corrected(&self, position: &Position, ply: usize, evaluation: Value) -> Value {
        let margins = self.evaluator.margins();
        let mut sum = self.histories.correction(position);
        if margins.correction_by_moves > 0 {
            let by_moves = self.histories.correction_by_moves(&self.stack.earlier_pieces(ply));
            sum += by_moves * margins.correction_by_moves / 100;
        }
        let correction = sum / margins.correction;
        (evaluation + Value::centipawns(correction)).clamp_evaluation()
    }

    /// What the oracle says of an inner node.
    #[inline]
    pub(super) fn ask_oracle(
        &mut self,
        position: &Position,
        ply: usize,
        depth: i32,
    ) -> Option<Value> {
        let Consulted { oracle, most_pieces } = self.oracle?;
        let pieces = position.occupied().count();
        if ply == 0 || position.halfmoves() != 0 || pieces > most_pieces {
            return None;
        }
        let result = oracle.result(position)?;
        self.accounts.oracle_hits += 1;
        let value = result.from_table(ply);
        let depth = (depth + MORE_PLIES).min(MAX_PLY as i32 - 1);
        let (mv, raw) = (Move::NONE.packed(), None);
        self.table.store(position.key(), ply, mv, value, raw, depth, Some(Bound::Exact), false);
        Some(value)
    }

    /// The best root move so far, with its line.
    pub fn note_root_best(&mut self, value: Value) {
        let moves = self.stack[0].line.clone();
        let selective_depth = self.accounts.selective_depth;
        self.root.best = Some(Variation { value, moves, selective_depth });
    }
}
