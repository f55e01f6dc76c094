//! A turn: what a player could choose from, and what he chose (Regan 2011, section 2).

use crate::board::{Colour, Phase};
use crate::math::largest;
use crate::selector::Values;

/// A decision that was made in a game.
#[derive(Clone, Debug, PartialEq)]
pub struct Turn {
    /// Which game of the study, from 0.
    pub game: usize,
    /// Plies played before.
    pub ply: usize,
    pub colour: Colour,
    /// What the moves are worth; nothing where nobody asked.
    pub values: Values,
    /// Which of them was played.
    pub chosen: usize,
    /// The position, or the one after the move, has been on the board before.
    pub repeats: bool,
    pub phase: Phase,
    /// What the position after the move turned out to be worth at the next turn, in pawns for the
    /// player of this one; `None` where nobody looked.
    pub after: Option<f64>,
}

impl Turn {
    /// The number of the move, as game scores have it.
    pub fn number(&self) -> usize {
        self.ply / 2 + 1
    }

    /// The value of the best move, in pawns.
    pub fn best(&self) -> f64 {
        largest(self.values.deepest())
    }

    /// The first of the moves that are worth most.
    pub fn first(&self) -> usize {
        let best = self.best();
        self.values.deepest().iter().position(|&value| value == best).unwrap_or(0)
    }

    /// What a move is worth, in pawns.
    pub fn value(&self, index: usize) -> f64 {
        self.values.deepest()[index]
    }

    /// What the chosen move gave away, in pawns.
    pub fn loss(&self) -> f64 {
        self.best() - self.value(self.chosen)
    }

    /// The place of every move in the order of values, from 0.
    pub fn ranks(&self) -> Vec<usize> {
        let values = self.values.deepest();
        let mut order: Vec<usize> = (0..values.len()).collect();
        order.sort_by(|&a, &b| values[b].total_cmp(&values[a]));
        let mut ranks = vec![0; order.len()];
        order.into_iter().enumerate().for_each(|(rank, index)| ranks[index] = rank);
        ranks
    }

    /// Is it known what the moves are worth?
    pub fn is_valued(&self) -> bool {
        self.values.moves() > 0
    }

    /// Is there only one legal move?
    pub fn is_forced(&self) -> bool {
        self.values.moves() <= 1
    }
}
