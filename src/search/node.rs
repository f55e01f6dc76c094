//! A node of the search tree: its window, its depth, and its state before its moves are searched.

use super::table::Entry;
use crate::board::{Move, Position};
use crate::value::Value;

/// The smallest difference between two values.
const ONE: Value = Value::centipawns(1);

/// The open interval in which a search returns exact values. Below it a search returns an upper bound,
/// above it a lower bound. The narrower the window, the more the search can cut off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Window {
    pub alpha: Value,
    pub beta: Value,
}

impl Window {
    pub const OPEN: Window =
        Window { alpha: Value::centipawns(-Value::INFINITE.raw()), beta: Value::INFINITE };

    /// A zero window, which only asks whether the value is greater than `alpha`.
    #[inline]
    pub fn above(alpha: Value) -> Window {
        Window { alpha, beta: alpha + ONE }
    }

    /// A zero window, which only asks whether the value is at least `beta`.
    #[inline]
    pub fn at_least(beta: Value) -> Window {
        Window { alpha: beta - ONE, beta }
    }

    /// The same window from the opponent's side, for a search one ply further down (negamax).
    #[inline]
    pub fn opposite(self) -> Window {
        Window { alpha: -self.beta, beta: -self.alpha }
    }

    #[inline]
    pub fn is_zero(self) -> bool {
        self.beta - self.alpha == ONE
    }
}

/// A subtree to be searched.
#[derive(Clone, Copy, Debug)]
pub(super) struct Subtree<'p> {
    pub position: &'p Position,
    /// Distance from the root.
    pub ply: usize,
    /// Plies to be searched before quiescence.
    pub depth: i32,
    pub window: Window,
    /// The node is expected to fail high: one move will probably refute it.
    pub cut_node: bool,
}

/// A node on its way through the steps of the search.
pub(super) struct Node<'p> {
    pub position: &'p Position,
    pub ply: usize,
    pub depth: i32,
    pub alpha: Value,
    pub beta: Value,
    pub cut_node: bool,
    pub in_check: bool,
    /// The node is, or once was, part of a principal variation.
    pub was_pv: bool,
    /// The static evaluation before corrections.
    pub raw: Option<Value>,
    /// The best guess at the value before the search: the corrected static evaluation, or the value from the table.
    pub adjusted: Value,
    /// The mover's evaluation has risen since its last move, so late moves are pruned less.
    pub improving: bool,
    /// How much the opponent's last move has worsened the opponent's static evaluation. See
    /// [`super::stack::Stack::opponents_loss`].
    pub opponents_loss: Option<Value>,
    pub table_move: Move,
    pub entry: Option<Entry>,
}
